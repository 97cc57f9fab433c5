"""Support Tensor Machines for text categorization (Cai, He, Wen, Han, Ma, 2006)."""

from typing import Any

from experiments.engine.declare import ByName, Experiment, Figure, Method, Part, Run, Table, words_of

PRINTED, WORDS = words_of(__file__)
SMALL = ("5%", "10%")
GRID = [1.0, 10.0, 100.0]
LITERAL = {"shape": 50, "arrangement": "document-frequency"}
METHODS = {
    "SVM": Method(settings={"method": "svm", "C": GRID}),
    "STM": Method(settings={"method": "stm", "C": GRID, "options": LITERAL}),
    "SVM, C = 1": Method(settings={"method": "svm", "C": [1.0], "folds": 0}, beyond="untuned"),
    "STM, C = 1": Method(
        settings={"method": "stm", "C": [1.0], "options": LITERAL, "folds": 0}, beyond="untuned"
    ),
    "STM of rank 3, semantic": Method(
        settings={
            "method": "stm",
            "C": [1.0],
            "options": {"shape": 50, "arrangement": "semantic", "rank": 3},
            "folds": 1,
        },
        parts=SMALL,
        quick=False,
        beyond="arranged by meaning, learnt from the labelled documents alone",
    ),
    "SemanticSVM, text of the test documents read": Method(
        settings={"method": "semantic-svm", "C": [1.0], "folds": 1},
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
        Part(name="5%", quick=2, full=10, settings={"fraction": 0.05}),
        Part(name="10%", quick=1, full=10, settings={"fraction": 0.10}),
        Part(name="30%", quick=1, full=10, settings={"fraction": 0.30, "folds": 1}),
        Part(name="50%", quick=0, full=10, settings={"fraction": 0.50, "folds": 1}),
        Part(name="ModApte", quick=0, full=1, settings={"folds": 1}),
    ),
    methods=METHODS,
)
TDT2 = Run(
    name="tdt2",
    protocol="f1",
    data="tdt2",
    parts=[
        Part(name=name, quick=int(name == "5%"), full=10, settings={"fraction": fraction, "folds": 1})
        for name, fraction in (("5%", 0.05), ("10%", 0.10), ("30%", 0.30), ("50%", 0.50))
    ],
    methods=METHODS,
)
SIZES = [
    Run(
        name=f"{run.name} sizes",
        protocol="sizes",
        data=run.data,
        parts=[Part(name="all", quick=1, full=1)],
        methods={"counted": Method(settings={})},
    )
    for run in (REUTERS, TDT2)
]
MEASURES = {
    "micro-F1": "assignment.micro",
    "macro-F1": "assignment.macro",
    "micro by arg max": "argmax.micro",
    "macro by arg max": "argmax.macro",
    "micro, thresholds tuned": "thresholds.micro",
    "macro, thresholds tuned": "thresholds.macro",
}
BEYOND = "The paper's figures are by assignment; arg max and tuned thresholds are beyond it."
TESTS: dict[str, Any] = {"tests": ("s", "S", "T"), "pairs": (("STM", "SVM"),), "tested": "assignment.macro"}


def _line(name: str, title: str, run: str, table: str, k: int) -> Figure:
    """Return the figure of micro- (k = 0) or macro-F1 by training size, which a table prints."""
    return Figure(
        name=name,
        title=f"{title}, {'Reuters-21578' if run == 'reuters' else 'TDT2'}",
        run=run,
        measure=list(MEASURES.values())[k],
        methods=("SVM", "STM"),
        x_title="trained on",
        y_title=list(MEASURES)[k],
        printed={of: [row[of][k] for row in PRINTED[table].values()] for of in ("SVM", "STM")},
    )


EXPERIMENT = Experiment(
    name="stm-text",
    runs=(REUTERS, TDT2, *SIZES),
    items=(
        ByName(
            name="table1",
            title="Reuters-21578: categories",
            run="reuters sizes",
            columns=("train", "test"),
            printed=PRINTED["reuters"],
        ),
        ByName(
            name="table2",
            title="TDT2: categories",
            run="tdt2 sizes",
            columns=("documents",),
            printed=PRINTED["tdt2"],
        ),
        Table(
            name="table3",
            title="Reuters-21578: micro- and macro-F1",
            run="reuters",
            measures=MEASURES,
            printed=PRINTED["table3"],
            note=BEYOND,
        ),
        Table(
            name="table4",
            title="Reuters-21578: significance",
            run="reuters",
            marks=PRINTED["table4"],
            **TESTS,
        ),
        Table(
            name="table5",
            title="TDT2: micro- and macro-F1",
            run="tdt2",
            measures=MEASURES,
            printed=PRINTED["table5"],
            note=BEYOND,
        ),
        Table(name="table6", title="TDT2: significance", run="tdt2", marks=PRINTED["table6"], **TESTS),
        _line("figure2", "Micro-averaged F1", "reuters", "table3", 0),
        _line("figure3", "Macro-averaged F1", "reuters", "table3", 1),
        _line("figure4", "Micro-averaged F1", "tdt2", "table5", 0),
        _line("figure5", "Macro-averaged F1", "tdt2", "table5", 1),
        *(
            Figure(
                name=f"figure{number}",
                title=f"F1 of categories by size, {called}, {part}",
                run=run.name,
                measure="assignment",
                methods=("SVM", "STM"),
                x_title="training documents of the category",
                y_title="F1",
                parts=(part,),
                by_category=True,
                note="Categories of the same size are averaged. The paper prints no figures.",
            )
            for number, run, called, part in ((6, REUTERS, "Reuters-21578", "30%"), (7, TDT2, "TDT2", "10%"))
        ),
    ),
    **WORDS,
)
