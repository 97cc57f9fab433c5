"""How good the min-max modular SVM is on many labels, beside SVMs with tuned thresholds and LibMultiLabel."""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.declared import declared
from experiments.engine.declare import Part, Run, Variant
from textensor.datasets.corpora.rcv1 import is_here

#: Machines to choose from, each alone and the mean of each two. (The first alone is the plain SVM.)
MEMBERS: dict[str, dict[str, Any]] = {
    "1 x 1, C = 1": {"C": 1.0, "modules": [1, 1]},
    "classes 1 x 5, C = 1": {"C": 1.0, "modules": [1, 5], "decomposition": "classes"},
    "classes 1 x 20, C = 4": {"C": 4.0, "modules": [1, 20], "decomposition": "classes"},
    "random 1 x 5, C = 4": {"C": 4.0, "modules": [1, 5], "decomposition": "random"},
    "kmeans 1 x 5, C = 4": {"C": 4.0, "modules": [1, 5], "decomposition": "kmeans"},
}
SVM = "1 x 1, C = 1"
#: What the run "choice" chose.
CHOSEN = (SVM, "classes 1 x 20, C = 4")
CHOSEN_ROW = "M3, chosen, thresholds averaged"
#: Module counts and overlaps of the paper's Table 2.
COUNTS = (3, 7, 20, 26)
OVERLAPS = (0.0, 0.15, 0.3)


def _machine(names: Sequence[str], thresholds: str, quick: bool = False, seed: int = 0) -> Variant:
    """Return the mean of the machines of some names."""
    members = [MEMBERS[name] for name in names]
    return Variant({"members": members, "thresholds": thresholds, "seed": seed}, quick=quick)


def _libmultilabel(train: str, seed: int = 0) -> Variant:
    return Variant({"libmultilabel": f"train_{train}", "seed": seed}, quick=False)


CHOICE = Run(
    name="choice",
    protocol="choice",
    data="reuters90-sklearn",
    parts=[Part("training part", quick=0)],
    methods={"cross-validation": Variant({"members": MEMBERS})},
)
REUTERS = Run(
    name="Reuters-90",
    protocol="labels",
    data="reuters90-sklearn",
    parts=[Part("test")],
    methods={
        "SVM, C = 1": _machine([SVM], "none", quick=True),
        "SVM, C = 4": Variant(
            {"members": [{"C": 4.0, "modules": [1, 1]}], "thresholds": "none", "seed": 0},
            quick=False,
        ),
        "SVM, balanced costs": Variant({"balanced": 1.0}, quick=False),
        "SVM, thresholds tuned (SCutFBR .5)": _machine([SVM], "tuned"),
        "SVM, thresholds averaged": _machine([SVM], "averaged"),
        "LibMultiLabel one-vs-rest": _libmultilabel("1vsrest"),
        "LibMultiLabel thresholding": _libmultilabel("thresholding"),
        "LibMultiLabel cost-sensitive": _libmultilabel("cost_sensitive"),
        "M3, chosen, no thresholds": _machine(CHOSEN, "none", quick=True),
        "M3, chosen, thresholds tuned (SCutFBR .5)": _machine(CHOSEN, "tuned"),
        CHOSEN_ROW: _machine(CHOSEN, "averaged"),
        # The candidates alone, as ablations.
        **{
            f"M3, {name}, thresholds averaged": _machine([name], "averaged")
            for name in MEMBERS
            if name != SVM
        },
        # Both draw at random, so how much hangs on the draw is shown too; no choice rests on these.
        **{
            f"LibMultiLabel thresholding, seed {seed}": _libmultilabel("thresholding", seed)
            for seed in (1, 2)
        },
        **{f"{CHOSEN_ROW}, seed {seed}": _machine(CHOSEN, "averaged", seed=seed) for seed in (1, 2)},
    },
)


def _modules(data: str, C: float, more: Mapping[str, Any] | None = None) -> Run:
    """Return the rows of the paper's Table 2, and the decompositions that follow structure, by modules."""
    kinds: dict[str, dict[str, Any]] = {
        kind: {"decomposition": kind} for kind in ("classes", "kmeans", "random")
    }
    for overlap in OVERLAPS:
        kinds[f"hyperplane, overlap {overlap:.0%}"] = {"decomposition": "hyperplane", "overlap": overlap}
    plain = {"thresholds": "none", "seed": 0, **(more or {})}
    counts = [str(n) for n in COUNTS]
    return Run(
        name=f"modules, {data}",
        protocol="labels",
        data=data,
        parts=[
            Part("1", settings={"modules": [1, 1]}),
            *(Part(str(n), quick=int(n == COUNTS[0]), settings={"modules": n}) for n in COUNTS),
        ],
        methods={
            "SVM": Variant({"members": [{"C": C}], **plain}, parts=("1",)),
            **{
                kind: Variant({"members": [{"C": C, **of}], **plain}, parts=counts, quick=kind == "random")
                for kind, of in kinds.items()
            },
        },
    )


#: The paper's task: the top four labels, and as many of the first test documents.
TOP_FOUR: dict[str, Any] = {"labels": ["CCAT", "ECAT", "GCAT", "MCAT"], "test": 199_328}
RUNS = [CHOICE, REUTERS, _modules("reuters90-sklearn", 1.0), _modules("made-up", 0.5)]
LABELS = {"made-up": [f"label {q}" for q in range(4)], "rcv1": TOP_FOUR["labels"]}
RCV1 = _modules("rcv1", 0.5, TOP_FOUR)
RUNS += [RCV1] if is_here() else []
EXPERIMENT = declared(
    __file__,
    runs=RUNS,
    given={
        "chosen": [(CHOSEN_ROW, name) for name in REUTERS.methods if not name.startswith(CHOSEN_ROW)],
        "by modules": tuple(RUNS[-1].methods),
        **{
            data: {f"{label} {way}": f"labels.{label}.{way}" for label in labels for way in ("P", "R", "F1")}
            for data, labels in LABELS.items()
        },
    },
    not_at_hand=[] if is_here() else [RCV1.name],
)
