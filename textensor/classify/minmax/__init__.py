"""The min-max modular SVM."""
