"""What a paper's file is made of: runs, tables, figures, claims. Data only; nothing here computes.

A *run* is a protocol over one data set: parts (training sizes, say) x methods x splits. Each of those is a
:class:`Cell`, which is evaluated once however many tables and figures show it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Cell",
    "Claim",
    "Counts",
    "Figure",
    "Item",
    "Listing",
    "Method",
    "Paper",
    "Part",
    "Picture",
    "Run",
    "Table",
]

#: Every random choice of a cell comes from this and from the number of its split.
SEED = 2026


@dataclass(frozen=True)
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
    """A part of a run, with its numbers of splits."""

    name: str
    quick: int
    full: int
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """A method: its settings, the parts it is run on (all if empty), and what is said of it.

    ``beyond`` says of a method that is not in the paper what it is; ``as_paper`` marks one whose settings
    were chosen on test labels, as the paper did.
    """

    settings: Mapping[str, Any]
    parts: tuple[str, ...] = ()
    quick: bool = True
    beyond: str = ""
    as_paper: bool = False


@dataclass(frozen=True)
class Run:
    """A protocol over a data set.

    A part whose settings have ``data`` is of that data set. ``alone`` keeps other cells from running at
    the same time, for seconds are measured.
    """

    name: str
    protocol: str
    data: str
    parts: tuple[Part, ...]
    methods: Mapping[str, Method]
    alone: bool = False

    def cells(self, full: bool) -> Iterator[Cell]:
        """Yield the cells of the quick or the full run, a split of all parts and methods after the other."""
        for split in range(max(part.full if full else part.quick for part in self.parts)):
            for part in self.parts:
                if split < (part.full if full else part.quick):
                    yield from self._split(part, split, full)

    def _split(self, part: Part, split: int, full: bool) -> Iterator[Cell]:
        for name, method in self.methods.items():
            if (not method.parts or part.name in method.parts) and (full or method.quick):
                settings = {**part.settings, **method.settings}
                data = settings.pop("data", self.data)
                yield Cell(self.protocol, data, part.name, name, split, settings, self.alone)


@dataclass(frozen=True)
class Table:
    """A table: printed figures beside ours.

    Attributes
    ----------
    run : str
        The name of the run it shows.
    measures : mapping of str to str
        Head of a column -> measure in the cells.
    printed : mapping of (part, method) to sequence
        The figures as printed, one for each measure; None where the paper has none.
    tests : sequence of str
        The significance tests: "s", "S" and "T" of Yang and Liu, "t" paired over splits.
    pairs : sequence of (method, method)
        What is tested against what.
    marks : mapping of (part, A, B) to sequence of str
        The marks as printed, one for each test.
    tested : str
        The measure of the test "t".
    parts : sequence of str
        The parts that are shown, all if empty.
    scale : float
        Ours times this is what the paper prints: 100 for percent.
    digits : int
        Decimals of the figures; of those above ten, fewer.
    uncompared : sequence of str
        Heads of columns whose differences say nothing, as those of seconds on other machines.
    averages : mapping of method to sequence
        The means over all parts as printed, one for each measure; no such row where it is empty.
    """

    name: str
    title: str
    run: str
    measures: Mapping[str, str] = field(default_factory=dict)
    printed: Mapping[tuple[str, str], Sequence[float | None]] = field(default_factory=dict)
    tests: Sequence[str] = ()
    pairs: Sequence[tuple[str, str]] = ()
    marks: Mapping[tuple[str, str, str], Sequence[str]] = field(default_factory=dict)
    tested: str = ""
    parts: Sequence[str] = ()
    scale: float = 1.0
    digits: int = 4
    uncompared: Sequence[str] = ()
    averages: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Listing:
    """A table by the entries of a measure that is a list, keyword by keyword: name -> figures as printed.

    The first method's figures are shown as they are, those of others as what they add to the first, which is
    drawn, too, over ``x_title``.
    ``seconds`` (name -> figures as printed) are of all methods but the first; where ours are of one fit for
    all entries, they stand below.
    """

    name: str
    title: str
    run: str
    measure: str
    methods: Sequence[str]
    printed: Mapping[str, Sequence[float]]
    x_title: str
    scale: float = 100.0
    seconds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Counts:
    """A table of facts of the data, counted here again: name -> figures as printed."""

    name: str
    title: str
    run: str
    columns: Sequence[str]
    printed: Mapping[str, Sequence[float]]
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """Lines over the parts of a run, or over ``measures`` (name on the axis -> measure) at the parts.

    ``printed`` are figures the paper prints elsewhere, drawn as broken lines; ``by_category`` draws F1 over
    the number of training documents of a category at the one part that ``parts`` names.
    """

    name: str
    title: str
    run: str
    measure: str
    methods: Sequence[str]
    x_title: str
    y_title: str
    parts: Sequence[str] = ()
    measures: Mapping[str, str] = field(default_factory=dict)
    printed: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    scale: float = 1.0
    log_y: bool = False
    by_category: bool = False
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """Points of a plane in groups, and a line between them."""

    name: str
    title: str
    run: str
    note: str = ""


Item = Table | Listing | Counts | Figure | Picture


@dataclass(frozen=True)
class Claim:
    """A claim of the paper: at all parts, method a is ahead of, behind or level with b.

    ``expect`` is ``">"``, ``"<"`` or ``"~"``; ``test`` as in :class:`Table`, or empty where the order of the
    means alone decides, as of seconds that were measured once. ``more`` are further pairs of methods of which
    the claim says the same. ``other_run`` is the run of the second of each pair where that is another one:
    its parts have the same names, and its splits the same test rows. ``measures`` (name -> measure) are
    several of which the claim says the same, in place of ``measure``; ``other_measure`` is the second
    method's where that is another one, and has no test. ``half`` looks at the ``"small"`` or
    the ``"large"`` categories only: the half with fewest or with most training documents. ``since`` names a
    part: the claim is of how many times as much the figures are as there, and has no test.
    """

    text: str
    run: str
    a: str
    b: str
    measure: str
    expect: str
    test: str
    at: Sequence[str] = ()
    note: str = ""
    more: Sequence[tuple[str, str]] = ()
    other_run: str = ""
    measures: Mapping[str, str] = field(default_factory=dict)
    other_measure: str = ""
    half: str = ""
    since: str = ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of methods that it speaks of."""
        return [(self.a, self.b), *self.more]


@dataclass(frozen=True)
class Paper:
    """A paper: runs, tables and figures, claims, errata, and what is missing.

    ``tried`` says of tables and figures what was tried where ours differ from the printed ones, ``warned``
    what the warnings of its cells mean.
    """

    name: str
    title: str
    runs: tuple[Run, ...]
    items: tuple[Item, ...]
    claims: tuple[Claim, ...] = ()
    errata: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    tried: Mapping[str, str] = field(default_factory=dict)
    warned: str = ""

    def run(self, name: str) -> Run:
        """Return a run by its name."""
        return next(run for run in self.runs if run.name == name)

    def item(self, name: str) -> Item:
        """Return a table or figure by its name."""
        for item in self.items:
            if item.name == name:
                return item
        known = ", ".join(item.name for item in self.items)
        raise ValueError(f"The paper {self.name} has no {name!r}; it has {known}.")
