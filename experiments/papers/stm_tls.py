"""Learning with tensor representation: STM and Tensor Least Squares (Cai, He, Han, 2006)."""

from typing import Any

from experiments.declared import declared, printed_in
from experiments.engine.declare import Part, Run, Variant

SETS = printed_in(__file__)["table1"]
#: The first four columns of the table.
MAIN = ("TLS", "LS", "STM", "SVM")
PAIRS = (("TLS", "LS"), ("STM", "SVM"))
BASIC_TLS, BASIC = "TLS, basic solution", "LS, basic solution"
#: C, and an intercept that is next to free, as LIBSVM's is.
TUNED = {"C": [0.01, 0.1, 1.0, 10.0, 100.0], "intercept_scaling": 10.0}
FREQUENCY = "arranged by how many rows have a feature, not by the weights of an SVM"
SETTINGS: dict[str, dict[str, Any]] = {
    "TLS": {"loss": "squares", "order": 2},
    "LS": {"loss": "squares", "order": 1},
    "STM": {"loss": "hinge", "order": 2, **TUNED},
    "SVM": {"loss": "hinge", "order": 1, **TUNED},
}
#: Beyond the paper: the method it changes, what is changed, and what is said of it.
CHANGED: dict[str, tuple[str, dict[str, Any], str]] = {
    "TLS, by frequency": ("TLS", {"arrangement": "document-frequency"}, FREQUENCY),
    "STM, by frequency": ("STM", {"arrangement": "document-frequency"}, FREQUENCY),
    BASIC: (
        "LS",
        {"solution": "basic"},
        "what MATLAB's regress, which the paper used, does where rows are fewer than features: as many "
        "features as rows, by a pivoted QR",
    ),
    BASIC_TLS: (
        "TLS",
        {"solution": "basic"},
        "the same in each half-step of TLS, of which the paper does not speak",
    ),
    "TLS of rank 3": ("TLS", {"rank": 3}, "a sum of three grids of rank one"),
    "STM of rank 3": ("STM", {"rank": 3}, "a sum of three grids of rank one"),
}
METHODS = {name: Variant(SETTINGS[name]) for name in MAIN}
UNTUNED = {
    f"{name}, C = 1": Variant({**SETTINGS[name], "C": [1.0]}, beyond="untuned") for name in ("STM", "SVM")
}
BEYOND = {
    name: Variant({**SETTINGS[of], **changed}, quick=False, beyond=said)
    for name, (of, changed, said) in CHANGED.items()
}
CURVES = Run(
    name="curves",
    protocol="accuracy",
    data="uci-breast-cancer",
    parts=[
        Part(
            f"{percent}%",
            quick=3 if percent in (1, 5, 10) else 0,
            full=50,
            settings={"fraction": percent / 100, "at_least": 1},
        )
        for percent in range(1, 11)
    ],
    methods=METHODS,
)
TABLE1 = Run(
    name="sets",
    protocol="accuracy",
    parts=[
        Part(
            name,
            quick=5,
            full=50,
            settings={"data": f"uci-{name}", "fraction": row["fraction"], "at_least": 1},
        )
        for name, row in SETS.items()
    ],
    methods=METHODS | UNTUNED | BEYOND,
)


ACCURACY = {
    name: {of: [figure] for of, figure in zip(MAIN, row["accuracy"], strict=True)}
    for name, row in SETS.items()
}
EXPERIMENT = declared(
    __file__,
    runs=(TABLE1, CURVES),
    given={
        "table1": ACCURACY,
        "table1 marks": {name: row["marks"] for name, row in SETS.items()},
        "figure2": {of: ACCURACY["breast-cancer"][of] for of in PAIRS[0]},
        "figure3": {of: ACCURACY["breast-cancer"][of] for of in PAIRS[1]},
    },
)
