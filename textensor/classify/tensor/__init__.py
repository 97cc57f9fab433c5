"""Classifiers whose weights are a tensor of low rank."""
