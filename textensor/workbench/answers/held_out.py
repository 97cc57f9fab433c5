"""What held-out scores give: thresholds, calibration, and figures of how good the decisions are."""

from typing import Any, NamedTuple

import numpy as np

from textensor.base.arrays import Floats
from textensor.base.labels import Labels
from textensor.evaluate import F1Scores
from textensor.evaluate.f1 import MEASURABLE
from textensor.workbench.answers.calibrate import calibrate, calibrate_shares
from textensor.workbench.answers.deciding import held_out_coverage
from textensor.workbench.choice.selection import FoldScores, compete, thresholds


class FromHeldOut(NamedTuple):
    """Thresholds, the numbers of the calibration, and figures: attributes of a categorizer."""

    thresholds: Floats
    sigmoids: Floats | None
    figures: dict[str, Any]


def from_held_out(scored: FoldScores | None, f1: F1Scores | None, known: Labels) -> FromHeldOut:
    """Return what held-out scores give; without scores, thresholds of 0 and nothing else.

    Parameters
    ----------
    scored : FoldScores or None
        The scores, and which of the labelled documents they are of.
    f1 : F1Scores or None
        F1 on them.
    known : Labels
        The labels of all labelled documents.
    """
    if scored is None or f1 is None:
        return FromHeldOut(np.zeros(len(known.names)), None, {})
    scores, tested = scored.scores, known.rows(scored.rows)
    per_label = dict(zip(f1.labels.tolist(), f1.per_category.round(6).tolist(), strict=True))
    labels = {
        str(name): per_label.get(name) if count >= MEASURABLE else None
        for name, count in zip(known.names.tolist(), known.counts, strict=True)
    }
    if known.several:
        truth = tested.truth()
        found = thresholds(scores, truth)
        return FromHeldOut(found, calibrate(scores - found, truth), {"labels": labels})
    found, level = compete(scores, tested)
    sigmoids = calibrate_shares(level, tested.codes)
    coverage = held_out_coverage(level, tested.codes, sigmoids)
    return FromHeldOut(found, sigmoids, {"labels": labels, "coverage": coverage})
