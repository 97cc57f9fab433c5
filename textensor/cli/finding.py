"""``textensor index``, ``search`` and ``cluster``: documents by their likeness, without labels."""

import contextlib
import json
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from textensor.base.disk import reason
from textensor.base.plain import counted
from textensor.cli.options import DATA, ENCODING, JSON, N_JOBS, SEED, TEXT, documents_of

__all__ = ["cluster", "index", "search"]

#: What the folder of an index holds: the vectors, what projects a text, and how each document begins.
VECTORS, PROJECTION, EXCERPTS = "vectors", "projection.model", "excerpts.jsonl"
EXCERPT = 200
NOTHING = (
    "No document of the index is like the text: it has no term of theirs, or none that tells them apart."
)

INDEX = typer.Argument(help="A folder, as `textensor index` writes it.")
INTO = typer.Option(..., "--output", "-o", metavar="INDEX", help="The folder to write; it must not be there.")
ID = typer.Option(
    None, "--id", metavar="COLUMN", help="The column of the ids; by default the numbers of lines."
)
DIMENSIONS = typer.Option(200, "--dimensions", min=1, help="How many numbers stand for a document.")
CLUSTERS = typer.Option(..., "--clusters", "-k", min=2, help="How many clusters.")
OUT = typer.Option("-", "--output", "-o", metavar="FILE", help="Where to; - is standard output.")


def index(
    data: str = DATA,
    output: str = INTO,
    text: str = TEXT,
    identity: str | None = ID,
    encoding: str | None = ENCODING,
    dimensions: int = DIMENSIONS,
    no_texts: bool = typer.Option(False, "--no-texts", help="Keep no beginnings of documents to show."),
    n_jobs: int = N_JOBS,
    as_json: bool = JSON,
) -> None:
    """Make documents searchable by likeness: a folder with their vectors by TensorLSI.

    Example: textensor index mail.csv --text body --id number -o mail.index
    """
    from textensor.cli.places import check_folder
    from textensor.cli.screen import clean, telling
    from textensor.files import save

    check_folder(output)
    if Path(output).exists():
        raise FileExistsError(f"{output} is there already: remove it or choose another place.")
    with telling(f"Reading {data}", keep=False) as tell:
        documents = list(documents_of(data, text, None, encoding=encoding))
        ids = [_identity(document, identity) for document in documents]
        texts = [document.text for document in documents]
        tell(f"Indexing {len(texts):,} documents")
        projection, Z = _projected(texts, dimensions, n_jobs)
        from textensor.search import DocumentIndex

        made = DocumentIndex(n_jobs=n_jobs)
        made.add(Z, ids)
        with _new_folder(Path(output)) as folder:
            made.save(folder / VECTORS)
            save(projection, folder / PROJECTION, metadata={"documents": len(ids)})
            if not no_texts:
                lines = (
                    json.dumps([name, clean(t[: 4 * EXCERPT], EXCERPT)])
                    for name, t in zip(ids, texts, strict=True)
                )
                (folder / EXCERPTS).write_text("\n".join(lines) + "\n", encoding="ascii")
    found = {"index": output, "documents": len(made), "dimensions": made.n_dimensions}
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        sizes = f"{counted(len(made), 'document')}, {counted(made.n_dimensions, 'dimension')}"
        typer.echo(f"Written: {clean(output)} ({sizes}).")


def search(
    folder: str = INDEX,
    text: str = typer.Argument(help="The text, between quotes; - reads it from standard input."),
    k: int = typer.Option(10, "-k", min=1, help="How many documents to find."),
    verify: bool = typer.Option(False, "--verify", help="Compare the checksums of the index first."),
    n_jobs: int = N_JOBS,
    as_json: bool = JSON,
) -> None:
    """Find the documents of an index that are most like a text, those that are like it at all.

    Example: textensor search mail.index "when is lunch" -k 3
    """
    import sys

    from textensor.cli.screen import print_table
    from textensor.files import load
    from textensor.search import DocumentIndex

    place = Path(folder)
    if not (place / VECTORS).is_dir():
        raise ValueError(f"{folder} is no index: make one with textensor index.")
    held = DocumentIndex.load(place / VECTORS, load(place / PROJECTION), verify=verify, n_jobs=n_jobs)
    asked = sys.stdin.read() if text == "-" else text
    ids, similarities = held.search([asked], k)
    excerpts = _excerpts(place / EXCERPTS, set(ids[0]))
    found = [
        {"id": name, "similarity": round(float(likeness), 4), "text": excerpts.get(name)}
        for name, likeness in zip(ids[0], similarities[0], strict=True)
        if round(float(likeness), 4) > 0
    ]
    if not found:
        typer.echo(NOTHING, err=True)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    if not found:
        return
    rows = [(f"{one['similarity']:.3f}", one["id"], one["text"] or "") for one in found]
    print_table(["similarity", "id", "text"], rows, numbers=[0])


def cluster(
    data: str = DATA,
    clusters: int = CLUSTERS,
    output: str = OUT,
    text: str = TEXT,
    encoding: str | None = ENCODING,
    dimensions: int = DIMENSIONS,
    seed: int = typer.Option(0, "--seed", **SEED, help="Of the first guess of the clusters."),
    n_jobs: int = N_JOBS,
    as_json: bool = typer.Option(False, "--json", help="Write rows as JSON lines."),
) -> None:
    """Sort documents into clusters: the columns of the data, and cluster.

    Standard error says how large each is and which terms set it apart.

    Example: textensor cluster mail.csv --text body -k 5 -o clustered.csv
    """
    from textensor.cli.places import check_apart
    from textensor.cli.rows import added_names, write_rows
    from textensor.cli.screen import clean, telling

    check_apart(output, data=data)
    with telling(f"Reading {data}", keep=False) as tell:
        source = documents_of(data, text, None, encoding=encoding)
        documents = list(source)
        if len(documents) < clusters:
            raise ValueError(f"There are {len(documents)} documents for {clusters} clusters: ask for fewer.")
        tell(f"Clustering {len(documents):,} documents")
        found, about = _clustered(
            [document.text for document in documents], clusters, dimensions, seed, n_jobs
        )
    for number, (size, terms) in enumerate(about):
        apart = clean(", ".join(terms)) or "no term sets it apart"
        typer.echo(f"cluster {number}: {counted(size, 'document')}; {apart}", err=True)
    (name,) = added_names(source.columns, ["cluster"])
    rows = ((d.line, {**d.row, name: number}) for d, number in zip(documents, found, strict=True))
    jsonl = as_json or ".json" in (output if output != "-" else data).lower()
    write_rows(output, rows, [*source.columns, name], "jsonl" if jsonl else "csv")


def _projected(texts: list[str], dimensions: int, n_jobs: int) -> tuple[Any, Any]:
    """Return what projects texts, fitted, and the documents projected: directions within 1,000 pairs."""
    import warnings

    from sklearn.pipeline import make_pipeline

    from textensor.reduce import FewerAxesWarning, TensorLSI
    from textensor.space import TermVectorizer

    reducer = TensorLSI(dimensions, n_pairs=max(1000, dimensions), n_jobs=n_jobs)
    projection = make_pipeline(TermVectorizer(stop_words="english", n_jobs=n_jobs), reducer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerAxesWarning)  # small data has fewer
        return projection, projection.fit_transform(texts)


def _clustered(
    texts: list[str], k: int, dimensions: int, seed: int, n_jobs: int
) -> tuple[list[int], list[Any]]:
    """Return the cluster of each text, the largest cluster 0, and the size and the terms of each."""
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import normalize

    projection, Z = _projected(texts, dimensions, n_jobs)
    found = KMeans(k, n_init=10, random_state=seed).fit_predict(normalize(Z))
    sizes = np.bincount(found, minlength=k)
    order = np.argsort(-sizes, kind="stable")
    number = np.empty(k, dtype=int)
    number[order] = np.arange(k)
    found = number[found]
    X, names = projection[0].transform(texts), projection[0].get_feature_names_out()
    overall = np.asarray(X.mean(axis=0)).ravel()
    about = []
    for c in range(k):
        mean = np.asarray(X[found == c].mean(axis=0)).ravel() if (found == c).any() else overall
        first = np.argsort(overall - mean, kind="stable")[:8]
        about.append((int((found == c).sum()), names[first[mean[first] > overall[first]]].tolist()))
    return found.tolist(), about


def _identity(document: Any, column: str | None) -> str:
    if column is None:
        return str(document.row.get("file", document.line))
    if column not in document.row:
        there = ", ".join(map(repr, document.row))
        raise ValueError(
            f"{document.file}, line {document.line}: no column {column!r:.80} for --id, only {there}."
        )
    return str(document.row[column])


@contextlib.contextmanager
def _new_folder(path: Path) -> Iterator[Path]:
    """Give a folder to write to that has its name only when all is well, and is gone otherwise."""
    partial = path.absolute().with_name(f".{secrets.token_hex(8)}.partial")
    partial.mkdir()
    try:
        yield partial
        partial.rename(path)
    except OSError as error:
        first = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise OSError(f"{path} was not written ({reason(first)}).") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _excerpts(path: Path, wanted: set[str]) -> dict[str, str]:
    """Return how documents begin, if an index holds that."""
    if not path.is_file() or path.is_symlink():
        return {}
    found = {}
    with path.open(encoding="ascii", errors="replace") as file:
        for line in file:
            try:
                name, text = json.loads(line)
            except (ValueError, TypeError):
                raise ValueError(f"{path} is damaged: make the index anew.") from None
            if isinstance(name, str) and name in wanted:
                found[name] = str(text)
    return found
