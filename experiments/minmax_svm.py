"""Efficient text categorization by a min-max modular SVM (Liu, Wang, Lu, Utiyama, Isahara, 2005)."""

from itertools import pairwise
from typing import Any

from experiments.declare import Claim, Method, Paper, Part, Picture, Run, Table
from textensor.datasets.corpora.rcv1 import is_here

STAND_IN = "reuters90"
RCV1_IS_HERE = is_here()
DATA, NAMED = ("rcv1", "RCV1-v2") if RCV1_IS_HERE else (STAND_IN, "stand-in for RCV1")
#: The first part of RCV1's test documents, which the paper took; a stand-in's are all decided on.
TEST = {"test": 199_328} if RCV1_IS_HERE else {}
#: On a stand-in a fit takes hundredths of a second: seconds are the median of so many.
FITS = {} if RCV1_IS_HERE else {"fits": 5}
#: RCV1's four top categories by size, and the ranks of the labels of Reuters-90 in their places.
CATEGORIES = {"CCAT": 0, "GCAT": 1, "MCAT": 2, "ECAT": 3}
#: What claims call them.
SHOWN = {name: name if RCV1_IS_HERE else f"{name}'s stand-in" for name in CATEGORIES}
COUNTS = (3, 7, 20, 26)
OVERLAPS = (0, 15, 30)


def _machine(
    modules: Any, decomposition: str = "random", overlap: float = 0.0, **more: Any
) -> dict[str, Any]:
    settings = {"modules": modules, "decomposition": decomposition, "overlap": overlap, "thresholds": "none"}
    return {"C": 0.5, **settings, **FITS, **more}


def _method(*arguments: Any, beyond: str = "", **more: Any) -> Method:
    return Method(_machine(*arguments, **more), beyond=beyond)


def _beyond(C: float) -> dict[str, Method]:
    return {
        "SVM, thresholds tuned": _method(
            (1, 1),
            C=C,
            thresholds="tuned",
            beyond="its threshold by SCutFBR on folds, whose fits are not in the seconds",
        ),
        "SVM, C tuned": Method(
            {"svm": {}, "grid": [0.5, 1.0, 2.0, 4.0, 8.0]},
            beyond="C of the best F1 on three folds of the training documents; the seconds are of all fits",
        ),
        "SVM, balanced costs": Method(
            {"svm": {"C": C, "class_weight": "balanced"}}, beyond="costs that make up for the sizes"
        ),
        "SemanticSVM, text of the test documents read": Method(
            {"C": C, "semantic": True},
            quick=False,
            beyond="semi-supervised and transductive: it reads the test documents, without their labels",
        ),
    }


#: Rows of Table 2: method, modules, seconds side by side and in a row, precision, recall, F1.
TABLE2 = (
    ("SVM", 1, 607, 607, 92.7, 64.1, 75.8),
    ("M3 (R)", 3, 186, 531, 84.7, 74.7, 79.4),
    ("M3 (R)", 7, 53, 347, 73.8, 82.5, 77.9),
    ("M3 (R)", 20, 21, 365, 78.5, 78.3, 78.4),
    ("M3 (R)", 26, 16, 365, 74.5, 81.1, 77.7),
    ("M3 (H) O(0)", 3, 234, 461, 87.9, 71.0, 78.6),
    ("M3 (H) O(0)", 7, 66, 307, 80.4, 78.9, 79.6),
    ("M3 (H) O(0)", 20, 34, 300, 82.6, 77.5, 80.0),
    ("M3 (H) O(0)", 26, 26, 310, 79.0, 80.6, 79.8),
    ("M3 (H) O(15)", 3, 233, 519, 89.1, 70.0, 78.4),
    ("M3 (H) O(15)", 7, 72, 350, 82.0, 77.5, 79.7),
    ("M3 (H) O(15)", 20, 36, 363, 83.8, 76.9, 80.2),
    ("M3 (H) O(15)", 26, 28, 373, 80.2, 79.9, 80.0),
    ("M3 (H) O(30)", 3, 239, 590, 89.9, 68.9, 78.0),
    ("M3 (H) O(30)", 7, 85, 428, 83.7, 76.3, 79.8),
    ("M3 (H) O(30)", 20, 42, 451, 84.1, 76.7, 80.3),
    ("M3 (H) O(30)", 26, 34, 473, 81.2, 79.9, 80.4),
)
#: Rows of Table 3: the modules of M3 (R), O(0), O(30); then for each of SVM and those the figures as above.
TABLE3 = {
    "CCAT": (
        (4, 30, 30),
        ((898, 898, 94.9, 91.3, 93.0), (290, 989, 94.9, 90.7, 92.8)),
        ((47, 563, 93.5, 92.7, 93.1), (60, 894, 94.0, 92.6, 93.3)),
    ),
    "ECAT": (
        (3, 20, 26),
        ((607, 607, 92.7, 64.1, 75.8), (186, 531, 84.7, 74.7, 79.4)),
        ((34, 300, 82.6, 77.5, 80.8), (34, 473, 81.2, 79.7, 80.4)),
    ),
    "GCAT": (
        (8, 8, 8),
        ((785, 785, 85.5, 89.1, 92.2), (126, 675, 92.7, 91.9, 92.3)),
        ((141, 552, 93.5, 91.0, 92.2), (182, 937, 93.9, 90.9, 92.4)),
    ),
    "MCAT": (
        (4, 24, 24),
        ((636, 636, 94.5, 87.2, 90.7), (184, 663, 87.9, 93.7, 90.7)),
        ((31, 355, 91.2, 90.8, 91.0), (39, 540, 91.7, 90.8, 91.3)),
    ),
}
#: Rows of Table 1: F1 and hours of the SVM, modules, F1 and hours in a row and side by side of M3.
TABLE1 = (
    (84.00, 9.47, 2, 84.86, 7.49, 3.79),
    (94.36, 2.89, 2, 94.55, 2.91, 1.57),
    (66.13, 4.48, 3, 70.62, 2.99, 1.11),
    (62.54, 5.01, 3, 68.61, 3.22, 1.25),
    (64.68, 5.38, 3, 69.57, 4.00, 1.53),
    (85.01, 3.09, 3, 85.11, 2.15, 0.76),
    (40.21, 6.94, 3, 50.82, 4.82, 1.72),
    (15.34, 64.99, 2, 24.54, 28.40, 16.22),
    (76.79, 5.62, 3, 77.22, 4.03, 1.38),
    (60.15, 13.21, 2, 62.22, 9.94, 5.62),
)


def _row(method: str, count: int) -> str:
    """Return the name of a row of Table 2."""
    return method if method == "SVM" else f"{method} of {count} modules"


def _decomposed(method: str, count: int) -> Method:
    if method == "SVM":
        return _method((1, 1))
    if method == "M3 (R)":
        return _method(count)
    return _method(count, "hyperplane", float(method.split("(")[2][:-1]) / 100)


ECAT = Part("ECAT", 1, 1, {"label": "ECAT", "rank": CATEGORIES["ECAT"], **TEST})
TWO = Run(
    *("table2", "modules", DATA, (ECAT,)),
    {_row(method, count): _decomposed(method, count) for method, count, *_ in TABLE2} | _beyond(0.5),
    alone=True,
)
NAMES = ("SVM", "M3 (R)", "M3 (H) O(0)", "M3 (H) O(30)")
THREE = tuple(
    Run(
        *(f"table3 {name}", "modules", DATA, (Part(name, 1, 1, {"label": name, "rank": rank, **TEST}),)),
        {
            method: _decomposed(method, count)
            for method, count in zip(NAMES, (1, *TABLE3[name][0]), strict=True)
        }
        | _beyond(0.5),
        alone=True,
    )
    for name, rank in CATEGORIES.items()
)
ONE = Run(
    *("table1", "modules", STAND_IN),
    tuple(
        Part(str(number), 1, 1, {"rank": number - 1, "modules": row[2]})
        for number, row in enumerate(TABLE1, 1)
    ),
    {
        "SVM": Method({**_machine((1, 1)), "C": 8.0}),
        "M3 (R)": Method({key: v for key, v in {**_machine(0), "C": 8.0}.items() if key != "modules"}),
    }
    | _beyond(8.0),
    alone=True,
)
PLANE = Run("plane", "plane", "plane", (Part("all", 1, 1),), {"cut": Method({})})

FIGURES = {
    "side by side, s": "parallel",
    "in a row, s": "serial",
    "P": "precision",
    "R": "recall",
    "F1": "assignment.f1",
}


#: Whose differences say nothing: the machines are others, and on a stand-in the documents, too.
SECONDS = ("side by side, s", "in a row, s")
UNCOMPARED = SECONDS if RCV1_IS_HERE else (*SECONDS, "P", "R", "F1")
#: The paper has no tests.
TESTS: dict[str, Any] = {"tests": ("s",), "tested": "assignment.f1"}


def _shares(row: tuple[float, ...]) -> tuple[float, ...]:
    """Return seconds as they are and percent as shares."""
    return (*row[:2], *(round(figure / 100, 4) for figure in row[2:]))


def _modules(category: str) -> str:
    """Return the numbers of modules of Table 3, in words."""
    return ", ".join(f"{n} of {method}" for method, n in zip(NAMES[1:], TABLE3[category][0], strict=True))


OTHER_DATA = (
    "RCV1-v2, the chronological split, as scikit-learn has it; the first 199,328 test documents, as in the "
    "paper."
    if RCV1_IS_HERE
    else "The paper's figures are of RCV1, ours of a stand-in: the labels of Reuters-90 (ModApte) "
    "of the same rank by size, earn, acq, money-fx and grain for CCAT, GCAT, MCAT and ECAT. Only the order "
    "of methods can be compared."
)
FASTER, SIDE_BY_SIDE = ("serial", "<", ""), ("parallel", "<", "")
BETTER = ("assignment.f1", ">", "s")
OWN_TABLE = "fails in part in the paper's own table"
Pairs = list[tuple[str, str]]


def _each(a: str, b: str) -> Pairs:
    """Return the pairs of rows of Table 2 with the same number of modules."""
    return [(_row(a, count), b if b == "SVM" else _row(b, count)) for count in COUNTS]


def _growing(method: str) -> Pairs:
    """Return the pairs of rows of Table 2 where the first has the next greater number of modules."""
    return [(_row(method, more), _row(method, few)) for few, more in pairwise(COUNTS)]


def _claim(text: str, pairs: Pairs, how: tuple[str, str, str], run: str = "table2", note: str = "") -> Claim:
    (a, b), *more = pairs
    return Claim(text, run, a, b, *how, note=note, more=more)


H_AND_SVM = [pair for overlap in OVERLAPS for pair in _each(f"M3 (H) O({overlap})", "SVM")]
R_AND_H = [pair for overlap in OVERLAPS for pair in _each("M3 (R)", f"M3 (H) O({overlap})")]
GROWING_H = [pair for overlap in OVERLAPS for pair in _growing(f"M3 (H) O({overlap})")]

PAPER = Paper(
    name="minmax-svm",
    title="Efficient text categorization using a min-max modular SVM (Liu et al., 2005)",
    runs=(TWO, *THREE, ONE, PLANE),
    items=(
        Table(
            *("table1", "Ten labels, C = 8, random parts (stand-in for Yomiuri News)", "table1"),
            {"F1": "assignment.f1", "in a row, s": "serial", "side by side, s": "parallel"},
            {
                (str(number), method): figures
                for number, row in enumerate(TABLE1, 1)
                for method, figures in (
                    ("SVM", (round(row[0] / 100, 4), round(3600 * row[1]), round(3600 * row[1]))),
                    ("M3 (R)", (round(row[3] / 100, 4), round(3600 * row[4]), round(3600 * row[5]))),
                )
            },
            digits=3,
            uncompared=(*SECONDS, "F1"),
            pairs=(("M3 (R)", "SVM"),),
            **TESTS,
            note="Yomiuri News is not public: the ten largest labels of Reuters-90 stand in. The order of "
            "labels is by size, the paper's is not known; the paper's hours are shown as seconds. Modules of "
            f"labels 1 to 10, as printed: {', '.join(str(row[2]) for row in TABLE1)}.",
        ),
        Table(
            *("table2", f"ECAT by modules and overlap ({NAMED})", "table2", FIGURES),
            {("ECAT", _row(row[0], row[1])): _shares(row[2:]) for row in TABLE2},
            digits=3,
            uncompared=UNCOMPARED,
            pairs=[(_row(method, count), "SVM") for method, count, *_ in TABLE2[1:]],
            **TESTS,
            note=OTHER_DATA,
        ),
        *(
            Table(
                *(
                    f"table3-{name.lower()}",
                    f"{name} by method ({NAMED})",
                    f"table3 {name}",
                    FIGURES,
                ),
                {
                    (name, method): _shares(row)
                    for method, row in zip(NAMES, (*TABLE3[name][1], *TABLE3[name][2]), strict=True)
                },
                digits=3,
                uncompared=UNCOMPARED,
                pairs=[(method, "SVM") for method in NAMES[1:]],
                **TESTS,
                note=f"Modules, as printed: {_modules(name)}. {OTHER_DATA}",
            )
            for name in CATEGORIES
        ),
        Picture(
            *("figure1", "Positive points cut by a line, and where the machine then says yes", "plane"),
            note="Squares are positive, in the colours of the two parts; circles negative. The blue "
            "ground is where "
            "the min-max machine of two linear modules says yes, which no single line can.",
        ),
    ),
    claims=(
        _claim(
            f"a. {SHOWN['ECAT']}: random parts are faster than the SVM even in a row",
            _each("M3 (R)", "SVM"),
            FASTER,
        ),
        _claim(f"a. {SHOWN['ECAT']}: hyperplanes are faster than the SVM even in a row", H_AND_SVM, FASTER),
        *(
            _claim(
                f"a. {SHOWN[name]}: modules are faster than the SVM even in a row",
                [(of, "SVM") for of in NAMES[1:]],
                FASTER,
                run=f"table3 {name}",
                note=OWN_TABLE,
            )
            for name in CATEGORIES
            if name != "ECAT"
        ),
        _claim(
            f"{SHOWN['ECAT']}: side by side, modules are faster than the SVM",
            _each("M3 (R)", "SVM") + H_AND_SVM,
            SIDE_BY_SIDE,
            note="the paper: much faster",
        ),
        Claim(
            *(
                "Yomiuri's stand-in: side by side, random parts are faster than the SVM for all ten labels",
                "table1",
            ),
            *("M3 (R)", "SVM", *SIDE_BY_SIDE),
        ),
        _claim(
            f"a. {SHOWN['ECAT']}: more modules take less time in a row",
            _growing("M3 (R)") + GROWING_H,
            FASTER,
            note=OWN_TABLE,
        ),
        Claim(
            *(
                "b. Yomiuri's stand-in: random parts have a higher F1 than the SVM for all ten labels",
                "table1",
                "M3 (R)",
                "SVM",
            ),
            *BETTER,
        ),
        *(
            _claim(
                f"b. {SHOWN[name]}: the F1 of random parts is {words} that of the SVM",
                [("M3 (R)", "SVM")],
                ("assignment.f1", expect, "s"),
                run=f"table3 {name}",
                note="read off Table 3; the text: it fluctuates",
            )
            for name, words, expect in (
                ("CCAT", "below", "<"),
                ("GCAT", "above", ">"),
                ("MCAT", "level with", "~"),
            )
        ),
        _claim(
            f"b. {SHOWN['ECAT']}: random parts have a higher F1 than the SVM", _each("M3 (R)", "SVM"), BETTER
        ),
        _claim(f"c. {SHOWN['ECAT']}: hyperplanes have a higher F1 than the SVM", H_AND_SVM, BETTER),
        _claim(
            f"c. {SHOWN['ECAT']}: hyperplanes have a higher F1 than random parts",
            [pair for overlap in OVERLAPS for pair in _each(f"M3 (H) O({overlap})", "M3 (R)")],
            BETTER,
            note=OWN_TABLE,
        ),
        *(
            _claim(
                f"c. {SHOWN[name]}: hyperplanes have a higher F1 than the SVM and random parts",
                [(of, other) for of in NAMES[2:] for other in NAMES[:2]],
                BETTER,
                run=f"table3 {name}",
                note=OWN_TABLE if name == "GCAT" else "",
            )
            for name in CATEGORIES
            if name != "ECAT"
        ),
        _claim(
            f"c. {SHOWN['ECAT']}: hyperplanes gain with the number of modules",
            GROWING_H,
            BETTER,
            note=OWN_TABLE,
        ),
        _claim(
            f"{SHOWN['ECAT']}: hyperplanes gain with overlap",
            _each("M3 (H) O(30)", "M3 (H) O(0)"),
            BETTER,
            note=OWN_TABLE,
        ),
        _claim(
            f"d. {SHOWN['ECAT']}: random parts take less time in a row than hyperplanes",
            R_AND_H,
            FASTER,
            note=OWN_TABLE,
        ),
        _claim(
            f"d. {SHOWN['ECAT']}: random parts take less time side by side than hyperplanes",
            R_AND_H,
            SIDE_BY_SIDE,
        ),
        *(
            _claim(
                f"d. {SHOWN[name]}: random parts take less time in a row than the SVM and hyperplanes",
                [("M3 (R)", other) for other in (NAMES[0], *NAMES[2:])],
                FASTER,
                run=f"table3 {name}",
                note=OWN_TABLE if name == "GCAT" else "fails in the paper's own table",
            )
            for name in CATEGORIES
            if name != "ECAT"
        ),
    ),
    errata=(
        "Table 3, GCAT: the SVM's precision 85.5 and recall 89.1 cannot give F1 92.2; 95.5 would.",
        "ECAT O(0), 20 modules: F1 is 80.0 in Table 2, 80.8 in Table 3. ECAT O(30), 26 modules: recall "
        "79.9 and 79.7.",
        "Claim c fails at 3 modules in Table 2 (78.6 against 79.4). Claim d holds there side by side; "
        "in a row it fails against O(0) at every number of modules and against O(15) at 3 and 20. Against "
        "the SVM it fails in a row for CCAT and MCAT.",
        "The text has random parts raise ECAT's F1 by 4.6 points at best; Table 2 has 3.6 (75.8 to 79.4).",
        "Recall and precision are defined upside down, as one over what they are.",
    ),
    missing=(
        "Yomiuri News is not public: labels of Reuters-90 stand in for its own.",
        *(() if RCV1_IS_HERE else ("RCV1-v2 is not at hand: labels of Reuters-90 stand in for its own.",)),
        "How many positive and negative parts make 3, 7, 20, 26 modules is not stated: in proportion to "
        "the sizes.",
    ),
    choices=(
        "M3 is the min-max machine: (R) of random parts, (H) of parts cut by hyperplanes, O(15) with an "
        "overlap of 15%. P, R: precision and recall. a. to d. are the paper's own points. The F1 of two "
        "methods is tested by their decisions, as it is of one label and one split.",
        "tf * log(n/df), unit length; C = 0.5, and 8 in Table 1. One official split, so that seconds have "
        "no test: "
        "claims about them are judged by their order alone.",
        "C = 0.5 and the modules of Table 3 are those that the paper reports as its best, on test results. "
        "Here nothing was chosen by them.",
        "Side by side is the slowest module's time, as if each had a processor of its own. Seconds of the "
        "SVM and of modules on a stand-in are the median of five fits.",
        "SemanticSVM and balanced costs were tried on one or two labels, test figures seen, before they were "
        "declared; after it only the iterations that balanced costs may take were raised. The tuned C stands "
        "where an earlier run had C = 4.",
    ),
)
