"""Tensor space model for document analysis: TensorLSI (Cai, He, Han, 2006)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from experiments.declared import declared, printed_in
from experiments.engine.declare import Figures, Part, Run, Variant
from experiments.papers.stm_text import PRINTED as PRINTED_OF_STM

PRINTED = printed_in(__file__)
KEYWORDS = PRINTED["keywords"]
THREE = ("Baseline", "LSI", "TensorLSI")
PAIRS = (("LSI", "Baseline"), ("TensorLSI", "Baseline"), ("TensorLSI", "LSI"))
#: The row of the means below a table.
AVERAGE = "Ave."


def _by_method(typed: Sequence[Sequence[float]], n_figures: int) -> dict[str, Figures]:
    """Return a typed row by method: accuracy, seconds of the reduction, of what follows, of both, the rest.

    The baseline's seconds in all are those of k-means or the search.
    """
    (accuracy, seconds), *reductions = typed
    found: dict[str, Figures] = {
        THREE[0]: [accuracy / 100, None, seconds, seconds, *[None] * (n_figures - 4)]
    }
    for name, (accuracy, *others) in zip(THREE[1:], reductions, strict=True):
        found[name] = [accuracy / 100, *others]
    return found


def _printed(table: str, n_figures: int) -> dict[str, dict[str, Figures]]:
    return {part: _by_method(row, n_figures) for part, row in PRINTED[table].items()}


CLUSTERS, NEIGHBOUR_FIGURES = _printed("table5", 5), _printed("table7", 6)
AVERAGE5, AVERAGE7 = CLUSTERS.pop(AVERAGE), NEIGHBOUR_FIGURES.pop(AVERAGE)
KS = tuple(CLUSTERS)

TURNED = "the leading directions within 1000 pairs, by an eigenproblem of that size"
COUNTED = {"counted": Variant()}
ONCE = (Part("all", settings={"keywords": list(KEYWORDS)}),)
SIMILARITY = Run(
    name="similarity",
    protocol="similarity",
    data="reuters41-text",
    parts=ONCE,
    methods={
        "Baseline": Variant({"method": "baseline"}),
        "LSI": Variant({"method": "lsi", "dimensions": [10, 20, 50, 100, 200, 400]}, as_paper=True),
        "TensorLSI": Variant(
            {"method": "tensor-lsi", "dimensions": [20, 50, 100, 200, 400, 800, 1500]},
            as_paper=True,
        ),
        "TensorLSI, turned": Variant(
            {"method": "turned", "dimensions": [10, 20, 50, 100, 200, 300]}, beyond=TURNED
        ),
    },
    alone=True,
)
#: Figure 2's seconds, and gains of LSI that are zero at best, speak of a fit for each keyword's documents.
EACH = replace(
    SIMILARITY,
    name="similarity each",
    methods={
        name: replace(method, settings={**method.settings, "each": True}) if method.as_paper else method
        for name, method in SIMILARITY.methods.items()
        if not method.beyond
    },
)
KEYWORD_SIZES = Run(name="keywords", protocol="keywords", data="reuters41-text", parts=ONCE, methods=COUNTED)
REUTERS_SIZES = Run(name="sizes", protocol="sizes", data="reuters41", methods=COUNTED)
DIMENSIONS = {"dimensions": [2, 5, 10, 20, 30, 50]}
CLUSTERING = Run(
    name="clustering",
    protocol="clustering",
    data="reuters41",
    parts=[
        Part(k, quick=int(k in ("2", "5")), full=9, settings={"clusters": int(k), "draws": 5}) for k in KS
    ],
    methods={
        "Baseline": Variant({"method": "baseline"}),
        "LSI": Variant({"method": "lsi", **DIMENSIONS}, as_paper=True),
        "TensorLSI": Variant({"method": "tensor-lsi", **DIMENSIONS}, as_paper=True),
        "TensorLSI, turned": Variant(
            {"method": "turned", **DIMENSIONS},
            beyond=f"{TURNED}; the dimension picked as in the paper",
            quick=False,
        ),
    },
)
#: The same draws, with coordinates of unit length: the terms are of unit length already.
SPHERICAL = Run(
    name="clustering of unit length",
    protocol="clustering of unit length",
    data="reuters41",
    parts=[replace(part, quick=0) for part in CLUSTERING.parts],
    methods={
        name: Variant(
            method.settings,
            beyond="the terms, of unit length already"
            if name == "Baseline"
            else "coordinates of unit length, the dimension picked as in the paper",
        )
        for name, method in CLUSTERING.methods.items()
        if not method.beyond
    },
)


def _neighbours(part: str, figures: dict[str, Figures]) -> Part:
    """Return a training size of Table 7, with the dimensions that the paper chose there."""
    dimensions = {"lsi": figures["LSI"][-1], "tensor-lsi": figures["TensorLSI"][-1], "turned": 300}
    settings: dict[str, Any] = {"dimensions": dimensions}
    official = part == "ModApte"
    return Part(
        part,
        quick=int(part not in ("30%", "50%")),
        full=1 if official else 10,
        settings=settings if official else settings | {"fraction": float(part[:-1]) / 100},
    )


NEIGHBOURS = Run(
    name="neighbours",
    protocol="neighbours",
    data="reuters41-counts",
    parts=[_neighbours(*one) for one in NEIGHBOUR_FIGURES.items()],
    methods={
        "Baseline": Variant({"method": "baseline"}, as_paper=True),
        "LSI": Variant({"method": "lsi"}, as_paper=True),
        "TensorLSI": Variant({"method": "tensor-lsi"}, as_paper=True),
        "TensorLSI, turned": Variant(
            {"method": "turned"}, beyond=f"300 {TURNED.removeprefix('the ')}; k = 4 as in the paper"
        ),
        "LinearSVC, C tuned": Variant(
            {"method": "svm", "grid": [0.25, 1.0, 4.0, 16.0]},
            beyond="no neighbours: hinge loss on the terms, C by three folds of the training documents",
        ),
    },
    alone=True,
)
#: The paper's seconds are MATLAB's on its machine, and its dimensions were chosen among others.
OTHER = ("reduction, s", "k-means, s", "search, s", "in all, s", "fit, s", "dimension")


def _lines(table: dict[str, dict[str, Figures]], k: int) -> dict[str, Figures]:
    """Return the lines of a figure from column k of a table; storage has none of the baseline."""
    return {of: [row[of][k] for row in table.values()] for of in (THREE if k < 4 else THREE[1:])}


EXPERIMENT = declared(
    __file__,
    runs=(SIMILARITY, EACH, KEYWORD_SIZES, REUTERS_SIZES, CLUSTERING, SPHERICAL, NEIGHBOURS),
    given={
        "three": PAIRS,
        "three methods": THREE,
        "other": OTHER,
        "reuters": PRINTED_OF_STM["reuters"],
        "documents": {word: figures[:1] for word, figures in KEYWORDS.items()},
        "precision": {"all": {name: [row[0], None, *row[1:]] for name, row in PRINTED["table4"].items()}},
        "table1": {"ModApte": {name: row[1:5:3] for name, row in NEIGHBOUR_FIGURES["ModApte"].items()}},
        "table5": CLUSTERS,
        "table5 averages": AVERAGE5,
        "table6": {k: [[">>"], [">>"], [mark]] for k, mark in PRINTED["table6"].items()},
        "table6-seconds": {k: [["<<"]] * 3 for k in KS},
        "table7": NEIGHBOUR_FIGURES,
        "table7 averages": AVERAGE7,
        "figure2": {word: figures[1:] for word, figures in KEYWORDS.items()},
        "figure3": _lines(CLUSTERS, 0),
        "figure4": _lines(CLUSTERS, 3),
        "figure5": _lines(NEIGHBOUR_FIGURES, 3),
        "figure6": _lines(NEIGHBOUR_FIGURES, 4),
    },
)
