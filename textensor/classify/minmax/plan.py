"""Which modules there are to train: each label's documents cut into parts, and pairs of parts as tasks."""

from collections.abc import Callable, Iterator
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.checks import Rule, each, number, whole
from textensor.base.labels import Labels
from textensor.classify.minmax.decompose import Bounds, Coordinates, Index, decompose, place
from textensor.classify.minmax.modules import Key, Module, Task
from textensor.parallel import in_order

#: Where the positive and the negative parts of a label lie; None if one side has no documents.
LabelBounds = tuple[Bounds, Bounds] | None

#: A share of the documents is never fewer than these: small collections stay whole.
SMALLEST_PART = 500


#: Modules of one label at most. The divisors of their number are searched one by one, and each is a task.
MOST_MODULES = 1_000_000
_NUMBERS = each("whole numbers above 0", whole(1).holds)


def _few_modules(value: Any) -> bool:
    """Return whether it is a number of modules, or one or two numbers of parts whose product is one."""
    numbers = (value,) if whole(1).holds(value) else value
    return _NUMBERS.holds(numbers) and len(numbers) <= 2 and prod(map(int, numbers)) <= MOST_MODULES


MODULES = Rule(
    f"a whole number from 1 to {MOST_MODULES}, a pair with such a product, or None",
    lambda value: value is None or _few_modules(value),
)
PART_SIZE = Rule(
    "a whole number above 0, a share between 0 and 1, or None",
    lambda value: value is None or whole(1).holds(value) or number(above=0, below=1).holds(value),
)


class Plan(NamedTuple):
    """The modules of all labels."""

    tasks: list[Task]  # to train, the largest first, so that none is left over for one worker alone
    parts: npt.NDArray[np.int32]  # the rows of all parts, one part after the other
    sizes: list[tuple[int, int]]  # N+ and N- of each label
    bounds: list[LabelBounds]  # where each label's parts lie
    constants: dict[Key, Module]  # the modules of labels that all documents have, or none


def numbers_of_parts(n_yes: int, n_no: int, n: int, modules: Any, sizes: tuple[Any, Any]) -> tuple[int, int]:
    """Return N+ and N- for a label that ``n_yes`` of ``n`` documents have and ``n_no`` do not.

    Examples
    --------
    >>> numbers_of_parts(3449, 19700, 23149, 26, (None, None))
    (2, 13)
    >>> numbers_of_parts(3449, 19700, 23149, None, (2000, 0.1))
    (2, 9)
    """
    if modules is None:
        return _n_parts(n_yes, n, sizes[0]), _n_parts(n_no, n, sizes[1])
    given = (modules,) if whole(1).holds(modules) else tuple(modules)
    if len(given) == 2:
        return int(given[0]), int(given[1])
    candidates = np.arange(1, int(given[0]) + 1)
    divisors = candidates[given[0] % candidates == 0]
    # N- / N+ nearest to n_no / n_yes: of the ratio, not of the difference.
    off = np.abs(np.log(given[0] / divisors.astype(float) ** 2) - np.log(n_no / n_yes))
    n_pos = int(divisors[off.argmin()])
    return n_pos, int(given[0]) // n_pos


def _n_parts(n_side: int, n: int, size: Any) -> int:
    if size is None:
        return 1
    if whole(1).holds(size):
        return -(-n_side // int(size))
    return -(-n_side // max(SMALLEST_PART, int(np.ceil(float(size) * n))))


def make_plan(
    coordinates: Coordinates,
    labels: Labels,
    counted: npt.NDArray[np.bool_],
    n_parts: Callable[[int, int], tuple[int, int]],
    overlap: float,
    bounds: list[LabelBounds],
    first_new: int = 0,
    n_jobs: int | None = None,
) -> Plan:
    """Cut the documents of each label into parts, or put them into the parts there are, and pair the parts.

    ``counted`` masks the labelled documents that count, and ``n_parts`` returns N+ and N- for the numbers of
    documents with and without a label. A label without ``bounds`` is cut anew. Parts of the others stay, and
    modules that have no row from ``first_new`` on are not trained again.
    """
    documents = np.flatnonzero(labels.labelled)[counted]
    coordinates.prepare()

    def cut(question: int) -> tuple[list[list[Index]], LabelBounds]:
        """Return the parts of both sides, none if one has no documents, and where they lie."""
        yes = labels.targets(question)[counted] > 0
        sides = documents[yes], documents[~yes]
        if not (len(sides[0]) and len(sides[1])):
            return [], None
        keys = [coordinates.of(rows, question, side) for side, rows in enumerate(sides)]
        known = bounds[question]
        if known is not None:
            return [place(*side) for side in zip(sides, keys, known, strict=True)], known
        numbers = n_parts(len(sides[0]), len(sides[1]))
        both = [
            decompose(*side, overlap, coordinates.seed) for side in zip(sides, keys, numbers, strict=True)
        ]
        return [parts for parts, _ in both], (both[0][1], both[1][1])

    plan = Plan([], np.empty(0, dtype=np.int32), [], [], {})
    chunks: list[Index] = [np.empty(0, dtype=np.int32)]
    end = 0
    for question, (sides, where) in enumerate(in_order(cut, range(labels.n_questions), n_jobs)):
        plan.bounds.append(where)
        if where is None:
            plan.sizes.append((1, 1))
            # One answer only: it is the answer.
            plan.constants[question, 0, 0] = Module.constant(labels.targets(question)[counted][0])
            continue
        plan.sizes.append((len(sides[0]), len(sides[1])))
        old = first_new if bounds[question] else 0
        plan.tasks.extend(_pairs(question, sides, end, old, coordinates.seed))
        new = [part.astype(np.int32) for part in sides[0] + sides[1]]
        chunks += new
        end += sum(map(len, new))
    plan.tasks.sort(key=lambda task: -task.n_rows)
    return plan._replace(parts=np.concatenate(chunks))


def _pairs(question: int, sides: list[list[Index]], start: int, old: int, seed: int) -> Iterator[Task]:
    """Yield the tasks of a label, whose parts stand one after the other from ``start`` on.

    Those without documents on one side, or without a row from ``old`` on, are left out.
    """
    parts, n_pos = sides[0] + sides[1], len(sides[0])
    ranges = list(pairwise((start + np.cumsum([0, *map(len, parts)])).tolist()))
    touched = [len(part) > 0 and part[-1] >= old for part in parts]
    for i, j in product(range(n_pos), range(n_pos, len(parts))):
        if (touched[i] or touched[j]) and len(parts[i]) and len(parts[j]):
            key = question, i, j - n_pos
            state = np.random.SeedSequence([seed, *key]).generate_state(1)
            yield Task(*key, ranges[i], ranges[j], int(state[0]))
