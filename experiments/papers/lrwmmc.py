"""Local relevance weighted maximum margin criterion for text classification (Wang, Zhang, Zhang, 2009)."""

from typing import Any

from experiments.declared import declared, printed_in
from experiments.engine.declare import Part, Run, Variant

REUTERS, TREC9, NEWS = "Reuters21578", "TREC-9 (stand-in: Ohsumed-23)", "20Newsgroup"
SETS = {REUTERS: "reuters52", TREC9: "ohsumed", NEWS: "20newsgroups"}
KS = [1, 3, 5, 10, 20, 30, 40, 50]
#: The number of dimensions is not stated: chosen by cross-validation.
DIMENSIONS = [25, 50, 100]
BY_K: dict[str, Any] = {"k": KS, "dimensions": DIMENSIONS}
NO_REDUCTION = "the nearest document without any reduction"


def _parts(quick: str, end: str = "") -> list[Part]:
    """Return the three sets; a quick run has one of them."""
    return [
        Part(name, quick=int(name == quick), settings={"data": data + end}) for name, data in SETS.items()
    ]


PLAIN = Run(
    name="plain",
    protocol="nearest",
    parts=_parts(REUTERS),
    methods={
        "LSI": Variant({"method": "lsi", "dimensions": DIMENSIONS}),
        "CLSI": Variant({"method": "clsi", "grid": [100, 200]}),
        "CM": Variant({"method": "cm"}),
        "LDA": Variant({"method": "srda", "grid": [0.1, 1.0, 10.0]}),
        "DNE": Variant({"method": "dne", **BY_K}),
        "LRWMMC": Variant({"method": "lrwmmc", **BY_K}),
        "plain terms": Variant({"method": "terms"}, beyond=NO_REDUCTION),
        "LRWMMC, by the cosine": Variant(
            {"method": "lrwmmc", **BY_K, "cosine": True},
            quick=False,
            beyond="the nearest document by the angle between projections, not by their distance",
        ),
        "LRWMMC, damped weights, by the cosine": Variant(
            {"method": "lrwmmc", "weights": "damped", "cosine": True}
            | {"k": [10, 20, 30], "dimensions": [50, 100]},
            quick=False,
            beyond="weights (1 + log tf) sqrt(log(n / df)), and the nearest document by the angle",
        ),
        "LinearSVC, C tuned": Variant(
            {"method": "svm", "grid": [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]},
            beyond="all terms, hinge loss, C chosen by the same cross-validation",
        ),
    },
)
GAMMAS = [1 / 16, 1 / 4, 1.0, 4.0]
KERNELS = Run(
    name="kernels",
    protocol="nearest",
    parts=_parts(TREC9),
    methods={
        "LSK": Variant({"method": "lsk", "gamma": GAMMAS, "dimensions": [50, 100]}),
        "KDA": Variant({"method": "kda", "gamma": GAMMAS, "delta": 1.0}),
        "Kernel LRWMMC": Variant(
            {"method": "kernel", "gamma": GAMMAS[1:], "k": [10, 30], "dimensions": [50, 100]}
        ),
    }
    | {name: PLAIN.methods[name] for name in ("plain terms", "LinearSVC, C tuned")},
)
TENSORS = Run(
    name="tensors",
    protocol="nearest",
    parts=_parts(TREC9, "-trigrams"),
    methods={
        "HOSVD": Variant({"method": "hosvd", "ranks": [5, 10, 15]}),
        "Tensor LRWMMC": Variant({"method": "tensor", "ranks": [10, 15], "k": [10, 30]}),
        "plain trigrams": Variant({"method": "terms"}, beyond=NO_REDUCTION, quick=False),
        "LinearSVC on trigrams, C tuned": Variant(
            {"method": "svm", "grid": [0.25, 1.0, 4.0]},
            beyond="all trigrams, hinge loss, C chosen by the same cross-validation",
            quick=False,
        ),
    },
)
#: k and dimensions where labels are few.
FEW: dict[str, Any] = {"k": [5, 20], "dimensions": [50, 100]}
#: grid: lambda of Semi-Supervised LRWMMC (the paper's is 4^-3 to 4^3), alpha of SDA, smoothing of Co-EM.
SEMI = {
    "LRWMMC": Variant({"method": "lrwmmc", "grid": [0.0], **FEW}),
    "Semi-Supervised LRWMMC": Variant({"method": "semi", "grid": [1 / 64, 1 / 16, 1 / 4], **FEW}),
    "SDA": Variant({"method": "sda", "grid": [0.0, 0.01]}),
    "Co-EM": Variant({"method": "coem", "grid": [0.01, 0.1, 1.0]}),
}
#: Numbers of labelled documents, by the end of the names of figures; a quick run has one.
SIZES = {
    "reuters": ("Reuters", "reuters52", (200, 500, 1000, 2000, 3000, 4000, 5000)),
    "trec9": ("TREC-9", "ohsumed", (200, 300, 400, 500, 600)),
    "20newsgroup": ("20Newsgroup", "20newsgroups", (2000, 4000, 6000, 8000, 10000)),
}
FEW_LABELS = {
    short: Run(
        name=f"few labels, {name}",
        protocol="few labels",
        data=data,
        parts=[Part(str(n), quick=int(n == 600), full=10, settings={"labels": n}) for n in sizes],
        methods=SEMI,
    )
    for short, (name, data, sizes) in SIZES.items()
}


def _printed() -> dict[str, dict[str, dict[str, list[float | None]]]]:
    """Return the tables by set and method; in Table 2 the figures are of the k best on the test part, too."""
    tables: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    for name, table in printed_in(__file__).items():
        by_set = tables.setdefault(name, {part: {} for part in SETS})
        for method, figures in table.items():
            for k, part in enumerate(SETS):
                own = figures[2 * k : 2 * k + 2]
                by_set[part][method] = [*own, None, *own] if name == "table2" else [*own, None]
    return tables


EXPERIMENT = declared(
    __file__,
    runs=(PLAIN, KERNELS, TENSORS, *FEW_LABELS.values()),
    given=_printed() | {"semi": tuple(SEMI), "by k": {str(k): f"by k.{k}" for k in KS}},
)
