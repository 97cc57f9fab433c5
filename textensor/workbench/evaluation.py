"""How good a categorizer is on documents whose labels are known."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from textensor.base.labels import Labels
from textensor.base.plain import counted
from textensor.base.progress import Progress, silent
from textensor.report import Evaluation, Run, evaluate_model
from textensor.report.views import N_TOLD
from textensor.workbench.categorizer import TextCategorizer
from textensor.workbench.texts import check_texts, texts_with_labels


def evaluate_documents(
    categorizer: TextCategorizer,
    texts: Iterable[str],
    labels: Any,
    *,
    train_texts: Iterable[str] | None = None,
    run: Run | None = None,
    reasons: bool = True,
    progress: Progress = silent,
) -> Evaluation:
    """Measure a categorizer on documents that it was not fitted on; those that it was are counted.

    Parameters
    ----------
    categorizer : TextCategorizer
        Fitted.
    texts, labels : iterable
        As :meth:`TextCategorizer.fit` takes them. Documents without a label are skipped; labels that the
        categorizer does not know count as never predicted.
    train_texts : iterable of str or None, default=None
        The training documents, to find near-duplicates of them.
    run : Run or None, default=None
        What was run, for a report.
    reasons : bool, default=True
        Whether to find the terms behind labels and mistakes, which a report shows.
    progress : Progress, optional
        Called with a message on skipped documents and unknown labels.

    Returns
    -------
    Evaluation
        For :func:`textensor.report.write_report`.

    Examples
    --------
    >>> from textensor import TextCategorizer
    >>> texts = ["wheat rose", "maize and wheat", "maize fell", "bank rates", "the bank lent", "rates rose"]
    >>> model = TextCategorizer("svm").fit(texts, ["grain"] * 3 + ["money"] * 3)
    >>> found = evaluate_documents(model, ["wheat", "a bank", "maize"], ["grain", "money", "money"])
    >>> round(found.headlines[0].micro.value, 3)
    0.667
    """
    known, several = {str(name): name for name in categorizer.classes_.tolist()}, categorizer.several_
    texts, true = texts_with_labels(texts, labels)
    kept = np.flatnonzero(true.labelled).tolist()
    if skipped := len(texts) - len(kept):
        have = "has no label and is" if skipped == 1 else "have no label and are"
        progress(f"{skipped} of {len(texts)} documents {have} skipped.")
    given, asked = _as_strings(true.rows(true.labelled), several), [texts[d] for d in kept]
    unseen = sorted(set(given.names.tolist()) - known.keys())
    if unseen:
        were = "was" if len(unseen) == 1 else "were"
        progress(
            f"{counted(len(unseen), 'label')} {were} not in the training data and cannot be predicted; "
            f"the first is {unseen[0]!r:.80}."
        )
    scores, classes = categorizer.predict_scores(asked), list(known)
    certainty = None if categorizer.sigmoids_ is None else categorizer.certainty(scores)
    truth = given.among(np.array(classes + unseen))
    if several:
        classes += unseen
        lowest = np.full((len(scores), len(unseen)), min(scores.min(initial=0.0), 0.0) - 1.0)
        scores = np.column_stack([scores, lowest])

    def explain(document: int, names: list[str]) -> list[Any]:
        wanted = [known[name] for name in names if name in known]
        return categorizer.explain([asked[document]], 8, labels=wanted)[0]

    told = categorizer.classes_[:N_TOLD].tolist()
    telling = categorizer.telling_terms(10, labels=told) if reasons else {}
    found = evaluate_model(
        truth,
        scores,
        classes,
        run=run,
        texts=asked,
        train_texts=None if train_texts is None else list(check_texts(train_texts)),
        n_train=categorizer.data_["labels"],
        terms={str(name): terms for name, terms in telling.items()},
        explain=explain if reasons else None,
        certainty=certainty,
    )
    return replace(found, n_trained_on=int(np.count_nonzero(categorizer.trained_on(asked))))


def _as_strings(labels: Labels, several: bool) -> Labels:
    """Return labels whose names are strings, or say why the categorizer cannot be measured on them."""
    if several and not labels.several:
        raise ValueError(
            "The model predicts several labels to a document, and these documents have one each: "
            "pass tuples of labels."
        )
    if not several and (np.diff(labels.indicator.indptr) != 1).any():
        raise ValueError(
            "Documents have several labels and the model predicts one: fit it on such documents."
        )
    known = labels.occurring()
    return replace(known, names=known.names.astype(np.str_), several=several)
