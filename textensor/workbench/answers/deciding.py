"""What scores lead to: labels, how probable they are, and whether that is little better than a guess."""

from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.base.kept import require
from textensor.base.labels import names_at
from textensor.base.late.parts import check_is_fitted
from textensor.workbench.answers.calibrate import probabilities, shares

#: A label that is less probable than this many times the second one is unsure.
AHEAD = 2.0
#: The coverage of held-out documents is counted on as many of them as have this many scores.
MOST_SCORES = 20_000_000


def held_out_coverage(scores: Floats, codes: npt.NDArray[Any], sigmoids: Floats) -> list[dict[str, Any]]:
    """Return how many held-out documents have a label of at least some probability, and how many are right.

    Labels compete, and have NaN as a score if a fold could not learn them; documents without a score are
    left out, and of very many only some count.
    """
    scored = np.flatnonzero(~np.isnan(scores).all(axis=1))
    scored = scored[:: 1 + scored.size * scores.shape[1] // MOST_SCORES]
    scores, codes = scores[scored], codes[scored]
    shown = shares(np.where(np.isnan(scores), np.nanmin(scores, initial=0.0) - 1, scores), sigmoids)
    from textensor.evaluate import coverage

    points = coverage(shown.max(axis=1), shown.argmax(axis=1) == codes)
    return [{"above": one.above, "documents": one.n_documents, "right": one.n_right} for one in points]


class Deciding:
    """The decisions of a fitted categorizer; a score decides, and its probability rises with it."""

    classes_: npt.NDArray[Any]
    several_: bool
    sigmoids_: Floats | None

    def decide(self, scores: Floats, *, unknown: Any = None, below: float | None = None) -> Any:
        """Return the labels that scores lead to: the highest, the first of equals; or all above 0.

        ``unknown`` is returned in place of labels that are :meth:`unsure`, with ``below`` as there.
        """
        names = self.classes_.tolist()
        if unknown is not None and type(unknown) is not type(names[0]):
            kind = type(names[0]).__name__
            raise ValueError(f"unknown={unknown!r:.80} is not of the labels' type: pass one of type {kind}.")
        if not self.several_:
            found = names_at(self.classes_, scores.argmax(axis=1))
            return found if unknown is None else np.where(self.unsure(scores, below), unknown, found)
        given = [tuple(names[k] for k in np.flatnonzero(row > 0)) for row in scores]
        if unknown is None:
            return given
        return [(unknown,) if no else one for one, no in zip(given, self.unsure(scores, below), strict=True)]

    def certainty(self, scores: Floats) -> Floats:
        """Return the probability that the labels that scores lead to are right, one for each document.

        With several labels to a document it is the probability of the least likely one, and with no label the
        probability that none applies. Without probabilities it is the score, on the method's own scale.
        """
        values = scores if self.sigmoids_ is None else self.probabilities(scores)
        highest = values.max(axis=1)
        if not self.several_:
            return np.asarray(highest)
        least = np.where(scores > 0, values, np.inf).min(axis=1)
        none = -highest if self.sigmoids_ is None else 1 - highest
        return np.where(np.isinf(least), none, least)

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probabilities that scores lead to."""
        check_is_fitted(self)
        if self.sigmoids_ is None:
            raise ValueError("There are no probabilities: fit with cross_validate=True.")
        return (probabilities if self.several_ else shares)(scores, self.sigmoids_)

    def unsure(self, scores: Floats, below: float | None = None) -> npt.NDArray[np.bool_]:
        """Return whether the labels that scores lead to are little better than the toss of a coin.

        A label is unsure if it is less than twice as probable as the second one: between the two, it is then
        right in fewer than two of three cases. With several labels to a document, they are unsure if one of
        them is less probable than not; with no label, if one is more probable than not. Without
        probabilities, labels are unsure if the :meth:`certainty` is below 0. With ``below``, they are unsure
        if it is below that.
        """
        if below is None and (self.sigmoids_ is None or self.several_):
            below = 0.0 if self.sigmoids_ is None else 0.5
        if below is not None:
            return np.asarray(self.certainty(scores) < below)
        second, first = np.partition(self.probabilities(scores), -2, axis=1)[:, -2:].T
        return np.asarray(first < AHEAD * second)

    def _check_probabilities(self) -> None:
        """Hold for probabilities that rise with the scores."""
        sigmoids, several = self.sigmoids_, self.several_
        if sigmoids is not None:
            require(sigmoids.ndim == 1 + several, "its probabilities are of another kind")
            rising = (sigmoids[..., 0] >= 0).all() and (several or sigmoids[2] > 0)
            require(rising, "its probabilities do not rise with the scores")
