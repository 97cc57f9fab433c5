"""Reducers that are a graph over documents."""
