"""``textensor fit``, ``show`` and ``explain``: make a model, look at it, ask it for reasons."""

import json
from pathlib import Path
from typing import Any

import typer

from textensor.base.plain import counted
from textensor.cli.options import (
    CHECKPOINT,
    DASK,
    DATA,
    ENCODING,
    JSON,
    LABEL,
    MODEL,
    N_JOBS,
    SEED,
    SEPARATOR,
    TEXT,
    Columns,
    OptionError,
    check_methods,
    cluster,
    named_settings,
    texts_and_labels,
)

__all__ = ["explain", "fit", "show"]

METHOD = typer.Option(
    "auto", "--method", "-m", help="A method of `textensor methods`, several with commas between, or auto."
)
SET = typer.Option(
    None, "--set", metavar="KEY=VALUE", help="A setting of the method's estimator, such as C=10."
)


def _not_below_0(given: float) -> float:
    if not given >= 0:
        raise OptionError(f"--time-budget is a number of seconds, 0 or more, not {given:g}.")
    return given


BUDGET = typer.Option(
    60.0,
    "--time-budget",
    metavar="SECONDS",
    callback=_not_below_0,
    help="When a search tries nothing more.",
)
ASKED = typer.Option(None, "--label", help="A label to explain; by default those that it gets.")
OUT = typer.Option(..., "--output", "-o", metavar="MODEL", help="Where the model is written to.")


def fit(
    data: str = DATA,
    output: str = OUT,
    text: str = TEXT,
    label: str = LABEL,
    label_separator: str | None = SEPARATOR,
    encoding: str | None = ENCODING,
    method: str = METHOD,
    tune: bool = typer.Option(False, "--tune", help="Search over the settings of the method."),
    setting: list[str] | None = SET,
    time_budget: float = BUDGET,
    cross_validate: bool = typer.Option(
        True,
        "--cross-validate/--no-cross-validate",
        help="Score held-out folds, for figures and probabilities.",
    ),
    seed: int = typer.Option(0, "--seed", **SEED, help="Of what is random in a method."),
    checkpoint: str | None = CHECKPOINT,
    dask: str | None = DASK,
    n_jobs: int = N_JOBS,
    as_json: bool = JSON,
) -> None:
    """Learn labels from documents and write a model file.

    Documents without a label are read too, by methods that can learn from them. With --checkpoint the same
    command goes on where it was interrupted: candidates that were scored are kept, and modules of minmax.
    With --dask the workers of a cluster fit modules of minmax.

    Example: textensor fit mail.csv --text body --label kind -o mail.model
    """
    from textensor.cli.places import check_folder
    from textensor.cli.screen import clean, telling

    names, settings = method.split(","), named_settings(setting)
    search = tune or len(names) > 1
    _check_choice(names, settings, search or method == "auto")
    check_folder(output)
    from textensor.files import check_replaceable

    check_replaceable(output)
    if dask:
        _check_spread(names)
    with telling(f"Reading {data}") as tell, cluster(dask):
        texts, labels = texts_and_labels(data, text, label, label_separator, encoding)
        from textensor.workbench.categorizer import TextCategorizer

        model = TextCategorizer(
            names if search and names != ["auto"] else method,
            settings=settings,
            cross_validate=cross_validate,
            time_budget=time_budget,
            checkpoint=checkpoint,
            n_jobs=n_jobs,
            random_state=seed,
            progress=tell,
        )
        model.fit(texts, labels)
        columns = Columns(text, label, label_separator)._asdict()
        model.save(output, metadata={"source": clean(Path(data).name, 200), "columns": columns})
    card = {**model.card(), "tried": model.tried_, "file": output, "bytes": Path(output).stat().st_size}
    if as_json:
        typer.echo(json.dumps(card, indent=2))
        return
    typer.echo(_headline(card))
    typer.echo(f"Written: {clean(output)} ({card['bytes']:,} bytes).")


def show(model: str = MODEL, as_json: bool = JSON) -> None:
    """Show what a model file holds: method, labels, data, how good it was. Nothing in it is run.

    Example: textensor show mail.model
    """
    from dataclasses import asdict

    from textensor.cli.screen import print_table
    from textensor.files import describe
    from textensor.files.container import SINCE

    found = describe(model)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
        return
    card = found.metadata
    lines = [("class", found.model["class"])]
    if found.model["class"] == "textensor.TextCategorizer":
        lines += _described(card, found.model["state"])
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    lines += [("format", found.format), ("size", f"{found.n_bytes:,} bytes"), ("written with", versions)]
    lines.append(("needs", f"textensor {SINCE} or newer, with any numpy, scipy and scikit-learn it runs on"))
    print_table(["", ""], lines)
    sizes, held_out = (_inner(card, *keys) for keys in (("data", "labels"), ("held out", "labels")))
    if sizes:
        typer.echo("")
        unknown = "not measurable" if held_out else "not measured"
        rows = [(name, n, _figure(held_out.get(name), unknown)) for name, n in sizes.items()]
        print_table(["label", "documents", "held-out F1"], rows, numbers=[1, 2])


def explain(
    model: str = MODEL,
    text: str = typer.Argument(help="The text, between quotes; - reads it from standard input."),
    top: int = typer.Option(10, "--top", min=1, help="How many terms to name."),
    label: list[str] | None = ASKED,
    as_json: bool = JSON,
) -> None:
    """Say which label a text gets, and which of its terms speak for it and against it.

    Example: textensor explain mail.model "Cheap watches, only today"
    """
    import sys

    from textensor.cli.screen import clean, print_table
    from textensor.workbench.categorizer import TextCategorizer

    categorizer = TextCategorizer.load(model)
    if text == "-":
        text = sys.stdin.read()
    if not categorizer.vectorizer_.transform([text]).nnz:
        typer.echo("No term of the text is known to the model: it says the same of any such text.", err=True)
    known = {str(name): name for name in categorizer.classes_.tolist()}
    asked = None if not label else [known.get(name, name) for name in label]
    scores = categorizer.predict_scores([text])
    sure = None if categorizer.sigmoids_ is None else categorizer.probabilities(scores)[0]
    reasons = categorizer.explain([text], top, labels=asked)[0]
    columns = [list(known).index(str(reason.label)) for reason in reasons]
    shares = [None if sure is None else round(float(sure[k]), 4) for k in columns]
    if as_json:
        found = [
            {"label": reason.label, "probability": share, "score": reason.decision, "parts": reason.parts}
            for reason, share in zip(reasons, shares, strict=True)
        ]
        typer.echo(json.dumps(found, indent=2))
        return
    for reason, share in zip(reasons, shares, strict=True):
        probability = "" if share is None else f", probability {share:.2f}"
        typer.echo(f"{clean(str(reason.label))}: score {reason.decision:+.3f}{probability}")
        print_table(["  term", "amount"], [(f"  {n}", f"{a:+.3f}") for n, a in reason.parts], numbers=[1])


def _check_choice(names: list[str], settings: dict[str, Any] | None, search: bool) -> None:
    """Refuse methods and settings that cannot be, before any data is read."""
    if "auto" in names and len(names) > 1:
        raise OptionError("--method auto stands alone: it is a search over several methods.")
    if settings is not None and search:
        raise OptionError("--set is for one method without a search: name it with --method, without --tune.")
    check_methods("--method", names, settings)


def _check_spread(names: list[str]) -> None:
    """Refuse a cluster for methods that would leave it idle."""
    from textensor.workbench.methods import METHODS

    able = [name for name, method in METHODS.items() if method.spreads]
    idle = [name for name in names if name not in able]
    if idle:
        raise OptionError(
            f"{', '.join(idle)[:200]}: fitted on this machine only; --dask is for --method {', '.join(able)}."
        )


def _headline(card: dict[str, Any]) -> str:
    from textensor.cli.screen import clean

    data, held_out = card["data"], card["held out"]
    settings = ", ".join(f"{key}={value}" for key, value in card["settings"].items())
    parts = [f"{card['method']} ({settings})" if settings else card["method"]]
    sizes = (data["documents"], "document"), (len(data["labels"]), "label"), (data["terms"], "term")
    parts.append(", ".join(counted(n, what) for n, what in sizes))
    if held_out:
        micro, macro = _figure(held_out["micro"]), _figure(held_out["macro"])
        parts.append(f"on {held_out['folds']} held-out folds micro-F1 {micro}, macro-F1 {macro}")
        if held_out.get("tried", 1) > 1:
            parts.append(f"the best of {held_out['tried']} tried, so optimistic")
    else:
        parts.append("how good it is was not measured")
    return clean("; ".join(parts) + ".")


def _described(card: dict[str, Any], state: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what the card in a file says, whoever wrote it."""
    try:
        data, settings = card["data"], card["settings"]
        lines = [("summary", _headline(card))]
        lines.append(("labels", "several to a document" if card["several labels"] else "one to a document"))
        lines.append(("unlabelled", counted(data["unlabelled"], "document")))
        lines.append(("data", f"{card.get('source', '')} (SHA-256 {data['sha256']})"))
        lines.append(("settings", ", ".join(f"{key}={value}" for key, value in settings.items())))
    except (KeyError, TypeError, ValueError, AttributeError):
        return [("card", "not one of textensor fit")]
    model = state.get("model_")
    factors = model.get("state", {}).get("factors_") if isinstance(model, dict) else None
    return [*lines, *_grid(factors)]


def _grid(factors: Any) -> list[tuple[str, str]]:
    """Return the shape of a tensor model's documents in words; each factor is labels x axis x rank."""
    if not isinstance(factors, list) or not all(isinstance(one, str) for one in factors):
        return []
    shapes = [one.partition(" ")[2].split(" x ") for one in factors]
    if not shapes or any(len(shape) != 3 for shape in shapes):
        return []
    grid = " x ".join(shape[1] for shape in shapes)
    return [("tensor", f"terms in a grid of {grid}, rank {shapes[0][2]}")]


def _inner(card: Any, *keys: str) -> dict[str, Any]:
    """Return a part of a card, whoever wrote it; empty where it is no such part."""
    for key in keys:
        card = card.get(key) if isinstance(card, dict) else None
    return card if isinstance(card, dict) else {}


def _figure(value: Any, unknown: str = "not measurable") -> str:
    return f"{value:.3f}" if isinstance(value, float | int) else unknown
