"""The five papers: every table and figure as data, what was printed beside what comes out here.

Each module named after a paper declares what is run and what the paper printed; :func:`paper` gives it by
name, and :func:`experiments.reproduce.reproduce` runs it.
"""

from importlib import import_module

from experiments.declare import Paper

__all__ = ["NAMES", "Paper", "paper", "select"]

#: The papers, by the names of their files.
NAMES = ("stm-text", "stm-tls", "tensorlsi", "lrwmmc", "minmax-svm")


def paper(name: str) -> Paper:
    """Return a paper by its name.

    Examples
    --------
    >>> from experiments import paper
    >>> paper("stm-text").item("table3").title
    'Reuters-21578: micro- and macro-F1'
    """
    if name not in NAMES:
        raise ValueError(f"There is no paper {name!r}; there are {', '.join(NAMES)}, and all.")
    return import_module(f"experiments.{name.replace('-', '_')}").PAPER


def select(names: list[str]) -> dict[str, list[str]]:
    """Return the tables and figures, by paper, that names such as ``stm-text/table3`` or ``all`` stand for.

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
            raise ValueError(f"{name!r} names no table or figure: {which!r} is all of them.")
        if which == "all" and item:
            raise ValueError(f"{name!r} is no table or figure: name a paper before the slash.")
        for of in NAMES if which == "all" else (which,):
            found = paper(of)
            named = [each.name for each in found.items]
            # A table or figure of several parts, such as table3-ccat, goes by its number, too.
            wanted = [each for each in named if not item or each == item or each.startswith(f"{item}-")]
            wanted = wanted or [found.item(item).name]
            known = chosen.setdefault(of, [])
            known += [each for each in wanted if each not in known]
    return chosen
