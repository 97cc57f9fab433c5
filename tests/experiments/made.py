"""Made-up runs and results."""

from experiments.declare import Method, Part, Run


def run_of(*parts):
    return Run("r", "f1", "", tuple(Part(name, 1, 1) for name in parts), {"A": Method({}), "B": Method({})})


def results(figures):
    return {k: {"m": figure} for k, figure in enumerate(figures)}
