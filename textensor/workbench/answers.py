"""The answers of a categorizer: labels, and how sure it is of them."""

from typing import Any

import numpy as np

from textensor.base.arrays import Floats
from textensor.workbench.categorizer import TextCategorizer


def answers(categorizer: TextCategorizer, scores: Floats) -> tuple[list[Any], list[float]]:
    """Return the labels that scores lead to, and the probability that they are right.

    With several labels to a document it is the probability of the least likely one, and with none of them the
    probability of none. A categorizer without probabilities gives scores on its own scale instead.
    """
    values = scores if categorizer.sigmoids_ is None else categorizer.probabilities(scores)
    labels = categorizer.decide(scores)
    if not categorizer.several_:
        return labels.tolist(), values[np.arange(len(scores)), scores.argmax(axis=1)].tolist()
    least = np.where(scores > 0, values, np.inf).min(axis=1)
    highest = values.max(axis=1)
    none = -highest if categorizer.sigmoids_ is None else 1 - highest
    return labels, np.where(np.isinf(least), none, least).tolist()


def unsure_below(categorizer: TextCategorizer) -> float:
    """Return what an answer must reach to count as sure: an even chance, or the score of a tie."""
    return 0.0 if categorizer.sigmoids_ is None else 0.5
