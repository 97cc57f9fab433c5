"""The data sets, a file for each, and what their files have in common."""
