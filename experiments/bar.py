"""A method against the best of its peers: differences, corrected tests and a verdict for each row.

The peer of a split is the one with the highest mean of micro- and macro-F1 on held-out folds of its labelled
documents: what a user without the test labels would have chosen.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from experiments.engine.declare import Bar
from experiments.engine.stats import Found
from experiments.engine.store import Kept
from experiments.engine.tables import MINUS, NO_TEST, NOT_RUN, Drawn
from textensor.evaluate import corrected_t_test, holm

#: The largest p that counts as significant.
SIGNIFICANT = 0.01
MEASURES = ("micro", "macro")
#: What counts as a training document in the correction for overlap.
READ, LABELLED = "documents read", "labelled documents"
#: Heads of columns: of both tables, of the verdicts, and of what lies behind them.
HEAD = ("corpus", "labels", "text", "splits")
JUDGED = ("auto: micro / macro", "peer: micro / macro", "difference", "p, corrected", "seconds", "verdict")
BEHIND = ("auto", "peer", "best peer on the test part by micro; by macro", "p, only labelled documents count")


class Decided(NamedTuple):
    """What a method, or the peer that was chosen, did in one split."""

    name: str
    figures: Kept
    result: Kept


class Row(NamedTuple):
    """A row: what it is of, the method and the chosen peer by split, and all peers."""

    corpus: str
    part: str
    text: str
    own: Mapping[int, Decided]
    peer: Mapping[int, Decided]
    every: Mapping[str, Mapping[int, Decided]]

    @property
    def splits(self) -> list[int]:
        """The splits that were run of the method and of its peers."""
        return sorted(set(self.own) & set(self.peer))

    def means(self, side: Mapping[int, Decided]) -> list[float]:
        """Return the mean micro- and macro-F1 over the splits."""
        return [float(np.mean([side[k].figures[of] for k in self.splits])) for of in MEASURES]

    @property
    def differences(self) -> list[float]:
        """The differences of the means."""
        own, peer = self.means(self.own), self.means(self.peer)
        return [a - b for a, b in zip(own, peer, strict=True)]

    @property
    def seconds(self) -> float:
        """The longest time that the method took."""
        return max(self.own[k].result["seconds"] for k in self.splits)


def bar_tables(bar: Bar, found: Mapping[str, Found]) -> list[Drawn]:
    """Return the table of verdicts, and one of what lies behind it."""
    rows = [*_rows(bar, found)]
    p_values = _corrected(rows, READ)
    verdicts = [_verdict(bar, row, p) for row, p in zip(rows, p_values, strict=True)]
    held = Counter(verdict.partition(":")[0] for verdict in verdicts)
    judged = [
        [*_named(row), *_shown(row), _p_words(row, p), _seconds(row), verdict]
        for row, p, verdict in zip(rows, p_values, verdicts, strict=True)
    ]
    strict = zip(rows, _corrected(rows, LABELLED), strict=True)
    behind = [[*_named(row), *_choices(row), _p_words(row, p)] for row, p in strict]
    said = ", ".join(f"{word} in {n}" for word, n in held.items())
    return [
        Drawn(f"Does it meet the bar? Of {len(rows)} rows, {said}", [*HEAD, *JUDGED], judged, []),
        Drawn("What was chosen, and in how many splits", [*HEAD, *BEHIND], behind, []),
    ]


def _rows(bar: Bar, found: Mapping[str, Found]) -> Iterator[Row]:
    """Yield the rows that are declared, whether they were run or not."""
    for (corpus, runs), (text, method) in product(bar.corpora.items(), bar.methods.items()):
        for of, part in ((found[name], part.name) for name in runs for part in found[name].run.parts):
            parts = of.run.methods[method].parts
            if parts and part not in parts:
                continue
            (own,) = _by_way(of, part, [method]).values() or [{}]
            every = _by_way(of, part, bar.peers[text])
            were_run = all(of.of(part, peer) for peer in bar.peers[text])
            yield Row(corpus, part, text, own, _chosen(every) if were_run else {}, every)


def _by_way(of: Found, part: str, methods: Sequence[str]) -> dict[str, dict[int, Decided]]:
    """Return methods by name and, if there are several, by their way to decide."""
    found: dict[str, dict[int, Decided]] = {}
    for method in methods:
        for split, result in of.of(part, method).items():
            ways = {w: f for w, f in result.items() if isinstance(f, dict) and "cross-validated" in f}
            for way, figures in ways.items():
                name = f"{method}, {way}" if len(ways) > 1 else method
                found.setdefault(name, {})[split] = Decided(name, figures, result)
    return found


def _chosen(every: Mapping[str, Mapping[int, Decided]]) -> dict[int, Decided]:
    """Return the peer with the best held-out figures of each split that all peers were run on."""

    def held_out(one: Decided) -> float:
        return sum(one.figures["cross-validated"][of] for of in MEASURES)

    splits = set.intersection(*map(set, every.values()))
    return {k: max((one[k] for one in every.values()), key=held_out) for k in sorted(splits)}


def _corrected(rows: Sequence[Row], kind: str) -> list[list[float] | None]:
    """Return p of micro- and macro-F1 for each row, corrected over all rows; None without a test.

    A test that was not made counts as one with p = 1, so that p does not depend on what was run so far.
    """
    every = [_tests(row, kind) for row in rows]
    corrected = holm([p for pair in every for p in pair or (1.0, 1.0)]).reshape(-1, 2)
    return [None if pair is None else p.tolist() for pair, p in zip(every, corrected, strict=True)]


def _tests(row: Row, kind: str) -> list[float] | None:
    """Return the one-sided p-values for the method being ahead, None with less than two splits."""
    if len(row.splits) < 2:
        return None
    sizes = [row.own[k].result for k in row.splits]
    n_train = np.mean([one["labelled"] + (one["unlabelled"] if kind == READ else 0) for one in sizes])
    n_test = np.mean([one["tested"] for one in sizes])
    found = []
    for of in MEASURES:
        own, peer = ([side[k].figures[of] for k in row.splits] for side in (row.own, row.peer))
        test = corrected_t_test(own, peer, n_train=float(n_train), n_test=float(n_test))
        found.append(1 - test.p_value if test.statistic < 0 else test.p_value)
    return found


def _verdict(bar: Bar, row: Row, p: list[float] | None) -> str:
    """Return whether a row meets the bar, or what it lacks."""
    if not row.splits:
        return NOT_RUN
    lacks = [
        f"{100 * -difference:.1f} points behind in {of}"
        for of, difference in zip(MEASURES, row.differences, strict=True)
        if difference < -bar.behind
    ]
    if row.part in bar.ahead.get(row.text, ()):
        if p is None:
            lacks.append(NO_TEST)
        else:
            lacks += [f"not ahead in {of}" for of, one in zip(MEASURES, p, strict=True) if one > SIGNIFICANT]
    if row.seconds > bar.longest:
        lacks.append(f"took {row.seconds:.0f} s")
    return f"no: {', '.join(lacks)}" if lacks else "yes"


def _named(row: Row) -> list[str]:
    return [row.corpus, row.part, row.text, str(len(row.splits) or "")]


def _shown(row: Row) -> list[str]:
    """Return the figures of both sides and their differences."""
    if not row.splits:
        return [NOT_RUN if not side else "" for side in (row.own, row.peer)] + [""]
    sides = [" / ".join(f"{mean:.4f}" for mean in row.means(side)) for side in (row.own, row.peer)]
    return [*sides, _signed(row.differences)]


def _signed(differences: Sequence[float]) -> str:
    return " / ".join(f"{difference:+z.4f}".replace("-", MINUS) for difference in differences)


def _p_words(row: Row, p: list[float] | None) -> str:
    if p is None:
        return NO_TEST if row.splits else ""
    return " / ".join(f"{one:.2g}" for one in p)


def _seconds(row: Row) -> str:
    return f"{row.seconds:.0f}" if row.splits else ""


def _choices(row: Row) -> list[str]:
    """Return what the method and the peers were, and the peer with the best means on the test part."""
    if not row.splits:
        return ["", "", ""]
    own = Counter(row.own[k].figures["chosen"] for k in row.splits)
    peer = Counter(f"{row.peer[k].name} ({row.peer[k].figures['chosen']})" for k in row.splits)
    means, words = {name: row.means(one) for name, one in row.every.items()}, []
    for k, mean in enumerate(row.means(row.own)):
        best = max(means, key=lambda name: means[name][k])
        words.append(f"{best}: {_signed([mean - means[best][k]])}")
    return [_counted(own), _counted(peer), "; ".join(words)]


def _counted(names: Counter[str]) -> str:
    return "; ".join(f"{name} {n}" for name, n in names.most_common())
