"""What scores lead to: labels, probabilities, and reasons."""
