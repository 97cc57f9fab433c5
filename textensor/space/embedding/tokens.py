"""The tokenizer of a static model: checked before it is made, and never let loose on more than it can hold.

``tokenizer.json`` is other people's data. The package ``tokenizers`` reads it, but its normalizers may make a
text longer at every step, and its models may leave out pieces at random: both are looked for first.
"""

import base64
import json
import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.disk import DamageError, reason
from textensor.base.kept import require

#: How many times longer a text may get before it is cut into tokens.
MOST_GROWTH = 1000
#: Characters of one text, and of all that are tokenized at a time, after they have grown; each takes dozens
#: of bytes.
MOST_GROWN = BATCH = 1 << 21
#: Computing time that texts may take: so many seconds, and one for so many characters. Usual tokenizers take
#: a tenth of it on a slow machine.
SECONDS, SLOWEST = 1.0, 200_000
#: Memory that ``tokenizer.json`` may take: so many bytes, and so many for each of its own. Each sign of JSON
#: leads to so many at most, here and in the package: an object, one more value.
BASE_MEMORY, MEMORY_FACTOR = 50_000_000, 20
_SIGNS = {b"{": 700, b",": 320}
#: A text is cut to so many characters for each token, or the median length of a token if that is less.
LONGEST_TOKEN = 100
#: What each normalizer may make of one character; the forms of Unicode make 18 at the most.
_GROWTH = {
    "BertNormalizer": 18,
    "ByteLevel": 4,
    "Lowercase": 3,
    "NFC": 3,
    "NFD": 4,
    "NFKC": 18,
    "NFKD": 18,
    "Nmt": 1,
    "Strip": 1,
    "StripAccents": 1,
}
#: Normalizers after which the others of this kind make nothing longer.
_UNICODE = {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD"}
_WORDS = re.compile(r"\w+")


class Token(NamedTuple):
    """A token of a text: its number, and where it begins and ends."""

    number: int
    start: int
    end: int


class Tokens:
    """Finds tokens in texts.

    Parameters
    ----------
    data : bytes
        The contents of ``tokenizer.json``.

    Attributes
    ----------
    n_tokens : int
        One more than the highest number of a token.
    """

    def __init__(self, data: bytes) -> None:
        from tokenizers import Tokenizer

        description = _description(data)
        self._growth = max(_growth(description), max(_GROWTH.values()))
        with _refused("its tokenizer cannot be read"):
            self._tokenizer = Tokenizer.from_str(json.dumps(description))
            numbers = self._tokenizer.get_vocab()
        require(numbers, "its tokenizer has no tokens")
        self.n_tokens = max(numbers.values()) + 1
        unknown = description["model"].get("unk_token")
        self._unknown = numbers.get(unknown) if isinstance(unknown, str) else None
        self._length = min(max(int(np.median([len(token) for token in numbers])), 1), LONGEST_TOKEN)

    def numbers(self, texts: Sequence[str], most: int) -> Iterator[list[int]]:
        """Yield the numbers of the first tokens of each text, at most so many; unknown ones are left out."""
        for batch in self._batches(texts, most):
            for one in self._encoded("encode_batch_fast", batch):
                yield [number for number in one.ids if number != self._unknown][:most]

    def places(self, text: str, most: int) -> list[Token]:
        """Return the tokens of a text that :meth:`numbers` finds, and where they are."""
        (cut,) = self._batches([text], most)
        (found,) = self._encoded("encode_batch", cut)
        tokens = [Token(number, *place) for number, place in zip(found.ids, found.offsets, strict=True)]
        return [token for token in tokens if token.number != self._unknown][:most]

    def _encoded(self, method: str, texts: list[str]) -> Any:
        """Return what a method of the tokenizer makes of texts."""
        encode = getattr(self._tokenizer, method)
        seconds = SECONDS + sum(map(len, texts)) / SLOWEST
        with _refused("its tokenizer failed on a text"):
            return _within(seconds, lambda: encode(texts, add_special_tokens=False))

    def _batches(self, texts: Sequence[str], most: int) -> Iterator[list[str]]:
        """Yield texts, each cut to what can be its first tokens, as many at a time as memory has room for."""
        batch: list[str] = []
        room = BATCH
        longest = min(most * self._length, MOST_GROWN // self._growth)
        for text in texts:
            cut = well_formed(text[:longest])
            cost = max(len(cut), 1) * self._growth
            if batch and cost > room:
                yield batch
                batch, room = [], BATCH
            batch.append(cut)
            room -= cost
        if batch:
            yield batch


def well_formed(text: str) -> str:
    r"""Return a text without halves of surrogate pairs, which tokenizers do not take.

    Examples
    --------
    >>> well_formed("a \ud800")
    'a ?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def words_at(text: str, places: Sequence[Token]) -> list[str]:
    """Return the word of a text that each token is in, or what the token covers if it is in no single word.

    Examples
    --------
    >>> words_at("Wheat-fields, 1", [Token(5, 0, 2), Token(6, 2, 5), Token(7, 5, 6), Token(8, 4, 12)])
    ['Wheat', 'Wheat', '-', 'Wheat-fields']
    """
    spans = [match.span() for match in _WORDS.finditer(text)]
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    found = []
    for token in places:
        first, last = bisect_right(ends, token.start), bisect_left(starts, token.end)
        start, end = spans[first] if last - first == 1 else (token.start, token.end)
        if last - first > 1:
            start, end = min(start, spans[first][0]), max(end, spans[last - 1][1])
        found.append(" ".join(text[start:end].split()) or "(space)")
    return found


def _description(data: bytes) -> dict[str, Any]:
    """Return the description of a tokenizer, without the parts that are of no use here."""
    cost = sum(n_bytes * data.count(sign) for sign, n_bytes in _SIGNS.items())
    require(cost <= BASE_MEMORY + MEMORY_FACTOR * len(data), "tokenizer.json would take far too much memory")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DamageError("tokenizer.json is not JSON") from error
    known = isinstance(found, dict) and isinstance(found.get("model"), dict)
    require(known, "tokenizer.json describes no tokenizer")
    for key in ("dropout", "alpha", "nbest_size"):
        require(not found["model"].get(key), "its tokenizer is random")
    return {**found, "truncation": None, "padding": None, "post_processor": None, "decoder": None}


def _growth(description: dict[str, Any]) -> int:
    """Return how many times longer a text can get; more than ``MOST_GROWTH`` is refused."""
    total, group, kind = 1, 1, ""
    written: set[str] = set()  # by replacements
    for step in _steps(description.get("normalizer"), "normalizers"):
        by, like = _step_growth(step, written)
        # In a row, the forms of Unicode and the replacements that find nothing of each other do not multiply.
        if like and like == kind:
            group = max(group, by)
        else:
            total, group, kind = total * group, by, like
        require(total * group <= MOST_GROWTH, "its tokenizer makes texts too long")
    total *= group
    for step in _steps(description.get("pre_tokenizer"), "pretokenizers"):
        total *= {"ByteLevel": 4, "Metaspace": 2}.get(str(step.get("type")), 1)
        require(total <= MOST_GROWTH, "its tokenizer makes texts too long")
    return total


def _step_growth(step: dict[str, Any], written: set[str]) -> tuple[int, str]:
    """Return how many times longer a normalizer can make a text, and the name of the group it belongs to."""
    kind = str(step.get("type"))
    if kind in _GROWTH:
        return _GROWTH[kind], "unicode" if kind in _UNICODE else ""
    if kind == "Prepend":
        return 1 + len(str(step.get("prepend"))), ""
    if kind == "Precompiled":
        return _longest_mapped(step.get("precompiled_charsmap")), ""
    require(kind == "Replace", f"its tokenizer has a normalizer of an unknown kind, {kind:.40}")
    pattern, content = step.get("pattern"), step.get("content")
    if not isinstance(pattern, dict) or not isinstance(content, str):
        raise DamageError("its tokenizer is damaged")
    string = pattern.get("String")
    found_before = not isinstance(string, str) or not string or bool(written & set(string))
    written |= set(content)
    if found_before or not isinstance(string, str):  # a regular expression may match between all characters
        return len(content) + 1, ""
    return max(1, -(-len(content) // len(string))), "strings"


def _steps(node: Any, inner: str) -> Iterator[dict[str, Any]]:
    """Yield the steps of a normalizer or a pre-tokenizer, those of sequences within sequences, too."""
    waiting = [node]
    while waiting:
        step = waiting.pop()
        if step is None:
            continue
        require(isinstance(step, dict), "its tokenizer is damaged")
        if step.get("type") == "Sequence":
            parts = step.get(inner)
            require(isinstance(parts, list), "its tokenizer is damaged")
            waiting += reversed(parts)
        else:
            yield step


def _longest_mapped(charsmap: Any) -> int:
    """Return the length of the longest string that a compiled map of characters (SentencePiece) writes."""
    try:
        data = base64.b64decode(charsmap, validate=True) if isinstance(charsmap, str) else bytes(charsmap)
    except (TypeError, ValueError) as error:
        raise DamageError("its tokenizer is damaged") from error
    n_bytes = int.from_bytes(data[:4], "little")  # of the table that leads to the strings
    require(0 < n_bytes <= len(data) - 4 and n_bytes % 4 == 0, "its tokenizer is damaged")
    strings = data[4 + n_bytes :]
    _check_table(np.frombuffer(data, "<u4", n_bytes // 4, offset=4).astype(np.int64), strings)
    return max(map(len, strings.split(b"\0")), default=1) or 1


def _check_table(units: npt.NDArray[np.int64], strings: bytes) -> None:
    """Refuse a double-array trie (darts-clone) that leads out of itself or of its strings."""
    nodes = np.flatnonzero(units < 1 << 31)  # the others are places in the strings
    require(nodes.size and nodes[0] == 0, "its tokenizer is damaged")
    offsets = (units[nodes] >> 10) << ((units[nodes] & 1 << 9) >> 6)
    children = nodes ^ offsets  # the child of a character is at the place given by an exclusive or
    require(((children | 255) < len(units)).all(), "its tokenizer is damaged")
    places = units[children[(units[nodes] & 1 << 8) > 0]] & ((1 << 31) - 1)
    require((places < len(strings)).all(), "its tokenizer is damaged")
    within = np.frombuffer(strings, np.uint8)[places] & 0xC0 == 0x80
    require(not within.any(), "its tokenizer is damaged")


def _within(seconds: float, work: Callable[[], Any]) -> Any:
    """Return what some work returns, in a thread of its own: what takes longer is left to itself.

    No check of a description knows how long its expressions, words and steps take. Both clocks must have
    passed the limit: one counts other threads too, and the other the sleep of the machine.
    """
    done: Future[Any] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    wall, computing = time.monotonic() + seconds, time.process_time() + seconds
    Thread(target=run, daemon=True).start()  # a daemon does not keep the process from ending
    while not done.done():
        wait([done], timeout=0.2)
        late = time.monotonic() > wall and time.process_time() > computing
        require(done.done() or not late, "it takes too long")
    return done.result()


@contextmanager
def _refused(what: str) -> Iterator[None]:
    """Turn what the package raises, a panic of its compiled part included, into one sentence."""
    try:
        yield
    except Exception as error:
        raise DamageError(f"{what}: {reason(error)[:200]}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # it is no Exception, as Ctrl-C is none
            raise
        raise DamageError(what) from error
