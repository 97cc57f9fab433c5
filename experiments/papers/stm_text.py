"""Support Tensor Machines for text categorization (Cai, He, Wen, Han, Ma, 2006)."""

from experiments.declared import declared, printed_in
from experiments.engine.declare import Part, Run, Variant

PRINTED = printed_in(__file__)
SMALL = ("5%", "10%")
GRID = [1.0, 10.0, 100.0]
LITERAL = {"shape": 50, "arrangement": "document-frequency"}
METHODS = {
    "SVM": Variant({"method": "svm", "C": GRID}),
    "STM": Variant({"method": "stm", "C": GRID, "options": LITERAL}),
    "SVM, C = 1": Variant({"method": "svm", "C": [1.0], "folds": 0}, beyond="untuned"),
    "STM, C = 1": Variant({"method": "stm", "C": [1.0], "options": LITERAL, "folds": 0}, beyond="untuned"),
    "STM of rank 3, semantic": Variant(
        {
            "method": "stm",
            "C": [1.0],
            "options": {"shape": 50, "arrangement": "semantic", "rank": 3},
            "folds": 1,
        },
        parts=SMALL,
        quick=False,
        beyond="arranged by meaning, learnt from the labelled documents alone",
    ),
    "SemanticSVM, text of the test documents read": Variant(
        {"method": "semantic-svm", "C": [1.0], "folds": 1},
        parts=SMALL,
        quick=False,
        beyond="semi-supervised and transductive: it reads the test documents, without their labels",
    ),
}
REUTERS = Run(
    name="reuters",
    protocol="f1",
    data="reuters41",
    parts=(
        Part("5%", quick=2, full=10, settings={"fraction": 0.05}),
        Part("10%", full=10, settings={"fraction": 0.10}),
        Part("30%", full=10, settings={"fraction": 0.30, "folds": 1}),
        Part("50%", quick=0, full=10, settings={"fraction": 0.50, "folds": 1}),
        Part("ModApte", quick=0, settings={"folds": 1}),
    ),
    methods=METHODS,
)
TDT2 = Run(
    name="tdt2",
    protocol="f1",
    data="tdt2",
    parts=[
        Part(name, quick=int(name == "5%"), full=10, settings={"fraction": fraction, "folds": 1})
        for name, fraction in (("5%", 0.05), ("10%", 0.10), ("30%", 0.30), ("50%", 0.50))
    ],
    methods=METHODS,
)
SIZES = [
    Run(
        name=f"{run.name} sizes",
        protocol="sizes",
        data=run.data,
        methods={"counted": Variant()},
    )
    for run in (REUTERS, TDT2)
]
#: The lines of Figures 2 to 5, which Tables 3 and 5 print: micro-F1, then macro-F1.
LINES = {
    f"figure{number + k}": {of: [row[of][k] for row in PRINTED[table].values()] for of in ("SVM", "STM")}
    for number, table in ((2, "table3"), (4, "table5"))
    for k in (0, 1)
}
EXPERIMENT = declared(__file__, runs=(REUTERS, TDT2, *SIZES), given=LINES)
