"""Measures, confidence intervals, significance tests and splits.

- F1 by assignment and by arg max: :func:`f1_by_assignment`, :func:`f1_by_argmax`, both an :class:`F1Scores`;
  a :class:`Result` is what one method gave on one split
- Confidence intervals for every F1: :func:`f1_intervals`
- How many documents can be automated, and how many of them are right: :func:`coverage`
- Is A better than B: :func:`micro_sign_test`, :func:`macro_sign_test`, :func:`macro_t_test`,
  :func:`paired_t_test`, :func:`corrected_t_test` for repeated splits, each a :class:`Comparison` with the
  papers' marks; :func:`holm` for many tests
- Similarity and clusters: :func:`pair_average_precision`, :func:`clustering_accuracy`,
  :func:`clustering_draws`, a :class:`ClusteringDraws`
- Splits: :class:`SmallSampleSplit`, :class:`LabeledSplit`
"""

from typing import TYPE_CHECKING

from textensor.base import later
from textensor.evaluate.coverage import CoveragePoint, coverage

if TYPE_CHECKING:
    from textensor.evaluate.f1 import F1Scores, Result, f1_by_argmax, f1_by_assignment
    from textensor.evaluate.intervals import F1Intervals, Interval, f1_intervals
    from textensor.evaluate.significance import (
        Comparison,
        corrected_t_test,
        holm,
        macro_sign_test,
        macro_t_test,
        micro_sign_test,
        paired_t_test,
    )
    from textensor.evaluate.splits import LabeledSplit, SmallSampleSplit, UntestedWarning
    from textensor.evaluate.topics import (
        ClusteringDraws,
        clustering_accuracy,
        clustering_draws,
        pair_average_precision,
    )

__all__ = [
    "ClusteringDraws",
    "Comparison",
    "CoveragePoint",
    "F1Intervals",
    "F1Scores",
    "Interval",
    "LabeledSplit",
    "Result",
    "SmallSampleSplit",
    "UntestedWarning",
    "clustering_accuracy",
    "clustering_draws",
    "corrected_t_test",
    "coverage",
    "f1_by_argmax",
    "f1_by_assignment",
    "f1_intervals",
    "holm",
    "macro_sign_test",
    "macro_t_test",
    "micro_sign_test",
    "pair_average_precision",
    "paired_t_test",
]

#: What is imported when it is first used, and from where.
_LATER = {
    "ClusteringDraws": "topics",
    "Comparison": "significance",
    "F1Intervals": "intervals",
    "F1Scores": "f1",
    "Interval": "intervals",
    "LabeledSplit": "splits",
    "Result": "f1",
    "SmallSampleSplit": "splits",
    "UntestedWarning": "splits",
    "clustering_accuracy": "topics",
    "clustering_draws": "topics",
    "corrected_t_test": "significance",
    "f1_by_argmax": "f1",
    "f1_by_assignment": "f1",
    "f1_intervals": "intervals",
    "holm": "significance",
    "macro_sign_test": "significance",
    "macro_t_test": "significance",
    "micro_sign_test": "significance",
    "pair_average_precision": "topics",
    "paired_t_test": "significance",
}
__getattr__ = later(__name__, _LATER)
