"""Files of each format number, as they were written then, and what their models said.

``python -m tests.files.golden`` writes those of the current format; older ones are never written again.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.base import clone

from tests.files.zoo import FRESH, fitted, given
from textensor.files import save
from textensor.files.container import FORMAT

FOLDER = Path(__file__).parent
NAMES = ["pipe-stm", "pipe-srda", "terms-settings", "kda", "tensorlsi", "coem", "calibrated", "categorizer"]


def said(model, name):
    """Return what a model says, as numbers and texts."""
    asked = given(name)
    if hasattr(model, "predict_proba"):
        found = model.predict_proba(asked)
    elif hasattr(model, "decision_function"):
        found = model.decision_function(asked)
    else:
        found = model.transform(asked)
    result = {"numbers": np.asarray(found.todense() if hasattr(found, "todense") else found).tolist()}
    if hasattr(model, "predict"):
        result["labels"] = model.predict(asked).tolist()
    return result


def write():
    """Write the files of the current format."""
    answers = {}
    for name in NAMES:
        model = fitted(name)
        save(model, FOLDER / f"{FORMAT}-{name}.model", metadata={"texts": FRESH, "model": repr(clone(model))})
        answers[name] = said(model, name)
    text = json.dumps(answers, indent=1)
    (FOLDER / f"{FORMAT}.json").write_text(text + "\n", encoding="utf-8")
