"""Which terms the workbench makes of texts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from textensor.base.arrays import Rows
from textensor.base.checks import Rule, flag, one_of, optional
from textensor.space import LANGUAGES, TermVectorizer
from textensor.space.text.scripts import WITHOUT_SPACES

#: What each kind of features sets on the vectorizer, the simplest first.
FEATURES: dict[str, dict[str, Any]] = {
    "words": {},
    "bigrams": {"ngram_range": (1, 2), "min_df": 2},
    "characters": {"analyzer": "char_wb", "ngram_range": (3, 5), "min_df": 2},
    "both": {"ngram_range": (1, 2), "char_ngram_range": (3, 4)},
}
#: The weights that learn best: those of scikit-learn with ``sublinear_tf=True``.
WEIGHTS: dict[str, Any] = {"weighting": "smooth", "sublinear_tf": True}
#: What the parameters that say what terms are may be.
TERM_RULES: dict[str, Rule] = {
    "features": one_of("auto", *FEATURES),
    "language": optional(one_of(*LANGUAGES)),
    "stop_words": Rule(
        "True, False or a list of words",
        lambda value: (
            isinstance(value, bool)
            or (
                isinstance(value, Sequence)
                and not isinstance(value, str)
                and all(isinstance(w, str) for w in value)
            )
        ),
    ),
    "stem": flag,
}


def term_vectorizer(
    features: str = "words",
    *,
    language: str | None = None,
    stop_words: bool | Sequence[str] = False,
    min_df: float | None = None,
    stem: bool = False,
    weights: Mapping[str, Any] = WEIGHTS,
) -> TermVectorizer:
    """Return the vectorizer of the workbench, not fitted; it reads words of any script.

    Parameters
    ----------
    features : {"words", "bigrams", "characters", "both", "auto"}, default="words"
        Words; words and pairs of words; character n-grams of 3 to 5 within words; or words, pairs and
        character n-grams of 3 and 4 together. ``"auto"`` is words.
    language : str or None, default=None
        Language of stop words and stems, one of :data:`textensor.space.LANGUAGES`.
    stop_words : bool or sequence of str, default=False
        Whether to leave out the language's stop words, or words to leave out.
    min_df : int, float or None, default=None
        Number or share of documents below which a term is left out; None is 1 for words with or
        without character n-grams, otherwise 2.
    stem : bool, default=False
        Whether to stem words.
    weights : mapping, default=WEIGHTS
        Parameters of the vectorizer that weigh terms; an empty one leaves it the papers' weights.

    Examples
    --------
    >>> term_vectorizer("bigrams").fit(["a red car", "the red car"]).get_feature_names_out().tolist()
    ['car', 'red', 'red car']
    """
    options = {"scripts": True, **weights, **FEATURES["words" if features == "auto" else features]}
    if language is None and (stem or stop_words is True):
        raise ValueError("Stop words and stems are those of a language: name the language.")
    if stem:
        options["stemmer"] = language
    if stop_words:
        options["stop_words"] = language if stop_words is True else list(stop_words)
    if min_df is not None:
        options["min_df"] = min_df
    return TermVectorizer(**options)


def described(vectorizer: TermVectorizer, scripts: Mapping[str, int]) -> str:
    """Return what terms are made of texts, in words.

    Parameters
    ----------
    vectorizer : TermVectorizer
        Any.
    scripts : mapping of str to int
        The scripts of the texts, as :func:`textensor.space.scripts_of` counts them.

    Examples
    --------
    >>> described(term_vectorizer("both", language="german", stem=True), {"Latin": 3, "Han": 2})
    'words, n-grams of up to 2 words, n-grams of 3 to 4 characters; Han as pairs of characters; german stems'
    """
    words = vectorizer.analyzer == "word"
    made = ["words"] if words else []
    if words and vectorizer.ngram_range != (1, 1):
        made.append(f"n-grams of up to {vectorizer.ngram_range[1]} words")
    characters = vectorizer.char_ngram_range if words else vectorizer.ngram_range
    if characters is not None:
        made.append(f"n-grams of {characters[0]} to {characters[1]} characters")
    said = [", ".join(made)]
    if words and vectorizer.scripts and (pairs := [name for name in scripts if name in WITHOUT_SPACES]):
        said.append(f"{', '.join(pairs)} as pairs of characters")
    if vectorizer.stop_words is not None:
        own = f"{vectorizer.stop_words} " if isinstance(vectorizer.stop_words, str) else ""
        said.append(f"without {own}stop words")
    if vectorizer.stemmer is not None:
        said.append(f"{vectorizer.stemmer} stems")
    if vectorizer.min_df != 1:
        least = vectorizer.min_df
        share = f"{least:.3g} of all" if isinstance(least, float) else f"{least} or more"
        said.append(f"those in {share} documents")
    return "; ".join(said)


def word_columns(vectorizer: TermVectorizer) -> Rows | None:
    """Return the columns of single words, None if all columns are alike.

    Examples
    --------
    >>> word_columns(term_vectorizer("bigrams").fit(["a red car", "the red car"]))
    array([0, 1])
    """
    alike = vectorizer.char_ngram_range is None and vectorizer.ngram_range == (1, 1)
    if vectorizer.analyzer != "word" or alike:
        return None
    names = vectorizer.get_feature_names_out()
    found = np.flatnonzero([" " not in name and not name.startswith("'") for name in names])
    return found if len(found) else None
