"""Readers for the user's own documents."""
