"""Side by side with what people use today: ratios from one run, medians of several rounds."""
