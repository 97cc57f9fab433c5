"""Text categorization in tensor space.

Sub-packages load when they are first used, so that ``import textensor`` costs next to nothing:

- :mod:`textensor.space`: documents to vectors to tensors
- :mod:`textensor.datasets`: corpora with one shape of result, and readers for your own
- :mod:`textensor.evaluate`: measures, significance tests and splits
- :mod:`textensor.learn`: vector learners
- :mod:`textensor.classify`: tensor classifiers
- :mod:`textensor.reduce`: documents in fewer dimensions
- :mod:`textensor.search`: documents by their likeness to a text
- :mod:`textensor.files`: fitted models as files
- :mod:`textensor.report`: how good a model is, as one HTML file
- :mod:`textensor.workbench`: the methods by name, the choice among them, their comparison

:class:`TextCategorizer` joins them: raw text in, labels out.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

_SUBPACKAGES = (
    "classify",
    "datasets",
    "evaluate",
    "files",
    "learn",
    "reduce",
    "report",
    "search",
    "space",
    "workbench",
)

__all__ = ["TextCategorizer", "__version__", *_SUBPACKAGES]


def __getattr__(name: str) -> Any:
    """Import a sub-package, or the categorizer, on first use."""
    if name == "TextCategorizer":
        return importlib.import_module(f"{__name__}.workbench").TextCategorizer
    if name in _SUBPACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the sub-packages too, loaded or not."""
    return sorted({*globals(), *__all__})
