"""From the parameters of a categorizer to the candidate that it fits: planned, tried and chosen."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from textensor.base.labels import Labels
from textensor.base.plain import counted
from textensor.base.progress import silent
from textensor.base.store import Store
from textensor.reduce.graph import neighbours_once
from textensor.space import TermVectorizer
from textensor.workbench.choice.embedded import reading_methods, reads_embedding
from textensor.workbench.choice.features import term_vectorizer
from textensor.workbench.choice.race import Race
from textensor.workbench.choice.selection import Candidate, HeldOut, Vectors
from textensor.workbench.embedding import Embedding
from textensor.workbench.methods import METHODS, QUICKEST, candidates

#: Features that a search tries, unless some are named.
SEARCHED = ("words", "both")


class Choice(NamedTuple):
    """What is to be fitted, to what, and what was tried before."""

    vectors: Vectors
    chosen: Candidate
    tried: list[Candidate]


def choose(asked: Any, texts: Sequence[str], labels: Labels, sha256: str, start: float) -> Choice:
    """Return a method with its settings and features, with held-out scores if there are any.

    Parameters
    ----------
    asked : TextCategorizer
        Its parameters say what to try.
    texts : sequence of str
        The documents.
    labels : Labels
        Their labels.
    sha256 : str
        Hash of both, which checkpoints are named by.
    start : float
        When the time budget began, by ``time.monotonic()``.
    """
    named = isinstance(asked.method, str) and asked.method != "auto"
    names = [asked.method] if isinstance(asked.method, str) else list(asked.method)
    if asked.settings is not None and not named:
        raise ValueError("settings are those of one method: name it, or leave them to the search.")
    vectorizers = _vectorizers(asked, ("words",) if named else SEARCHED)
    planned = candidates(names, list(vectorizers), several=labels.several)
    plan = [Candidate(*one) for one in (planned[:1] if named else planned)]
    embedding = None if asked.embedding is None else Embedding(asked.embedding)
    if embedding is not None:
        plan = with_embedding(plan, search=not named)
    reads_all = any(one.method.unlabelled for one in plan)
    vectors = Vectors(vectorizers, texts, labels, reads_all, asked.n_jobs, embedding)
    made_of = {"data": sha256, "vectorizers": repr([one.get_params() for one in vectorizers.values()])}
    made_of |= {} if embedding is None else {"embedding": embedding.fingerprint()}
    common = {name: getattr(asked, name) for name in ("n_jobs", "random_state", "checkpoint")}
    try_out = HeldOut(vectors, Store(asked.checkpoint), made_of, common)
    progress = asked.progress or silent
    if named:
        chosen = plan[0]
        chosen.settings = dict(asked.settings or chosen.settings)
        if not asked.cross_validate:
            return Choice(vectors, chosen, [])
        progress(f"Scoring {chosen.title()} on {counted(len(try_out.folds), 'held-out fold')}.")
        for number in range(len(try_out.folds)):
            try_out(chosen, number)
        return Choice(vectors, chosen, [chosen])
    race = Race(plan, try_out, time_budget=asked.time_budget, start=start, progress=progress)
    quickest = Candidate(METHODS[QUICKEST], {}, plan[0].features)
    with neighbours_once():
        return Choice(vectors, race.run(quickest if names == ["auto"] else plan[0]), race.tried)


def with_embedding(plan: Sequence[Candidate], *, search: bool) -> list[Candidate]:
    """Return a plan in which candidates read an embedding.

    In a search a candidate without the embedding is followed by the same one with it. After the first one
    comes the embedding in place of the coordinates that the machine learns itself, too.
    """
    able = [one for one in plan if reads_embedding(one.method)]
    if not able:
        asked = ", ".join(dict.fromkeys(one.method.name for one in plan))
        names = ", ".join(reading_methods())
        raise ValueError(f"{asked}: an embedding is read by {names} only; choose that, or leave it out.")
    if not search:
        return [replace(one, embedding=True) for one in able]
    found = []
    for one in plan:
        found.append(one)
        if reads_embedding(one.method):
            found.append(replace(one, embedding=True, tested=[]))
        if one is able[0]:
            settings = {**one.settings, "weight": 0.0}
            found.append(replace(one, embedding=True, settings=settings, tested=[]))
    return found


def _vectorizers(asked: Any, kinds: Sequence[str]) -> dict[str, TermVectorizer]:
    """Return the vectorizers of the features that are to be tried, by name."""
    if asked.vectorizer is not None:
        return {"given": asked.vectorizer}
    options = {name: getattr(asked, name) for name in ("language", "stop_words", "min_df", "stem")}
    return {
        kind: term_vectorizer(kind, **options)
        for kind in (kinds if asked.features == "auto" else [asked.features])
    }
