"""TensorLSI in several arrangements, beside LSI."""

from typing import Any

from experiments.declared import declared
from experiments.engine.declare import Part, Run, Variant

#: Set: its name among the data, and the power of the idf in the semantic arrangement.
SETS = {"Reuters-41": ("reuters41", 2.0), "20 Newsgroups": ("20newsgroups-training", 1.0)}
ARRANGEMENTS = {
    "document frequency": "document-frequency",
    "sum of squares": "squares",
    "semantic": "semantic",
}
COMPONENTS = [100, 300]
PAIRS = 1000


def _methods(power: float) -> dict[str, Variant]:
    """Return the terms, LSI, and TensorLSI in all arrangements, plain and turned."""
    methods = {
        "terms alone": Variant({"method": "terms"}),
        "LSI": Variant({"method": "lsi", "components": COMPONENTS}),
    }
    for said, kind in ARRANGEMENTS.items():
        for columns in (20, 50, 200):
            grid: dict[str, Any] = {"method": "tensor-lsi", "arrangement": kind, "columns": columns}
            grid |= {"idf_power": power} if kind == "semantic" else {}
            name = f"TensorLSI, {said}, n2 = {columns}"
            methods[name] = Variant({**grid, "components": [*COMPONENTS, PAIRS]}, quick=columns == 20)
            turned = {**grid, "components": COMPONENTS, "n_pairs": PAIRS}
            methods[f"{name}, turned"] = Variant(turned, quick=columns == 20)
    return methods


RUNS = [
    Run(
        name=name,
        protocol="arrangements",
        data=data,
        parts=[Part("held out", quick=int(data == "reuters41"))],
        methods=_methods(power),
        alone=True,
    )
    for name, (data, power) in SETS.items()
]
WAYS = {"explained": "explained", "neighbours": "neighbours", "SVM with 5% labels": "svm"}
BY_COMPONENTS = {
    f"{k}: {said}": f"{k}.{way}" for k in ("all", *COMPONENTS, PAIRS) for said, way in WAYS.items()
}
EXPERIMENT = declared(__file__, runs=RUNS, given={"by components": BY_COMPONENTS})
