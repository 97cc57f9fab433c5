"""``textensor show``: what a model file holds."""

from typing import Any

import typer

from textensor.base.plain import clean, counted
from textensor.cli.options import JSON, MODEL

#: Labels that are listed.
MOST_LABELS = 1000
#: Characters of a card that are shown, whoever wrote it.
LONGEST = 2000


def show(model: str = MODEL, as_json: bool = JSON) -> None:
    """Show what a model file holds: method, labels, data, how good it was. Nothing in it is run.

    Example: textensor show mail.model
    """
    from dataclasses import asdict

    from textensor.cli.reading import check_there

    check_there(model)
    from textensor.cli.screen import print_json, print_table
    from textensor.files import describe
    from textensor.files.container import SINCE

    found = describe(model)
    if as_json:
        print_json(asdict(found))
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
        shown = list(sizes.items())[:MOST_LABELS]
        rows = [(clean(name[:800], 200), n, _figure(held_out.get(name), unknown)) for name, n in shown]
        print_table(["label", "documents", "held-out F1"], rows, numbers=[1, 2])
        if len(shown) < len(sizes):
            typer.echo(f"and {counted(len(sizes) - len(shown), 'other label')}")


def headline(card: dict[str, Any]) -> str:
    """Return the card of a model as one sentence."""
    data, held_out = card["data"], card["held out"]
    settings = ", ".join(f"{key}={value}" for key, value in card["settings"].items())[:LONGEST]
    embedding = _inner(card, "embedding").get("name")
    features = f"{card['features']} and the embedding {embedding}" if embedding else card["features"]
    parts = [f"{card['method']} on {features}" + (f" ({settings})" if settings else "")]
    sizes = (data["documents"], "document"), (len(data["labels"]), "label"), (data["terms"], "term")
    parts.append(", ".join(counted(n, what) for n, what in sizes))
    if held_out:
        micro, macro = _figure(held_out["micro"]), _figure(held_out["macro"])
        parts.append(f"on {held_out['folds']} held-out folds micro-F1 {micro}, macro-F1 {macro}")
        if held_out.get("tried", 1) > 1:
            parts.append(f"best of {held_out['tried']} candidates; expect slightly less on new documents")
    else:
        parts.append("how good it is was not measured")
    return clean("; ".join(parts)[:LONGEST] + ".")


def _described(card: dict[str, Any], state: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what the card in a file says, whoever wrote it."""
    try:
        data, settings = card["data"], card["settings"]
        lines = [("summary", headline(card))]
        lines.append(("labels", "several to a document" if card["several labels"] else "one to a document"))
        lines.append(("unlabelled", counted(data["unlabelled"], "document")))
        if features := data.get("features"):
            lines.append(("features", str(features)))
        lines.append(("data", f"{card.get('source', '')} (SHA-256 {data['sha256']})"))
        if embedding := _inner(card, "embedding"):
            lines.append(("embedding", _embedding(embedding)))
        lines.append(("settings", ", ".join(f"{key}={value}" for key, value in settings.items())))
        lines = [(name, said[:LONGEST]) for name, said in lines]
    except (KeyError, TypeError, ValueError, AttributeError):
        return [("card", "not one of textensor fit")]
    return [*lines, *_grid(_inner(state, "model_", "state").get("factors_"))]


def _embedding(card: dict[str, Any]) -> str:
    """Return what is needed beside the model."""
    said = f"{card.get('name')}, {counted(card['dimensions'], 'dimension')}: needed to predict"
    if card.get("folder") is None:
        return f"{said}, a function or transformer"
    return f"{said}, a folder that was at {card['folder']} (SHA-256 {card.get('sha256')})"


def _grid(factors: Any) -> list[tuple[str, str]]:
    """Return the shape of a tensor model's documents in words, nothing for order 1.

    Each factor is labels x axis x rank.
    """
    if not isinstance(factors, list) or not all(isinstance(one, str) for one in factors):
        return []
    shapes = [one.partition(" ")[2].split(" x ") for one in factors]
    if len(shapes) < 2 or any(len(shape) != 3 for shape in shapes):
        return []
    grid = " x ".join(shape[1] for shape in shapes)
    return [("tensor", f"terms in a grid of {grid}, rank {shapes[0][2]}")]


def _inner(card: Any, *keys: str) -> dict[str, Any]:
    """Return a part of a card, whoever wrote it; empty where it is no such part."""
    for key in keys:
        card = card.get(key) if isinstance(card, dict) else None
    return card if isinstance(card, dict) else {}


def _figure(value: Any, unknown: str = "not measurable") -> str:
    return f"{value:.3f}" if isinstance(value, float | int) and 0 <= value <= 1 else unknown
