"""Latent spaces learned without labels."""
