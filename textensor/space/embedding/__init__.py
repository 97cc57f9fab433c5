"""Static models on disk: a vector for each token, and the tokenizer that finds tokens."""
