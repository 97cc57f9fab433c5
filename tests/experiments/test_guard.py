"""Recompute a few small cells: a change that moves the committed figures must raise a protocol's version."""

import json
import lzma
import os
from pathlib import Path

import numpy as np
import pytest

from experiments import NAMES, paper
from experiments.cells import key
from experiments.packed import PACKED
from experiments.protocols import PROTOCOLS, evaluate

RESULTS = Path(__file__).parents[2] / "results"
#: Figures are shares and scores; another processor's rounding moves a decision of some thousand at the most.
TOLERANCE = 2e-3
#: Small sets only, and cells that took no longer than this many seconds.
SETS = ("reuters41", "reuters41-counts", "ohsumed", "uci-diabetes", "uci-sonar", "plane")
LONGEST = 2.5
#: What is measured by the clock, or says where and when.
TIMES = {"seconds", "reducing", "searching", "k-means", "serial", "parallel", "seconds in all"}
TIMES |= {"made", "warnings", "sum"}


def _small_cells():
    """Return the quickest cell of each protocol and method on the small sets, with its committed result."""
    found = {}
    for name in NAMES:
        lines = lzma.decompress((RESULTS / name / PACKED).read_bytes()).decode().splitlines()
        results = {one.partition(" ")[0]: json.loads(one.partition(" ")[2]) for one in lines}
        for run in paper(name).runs:
            for cell in run.cells(True):
                result = results.get(key(cell))
                if result is None or cell.data not in SETS or result["seconds in all"] > LONGEST:
                    continue
                kind = cell.protocol, cell.settings.get("method", cell.settings.get("loss"))
                if kind not in found or result["seconds in all"] < found[kind][1]["seconds in all"]:
                    found[kind] = cell, result
    return found


SMALL = _small_cells()


def _numbers(value):
    """Yield all numbers of a result that are not times, those of lists and dicts within it, too."""
    if isinstance(value, dict):
        for name, one in sorted(value.items()):
            if name not in TIMES and name != "description":
                yield from _numbers(one)
    elif isinstance(value, list):
        for one in value:
            yield from _numbers(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


@pytest.mark.skipif("TEXTENSOR_DATA" not in os.environ, reason="TEXTENSOR_DATA is not set")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SMALL, ids=lambda kind: "-".join(map(str, kind)))
def test_a_small_cell_is_what_was_committed(kind):
    cell, committed = SMALL[kind]
    measured = json.loads(json.dumps(evaluate(cell)))
    for name in committed.keys() - TIMES - {"description"}:
        expected, found = [*_numbers(committed[name])], [*_numbers(measured[name])]
        assert len(found) == len(expected), name
        np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE, err_msg=name)


def test_most_protocols_are_guarded():
    assert {protocol for protocol, _ in SMALL} >= set(PROTOCOLS) - {"similarity", "keywords", "modules"}
