"""From text to counts of terms to weights: the parts of :class:`textensor.space.TermVectorizer`."""
