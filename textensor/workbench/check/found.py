"""What a look at documents and labels has shown: counts, and sentences that say what to do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from textensor.base.plain import clean, counted
from textensor.workbench.check.columns import Separated
from textensor.workbench.check.spellings import Spelling
from textensor.workbench.check.spoken import UNKNOWN, hint

#: Above this many characters a document is long enough to be worth a warning.
LONG_DOCUMENT = 1_000_000
#: Letters and digits of a text that is nearly empty: fewer than this.
FEW_LETTERS = 3
#: The share of documents from which on something is notable.
NOTABLE = 0.01
#: Examples that are shown of each finding.
N_SHOWN = 20


class Conflict(NamedTuple):
    """A text that occurs with different labels: which documents have it, and the labels of each."""

    documents: tuple[int, ...]
    labels: tuple[str, ...]


class Finding(NamedTuple):
    """Something odd: a sentence, examples, and whether it is worth a line before every fit."""

    sentence: str
    examples: Sequence[str] = ()
    notable: bool = True


@dataclass(frozen=True)
class DataCheck:
    """What :func:`check_documents` found; ``print`` shows it.

    Attributes
    ----------
    n_documents, n_labelled : int
        Number of documents, and of those with a label.
    labels : mapping of str to int
        Number of documents for each label.
    several : bool
        Whether a document may have several labels.
    spellings : tuple of Spelling
        Labels that look like other spellings of labels with more documents.
    separated : Separated or None
        Labels that look like several in one.
    ids : bool
        Whether the labels look like ids: nearly as many as documents.
    written_out : mapping of str to int
        Labels that programs write for a missing value, such as ``"nan"``.
    single : tuple of str
        Labels with one document.
    n_empty, n_short, n_long : int
        Number of documents without text, with fewer than 3 letters and digits, and with more than a million
        characters.
    n_garbled : int
        Number of documents with signs of a wrong encoding.
    n_repeated : int
        Number of documents that repeat the text of an earlier one, whatever its case and its spaces.
    n_conflicting : int
        Number of documents whose text occurs with different labels.
    conflicts : tuple of Conflict
        The first of those texts.
    scripts : mapping of str to int
        Number of documents that are mainly of each script.
    languages : mapping of str to float
        Share of documents in each language, ``"unknown"`` among them: a guess from scripts and stop words, on
        up to 1,000 of the documents.
    encodings : tuple of str
        The encodings of the file or folder that the documents were read from; empty if nobody said.
    unit : {"entry", "line", "row"}
        What conflicts count documents in: entries of a list from 0, lines of a file or rows of a table
        from 1.
    """

    n_documents: int
    n_labelled: int
    labels: Mapping[str, int]
    several: bool
    spellings: tuple[Spelling, ...]
    separated: Separated | None
    ids: bool
    written_out: Mapping[str, int]
    single: tuple[str, ...]
    n_empty: int
    n_short: int
    n_long: int
    n_garbled: int
    n_repeated: int
    n_conflicting: int
    conflicts: tuple[Conflict, ...]
    scripts: Mapping[str, int]
    languages: Mapping[str, float]
    encodings: tuple[str, ...]
    unit: str

    @property
    def findings(self) -> list[Finding]:
        """What is odd, in sentences with examples."""
        return [*self._label_findings(), *self._text_findings()]

    @property
    def notable(self) -> list[str]:
        """The sentences that are worth a warning before every fit."""
        return [one.sentence for one in self.findings if one.notable]

    def as_data(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            **asdict(self),
            "spellings": [one._asdict() for one in self.spellings],
            "separated": None if self.separated is None else self.separated._asdict(),
            "conflicts": [one._asdict() for one in self.conflicts],
            "notable": self.notable,
        }

    @property
    def summary(self) -> str:
        """How many documents and labels there are, and what they are written in."""
        labels = f"{counted(len(self.labels), 'label')}, {'several' if self.several else 'one'} to a document"
        about = [f"{counted(self.n_documents, 'document')}, {self.n_labelled:,} with a label; {labels}."]
        if self.scripts:
            about.append(f"Scripts: {', '.join(f'{name} {n:,}' for name, n in self.scripts.items())}.")
        if self.languages:
            shares = [f"{name} {n:.0%}" for name, n in self.languages.items() if n >= NOTABLE]
            known = next(iter(self.languages)) != UNKNOWN
            about.append(f"Languages, a guess: {', '.join(shares)}." if known else "Language: unknown.")
        if self.encodings:
            about.append(f"Encoding: {', '.join(self.encodings)}.")
        return " ".join(about)

    @property
    def hint(self) -> str:
        """What to try if most documents are in one language; empty if there is nothing to say."""
        return hint(self.languages)

    def __str__(self) -> str:
        lines = [self.summary]
        for found in self.findings:
            lines += ["", found.sentence, *(f"  {example}" for example in found.examples)]
        if not self.findings:
            lines += ["", "Nothing odd was found."]
        return "\n".join([*lines, "", self.hint] if self.hint else lines)

    def _label_findings(self) -> Iterator[Finding]:
        n = len(self.labels)
        if self.ids:
            yield Finding(
                f"{n:,} labels for {counted(self.n_labelled, 'document')} look like ids: give labels that "
                "documents share."
            )
        if self.separated is not None:
            sign, labels, n_documents, n_parts = self.separated
            yield Finding(
                f"{_of(len(labels), n, 'label', 'looks', 'look')} like several with {sign!r} between them, "
                f"such as {_shown(labels[0])}: give a tuple of labels for each document.",
                [f"{counted(n_documents, 'document')}; {counted(n_parts, 'label')} after splitting"],
            )
        if self.spellings:
            first = self.spellings[0]
            yield Finding(
                f"{_of(len(self.spellings), n, 'label', 'looks', 'look')} like another spelling, such as "
                f"{_shown(first.label)} for {_shown(first.suggestion)}: rename as check_documents suggests.",
                _first(map(_spelling, self.spellings)),
            )
        if self.written_out:
            first_one, n_first = next(iter(self.written_out.items()))
            yield Finding(
                f"The label {_shown(first_one)} of {counted(n_first, 'document')} looks like a missing "
                "value: leave it empty."
            )
        if self.single:
            names = [", ".join(_first(map(_shown, self.single)))]
            yield Finding(
                f"{_of(len(self.single), n, 'label', 'has', 'have')} one document only, the first is "
                f"{_shown(self.single[0])}: F1 cannot be measured with one document.",
                () if self.ids or len(self.single) == 1 else names,
            )

    def _text_findings(self) -> Iterator[Finding]:
        def about(number: int, singular: str, plural: str) -> str:
            return _of(number, self.n_documents, "document", singular, plural)

        enough = NOTABLE * self.n_documents
        if n := self.n_conflicting:
            yield Finding(
                f"{about(n, 'has', 'have')} the text of another one and a different label: correct the "
                "labels, or remove these documents.",
                _first(_conflict(one, self.unit) for one in self.conflicts),
                n >= enough,
            )
        if n := self.n_repeated:
            yield Finding(
                f"{about(n, 'repeats', 'repeat')} the text of an earlier one, so held-out figures are too "
                "good: remove the duplicates.",
                notable=n >= enough,
            )
        if n := self.n_empty:
            yield Finding(f"{about(n, 'is', 'are')} empty.")
        if n := self.n_short:
            few = f"fewer than {FEW_LETTERS} letters or digits"
            yield Finding(f"{about(n, 'has', 'have')} {few}.", notable=n >= enough)
        if n := self.n_long:
            yield Finding(f"{about(n, 'has', 'have')} more than {LONG_DOCUMENT:,} characters.")
        if n := self.n_garbled:
            yield Finding(
                f"{about(n, 'shows', 'show')} signs of a wrong encoding, such as \ufffd or Ã©: read the "
                "original file again, in its own encoding.",
                notable=n >= enough,
            )


def _spelling(one: Spelling) -> str:
    meant = f"{_shown(one.suggestion)} ({one.n_suggested:,})"
    return f"{_shown(one.label)} ({one.n_documents:,}) looks like {meant}: {one.reason}"


def _conflict(one: Conflict, unit: str) -> str:
    some = ", ".join(map(str, one.documents[:N_SHOWN])) + (", ..." if len(one.documents) > N_SHOWN else "")
    units = "entries" if unit == "entry" else f"{unit}s"
    return f"{units} {some}: {', '.join(map(_shown, one.labels[:N_SHOWN]))}"


def _of(part: int, whole: int, what: str, singular: str, plural: str) -> str:
    """Return the beginning of a sentence about so many of something."""
    return f"{part:,} of {counted(whole, what)} {singular if part == 1 else plural}"


def _shown(label: str) -> str:
    """Return a label of someone else's choosing on one line."""
    return repr(clean(label, 80))


def _first(examples: Iterable[str]) -> list[str]:
    """Return the first examples, and how many more there are."""
    found = list(examples)
    more = len(found) - N_SHOWN
    return found if more <= 0 else [*found[:N_SHOWN], f"and {more:,} more"]
