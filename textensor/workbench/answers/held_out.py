"""What held-out scores give: thresholds, calibration, and figures of how good the decisions are."""

from typing import Any, NamedTuple

import numpy as np

from textensor.base.arrays import Floats
from textensor.base.labels import Labels
from textensor.evaluate.f1 import MEASURABLE
from textensor.workbench.answers.calibrate import calibrate, calibrate_shares
from textensor.workbench.answers.deciding import held_out_coverage
from textensor.workbench.choice.selection import Candidate, thresholds


class FromHeldOut(NamedTuple):
    """Thresholds, the numbers of the calibration, and figures: attributes of a categorizer."""

    thresholds: Floats
    sigmoids: Floats | None
    figures: dict[str, Any]


def from_held_out(candidate: Candidate, known: Labels) -> FromHeldOut:
    """Return what held-out scores give; without scores, thresholds of 0 and nothing else.

    Parameters
    ----------
    candidate : Candidate
        Has the scores, which of the labelled documents they are of, and F1 on them.
    known : Labels
        The labels of all labelled documents.
    """
    scored, f1, levels = candidate.scored, candidate.f1, candidate.levels
    if scored is None or f1 is None:
        return FromHeldOut(np.zeros(len(known.names)), None, {})
    scores, tested = scored.scores, known.rows(scored.rows)
    per_label = dict(zip(f1.labels.tolist(), f1.per_category.round(6).tolist(), strict=True))
    labels = {
        str(name): per_label.get(name) if count >= MEASURABLE else None
        for name, count in zip(known.names.tolist(), known.counts, strict=True)
    }
    if levels is None:
        truth = tested.truth()
        found = thresholds(scores, truth)
        return FromHeldOut(found, calibrate(scores - found, truth), {"labels": labels})
    level = levels.level(scores)
    sigmoids = calibrate_shares(level, tested.codes)
    coverage = held_out_coverage(level, tested.codes, sigmoids)
    return FromHeldOut(levels.thresholds, sigmoids, {"labels": labels, "coverage": coverage})
