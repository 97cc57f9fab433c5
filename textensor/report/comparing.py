"""From the scores of methods on splits to a comparison."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from textensor.evaluate import F1Scores, Result, macro_sign_test, micro_sign_test
from textensor.evaluate.f1 import Protocol
from textensor.report.data import Cell, Comparison, Run


def compare_results(results: Iterable[Result], *, run: Run | None = None) -> Comparison:
    """Average over splits, and compare every method with the first one.

    Micro F1 is compared by the sign test over decisions, macro F1 by the sign test over labels.

    Parameters
    ----------
    results : iterable of Result
        Methods and sizes in the order they are to be shown in; of each size the same splits, in the same
        order, for all methods, scored on the same labels.
    run : Run, optional
        What was run, and how to run it again.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from textensor.evaluate import f1_by_argmax
    >>> from textensor.report import Result, compare_results
    >>> truth = ["a", "b"] * 10
    >>> found = compare_results([
    ...     Result("svm", "5%", 2, [f1_by_argmax(truth, ["a"] * 20)], 0.1),
    ...     Result("stm", "5%", 2, [f1_by_argmax(truth, truth)], 0.2),
    ... ])
    >>> found.cells[1].micro, found.cells[1].micro_mark
    (1.0, '>>')
    """
    grouped: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        grouped[result.method, result.size].append(result)
    if not grouped:
        raise ValueError("There are no results to compare: run one method at least.")
    methods = list(dict.fromkeys(method for method, _ in grouped))
    sizes = list(dict.fromkeys(size for _, size in grouped))
    n_splits = {len(found) for found in grouped.values()}
    if len(n_splits) > 1:
        raise ValueError(f"Methods were run on {sorted(n_splits)} splits: run all of them on the same.")
    of_size = {size: [r for (_, s), found in grouped.items() if s == size for r in found] for size in sizes}
    return Comparison(
        run=run or Run(),
        methods=methods,
        sizes=sizes,
        n_train={size: float(np.mean([r.n_train for r in found])) for size, found in of_size.items()},
        n_test={
            size: float(np.mean([r.scores[0].n_documents for r in found])) for size, found in of_size.items()
        },
        n_splits=n_splits.pop(),
        cells=[
            cell
            for (method, size), found in grouped.items()
            for cell in _cells(found, grouped.get((methods[0], size), []), method == methods[0])
        ],
        seconds={key: float(np.mean([r.seconds for r in found])) for key, found in grouped.items()},
    )


def _cells(found: list[Result], first: list[Result], is_first: bool) -> Iterable[Cell]:
    """Yield the cells of one method at one size, one for each protocol."""
    against = _by_protocol(first)
    for protocol, scores in _by_protocol(found).items():
        micro, macro = [s.micro for s in scores], [s.macro_mean_f1 for s in scores]
        marks = ["", ""]
        if not is_first and protocol in against:
            marks = [test(scores, against[protocol]).mark for test in (micro_sign_test, macro_sign_test)]
        spread = [float(np.std(figures, ddof=1)) if len(figures) > 1 else 0.0 for figures in (micro, macro)]
        yield Cell(
            found[0].method,
            found[0].size,
            protocol,
            float(np.mean(micro)),
            spread[0],
            float(np.mean(macro)),
            spread[1],
            *marks,
        )


def _by_protocol(results: list[Result]) -> dict[Protocol, list[F1Scores]]:
    found: dict[Protocol, list[F1Scores]] = defaultdict(list)
    for result in results:
        for scores in result.scores:
            found[scores.protocol].append(scores)
    return found
