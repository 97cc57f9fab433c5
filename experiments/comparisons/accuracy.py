"""How good the tensor classifiers are with few labels, beside a tuned SVM."""

from typing import Any

from experiments.declared import declared
from experiments.engine.declare import Part, Run, Variant

#: Set: its name among the data, and whether it has an official split and takes tf * log(n/df).
SETS = {
    "Reuters-41": ("reuters41", False),
    "TDT2-56": ("tdt2", False),
    "20 Newsgroups": ("20newsgroups-raw", True),
    "Ohsumed-23": ("ohsumed-raw", True),
}
#: tf * log(n/df)^2 for the latent space: the authors' matrices are tf, the raw texts are tf * log(n/df).
POWER = {"reuters41": 2.0, "tdt2": 2.0, "20newsgroups-raw": 1.0, "ohsumed-raw": 1.0}
SVM_GRID = [{"C": C} for C in (0.1, 1.0, 10.0, 100.0)]
SEMANTIC: dict[str, Any] = {"arrangement": "semantic", "latent_weight": 2.0}
#: Rank, shape, arrangement and C.
CHOSEN_GRID = [
    {**SEMANTIC, "n_columns": 50, "C": 1.0, "rank": 1},
    {**SEMANTIC, "n_columns": 50, "C": 1.0, "rank": 3},
    {**SEMANTIC, "n_columns": 50, "C": 10.0, "rank": 3},
    {**SEMANTIC, "n_columns": 20, "C": 1.0, "rank": 3},
    {"arrangement": "document-frequency", "n_columns": 50, "C": 10.0, "rank": 1},
]
ARRANGED: dict[str, Any] = {"method": "arranged", "idf_power": POWER}


def parts(sets: dict[str, tuple[str, bool]], quick: int = 1, full: int = 10) -> list[Part]:
    """Return sets with 5 and 10% of the labels; a quick run has the first part."""
    return [
        Part(
            f"{name} {fraction:.0%}",
            quick=quick if (name, fraction) == ("Reuters-41", 0.05) else 0,
            full=full,
            settings={"data": data, "fraction": fraction, "idf": idf}
            | ({"official": True} if data.endswith("-raw") else {}),
        )
        for name, (data, idf) in sets.items()
        for fraction in (0.05, 0.10)
    ]


FEW_LABELS = Run(
    name="few labels",
    protocol="pool",
    parts=parts(SETS),
    methods={
        "SVM": Variant({"method": "svm", "grid": SVM_GRID}),
        "STM, literal": Variant(
            {"method": "literal", "columns": 50, "grid": [{"C": C} for C in (1.0, 10.0, 100.0)]}
        ),
        "STM, semantic, labelled text only": Variant(
            {**ARRANGED, "pool": False, "grid": CHOSEN_GRID[1:3]}, quick=False
        ),
        "STM, chosen, unlabelled text too": Variant(
            {**ARRANGED, "pool": True, "grid": CHOSEN_GRID}, quick=False
        ),
    },
)
#: What might explain the paper's STM column: C, intercept scaling, n2; on splits of another seed.
TRIED = ((10, 1, 50), (10, 10, 50), (100, 1, 50), (100, 10, 50), (1000, 10, 50), (10, 10, 20), (10, 10, 137))
LITERAL = Run(
    name="literal",
    protocol="f1",
    parts=[
        Part(name, quick=1, full=2, settings={"data": data, "fraction": 0.05, "split seed": 7})
        for name, (data, _) in list(SETS.items())[:2]
    ],
    methods={
        f"C = {C}, intercept scaling {scaling}, n2 = {columns}": Variant(
            {
                "method": "stm",
                "C": [float(C)],
                "options": {
                    "shape": columns,
                    "arrangement": "document-frequency",
                    "intercept_scaling": float(scaling),
                },
                "folds": 0,
            },
            quick=(C, scaling, columns) == TRIED[0],
        )
        for C, scaling, columns in TRIED
    },
)
#: What each row but the SVM's is tested against.
AGAINST = [(method, "SVM") for method in FEW_LABELS.methods if method != "SVM"]
EXPERIMENT = declared(__file__, runs=(FEW_LABELS, LITERAL), given={"against": AGAINST})
