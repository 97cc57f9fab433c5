"""What the settings of vectorizers may be; in model files only such that no text takes long with."""

import codecs
import re
from typing import Any

import Stemmer

from textensor.base import kept
from textensor.base.checks import Rule, flag, jobs, one_of, optional, whole
from textensor.base.disk import DamageError
from textensor.space.text.languages import LANGUAGES
from textensor.space.text.weights import NORM, WEIGHTING

#: N-grams longer than this are no terms, and cost time in proportion.
MAX_NGRAM, MAX_SPAN = 50, 8


_LENGTHS = Rule(
    "a tuple of two whole numbers from 1 on, the smaller one first",
    lambda value: (
        type(value) is tuple and len(value) == 2 and all(map(whole().holds, value)) and value[0] <= value[1]
    ),
)


def _check_ngrams(value: Any, sizes: kept.Sizes) -> None:
    kept.tuple_of(whole(1, MAX_NGRAM), whole(1, MAX_NGRAM)).check(value, sizes)
    kept.require(value[0] <= value[1], "the shortest n-gram is longer than the longest")
    kept.require(value[1] - value[0] < MAX_SPAN, f"its n-grams have more than {MAX_SPAN} lengths")


_NGRAMS = kept.Keep(_check_ngrams)

#: Token patterns that model files may hold, each of a kind that takes linear time on any text. A repeat that
#: nothing must follow never backtracks. A final \b makes it backtrack only between two boundaries, if the
#: pattern begins with \b; behind \w it always holds, and what joins two words is no part of a word then. A
#: list of what is dangerous would never be complete.
_CLASS = r"(?:\\[wdsWDS]|\[\^?(?:[\w'.@#&+]|\w-\w|\\[wdsWDS.-])+-?\]|\w)"
_REPEAT = r"(?:\+|\{\d{1,2}(?:,\d{0,2})?\})?"
_ANYHOW = rf"(?:\(\?:(?:['_-]|\[['_-]+\]){_CLASS}{_REPEAT}\)\?)?"
_APART = rf"(?:\(\?:(?:['-]|\[['-]+\])\\w{_REPEAT}\)\?)?"
_SAFE_PATTERNS = [
    re.compile(rf"(?:\(\?u\))?{pattern}")
    for pattern in (
        rf"(?:\\b)?{_CLASS}{{1,4}}{_REPEAT}{_ANYHOW}",
        rf"\\b{_CLASS}{{1,4}}{_REPEAT}\\b",
        rf"(?:\\b)?{_CLASS}{{0,3}}\\w{_REPEAT}{_APART}\\b",
    )
]


def _check_pattern(value: Any, sizes: kept.Sizes) -> None:
    """Hold for regular expressions that take no long time on any text."""
    del sizes
    simple = type(value) is str and len(value) <= 200
    simple = simple and any(safe.fullmatch(value) for safe in _SAFE_PATTERNS)
    kept.require(
        simple,
        "it is not a regular expression of the simple kind that model files may hold (docs/model-files.md)",
    )
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        raise DamageError(f"it is not a regular expression: {error}") from error


def check_words(vectorizer: Any) -> None:
    """Hold for a vectorizer that knows what its words are."""
    known = vectorizer.analyzer != "word" or vectorizer.token_pattern is not None
    kept.require(known, "it has no token_pattern to find words with")
    try:
        codecs.lookup(vectorizer.encoding)
    except LookupError as error:
        raise DamageError("its encoding is not known") from error


#: Stop words are looked for in texts before anything else: long ones would take long.
_STOP_WORDS = kept.each(
    Rule("a word of at most 1000 letters", lambda value: type(value) is str and len(value) <= 1000)
)
#: What model files require of those parameters of a vectorizer that are used after fitting.
VECTORIZER: dict[str, kept.Rule] = {
    "input": one_of("content"),
    "analyzer": kept.absent_or(one_of("word", "char", "char_wb")),
    "preprocessor": kept.absent_or(one_of(None)),
    "tokenizer": kept.absent_or(one_of(None)),
    "token_pattern": kept.none_or(kept.Keep(_check_pattern)),
    "ngram_range": _NGRAMS,
    "stop_words": kept.either(one_of(None, "english"), _STOP_WORDS),
    "dtype": kept.dtype,
}
_FREQUENCY = Rule(
    "a whole number of 1 or more, or a share from 0 to 1",
    lambda value: whole(1).holds(value) or (isinstance(value, float) and 0 <= value <= 1),
)
#: Those that scikit-learn has rules for; not every process that loads a model loads scikit-learn.
INHERITED: dict[str, Rule] = {
    "encoding": kept.text,
    "decode_error": one_of("strict", "ignore", "replace"),
    "strip_accents": one_of(None, "ascii", "unicode"),
    "lowercase": flag,
    "max_df": _FREQUENCY,
    "min_df": _FREQUENCY,
    "max_features": optional(whole(1)),
    "vocabulary": Rule("a vocabulary, or None", lambda value: value is None or hasattr(value, "__iter__")),
    "binary": flag,
}
#: The same of :class:`textensor.space.TermVectorizer`.
KEPT: dict[str, kept.Rule] = {
    **VECTORIZER,
    **{name: kept.absent_or(rule) for name, rule in INHERITED.items()},
    "char_ngram_range": kept.none_or(_NGRAMS),
    "stop_words": kept.either(one_of(None, *LANGUAGES), _STOP_WORDS),
}
#: The rules for the parameters of :class:`textensor.space.TermVectorizer` that are not scikit-learn's.
PARAMETERS = {
    "weighting": WEIGHTING,
    "char_ngram_range": optional(_LENGTHS),
    "scripts": flag,
    "stemmer": one_of(None, *Stemmer.algorithms()),
    "stop_words": Rule(
        f"a list of words, None or one of {', '.join(LANGUAGES)}",
        lambda value: not isinstance(value, str) or value in LANGUAGES,
    ),
    "norm": NORM,
    "sublinear_tf": flag,
    "n_jobs": jobs,
}
