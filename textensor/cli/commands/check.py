"""``textensor check``: what is odd about documents and their labels."""

import os

import typer

from textensor.base.plain import counted
from textensor.cli import options

FIX = typer.Option(
    None,
    "--fix",
    metavar="TABLE",
    callback=options.only(
        lambda given: given != "-", "--fix is a file to write: name one, such as labels.csv."
    ),
    help="Write a table of suggested names of labels, for --rename of fit.",
)


def check(
    data: str = options.DATA,
    text: str = options.TEXT,
    label: str = options.LABEL,
    label_separator: str | None = options.SEPARATOR,
    encoding: str | None = options.ENCODING,
    rename: str | None = options.RENAME,
    fix: str | None = FIX,
    as_json: bool = options.JSON,
) -> None:
    """Look for what is odd about documents and labels, before anything is learnt from them.

    It finds labels that look like other spellings of each other, several labels in one, ids, labels with one
    document, the same text with different labels, duplicates, empty and nearly empty texts, and says which
    scripts and encodings it read, and which languages it guesses. The table that --fix writes has a row for
    each label that looks misspelt: correct it by hand, and give it to fit with --rename.

    Example: textensor check mail.csv --text body --label kind --fix labels.csv
    """
    from textensor.cli.places import check_apart
    from textensor.cli.reading import read_data
    from textensor.cli.screen import print_json, telling
    from textensor.workbench import check_documents, write_renames

    if fix is not None:
        check_apart(fix, data=data, table=rename)
        if os.path.lexists(fix):  # it may have been edited
            raise FileExistsError(f"{fix} is there already: remove it or choose another place.")
    with telling(f"Reading {data}", keep=False):
        read = read_data(data, text, label, label_separator, encoding, rename)
        found = check_documents(
            read.texts, read.labels, lines=read.lines, unit=read.unit, encodings=read.encodings
        )
    if as_json:
        print_json(found.as_data())
    else:
        typer.echo(options.as_options(str(found)))
    if fix is None:
        return
    if found.spellings:
        write_renames(fix, found.spellings)
        said = (
            f"Written: {fix} ({counted(len(found.spellings), 'suggestion')}); correct it, then fit --rename."
        )
    else:
        said = f"{fix} was not written: no label looks like another spelling."
    typer.echo(said, err=True)
