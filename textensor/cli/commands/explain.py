"""``textensor explain``: the terms behind the label of a text."""

import typer

from textensor.cli.options import EMBEDDING_OF_FIT, JSON, MODEL, QUOTED

ASKED = typer.Option(None, "--label", help="A label to explain; by default those that it gets.")


#: Labels that are explained if none is asked for.
MOST = 20


def explain(
    model: str = MODEL,
    text: str = QUOTED,
    top: int = typer.Option(10, "--top", min=1, help="Number of terms to name."),
    label: list[str] | None = ASKED,
    embedding: str | None = EMBEDDING_OF_FIT,
    as_json: bool = JSON,
) -> None:
    """Say which label a text gets, and which of its terms speak for it and against it.

    Example: textensor explain mail.model "Cheap watches, only today"
    """
    from textensor.base.plain import clean
    from textensor.cli.reading import check_there, opened, text_or_input

    check_there(model)
    from textensor.cli.screen import print_json, print_table

    categorizer, _ = opened(model, embedding)
    text = text_or_input(text)
    if not categorizer.knows([text])[0]:
        typer.echo("The text has no known words, so this is only the default guess.", err=True)
    known = {str(name): name for name in categorizer.classes_.tolist()}
    asked = None if not label else [known.get(name, name) for name in label]
    scores = categorizer.predict_scores([text])
    sure = None if categorizer.sigmoids_ is None else categorizer.probabilities(scores)[0]
    if asked is None:
        asked = categorizer.predict([text])
        asked = list(asked[0])[:MOST] if categorizer.several_ else None
    reasons = categorizer.explain([text], top, labels=asked or None)[0]
    position = {name: k for k, name in enumerate(known)}
    columns = [position[str(reason.label)] for reason in reasons]
    shares = [None if sure is None else round(float(sure[k]), 4) for k in columns]
    if as_json:
        found = [
            {"label": reason.label, "probability": share, "score": reason.decision, "parts": reason.parts}
            for reason, share in zip(reasons, shares, strict=True)
        ]
        print_json(found)
        return
    for reason, share in zip(reasons, shares, strict=True):
        probability = "" if share is None else f", probability {share:.2f}"
        typer.echo(f"{clean(str(reason.label))}: score {reason.decision:+.3f}{probability}")
        print_table(["  term", "amount"], [(f"  {n}", f"{a:+.3f}") for n, a in reason.parts], numbers=[1])
