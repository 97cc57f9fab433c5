"""An experiment from its module, which has the runs, and the TOML file beside it, which has the words."""

import tomllib
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from experiments.engine.declare import (
    Bar,
    ByName,
    Claim,
    Experiment,
    Figure,
    Item,
    Listing,
    Picture,
    Run,
    Table,
)

#: What the TOML file of an experiment calls its items, and which of their fields may be the name of a value.
KINDS = {
    "table": Table,
    "by name": ByName,
    "listing": Listing,
    "figure": Figure,
    "picture": Picture,
    "bar": Bar,
}
REFERENCES = (
    "averages",
    "corpora",
    "marks",
    "measures",
    "methods",
    "pairs",
    "peers",
    "printed",
    "seconds",
    "uncompared",
)


def printed_in(module: str) -> dict[str, Any]:
    """Return the figures as printed, from the TOML file beside a module."""
    return _toml(module).get("printed", {})


def declared(
    module: str,
    *,
    runs: Sequence[Run],
    given: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
    not_at_hand: Sequence[str] = (),
) -> Experiment:
    """Return an experiment from its module and the TOML file beside it.

    Parameters
    ----------
    module : str
        The file of the module.
    runs : sequence of Run
        What is run.
    given : mapping
        Values that fields of items in the TOML file have the names of, in place of printed figures.
    names : mapping of str to str
        Words for the names in braces in titles, notes and claims.
    not_at_hand : sequence of str
        Runs that are not declared because their data is missing here; items that show them are left out.
    """
    words = _toml(module)
    values = words.pop("printed", {}) | (given or {})
    known = dict.fromkeys(REFERENCES, values) | {"measures": values | words.pop("measures", {})}
    notes = words.pop("notes", {})

    def said(text: str) -> str:
        return text.format(**names) if names else text

    def item(kind: str, name: str, title: str, **fields: Any) -> Item:
        for field_, value in fields.items():
            if field_ in known and isinstance(value, str):
                fields[field_] = known[field_][value]
        return KINDS[kind](name=name, title=said(title), note=said(notes.get(name, "")), **fields)

    known_runs = {"", *(run.name for run in runs)}
    words["items"] = [one for one in words.get("items", []) if one["run"] not in not_at_hand]
    for one in words["items"] + words.get("claims", []):
        for run in (one["run"], one.get("other_run", "")):
            if run not in known_runs:
                raise ValueError(f"{Path(module).with_suffix('.toml')} names an undeclared run: {run!r}.")
    words["items"] = [item(**one) for one in words["items"]]
    words["claims"] = [_claim(**{**one, "text": said(one["text"])}) for one in words.get("claims", [])]
    words["missing"] = [text for text in map(said, words.get("missing", [])) if text]
    return Experiment(name=Path(module).stem.replace("_", "-"), runs=runs, **words)


def _toml(module: str) -> dict[str, Any]:
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def _claim(says: str | list[str], over: Mapping[str, Sequence[Any]] | None = None, **more: Any) -> Claim:
    """Return a claim that may say the same over several values of the names in braces."""
    said, over = [says] if isinstance(says, str) else says, over or {}
    values = [dict(zip(over, one, strict=True)) for one in product(*over.values())]
    return Claim(says=[one.format(**names) for names in values for one in said], **more)
