"""What is slow to import, imported late or not at all: scikit-learn and Numba."""
