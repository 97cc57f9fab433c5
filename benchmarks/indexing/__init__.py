"""TensorLSI beside LSI and the plain terms, by the paper's three protocols, and in other arrangements."""
