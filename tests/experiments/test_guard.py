"""Recompute a few small cells: a change that moves the committed figures must raise a protocol's version."""

import json
import os

import numpy as np
import pytest

from experiments import NAMES, experiment
from experiments.engine.store import key
from experiments.protocols import PROTOCOLS, evaluate
from tests.experiments.made import results_of

#: Figures are shares and scores; another processor's rounding moves a decision of some thousand at the most.
TOLERANCE = 2e-3
#: The sets whose cells are recomputed, the smallest first.
SETS = (
    "plane",
    "uci-sonar",
    "uci-diabetes",
    "ohsumed",
    "ohsumed-raw",
    "ohsumed-trigrams",
    "reuters41",
    "reuters41-counts",
    "reuters41-text",
    "reuters90",
    "reuters90-sklearn",
)
#: A cell that took more seconds than this is recomputed only if the environment variable SLOW is set.
LONGEST = 5.0
SLOW = "TEXTENSOR_SLOW"
#: The seconds of protocols whose results come from before the store, which did not time them.
UNTIMED = {"trial": 3.0, "labels": 3.0, "choice": 300.0}
#: Results from before the store that today's code does not give: they wait for a new run.
OLDER = {("pool", "arranged")}
#: What is measured by the clock, or says where and when; of results of before the store, what new ones lack.
LEFT_OUT = {"seconds", "reducing", "searching", "k-means", "serial", "parallel", "seconds in all"}
LEFT_OUT |= {"made", "warnings", "sum", "description", "apart"}


def _seconds(cell, result):
    return result["seconds in all"] or UNTIMED.get(cell.protocol, 0.0)


def _small_cells():
    """Return the quickest cell of each protocol and method on the small sets, with its committed result."""
    found = {}
    for name in NAMES:
        results = results_of(name)
        for cell in experiment(name).cells(True):
            kind = cell.protocol, cell.settings.get("method", cell.settings.get("loss"))
            if key(cell) in results and cell.data in SETS and kind not in OLDER:
                result = results[key(cell)]
                size = _seconds(cell, result), SETS.index(cell.data)
                if kind not in found or size < found[kind][0]:
                    found[kind] = size, cell, result
    return {kind: (cell, result) for kind, (_, cell, result) in found.items()}


SMALL = _small_cells()


def _pairs(committed, measured):
    """Yield all numbers of a committed result that are not times, those of lists and dicts within it, too."""
    if isinstance(committed, dict):
        for name in committed.keys() - LEFT_OUT:
            yield from _pairs(committed[name], measured[name.removesuffix(",")])  # older names end in one
    elif isinstance(committed, list):
        for one, other in zip(committed, measured, strict=True):
            yield from _pairs(one, other)
    elif isinstance(committed, int | float) and not isinstance(committed, bool):
        yield float(committed), float(measured)


@pytest.mark.skipif("TEXTENSOR_DATA" not in os.environ, reason="TEXTENSOR_DATA is not set")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SMALL, ids=lambda kind: "-".join(map(str, kind)))
def test_a_small_cell_is_what_was_committed(kind):
    cell, committed = SMALL[kind]
    seconds = _seconds(cell, committed)
    if seconds > LONGEST and SLOW not in os.environ:
        pytest.skip(f"takes about {seconds:.0f} s: set {SLOW}=1 to run it")
    expected, found = np.array([*_pairs(committed, json.loads(json.dumps(evaluate(cell))))]).T
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE)


def test_every_protocol_is_guarded():
    assert {protocol for protocol, _ in SMALL} == set(PROTOCOLS)
    methods = {"lrwmmc", "dne", "kernel", "tensor", "semi", "kda", "srda", "hosvd"}
    assert methods <= {method for _, method in SMALL}
