"""Beside sentence embeddings: SemanticSVM with nothing pretrained, with a static model, and with MiniLM."""

from typing import Any

from experiments.declared import declared
from experiments.engine.declare import Part, Run, Variant

#: model2vec's protocol: 1,000 random labels of 20 Newsgroups without headers, footers and quotes.
THOUSAND = [
    Part("1,000 labels", quick=1, full=3, settings={"data": "20newsgroups-stripped", "labels": 1000}),
]
_SETS: dict[str, dict[str, Any]] = {
    "20 Newsgroups": {"data": "20newsgroups-texts", "official": True},
    "Reuters-41": {"data": "reuters41-texts"},
    "Ohsumed-23": {"data": "ohsumed-texts", "official": True},
}
FEW = [
    Part(f"{name} 5%", quick=int(name == "Reuters-41"), full=3, settings={"fraction": 0.05, **settings})
    for name, settings in _SETS.items()
]
GRID = {"C": [0.1, 1.0, 10.0, 100.0]}
#: With 1,000 labels logistic regression chooses C as in model2vec; with 5% some classes are too small for it.
CHOICE: dict[str, dict[str, Any]] = {"1,000 labels": {}, "5%": GRID}


def _tfidf(run: str) -> dict[str, Variant]:
    """Return what reads the terms of the labelled documents."""
    return {
        "TF-IDF + logistic regression": Variant({"method": "TF-IDF, logistic regression", **CHOICE[run]}),
        "TF-IDF + tuned SVM": Variant({"method": "TF-IDF, SVM", **GRID}),
    }


def _own(**settings: Any) -> dict[str, Any]:
    """Return the settings of SemanticSVM with those of its method, C = 1, and some more."""
    options = {"method": "semantic-svm", "settings": {"C": 1.0, **settings}, "cross_validate": False}
    return {"method": "categorizer", "options": options}


#: A search over methods and coordinates that read words, for as long as it takes: the same on any machine.
AUTO = {
    "method": "categorizer",
    "options": {"method": "auto", "features": "words", "time_budget": "none"},
}


def _with(encoder: str, name: str, run: str) -> dict[str, Variant]:
    """Return what reads an encoder."""
    return {
        f"{name} + logistic regression": Variant(
            {"method": "encoder, logistic regression", "encoder": encoder, **CHOICE[run]}
        ),
        f"SemanticSVM, {name} in place of own": Variant({**_own(weight=0.0), "encoder": encoder}),
        f"SemanticSVM, own and {name}": Variant({**_own(), "encoder": encoder}),
        f"auto, {name} offered": Variant({**AUTO, "encoder": encoder}),
    }


WITHOUT = {"SemanticSVM": Variant(_own()), "auto": Variant(AUTO)}
STATIC, SENTENCES = ("static", "static model"), ("minilm", "MiniLM")
PAIRS = {
    name: [(f"SemanticSVM, own and {name}", "SemanticSVM"), (f"auto, {name} offered", "auto")]
    for name in ("static model", "MiniLM")
}


def _run(name: str, parts: list[Part], methods: dict[str, Variant]) -> Run:
    return Run(name=name, protocol="embedded", parts=parts, methods=methods, alone=True)


RUNS = [
    run
    for name, parts in {"1,000 labels": THOUSAND, "5%": FEW}.items()
    for run in (
        _run(name, parts, _tfidf(name) | WITHOUT | _with(*STATIC, name)),
        _run(f"{name}, MiniLM", parts, WITHOUT | _with(*SENTENCES, name)),
    )
]
EXPERIMENT = declared(
    __file__, runs=RUNS, given={"static": PAIRS["static model"], "sentences": PAIRS["MiniLM"]}
)
