"""Everything that reads a model file or an index folder, in one process: what comes out of it."""

import contextlib
import copy
import io
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import typer

from tests.files.zoo import outputs
from textensor import TextCategorizer, cli
from textensor.files import ModelFileError, load
from textensor.search import DocumentIndex
from textensor.space import Arrangement, EmbeddingError, StaticEmbedding

#: The commands, built once.
APP = typer.main.get_command(cli.app)
#: Columns of what a model is asked at most.
WIDEST = 10**6
#: Passes over documents that a model is trained again for at most.
MOST_PASSES = 1000


class Screen(io.TextIOWrapper):
    """What a command writes to, in memory."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", errors="replace", write_through=True)

    def text(self) -> str:
        """Return what was written."""
        return self.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined,no-any-return]


class FaultError(Exception):
    """Something that must never happen."""


def ask_model(path: Path, given: Any, mail: Path) -> str:
    """Give a file to the library and to the commands; return ``"refused"`` or ``"harmless"``."""
    command("show", path)
    command("show", path, "--json")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = load(path)
        except ModelFileError as error:
            check_sentence(str(error))
            return "refused"
        ask(model, given)
        if isinstance(model, TextCategorizer):
            _ask_categorizer(model, path, given, mail)
    return "harmless"


def ask(model: Any, given: Any) -> None:
    """Ask a model for all that it can say; one for other columns is given as many as it asks for."""
    width = getattr(model, "n_features_in_", None)
    if hasattr(given, "shape") and width is not None and given.shape[1:] != (width,):
        if width > WIDEST:
            return
        wide = sp.csr_matrix(([1.0, 2.0], ([0, 1], [0, width - 1])), shape=(3, width))
        given = wide if sp.issparse(given) else wide.toarray()
    if getattr(model, "documents_", None) is not None:
        _add_documents(model)
    if any(hasattr(model, method) for method in ("transform", "predict")) or isinstance(model, Arrangement):
        try:
            outputs(model, given)
        except EmbeddingError as error:  # of another folder than at fit
            check_sentence(str(error))
        except ValueError:
            if not type(model).__module__.startswith("sklearn."):  # such as: dense documents only
                raise


def _add_documents(model: Any) -> None:
    """Let a model that keeps its documents learn from two of them again, as if they had come later."""
    kept = model.documents_
    if model.max_iter > MOST_PASSES:  # it trains as long as it is told to
        return
    try:
        kept = kept.labels(model._labels).rows(np.arange(min(2, kept.X.shape[0])))
        copy.deepcopy(model).add_documents(model.documents_.X[:2], kept)
    except ValueError as error:
        check_sentence(str(error))


def _ask_categorizer(model: TextCategorizer, path: Path, texts: list[str], mail: Path) -> None:
    model.telling_terms(3)
    with contextlib.suppress(EmbeddingError):
        model.explain(texts[:2], 3)
    command("predict", path, mail)
    command("predict", path, mail, "--json")
    command("explain", path, texts[0])
    command("explain", path, texts[1], "--json")
    command("evaluate", path, mail)
    command("evaluate", path, mail, "--text", "text", "--label", "label", "--json")


def ask_index(folder: Path) -> str:
    """Give a folder to the library and to the command."""
    code = command("search", folder, "wheat and a ship in the storm", "--json")
    command("search", folder, "wheat and a ship", "-k", "3", "--verify")
    try:
        index = DocumentIndex.load(folder / "vectors")
    except ValueError as error:
        check_sentence(str(error))
        return "refused"
    if index.n_dimensions:
        index.search(np.ones((2, index.n_dimensions)), k=3)
    return "refused" if code else "harmless"


def ask_embedding(folder: Path, texts: list[str]) -> str:
    """Give the folder of a static model to the library."""
    try:
        model = StaticEmbedding(folder).fit()
        model.transform([*texts, "a" * 50_000])
        model.words(texts[0])
    except EmbeddingError as error:
        check_sentence(str(error))
        return "refused"
    return "harmless"


def command(*arguments: object) -> int:
    """Run a command in this process; a failure must be one sentence."""
    out, err = Screen(), Screen()
    before, sys.argv = sys.argv, ["textensor", *map(str, arguments)]
    code: Any = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main(APP)
    except SystemExit as left:
        code = left.code or 0
    finally:
        sys.argv = before
    said = [line for line in err.text().splitlines() if line.startswith("textensor: ")]
    failures = [line for line in said if not line.startswith("textensor: warning: ")]
    if code not in (0, 1, 2) or len(failures) != bool(code):
        raise FaultError(f"{arguments[0]} ends with code {code} and says {failures!r:.300}")
    for line in said:
        check_sentence(line)
    drives = any(ord(sign) < 32 and sign not in "\n\r\t" for sign in out.text())
    if drives and arguments[0] != "predict":  # which writes data as it is
        raise FaultError(f"{arguments[0]} prints control characters")
    return int(code)


def check_sentence(message: str) -> None:
    """Refuse a message that is not one short, printable line."""
    if not message.isprintable() or len(message) > 700 or "Traceback" in message:
        raise FaultError(f"the message is not one sentence: {message!r:.200}")
