"""How good the tensor classifiers are with few labels, beside a tuned SVM: `make bench-accuracy`, hours."""
