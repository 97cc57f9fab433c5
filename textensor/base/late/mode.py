"""Whether this process needs scikit-learn.

Commands that score texts by a model file need none of it: estimators are then made of the small parts in
:mod:`textensor.base.late.stand_in`. A process decides once, before it imports the first estimator.
"""

import sys

_wanted = False


def go_without_scikit() -> bool:
    """Make estimators without scikit-learn from now on; return False if it is too late for that."""
    global _wanted
    if "textensor.base.late.parts" not in sys.modules:
        _wanted = "sklearn" not in sys.modules
    return _wanted


def without_scikit() -> bool:
    """Return whether estimators are made without scikit-learn."""
    return _wanted
