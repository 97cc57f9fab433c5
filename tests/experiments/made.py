"""Made-up runs and results, and those that are committed."""

import json
import lzma
from pathlib import Path

from experiments.engine.declare import Cell, Claim, Part, Run, Variant
from experiments.engine.store import PACKED

RESULTS = Path(__file__).parents[2] / "results"


def run_of(*parts):
    return Run(
        name="r",
        protocol="f1",
        parts=[Part(name) for name in parts],
        methods={"A": Variant({}), "B": Variant({})},
    )


def cell_of(protocol, data, settings, split=0, part="", method=""):
    return Cell(protocol=protocol, data=data, part=part, method=method, split=split, settings=settings)


def claim(says, **more):
    said = [says] if isinstance(says, str) else says
    return Claim(text="", run="r", says=said, **{"measure": "m", **more})


def results(figures):
    return {k: {"m": figure} for k, figure in enumerate(figures)}


def results_of(name):
    """Return the committed results of an experiment by their keys, none before its first full run."""
    if not (RESULTS / name / PACKED).exists():
        return {}
    lines = lzma.decompress((RESULTS / name / PACKED).read_bytes()).decode().splitlines()
    return {key: json.loads(text) for key, _, text in (line.partition(" ") for line in lines)}
