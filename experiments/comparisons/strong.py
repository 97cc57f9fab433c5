"""TextCategorizer("auto") beside tuned linear models, with few labels and with many."""

from typing import Any

from experiments.declared import declared
from experiments.engine.declare import Part, Run, Variant

#: Corpus -> its name among the data. The design was made on the first three; the others are the clean test.
CORPORA = {
    "20 Newsgroups": "20newsgroups-texts",
    "Reuters-52": "reuters52-texts",
    "docstrings": "docstrings-texts",
    "Ohsumed": "ohsumed-texts",
    "WordNet definitions": "wordnet-texts",
    "Reuters-90": "reuters90-texts",
}
#: Share of the labels -> the number of splits; with all labels there is one.
FEW = {0.01: 10, 0.05: 10, 0.1: 10}
MANY = {0.5: 3, 1.0: 1}
#: Parts with text without labels, and seconds of a search.
WITH_POOL = [f"{share:.0%}" for share in (*FEW, *MANY) if share < 1]
BUDGET = 60.0
FEATURES = ("words", "words 1-2", "words 1-2, characters 3-5")
GRIDS: dict[str, list[dict[str, float]]] = {
    "LinearSVC": [{"C": C} for C in (0.1, 1.0, 10.0, 100.0)],
    "LogisticRegression": [{"C": C} for C in (10.0, 100.0, 1000.0, 10000.0)],
    "self-training": [{"alpha": alpha} for alpha in (1e-7, 1e-6, 1e-5)],
}
#: What a method may read, and the name of "auto" that reads it.
UNLABELLED, LABELLED = "labelled and unlabelled", "labelled"
AUTO = {UNLABELLED: "auto", LABELLED: "auto, labelled text only"}


def _peer(method: str, features: str, sublinear: bool, unlabelled: bool = False) -> Variant:
    settings: dict[str, Any] = {"method": method, "features": features, "sublinear": sublinear}
    parts = WITH_POOL if unlabelled else ()
    return Variant({**settings, "unlabelled": unlabelled, "grid": GRIDS[method]}, parts=parts)


#: Peers that read labelled text only, and those that read the rest of the training part, too.
SUPERVISED = {
    f"{method}, {features}{', sublinear' if sublinear else ''}": _peer(method, features, sublinear)
    for features in FEATURES
    for sublinear in (True, False)
    for method in ("LinearSVC", "LogisticRegression")
}
SELF_TRAINED = {"self-training, words, sublinear": _peer("self-training", "words", True, unlabelled=True)}
METHODS = {
    name: Variant(
        {"method": "auto", "unlabelled": text == UNLABELLED, "time_budget": BUDGET},
        parts=WITH_POOL if text == UNLABELLED else (),
        alone=True,
    )
    for text, name in AUTO.items()
}
METHODS |= SUPERVISED | SELF_TRAINED


def _run(corpus: str, data: str, said: str, shares: dict[float, int]) -> Run:
    """Return the run of a corpus with some shares of the labels; a quick run has one split of docstrings."""
    return Run(
        name=f"{corpus}, {said} labels",
        protocol="strong",
        data=data,
        parts=[
            Part(
                f"{share:.0%}",
                quick=int((corpus, share) == ("docstrings", 0.01)),
                full=n_splits,
                settings={"fraction": share},
            )
            for share, n_splits in shares.items()
        ],
        methods=METHODS,
    )


RUNS = {
    corpus: [_run(corpus, data, said, shares) for said, shares in (("few", FEW), ("many", MANY))]
    for corpus, data in CORPORA.items()
}
EXPERIMENT = declared(
    __file__,
    runs=[run for runs in RUNS.values() for run in runs],
    given={
        "corpora": {corpus: [run.name for run in runs] for corpus, runs in RUNS.items()},
        "auto": AUTO,
        "peers": {UNLABELLED: [*SUPERVISED, *SELF_TRAINED], LABELLED: [*SUPERVISED]},
    },
)
