"""Few labels and much text without: SemanticSVM beside what others do."""

from dataclasses import replace
from typing import Any

from experiments.comparisons.accuracy import SETS, SVM_GRID, parts
from experiments.declared import declared
from experiments.engine.declare import Run, Variant

#: All sets as tf * log(n/df).
WEIGHED = {name: (data, True) for name, (data, _) in SETS.items() if name != "TDT2-56"}
PEERS = {
    "SVM": Variant({"method": "svm", "grid": SVM_GRID}),
    "SVM, balanced costs": Variant(
        {"method": "svm", "grid": SVM_GRID, "class_weight": "balanced"}, quick=False
    ),
    "self-training, logistic loss": Variant(
        {"method": "self-training", "alpha": 1e-5, "threshold": 0.75, "grid": [{}]}, quick=False
    ),
}
FEW_LABELS = Run(
    name="few labels",
    protocol="pool",
    parts=parts(WEIGHED),
    methods=PEERS | {"SemanticSVM": Variant({"method": "semantic", "grid": [{"C": 1.0}, {"C": 3.0}]})},
)
DEFAULTS = {"dimensions": 300, "weight": 1.0, "rounds": 4, "pseudo_cost": 0.1, "share": 0.9, "C": 1.0}
#: What is changed, one thing at a time.
CHANGES: dict[str, dict[str, Any]] = {
    "the defaults": {},
    "dimensions 100": {"dimensions": 100},
    "dimensions 200": {"dimensions": 200},
    "dimensions 400": {"dimensions": 400},
    "weight 0.7": {"weight": 0.7},
    "weight 1.4": {"weight": 1.4},
    "weight 2": {"weight": 2.0},
    "rounds 0": {"rounds": 0},
    "share 0.6": {"share": 0.6},
    "pseudo_cost 0.3": {"pseudo_cost": 0.3},
    "C 3": {"C": 3.0},
    "C 10": {"C": 10.0},
}
TRIALS = Run(
    name="trials",
    protocol="trial",
    parts=[replace(part, full=1) for part in FEW_LABELS.parts],
    methods={name: Variant({**DEFAULTS, **change}, quick=not change) for name, change in CHANGES.items()},
)
EXPERIMENT = declared(
    __file__, runs=(FEW_LABELS, TRIALS), given={"peers": [("SemanticSVM", peer) for peer in PEERS]}
)
