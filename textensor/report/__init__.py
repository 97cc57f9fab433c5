"""Reports: one HTML file that opens from disk and loads nothing.

- How good is a model: :func:`evaluate_model` makes an :class:`Evaluation`, :func:`write_report` writes it
- Which method is better: :func:`compare_results` makes a :class:`Comparison` of one :class:`Result` for each
  method, training size and split; :func:`write_comparison` writes it
- What was run, and how to run it again: :class:`Run`
- Documents that are in training and test: :func:`near_duplicates`

Writing needs Jinja2: ``pip install "textensor[report]"``.
"""

from textensor.evaluate import Result
from textensor.report.comparing import compare_results
from textensor.report.data import (
    Automation,
    Cell,
    Comparison,
    Curve,
    Duplicate,
    Evaluation,
    Figure,
    Headline,
    LabelFigures,
    Mistake,
    Reason,
    Run,
    SizePoint,
)
from textensor.report.duplicates import near_duplicates
from textensor.report.evaluating import evaluate_model
from textensor.report.pages import write_comparison, write_report

__all__ = [
    "Automation",
    "Cell",
    "Comparison",
    "Curve",
    "Duplicate",
    "Evaluation",
    "Figure",
    "Headline",
    "LabelFigures",
    "Mistake",
    "Reason",
    "Result",
    "Run",
    "SizePoint",
    "compare_results",
    "evaluate_model",
    "near_duplicates",
    "write_comparison",
    "write_report",
]
