"""How good the tensor classifiers are with few labels, beside a tuned SVM. Not part of `make bench`: it takes long."""
