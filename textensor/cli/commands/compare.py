"""``textensor compare``: which method is the best for some data."""

from typing import TYPE_CHECKING, Any

import typer

from textensor.cli import options

if TYPE_CHECKING:
    from textensor.report import Comparison

SIZES = typer.Option(
    "10%,50%", "--train", metavar="SIZES", help="Shares of the documents to train on, separated by commas."
)


@options.with_terms
def compare(
    data: str = options.DATA,
    methods: str = typer.Option(
        "svm,stm", "--methods", help="Methods to compare, separated by commas. The first one is the baseline."
    ),
    sizes: str = SIZES,
    splits: int = typer.Option(3, "--splits", min=1, help="Number of random splits."),
    tune: bool = typer.Option(False, "--tune", help="Let each method search over its settings."),
    read_rest: bool = typer.Option(
        False,
        "--read-rest",
        help="Read half of the other documents without their labels; score the other half.",
    ),
    text: str = options.TEXT,
    label: str = options.LABEL,
    label_separator: str | None = options.SEPARATOR,
    encoding: str | None = options.ENCODING,
    terms: dict[str, Any] = options.TERMS,
    rename: str | None = options.RENAME,
    seed: int = options.SEED,
    report: str | None = options.REPORT,
    checkpoint: str | None = options.CHECKPOINT,
    dask: str | None = options.DASK,
    n_jobs: int = options.N_JOBS,
    as_json: bool = options.JSON,
) -> None:
    """Compare methods on parts of your documents, by both protocols.

    arg max: a document gets one label. assignment: every yes-or-no decision counts. Marks are against the
    first method: >> much better, > better, ~ no difference that is significant, < worse, << much worse.
    DATA may also be a corpus of `textensor datasets`. With --dask each worker takes one trial after the
    other; with --checkpoint the same command goes on where it was interrupted.

    Example: textensor compare mail.csv --methods svm,stm --train 5%,10% --splits 10 --report out.html
    """
    from textensor.cli.places import check_report
    from textensor.cli.reading import learnable, read_data, this_run
    from textensor.cli.screen import print_found, telling
    from textensor.cli.workers import on_workers

    fractions = [_fraction(part) for part in sizes.split(",")]
    names = methods.split(",")
    options.check_methods("--methods", names)
    check_report(report, data=data)
    with telling(f"Reading {data}", keep=False) as progress, on_workers(dask):
        texts, labels, *_ = read_data(data, text, label, label_separator, encoding, rename)
        known = learnable(data, label, labels)
        from textensor.report import compare_results, write_comparison
        from textensor.workbench import try_methods

        settings: dict[str, Any] = {"n_splits": splits, "tune": tune, "read_rest": read_rest, "terms": terms}
        threads = 1 if dask else n_jobs  # on a cluster a worker has other trials beside its own
        how: dict[str, Any] = {"checkpoint": checkpoint, "n_jobs": threads, "progress": progress}
        trials = try_methods(texts, known, names, fractions, **settings, **how, random_state=seed)
        run = this_run(data, texts, labels, settings={**settings, "seed": seed})
        found = compare_results(trials, run=run)
        if report:
            write_comparison(report, found)
    print_found(found, _print, as_json, report)


def _fraction(part: str) -> float:
    """Read 5% or 0.05."""
    try:
        found = float(part.strip().removesuffix("%")) / (100 if part.strip().endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 < found < 1:
        raise options.OptionError(f"--train is shares between 0% and 100%, such as 5%,10%, not {part!r:.40}.")
    return found


def _print(found: "Comparison") -> None:
    from textensor.cli.screen import PROTOCOLS, print_table

    header = ["labels", "trained on", "protocol", "method", "micro-F1", "", "macro-F1", "", "seconds"]
    rows = [
        (
            cell.size,
            round(found.n_train[cell.size]),
            PROTOCOLS[cell.protocol],
            cell.method,
            _spread(cell.micro, cell.micro_std, found.n_splits),
            cell.micro_mark,
            _spread(cell.macro, cell.macro_std, found.n_splits),
            cell.macro_mark,
            f"{found.seconds[cell.method, cell.size]:.1f}",
        )
        for size in found.sizes
        for protocol in PROTOCOLS
        for cell in found.cells
        if cell.size == size and cell.protocol == protocol
    ]
    print_table(header, rows, numbers=[1, 8])
    means = f"Mean and standard deviation of {found.n_splits} splits" if found.n_splits > 1 else "One split"
    typer.echo(f"\n{means}; marks against {found.methods[0]}.")


def _spread(mean: float, deviation: float, n_splits: int) -> str:
    """Return a mean with its standard deviation, which a single split does not have."""
    return f"{mean:.3f} ± {deviation:.3f}" if n_splits > 1 else f"{mean:.3f}"
