"""The latent space learnt once for all held-out folds, beside one for each fold: seconds and figures.

The figures show what the shortcut does to held-out scores: they should differ no more than by chance.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.measure import publish, table
from textensor import TextCategorizer
from textensor.datasets import load
from textensor.evaluate import f1_by_argmax
from textensor.workbench.choice import selection

#: A share of the training part is labelled; the rest of it is read without labels.
SHARES = (0.01, 0.05, 0.1)
CORPORA = ("docstrings", "20newsgroups")
#: Half of the documents beside the labelled ones are read; the others are new to the model.
N_SPLITS = 3
HEAD = ["corpus", "labels", "space", "seconds", "held-out: micro", "macro", "new documents: micro", "macro"]


def main() -> None:
    rows = [row for name in CORPORA for share in SHARES for row in measured(name, share)]
    body = (
        "`TextCategorizer('semantic-svm')`, which scores three held-out folds and then fits all documents. "
        f"If unlabelled documents are plenty ({selection.PLENTY} or more for each labelled one), terms and "
        "the latent space come from all text once, that of held-out documents included; otherwise from the "
        f"other folds, once for each. Means of {N_SPLITS} splits of the training part.\n\n"
    )
    publish("spaces", "One latent space for all folds", body + table(HEAD, rows))


def measured(name: str, share: float) -> Iterator[list[object]]:
    """Yield a row for each way, over the same splits."""
    corpus = load(name)
    train = np.arange(len(corpus.y)) if corpus.train is None else np.flatnonzero(corpus.train)
    texts, y = [corpus.texts[row] for row in train], corpus.y[train]
    usual = selection.PLENTY
    for space, plenty in (("once", usual), ("for each fold", np.inf)):
        selection.PLENTY = plenty
        try:
            found = [fitted(texts, y, share, split) for split in range(N_SPLITS)]
        finally:
            selection.PLENTY = usual
        yield [name, f"{share:.0%}", space, *np.mean(found, axis=0).tolist()]


def fitted(texts: list[str], y: Any, share: float, split: int) -> list[float]:
    """Return the seconds of a fit, its held-out figures, and those on documents that it did not read."""
    order = np.random.default_rng(split).permutation(len(texts))
    n_labelled = round(share * len(texts))
    half = (len(texts) + n_labelled) // 2
    labels = [str(y[row]) if k < n_labelled else None for k, row in enumerate(order[:half])]
    model = TextCategorizer("semantic-svm", n_jobs=2)
    start = time.perf_counter()
    model.fit([texts[row] for row in order[:half]], labels)
    seconds = time.perf_counter() - start
    scores = model.predict_scores([texts[row] for row in order[half:]])
    new = f1_by_argmax(y[order[half:]].astype(str), scores, classes=model.classes_, labels=model.classes_)
    return [seconds, model.figures_["micro"], model.figures_["macro"], new.micro, new.macro]


if __name__ == "__main__":
    main()
