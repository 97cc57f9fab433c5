"""The axes of a graph's criterion."""
