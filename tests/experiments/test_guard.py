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
#: Small sets only, and cells that took no longer than this many seconds.
SETS = ("reuters41", "reuters41-counts", "ohsumed", "uci-diabetes", "uci-sonar", "plane")
LONGEST = 2.5
#: What is measured by the clock, or says where and when; of results of before the store, what new ones lack.
LEFT_OUT = {"seconds", "reducing", "searching", "k-means", "serial", "parallel", "seconds in all"}
LEFT_OUT |= {"made", "warnings", "sum", "description", "apart"}
#: Not guarded: their smallest cells take longer, or were never timed.
SLOW = {"similarity", "keywords", "modules", "trial", "labels", "choice"}


def _small_cells():
    """Return the quickest cell of each protocol and method on the small sets, with its committed result."""
    found = {}
    for name in NAMES:
        results = results_of(name)
        for cell in experiment(name).cells(True):
            result = results.get(key(cell))
            if result is None or cell.data not in SETS or result["seconds in all"] > LONGEST:
                continue
            if cell.protocol in SLOW:
                continue
            kind = cell.protocol, cell.settings.get("method", cell.settings.get("loss"))
            if kind not in found or result["seconds in all"] < found[kind][1]["seconds in all"]:
                found[kind] = cell, result
    return found


SMALL = _small_cells()


def _pairs(committed, measured):
    """Yield all numbers of a committed result that are not times, those of lists and dicts within it, too."""
    if isinstance(committed, dict):
        for name in committed.keys() - LEFT_OUT:
            yield from _pairs(committed[name], measured[name])
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
    expected, found = np.array([*_pairs(committed, json.loads(json.dumps(evaluate(cell))))]).T
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE)


def test_most_protocols_are_guarded():
    assert {protocol for protocol, _ in SMALL} >= set(PROTOCOLS) - SLOW
