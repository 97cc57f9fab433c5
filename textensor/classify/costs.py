"""What an error on a class costs."""

from typing import Any

import numpy as np

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check, number, one_of
from textensor.base.labels import Labels

CLASS_WEIGHT = Rule(
    'a dict, "balanced" or None',
    lambda value: isinstance(value, dict) or one_of("balanced", None).holds(value),
)


def check_class_weight(class_weight: Any, labels: Labels) -> None:
    """Refuse weights below 0 and weights of classes that are not there."""
    for name, value in class_weight.items() if isinstance(class_weight, dict) else ():
        check(f"The weight of class {name!r}", value, number(least=0))
        if name not in labels.names.tolist():
            raise ValueError(f"class_weight has a weight for {name!r}, which is no class of y.")


def class_costs(class_weight: Any, y: Floats, labels: Labels, question: int) -> Floats:
    """Return the cost of an error on each document of a question, by its answer."""
    if class_weight is None:
        return np.ones(len(y))
    if not isinstance(class_weight, dict):  # balanced
        n_yes = int(np.count_nonzero(y > 0))
        yes, no = len(y) / (2 * max(n_yes, 1)), len(y) / (2 * max(len(y) - n_yes, 1))
    else:
        two = labels.kind == "binary" and len(labels.names) == 2
        yes = class_weight.get(labels.names[1 if two else question], 1.0)
        no = class_weight.get(labels.names[0], 1.0) if two else 1.0
    return np.where(y > 0, yes, no)
