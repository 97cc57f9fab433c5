"""Co-EM by the letter: naive Bayes with loops over documents, terms and classes."""

import numpy as np


def posteriors_of(X, weights, documents, smoothing):
    """Train on rows X with class weights, and return the posteriors of other rows."""
    n_classes, n_terms = weights.shape[1], X.shape[1]
    result = []
    for document in documents:
        scores = np.zeros(n_classes)
        for c in range(n_classes):
            count = np.zeros(n_terms)
            for x, w in zip(X, weights, strict=True):
                count += w[c] * x
            score = np.log(sum(w[c] for w in weights) / weights.sum())
            for t in range(n_terms):
                score += document[t] * np.log((smoothing + count[t]) / (smoothing * n_terms + count.sum()))
            scores[c] = score
        odds = np.exp(scores - scores.max())
        result.append(odds / odds.sum())
    return np.array(result).reshape(len(documents), n_classes)


def coem(X, y, X_new, first, second, rounds, smoothing=1.0):
    """Return the class probabilities of new documents after some rounds. Unlabelled is -1."""
    classes = np.unique(y[y != -1])
    known = y != -1
    hard = (y[known][:, None] == classes).astype(float)
    L, U = X[known], X[~known]
    from_second = None
    for _ in range(rounds):
        if from_second is None:
            rows_1, weights_1 = L[:, first], hard
        else:
            rows_1, weights_1 = np.vstack([L, U])[:, first], np.vstack([hard, from_second])
        from_first = posteriors_of(rows_1, weights_1, U[:, first], smoothing)
        rows_2, weights_2 = np.vstack([L, U])[:, second], np.vstack([hard, from_first])
        from_second = posteriors_of(rows_2, weights_2, U[:, second], smoothing)
    product = posteriors_of(rows_1, weights_1, X_new[:, first], smoothing) * posteriors_of(
        rows_2, weights_2, X_new[:, second], smoothing
    )
    return product / product.sum(axis=1, keepdims=True)
