"""Few labels and much text without: SemanticSVM beside what others do, from raw text to a table."""
