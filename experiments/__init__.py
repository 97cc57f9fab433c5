"""Experiments: data x split x method -> a kept result -> a table with marks.

The papers' tables and figures stand beside what was printed; the comparisons are our own. Each module of
``papers`` and ``comparisons`` declares what is run; :func:`experiment` gives it by name, and
:func:`experiments.engine.reproduce.reproduce` runs it.
"""

from importlib import import_module

from experiments.engine.declare import Experiment, nearest_names

__all__ = ["COMPARISONS", "NAMES", "PAPERS", "Experiment", "experiment", "select"]

#: The experiments, by the names of their files.
PAPERS = ("stm-text", "stm-tls", "tensorlsi", "lrwmmc", "minmax-svm")
COMPARISONS = ("accuracy", "few-labels", "strong", "embeddings", "minmax", "indexing")
NAMES = PAPERS + COMPARISONS


def experiment(name: str) -> Experiment:
    """Return an experiment by its name.

    Examples
    --------
    >>> from experiments import experiment
    >>> experiment("stm-text").item("table3").title
    'Reuters-21578: micro- and macro-F1'
    """
    if name not in NAMES:
        raise ValueError(f"There is no experiment {name!r}{nearest_names(name, NAMES)}")
    room = "papers" if name in PAPERS else "comparisons"
    return import_module(f"experiments.{room}.{name.replace('-', '_')}").EXPERIMENT


def select(names: list[str]) -> dict[str, list[str]]:
    """Return the tables and figures, by experiment, that names such as ``stm-text/table3`` stand for.

    Examples
    --------
    >>> from experiments import select
    >>> select(["stm-text/table3"])
    {'stm-text': ['table3']}
    """
    chosen: dict[str, list[str]] = {}
    for name in names:
        which, slash, item = name.partition("/")
        if slash and not item and which in ("all", *NAMES):
            raise ValueError(f"{name!r} names no table or figure: write {which!r} for all of them.")
        if which == "all" and item:
            raise ValueError(f"{name!r} is no table or figure: name an experiment before the slash.")
        for of in NAMES if which == "all" else (which,):
            found = experiment(of)
            named = [each.name for each in found.items]
            # A table or figure of several parts, such as table3-ccat, goes by its number, too.
            wanted = [each for each in named if not item or each == item or each.startswith(f"{item}-")]
            wanted = wanted or [found.item(item).name]
            known = chosen.setdefault(of, [])
            known += [each for each in wanted if each not in known]
    return chosen
