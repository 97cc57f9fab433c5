"""``textensor evaluate`` and ``compare``: how good a model is, and which method is the best for some data."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from textensor.base.plain import clean, counted
from textensor.cli.options import (
    CHECKPOINT,
    DASK,
    DATA,
    ENCODING,
    JSON,
    LABEL,
    LABEL_OF_FIT,
    MODEL,
    N_JOBS,
    SEED,
    SEPARATOR,
    SEPARATOR_OF_FIT,
    TEXT,
    TEXT_OF_FIT,
    OptionError,
    check_methods,
    cluster,
    columns_of_fit,
    texts_and_labels,
)

if TYPE_CHECKING:
    from textensor.report import Comparison, Evaluation, Run
    from textensor.workbench.categorizer import TextCategorizer

__all__ = ["compare", "evaluate"]

REPORT = typer.Option(None, "--report", metavar="FILE", help="Write a page of HTML too.")
NO_TEXTS = typer.Option(False, "--no-texts", help="Leave what documents say out of the page.")
TRAIN = typer.Option(
    None, "--train", metavar="DATA", help="What the model was fitted on: looks for near-duplicates."
)
SIZES = typer.Option(
    "10%,50%", "--train", metavar="SIZES", help="Shares of the documents to train on, commas between."
)


def evaluate(
    model: str = MODEL,
    data: str = DATA,
    text: str | None = TEXT_OF_FIT,
    label: str | None = LABEL_OF_FIT,
    label_separator: str | None = SEPARATOR_OF_FIT,
    encoding: str | None = ENCODING,
    report: str | None = REPORT,
    no_texts: bool = NO_TEXTS,
    train: str | None = TRAIN,
    n_jobs: int = N_JOBS,
    as_json: bool = JSON,
) -> None:
    """Measure a model on documents whose labels are known and which it was not fitted on.

    Figures in brackets are 95% confidence intervals. F1 of a label with few documents is not measurable.

    Example: textensor evaluate mail.model test.csv --text body --label kind --report out.html
    """
    from textensor.cli.places import check_report
    from textensor.cli.screen import telling
    from textensor.workbench.categorizer import TextCategorizer
    from textensor.workbench.texts import fingerprint

    check_report(report, model=model, data=data, training_data=train)
    categorizer = TextCategorizer.load(model)
    categorizer.vectorizer_.n_jobs = n_jobs
    columns = columns_of_fit(model, text=text, label=label, separator=label_separator)
    texts, labels = texts_and_labels(data, *columns, encoding)
    seen = texts_and_labels(train, *columns, encoding)[0] if train else None
    run = _run(data, fingerprint(texts, labels), method=categorizer.method_, settings=categorizer.settings_)
    with telling(f"Measuring {model}") as tell:
        found = _evaluation(categorizer, texts, labels, seen, run, tell)
        if report:
            from textensor.report import write_report

            write_report(report, found, texts=not no_texts)
    if as_json:
        typer.echo(json.dumps(_evaluation_data(found), indent=2))
        return
    _print_evaluation(found)
    if report:
        typer.echo(f"\nReport: {clean(report)}")


def compare(
    data: str = DATA,
    methods: str = typer.Option(
        "svm,stm", "--methods", help="Methods, commas between; the first is the measure."
    ),
    sizes: str = SIZES,
    splits: int = typer.Option(3, "--splits", min=1, help="How often to split anew."),
    tune: bool = typer.Option(False, "--tune", help="Let each method search over its settings."),
    read_rest: bool = typer.Option(
        False,
        "--read-rest",
        help="Read half of the other documents without their labels; score the other half.",
    ),
    text: str = TEXT,
    label: str = LABEL,
    label_separator: str | None = SEPARATOR,
    encoding: str | None = ENCODING,
    seed: int = typer.Option(0, "--seed", **SEED, help="Of the splits and of what is random in a method."),
    report: str | None = REPORT,
    checkpoint: str | None = CHECKPOINT,
    dask: str | None = DASK,
    n_jobs: int = N_JOBS,
    as_json: bool = JSON,
) -> None:
    """Compare methods on parts of your documents, by both protocols.

    arg max: a document gets one label. assignment: every yes-or-no decision counts. Marks are against the
    first method: >> much better, > better, ~ no difference that is significant, < worse, << much worse.
    DATA may also be a corpus of `textensor datasets`. With --dask each worker takes one trial after the
    other; with --checkpoint the same command goes on where it was interrupted.

    Example: textensor compare mail.csv --methods svm,stm --train 5%,10% --splits 10 --report out.html
    """
    from textensor.cli.places import check_report
    from textensor.cli.screen import telling
    from textensor.workbench.texts import fingerprint

    fractions = [_fraction(part) for part in sizes.split(",")]
    names = methods.split(",")
    check_methods("--methods", names)
    check_report(report, data=data)
    with telling(f"Reading {data}", keep=False) as tell, cluster(dask):
        texts, labels = texts_and_labels(data, text, label, label_separator, encoding)
        from textensor.report import compare_results
        from textensor.workbench.trials import try_methods

        options: dict[str, Any] = {"n_splits": splits, "tune": tune, "read_rest": read_rest}
        # On a cluster a worker takes a trial, and has other trials beside it.
        how: dict[str, Any] = {"checkpoint": checkpoint, "n_jobs": 1 if dask else n_jobs, "progress": tell}
        trials = try_methods(texts, labels, names, fractions, **options, **how, random_state=seed)
        run = _run(data, fingerprint(texts, labels), settings={**options, "seed": seed})
        found = compare_results(trials, run=run)
        if report:
            from textensor.report import write_comparison

            write_comparison(report, found)
    if as_json:
        typer.echo(json.dumps(_comparison_data(found), indent=2))
        return
    _print_comparison(found)
    if report:
        typer.echo(f"\nReport: {clean(report)}")


def _fraction(part: str) -> float:
    """Read 5% or 0.05."""
    try:
        found = float(part.strip().removesuffix("%")) / (100 if part.strip().endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 < found < 1:
        raise OptionError(f"--train is shares between 0% and 100%, such as 5%,10%, not {part!r:.40}.")
    return found


def _run(data: str, sha256: str, **options: Any) -> "Run":
    import shlex

    from textensor.report import Run

    command = shlex.join(["textensor", *sys.argv[1:]])
    return Run(
        command=command, data=Path(data).name if data != "-" else "standard input", sha256=sha256, **options
    )


def _evaluation(
    categorizer: "TextCategorizer",
    texts: list[str],
    labels: list[Any],
    seen: list[str] | None,
    run: Any,
    tell: Any,
) -> "Evaluation":
    """Score the documents that have labels, those that the model has never seen included."""
    import numpy as np

    from textensor.base.labels import read_named
    from textensor.report import evaluate_model

    known = {str(name): name for name in categorizer.classes_.tolist()}
    several = categorizer.several_
    sets = [one if isinstance(one, tuple) else ((one,) if one else ()) for one in labels]
    if several and not any(isinstance(one, tuple) for one in labels):
        raise ValueError(
            "The model gives several labels, and what stands between those of the data is not known: "
            "say it with --label-separator."
        )
    kept = [d for d, one in enumerate(sets) if one]
    if not several and any(len(one) > 1 for one in sets):
        raise ValueError("Documents have several labels and the model gives one: fit it on such documents.")
    if len(kept) < len(texts):
        tell(f"{len(texts) - len(kept)} of {len(texts)} documents have no label and are left out.")
    given, asked = [sets[d] for d in kept], [texts[d] for d in kept]
    unseen = sorted({name for one in given for name in one if name not in known})
    if unseen:
        tell(
            f"{len(unseen)} labels were not in training and are never found, the first is {unseen[0]!r:.80}."
        )
    scores, classes = categorizer.predict_scores(asked), list(known)
    truth: Any = [one[0] for one in given]
    if several:
        classes += unseen
        truth = read_named(given, classes).truth().astype(int)
        lowest = np.full((len(scores), len(unseen)), min(scores.min(initial=0.0), 0.0) - 1.0)
        scores = np.column_stack([scores, lowest])

    def explain(document: int, names: list[str]) -> list[Any]:
        wanted = [known[name] for name in names if name in known]
        return categorizer.explain([asked[document]], 8, labels=wanted)[0]

    return evaluate_model(
        truth,
        scores,
        classes,
        run=run,
        texts=asked,
        train_texts=seen,
        n_train=categorizer.data_["labels"],
        terms={str(name): terms for name, terms in categorizer.telling_terms(10).items()},
        explain=explain,
    )


def _figure(figure: Any) -> str:
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


PROTOCOLS = {"argmax": "arg max", "assignment": "assignment"}


def _print_evaluation(found: "Evaluation") -> None:
    from textensor.cli.screen import print_table

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
    if found.duplicates:
        typer.echo(f"\n{len(found.duplicates)} documents are near-duplicates of training documents.")


def _evaluation_data(found: "Evaluation") -> dict[str, Any]:
    return {
        "documents": found.n_documents,
        "headlines": {
            h.protocol: {"micro": h.micro._asdict(), "macro": h.macro._asdict()} for h in found.headlines
        },
        "labels": [
            {
                **one._asdict(),
                "label": str(one.label),
                **{key: getattr(one, key)._asdict() for key in ("precision", "recall", "f1")},
            }
            for one in found.labels
        ],
        "mistakes": found.n_mistakes,
        "near duplicates": None if found.duplicates is None else len(found.duplicates),
    }


def _print_comparison(found: "Comparison") -> None:
    from textensor.cli.screen import print_table

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
    """Return a mean with its standard deviation, which one split has not."""
    return f"{mean:.3f} ± {deviation:.3f}" if n_splits > 1 else f"{mean:.3f}"


def _comparison_data(found: "Comparison") -> dict[str, Any]:
    return {
        "methods": list(found.methods),
        "splits": found.n_splits,
        "trained on": dict(found.n_train),
        "tested on": dict(found.n_test),
        "cells": [
            {**cell._asdict(), "seconds": found.seconds[cell.method, cell.size]} for cell in found.cells
        ],
        "command": found.run.command,
    }
