"""The choice of a method and of features: candidates, held-out scores, and a race within a time budget."""
