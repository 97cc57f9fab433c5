"""Learning with tensor representation: STM and Tensor Least Squares (Cai, He, Han, 2006)."""

from textensor.papers.declare import Claim, Figure, Method, Paper, Part, Run, Table

GRID = [0.01, 0.1, 1.0, 10.0, 100.0]
METHODS = {
    "TLS": Method({"loss": "squares", "order": 2}),
    "LS": Method({"loss": "squares", "order": 1}),
    "STM": Method({"loss": "hinge", "order": 2, "C": GRID}),
    "SVM": Method({"loss": "hinge", "order": 1, "C": GRID}),
    "TLS, by frequency": Method(
        {"loss": "squares", "order": 2, "arrangement": "document-frequency"},
        beyond="arranged by how many rows have a feature, not by the weights of an SVM",
    ),
    "STM, by frequency": Method(
        {"loss": "hinge", "order": 2, "arrangement": "document-frequency", "C": GRID},
        beyond="arranged by how many rows have a feature, not by the weights of an SVM",
    ),
}
PAIRS = (("TLS", "LS"), ("STM", "SVM"))
#: Set: training fraction, accuracies of TLS, LS, STM, SVM, marks of both pairs.
TABLE1 = {
    "adult": (0.001, (63.6, 60.7, 76.2, 76.5), (">>", "~")),
    "breast-cancer": (0.01, (87.6, 85.5, 94.3, 92.7), (">>", ">>")),
    "diabetes": (0.01, (60.3, 59.0, 66.2, 66.5), ("~", "~")),
    "ionosphere": (0.05, (75.4, 72.4, 77.4, 76.4), (">>", ">")),
    "mushrooms": (0.001, (72.2, 72.4, 85.7, 83.1), ("~", ">>")),
    "sonar": (0.05, (60.7, 60.3, 65.1, 62.9), ("~", ">>")),
}
SIZES = tuple(
    Part(f"{percent}%", 5 if percent in (1, 5, 10) else 0, 50, {"fraction": percent / 100, "at_least": 1})
    for percent in range(1, 11)
)
CURVES = Run("breast-cancer", "accuracy", "uci-breast-cancer", SIZES, METHODS)


def _sets() -> tuple[Run, ...]:
    return tuple(
        Run(
            *(name, "accuracy", f"uci-{name}"),
            (Part(f"{100 * fraction:g}%", 10, 50, {"fraction": fraction, "at_least": 1}),),
            METHODS,
        )
        for name, (fraction, _, _) in TABLE1.items()
        if name != "breast-cancer"
    )


def _table(name: str) -> Table:
    fraction, figures, marks = TABLE1[name]
    part = f"{100 * fraction:g}%"
    return Table(
        *(f"table1-{name}", f"Table 1, {name}: accuracy in %", name, {"accuracy": "accuracy"}),
        {(part, method): (figure,) for method, figure in zip(METHODS, figures, strict=False)},
        tests=("t",),
        pairs=PAIRS,
        marks={(part, *pair): (mark,) for pair, mark in zip(PAIRS, marks, strict=True)},
        tested="accuracy",
        scale=100.0,
        digits=1,
        note="The paper prints 1% only; the other sizes are those of Figures 2 and 3."
        if name == "breast-cancer"
        else "",
    )


def _figure(name: str, pair: tuple[str, str]) -> Figure:
    return Figure(
        *(name, f"{' and '.join(pair)} on breast-cancer by training size", "breast-cancer", "accuracy"),
        *(pair, "trained on", "accuracy, %"),
        printed={method: [TABLE1["breast-cancer"][1][list(METHODS).index(method)]] for method in pair},
        scale=100.0,
        note="Of the paper's lines only the first point is printed, in its Table 1.",
    )


def _claims() -> tuple[Claim, ...]:
    claims = []
    for k, (a, b) in enumerate(PAIRS):
        for name, (fraction, _, marks) in TABLE1.items():
            expect = marks[k][0]
            words = {">": "is ahead of", "~": "is level with"}[expect]
            claims.append(
                Claim(
                    f"{name}: {a} {words} {b}", name, a, b, "accuracy", expect, "t", (f"{100 * fraction:g}%",)
                )
            )
    for a, b in PAIRS:
        claims.append(
            Claim(
                *(f"breast-cancer: {a} is ahead of {b} with 1 to 3%", "breast-cancer", a, b),
                *("accuracy", ">", "t", ("1%", "2%", "3%")),
            )
        )
        claims.append(
            Claim(
                *(f"breast-cancer: with more rows {a} and {b} are level", "breast-cancer", a, b),
                *("accuracy", "~", "t", ("8%", "9%", "10%")),
            )
        )
    for name, (fraction, _, _) in TABLE1.items():
        part = (f"{100 * fraction:g}%",)
        claims.append(Claim(f"{name}: STM is ahead of TLS", name, "STM", "TLS", "accuracy", ">", "t", part))
    return tuple(claims)


PAPER = Paper(
    name="stm-tls",
    title="Learning with tensor representation: STM and TLS (Cai et al., 2006)",
    runs=(CURVES, *_sets()),
    items=(
        *(_table(name) for name in TABLE1),
        _figure("figure2", ("TLS", "LS")),
        _figure("figure3", ("STM", "SVM")),
    ),
    claims=_claims(),
    errata=(
        "Equations 4 and 5 carry a factor 2 on the right-hand side that the derivative does not give; the true "
        "normal equations are solved here.",
    ),
    choices=(
        "Stratified random splits with at least one row of each class; the paper does not say how it drew.",
        "Grids as square as can be, arranged by the weights of a vector SVM on the training rows (§2); C from "
        ".01 to 100 by three folds of the training rows.",
        "Where rows are fewer than features the shortest least-squares solution is taken; MATLAB's regress, "
        "which the paper used, takes the basic one of a pivoted QR, so its LS and TLS columns differ.",
    ),
    tried={},
)
