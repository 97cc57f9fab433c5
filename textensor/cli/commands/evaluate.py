"""``textensor evaluate``: how good a model is."""

from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from textensor.base.plain import counted
from textensor.cli import options

if TYPE_CHECKING:
    from textensor.report import Evaluation

NO_TEXTS = typer.Option(False, "--no-texts", help="Leave the texts of documents out of the page.")
COVERAGE = typer.Option(
    False, "--coverage", help="Print how many documents are right above which probability, too."
)
TRAIN = typer.Option(
    None, "--train", metavar="DATA", help="Training data of the model, to look for near-duplicates of it."
)


def evaluate(
    model: str = options.MODEL,
    data: str = options.DATA,
    text: str | None = options.TEXT_OF_FIT,
    label: str | None = options.LABEL_OF_FIT,
    label_separator: str | None = options.SEPARATOR_OF_FIT,
    encoding: str | None = options.ENCODING,
    rename: str | None = options.RENAME,
    report: str | None = options.REPORT,
    no_texts: bool = NO_TEXTS,
    train: str | None = TRAIN,
    embedding: str | None = options.EMBEDDING_OF_FIT,
    coverage: bool = COVERAGE,
    n_jobs: int = options.N_JOBS,
    as_json: bool = options.JSON,
) -> None:
    """Measure a model on documents whose labels are known and which it was not fitted on.

    Figures in brackets are 95% confidence intervals. F1 of a label with few documents is not measurable.
    With --coverage it says how many documents could be automated: those whose label is at least so probable,
    and how many of them are right.

    Example: textensor evaluate mail.model test.csv --text body --label kind --report out.html
    """
    from textensor.cli.places import check_report
    from textensor.cli.reading import open_categorizer, read_data, this_run
    from textensor.cli.screen import print_found, telling
    from textensor.report import write_report
    from textensor.workbench import evaluate_documents

    check_report(report, model=model, data=data, training_data=train)
    categorizer, columns = open_categorizer(
        model, n_jobs, embedding, to_score=False, text=text, label=label, separator=label_separator
    )
    if coverage and categorizer.sigmoids_ is None:
        raise ValueError(f"{model} has no probabilities for --coverage: fit it with cross-validation.")
    texts, labels, *_ = read_data(data, *columns, encoding, rename)
    seen = read_data(train, *columns, encoding).texts if train else None
    run = this_run(data, texts, labels, method=categorizer.method_, settings=categorizer.settings_)
    with telling(f"Measuring {model}") as progress:
        found = evaluate_documents(
            categorizer,
            texts,
            labels,
            train_texts=seen,
            run=run,
            reasons=report is not None,
            progress=progress,
        )
        if report:
            write_report(report, found, texts=not no_texts)
    print_found(found, partial(_print, coverage=coverage), as_json, report)


def _trained_on(found: "Evaluation") -> str:
    """Return a sentence on documents that the model was trained on."""
    were = "was" if found.n_trained_on == 1 else "were"
    some = f"{found.n_trained_on:,} of {counted(found.n_documents, 'document')}"
    return f"{some} {were} in the training data, so the figures are too good: evaluate on other documents."


def _figure(figure: Any) -> str:
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _print(found: "Evaluation", coverage: bool) -> None:
    from textensor.cli.screen import PROTOCOLS, print_table

    rows = [(PROTOCOLS[h.protocol], _figure(h.micro), _figure(h.macro)) for h in found.headlines]
    print_table([counted(found.n_documents, "document"), "micro-F1", "macro-F1"], rows)
    typer.echo("")
    figures = [
        (
            one.label,
            one.n_true,
            one.n_assigned,
            f"{one.precision.value:.3f}",
            f"{one.recall.value:.3f}",
            _figure(one.f1) if one.measurable else "not measurable",
        )
        for one in found.labels
    ]
    header = ["label", "true", "given", "precision", "recall", "F1"]
    print_table(header, figures, numbers=[1, 2, 3, 4])
    if coverage and found.coverage:
        typer.echo("")
        points = [
            (
                f"at least {point.above:g}" if point.above else "any",
                point.n_documents,
                f"{point.share:.0%}",
                point.n_right,
                f"{point.right:.3f} [{point.low:.3f}, {point.high:.3f}]",
            )
            for point in found.coverage.levels
        ]
        header = ["probability", "documents", "share", "right", "share of right"]
        print_table(header, points, numbers=[1, 2, 3])
    if found.n_trained_on:
        typer.echo(f"\n{_trained_on(found)}")
    if found.duplicates:
        n = len(found.duplicates)
        are = "is a near-duplicate" if n == 1 else "are near-duplicates"
        typer.echo(f"\n{counted(n, 'document')} {are} of training documents.")
