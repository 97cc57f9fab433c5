"""Protocols that begin with texts: terms, weights and methods are part of what is compared."""
