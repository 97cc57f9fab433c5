"""What an experiment is made of: runs, tables, figures, claims. Data only; nothing here computes.

A *run* is a protocol over one data set: parts (training sizes, say) x methods x splits. Each of those is a
:class:`Cell`, which is evaluated once however many tables and figures show it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from difflib import get_close_matches
from itertools import product
from typing import Any

#: Every random choice of a cell comes from this and from the number of its split.
SEED = 2026
Figures = Sequence[float | None]
#: What stands between the two methods of a claim.
SIGN = r" ([<~>]) "


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One evaluation; ``settings`` are those of its part and its method together."""

    protocol: str
    data: str
    part: str
    method: str
    split: int
    settings: Mapping[str, Any]
    alone: bool = False

    def description(self) -> dict[str, Any]:
        """Return what determines the result, as JSON has it."""
        return {
            "protocol": self.protocol,
            "data": self.data,
            "split": self.split,
            "settings": dict(self.settings),
            "seed": SEED,
        }


@dataclass(frozen=True)
class Part:
    """A part of a run, with its numbers of splits in a quick and in a full run."""

    name: str
    _: KW_ONLY
    quick: int = 1
    full: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Variant:
    """A variant of a method: its settings, the parts it is run on (all if empty), and remarks on it.

    ``alone`` keeps other cells from running at the same time, as in :class:`Run`. ``beyond`` describes a
    variant that is not in the paper; ``as_paper`` marks one whose settings were chosen on test labels, as in
    the paper.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    _: KW_ONLY
    parts: Sequence[str] = ()
    quick: bool = True
    alone: bool = False
    beyond: str = ""
    as_paper: bool = False


@dataclass(frozen=True, kw_only=True)
class Run:
    """A protocol over a data set.

    A part whose settings have ``data`` is of that data set. ``alone`` keeps other cells from running at
    the same time, for seconds are measured.
    """

    name: str
    protocol: str
    data: str = ""
    parts: Sequence[Part] = (Part("all"),)
    methods: Mapping[str, Variant]
    alone: bool = False

    def cells(self, full: bool) -> Iterator[Cell]:
        """Yield the cells of the quick or the full run, a split of all parts and methods after the other."""
        splits = {part.name: part.full if full else part.quick for part in self.parts}
        every = product(range(max(splits.values())), self.parts, self.methods.items())
        for split, part, (name, method) in every:
            wanted = (not method.parts or part.name in method.parts) and (full or method.quick)
            if wanted and split < splits[part.name]:
                settings = {**part.settings, **method.settings}
                yield Cell(
                    protocol=self.protocol,
                    data=settings.pop("data", self.data),
                    part=part.name,
                    method=name,
                    split=split,
                    settings=settings,
                    alone=self.alone or method.alone,
                )


@dataclass(frozen=True, kw_only=True)
class Item:
    """A table or figure: its name, what it shows, the name of the run that it shows, and a remark."""

    name: str
    title: str
    run: str
    note: str = ""

    @property
    def heading(self) -> str:
        """Its number and what it shows: "Table 3: ..."."""
        kind, number = re.match(r"([a-z]+)(\d+)", self.name).groups()  # type: ignore[union-attr]
        return f"{kind.capitalize()} {number}: {self.title}"

    @property
    def all_runs(self) -> list[str]:
        """The names of all runs that it shows."""
        return [self.run]


@dataclass(frozen=True, kw_only=True)
class Table(Item):
    """A table: printed figures beside ours.

    Attributes
    ----------
    measures : mapping of str to str
        Head of a column -> measure in the cells.
    printed : mapping of part to method to sequence
        The figures as printed, in the order of the measures; None, or a shorter row, where there are none.
    tests : sequence of str
        The significance tests: "s", "S" and "T" of Yang and Liu, "t" paired over splits. A test of another
        measure than ``tested`` has it after a space: "t argmax.micro".
    pairs : sequence of (method, method)
        What is tested against what.
    marks : mapping of part to sequence of sequence of str
        The marks as printed, for each pair and each test.
    tested : str
        The measure of the tests.
    counted : bool
        Whether the S-test shows in how many categories each of the two is ahead.
    parts : sequence of str
        The parts that are shown, all if empty.
    scale : float
        Ours times this is what is shown: 100 for percent.
    digits : int
        Decimals of the figures; of those above ten, fewer.
    uncompared : sequence of str
        Heads of columns whose differences say nothing, as those of seconds on other machines.
    averages : mapping of method to sequence
        The means over all parts as printed, one for each measure; no such row where it is empty.
    """

    measures: Mapping[str, str] = field(default_factory=dict)
    printed: Mapping[str, Mapping[str, Figures]] = field(default_factory=dict)
    tests: Sequence[str] = ()
    pairs: Sequence[tuple[str, str]] = ()
    marks: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    tested: str = ""
    counted: bool = False
    parts: Sequence[str] = ()
    scale: float = 1.0
    digits: int = 4
    uncompared: Sequence[str] = ()
    averages: Mapping[str, Figures] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Listing(Item):
    """A table by the entries of a measure that is a list, keyword by keyword: name -> figures as printed.

    The first method's figures are shown as they are, those of others as what they add to the first, which is
    drawn, too, over ``x_title``.
    ``seconds`` (name -> figures as printed) are of all methods but the first; where ours are of one fit for
    all entries, they stand below.
    """

    measure: str
    methods: Sequence[str]
    printed: Mapping[str, Sequence[float]]
    x_title: str
    scale: float = 100.0
    seconds: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ByName(Item):
    """A table by the names of a measure that is a mapping from names to figures, one for each column.

    ``printed`` (name -> figures) stand beside those counted here; without it the figures of all ``methods``
    are shown in percent.
    """

    columns: Sequence[str]
    measure: str = "counts"
    printed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    methods: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Figure(Item):
    """Lines over the parts of a run, or over ``measures`` (name on the axis -> measure) at the parts.

    ``printed`` are figures the paper prints elsewhere, drawn as broken lines; ``by_category`` draws F1 over
    the number of training documents of a category at the one part that ``parts`` names.
    """

    measure: str = ""
    methods: Sequence[str]
    x_title: str
    y_title: str
    parts: Sequence[str] = ()
    measures: Mapping[str, str] = field(default_factory=dict)
    printed: Mapping[str, Figures] = field(default_factory=dict)
    scale: float = 1.0
    log_y: bool = False
    by_category: bool = False


@dataclass(frozen=True, kw_only=True)
class Picture(Item):
    """Points of a plane in groups, and a line between them."""


@dataclass(frozen=True, kw_only=True)
class Bar(Item):
    """A table of a method against the best of its peers, corpus by corpus, with a verdict for each row.

    ``corpora`` are the runs of each corpus, which have different parts. ``methods`` and ``peers`` are the
    method and its peers for each kind of text that may be read, and ``ahead`` are the parts where the method
    must be significantly ahead. It may be ``behind`` by so much, and take ``longest`` seconds.
    """

    corpora: Mapping[str, Sequence[str]]
    methods: Mapping[str, str]
    peers: Mapping[str, Sequence[str]]
    ahead: Mapping[str, Sequence[str]]
    behind: float
    longest: float

    @property
    def all_runs(self) -> list[str]:
        """The names of all runs that it shows."""
        return [name for runs in self.corpora.values() for name in runs]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of the paper: at all parts, one method is ahead of, behind or level with another.

    ``says`` are "A > B", "A < B" or "A ~ B", all with the same sign; ``test`` as in
    :class:`Table`, or empty where the order of the means alone decides, as of seconds that were measured
    once. ``other_run`` is the run of the second of each pair where that is another one: its parts have the
    same names, and its splits the same test rows. ``measures`` (name -> measure) are several of which the
    claim says the same, in place of ``measure``; ``other_measure`` is the second method's where that is
    another one, and has no test. ``half`` looks at the ``"small"`` or the ``"large"`` categories only: the
    half with fewest or with most training documents. ``since`` names a part: the claim is of how many times
    as much the figures are as there, and has no test.
    """

    text: str
    run: str
    says: Sequence[str]
    measure: str = ""
    test: str = ""
    at: Sequence[str] = ()
    note: str = ""
    other_run: str = ""
    measures: Mapping[str, str] = field(default_factory=dict)
    other_measure: str = ""
    half: str = ""
    since: str = ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of methods that it speaks of."""
        return [(a, b) for a, _, b in (re.split(SIGN, one) for one in self.says)]

    @property
    def expect(self) -> str:
        """The sign between the two of a pair."""
        return re.split(SIGN, self.says[0])[1]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A paper or a comparison: runs, tables and figures, claims, errata, and what is missing.

    ``choices`` say how it was run, ``tried`` what was tried where figures differ from the printed ones.
    """

    name: str
    title: str
    runs: Sequence[Run]
    items: Sequence[Item]
    claims: Sequence[Claim] = ()
    errata: Sequence[str] = ()
    missing: Sequence[str] = ()
    choices: Sequence[str] = ()
    tried: Mapping[str, str] = field(default_factory=dict)

    def cells(self, full: bool) -> Iterator[Cell]:
        """Yield the cells of all runs."""
        for run in self.runs:
            yield from run.cells(full)

    def run(self, name: str) -> Run:
        """Return a run by its name."""
        return next(run for run in self.runs if run.name == name)

    def item(self, name: str) -> Item:
        """Return a table or figure by its name."""
        known = {item.name: item for item in self.items}
        if name not in known:
            raise ValueError(f"{self.name} has no {name!r}{nearest_names(name, known, self.name)}")
        return known[name]


def nearest_names(name: str, known: Iterable[str], experiment: str = "") -> str:
    """Return the end of a sentence about an unknown name: the known names like it, and what lists all.

    Examples
    --------
    >>> nearest_names("stm-txt", ["lrwmmc", "stm-tls", "stm-text"])
    ': the nearest names are stm-text, stm-tls, lrwmmc; python -m experiments --list shows all.'
    """
    near = ", ".join(get_close_matches(name, known, cutoff=0.0))
    command = f"python -m experiments --list {experiment}".strip()
    return f": the nearest names are {near}; {command} shows all."
