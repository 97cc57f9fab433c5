"""TensorLSI beside LSI and the plain terms in other arrangements than the paper's."""
