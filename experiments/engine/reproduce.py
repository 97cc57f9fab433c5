"""Run experiments and write what came out."""

from itertools import chain
from pathlib import Path

from experiments import NAMES, experiment, select
from experiments.engine.declare import Cell, Experiment
from experiments.engine.folder import check_folder, check_full_pages, check_pages, results_of
from experiments.engine.pages import Written, write_experiment, write_page
from experiments.engine.run import evaluate_all
from experiments.engine.store import CellStore, Kind
from experiments.engine.summary import write_summary
from textensor.base.progress import Progress, silent

#: Where pages of a quick run go that would replace those of a full one.
QUICK = "quick"


def reproduce(
    names: list[str],
    output: str | Path,
    *,
    full: bool = False,
    run: bool = True,
    n_jobs: int = 2,
    progress: Progress = silent,
) -> list[Written]:
    """Run tables and figures, and write them to a folder.

    Parameters
    ----------
    names : list of str
        ``"all"``, an experiment such as ``"stm-text"``, or one of its tables or figures:
        ``"stm-text/table3"``.
    output : path
        The folder. Results of cells are stored in its folder ``.cells`` and are not computed again.
    full : bool, default=False
        Whether to run as many splits as the papers used, starting from the results that are packed beside the
        pages; otherwise very few splits, computed here. If the folder has pages of a full run of one of the
        experiments, quick pages go to its folder ``quick``.
    run : bool, default=True
        Whether to run missing cells; otherwise tables and figures are written from stored results only.
    n_jobs : int, default=2
        Processes; figures do not depend on it, seconds are measured with one.
    progress : callable, optional
        Called after each cell with a message, how many are done, and of how many.

    Returns
    -------
    list of Written
    """
    store = CellStore(Path(output))
    chosen = select(names)
    every = {name: experiment(name) for name in chosen}
    check_folder(store.folder, every)
    if full:
        for of in every.values():
            store.read_packed(of)
    cells = {name: _cells(every[name], items, full) if run else [] for name, items in chosen.items()}
    shown = {name: _cells_of_full_pages(store.folder, name) for name in every}
    if full:
        for name, of in every.items():
            check_full_pages(of, store, cells[name], shown[name])
    # Pages of a full run stay: those of a quick one go beside them.
    pages = store.folder / QUICK if not full and any(shown.values()) else store.folder
    check_pages(pages, every)
    for name in NAMES:  # the summary reads those of the other experiments, too
        results_of(pages, name)
    before: dict[Kind, float] = {}
    for name in every if run else ():
        before |= store.seconds(name)
    absent = evaluate_all(list(chain(*cells.values())), store, n_jobs, progress, before)
    if absent and full:  # whoever lacks some data keeps the pages of those who had it
        for name, of in every.items():
            check_full_pages(of, store, (), shown[name])
    missing = "; ".join(f"{name} ({why})" for name, why in absent.items())
    facts = {"not available, so not run": missing} if missing else {}
    # All that was ever run is shown, so that one table run anew leaves the others in place.
    written = [write_experiment(of, full, store, pages / of.name, facts) for of in every.values()]
    write_page(pages / "index.html", written)
    write_summary(pages)
    return written


def _cells(of: Experiment, items: list[str], full: bool) -> list[Cell]:
    runs = dict.fromkeys(run for item in items for run in of.item(item).all_runs)
    return [cell for name in runs for cell in of.run(name).cells(full)]


def _cells_of_full_pages(folder: Path, name: str) -> int:
    """Return how many cells are shown by the pages that a full run left, 0 without such pages."""
    found = results_of(folder, name)
    return found["shown"] if found is not None and found["facts"]["run"] == "full" else 0
