"""Files of each format number, as they were written then, and what their models said.

``python -m tests.files.golden`` writes those of a new format, once: files that are there stay as they are.
``sums.json`` has their SHA-256.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
from sklearn.base import clone

from tests.files.zoo import FRESH, fitted, given
from textensor.files import save
from textensor.files.container import FORMAT

FOLDER = Path(__file__).parent
SUMS = FOLDER / "sums.json"
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


def sums():
    """Return the SHA-256 of the files that are there, by name."""
    paths = (path for path in FOLDER.iterdir() if path.name.startswith("textensor-model-"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(paths)}


def write():
    """Write the files of the current format, unless they are there."""
    if (FOLDER / f"{FORMAT}.json").exists():
        raise SystemExit(f"The files of {FORMAT} are there, and are kept: a change needs a new number.")
    answers = {}
    for name in NAMES:
        model = fitted(name)
        save(model, FOLDER / f"{FORMAT}-{name}.model", metadata={"texts": FRESH, "model": repr(clone(model))})
        answers[name] = said(model, name)
    text = json.dumps(answers, indent=1)
    (FOLDER / f"{FORMAT}.json").write_text(text + "\n", encoding="utf-8")
    SUMS.write_text(json.dumps(sums(), indent=1) + "\n", encoding="utf-8")
