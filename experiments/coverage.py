"""How often 95% intervals hold the true F1, with rare categories and small test sets: a simulation.

``python -m experiments.coverage`` draws test sets from a population whose figures are known, counts how often
the intervals of :func:`textensor.evaluate.f1_intervals` hold them, and writes ``results/coverage.md``.

The sizes of categories follow Zipf's law. The rarer a category, the more often it is missed. With one label
to a document, a mistaken document gets another category at random, the larger ones more often; with several,
each document has one to three, and categories are also given to documents that do not have them.
"""

from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

from experiments.engine.surroundings import surroundings
from experiments.engine.tables import Drawn, markdown
from textensor.base.arrays import Floats
from textensor.base.disk import replace_file
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment, f1_intervals
from textensor.evaluate.intervals import Interval

PAGE = Path(__file__).parents[1] / "results" / "coverage.md"

SIZES, CATEGORIES = (20, 50, 200, 1_000), (3, 20)
#: Shares of documents that are right, in categories of any size but for the rarest, which have less.
RIGHT = (0.95, 0.7)
N_DRAWS, N_POPULATION = 1_000, 300_000


class World(NamedTuple):
    """A population: its categories, how often the largest is right, and whether documents have several."""

    n_categories: int
    right: float
    several: bool

    def draw(self, n: int, rng: np.random.Generator) -> F1Scores:
        """Return the scores of a test set of n documents."""
        shares = 1 / np.arange(1, self.n_categories + 1)
        shares /= shares.sum()
        found = np.linspace(self.right, self.right - 0.3, self.n_categories)
        first = rng.choice(self.n_categories, size=n, p=shares)
        names = range(self.n_categories)
        if not self.several:
            other = rng.choice(self.n_categories, size=n, p=shares)
            got = np.where(rng.random(n) < found[first], first, other)
            return f1_by_argmax(first, got, classes=names)
        truth = np.zeros((n, self.n_categories), dtype=np.int8)
        for more in (0.0, 0.5, 0.75):
            some = rng.random(n) >= more
            truth[some, rng.choice(self.n_categories, size=n, p=shares)[some]] = 1
        # As many documents get a category by mistake as are missed.
        wrong = rng.random(truth.shape) < np.where(truth == 1, 1 - found, (1 - found) * shares)
        return f1_by_assignment(truth, np.where(wrong, 1 - truth, truth), classes=names)


def coverage(world: World, n: int, rng: np.random.Generator) -> Floats:
    """Return how often the intervals of micro-F1, macro-F1 and categories hold, and the widths of the first.

    Macro-F1 is that of the categories that the test set has, beside the population's of the same categories.
    """
    population = world.draw(N_POPULATION, rng)
    true, held = population.per_category, []
    for _ in range(N_DRAWS):
        drawn = world.draw(n, rng)
        there = np.flatnonzero(drawn.support)
        parts = drawn.truth[:, there], drawn.assigned[:, there]
        some = F1Scores(drawn.protocol, drawn.macro_average, drawn.labels[there], *parts)
        micro, found = f1_intervals(drawn).micro, f1_intervals(some)
        low, high = found.per_category.T
        each = np.mean((low <= true[there]) & (true[there] <= high))
        held.append([_holds(micro, population.micro), _holds(found.macro, true[there].mean()), each])
        held[-1] += [micro.high - micro.low, found.macro.high - found.macro.low]
    return np.mean(held, axis=0)


def _holds(interval: Interval, figure: float) -> bool:
    return bool(interval.low <= figure <= interval.high)


def main() -> None:
    """Run the simulation and write the table."""
    header = ["documents", "categories", "labels", "right", "micro-F1", "macro-F1", "one category"]
    rows = []
    for n, categories, several, right in product(SIZES, CATEGORIES, (False, True), RIGHT):
        found = coverage(World(categories, right, several), n, np.random.default_rng(0))
        held, widths = found[:3], found[3:]
        about = [str(n), str(categories), "several" if several else "one", f"{right:.0%}"]
        rows.append([*about, *(f"{share:.1%}" for share in held), *(f"{width:.2f}" for width in widths)])
        typer.echo(" ".join(rows[-1]), err=True)
    drawn = Drawn("", [*header, "width, micro", "width, macro"], rows, [])
    made = surroundings()
    text = (
        "# Coverage of 95% intervals of F1\n\n"
        f"How often the interval of a test set holds the figure of the population, in {N_DRAWS:,} draws each "
        "(standard error 0.7 points at 95%). The sizes of categories follow Zipf's law: the rarest of 20 has "
        "one document in 72. *Right* is how often the largest category is found, the rarest one 30 points "
        "less. Macro-F1 and its interval are those of the categories that the test set has, beside the "
        "population's figure for the same categories.\n\n"
        f"{markdown(drawn)}\n\n`python -m experiments.coverage`; textensor {made['textensor']}, "
        f"{made['date']}.\n"
    )
    replace_file(PAGE, [text.encode()])
    typer.echo(text)


if __name__ == "__main__":
    main()
