"""Support Tensor Machines for text categorization (Cai, He, Wen, Han, Ma, 2006)."""

from typing import Any

from experiments.declare import Claim, Counts, Figure, Method, Paper, Part, Run, Table

REUTERS_PARTS = (
    Part("5%", 2, 10, {"fraction": 0.05}),
    Part("10%", 1, 10, {"fraction": 0.10}),
    Part("30%", 1, 10, {"fraction": 0.30, "folds": 1}),
    Part("50%", 0, 10, {"fraction": 0.50, "folds": 1}),
    Part("ModApte", 0, 1, {"folds": 1}),
)
TDT2_PARTS = (
    Part("5%", 1, 10, {"fraction": 0.05, "folds": 1}),
    Part("10%", 0, 10, {"fraction": 0.10, "folds": 1}),
    Part("30%", 0, 10, {"fraction": 0.30, "folds": 1}),
    Part("50%", 0, 10, {"fraction": 0.50, "folds": 1}),
)
SMALL = ("5%", "10%")
GRID = [1.0, 10.0, 100.0]
LITERAL = {"shape": 50, "arrangement": "document-frequency"}
METHODS = {
    "SVM": Method({"method": "svm", "C": GRID}),
    "STM": Method({"method": "stm", "C": GRID, "options": LITERAL}),
    "SVM, C = 1": Method({"method": "svm", "C": [1.0], "folds": 0}, beyond="untuned"),
    "STM, C = 1": Method({"method": "stm", "C": [1.0], "options": LITERAL, "folds": 0}, beyond="untuned"),
    "STM of rank 3, semantic": Method(
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
    "SemanticSVM, text of the test documents read": Method(
        {"method": "semantic-svm", "C": [1.0], "folds": 1},
        parts=SMALL,
        quick=False,
        beyond="semi-supervised and transductive: it reads the test documents, without their labels",
    ),
}
REUTERS = Run("reuters", "f1", "reuters41", REUTERS_PARTS, METHODS)
TDT2 = Run("tdt2", "f1", "tdt2", TDT2_PARTS, METHODS)
ONCE = (Part("all", 1, 1),)
COUNTED = {"counted": Method({})}
REUTERS_SIZES = Run("reuters sizes", "sizes", "reuters41", ONCE, COUNTED)
TDT2_SIZES = Run("tdt2 sizes", "sizes", "tdt2", ONCE, COUNTED)

MEASURES = {
    "micro-F1": "assignment.micro",
    "macro-F1": "assignment.macro",
}
BEYOND_MEASURES = {
    "micro by arg max": "argmax.micro",
    "macro by arg max": "argmax.macro",
    "micro, thresholds tuned": "thresholds.micro",
    "macro, thresholds tuned": "thresholds.macro",
}
TABLE3 = {
    ("5%", "SVM"): (0.8490, 0.3355),
    ("5%", "STM"): (0.8666, 0.4818),
    ("10%", "SVM"): (0.8841, 0.4553),
    ("10%", "STM"): (0.8908, 0.5735),
    ("30%", "SVM"): (0.9225, 0.6618),
    ("30%", "STM"): (0.9196, 0.7357),
    ("50%", "SVM"): (0.9355, 0.7247),
    ("50%", "STM"): (0.9282, 0.7826),
    ("ModApte", "SVM"): (0.9368, 0.7356),
    ("ModApte", "STM"): (0.9321, 0.7877),
}
TABLE4 = {
    ("5%", "STM", "SVM"): (">>", ">>", ">>"),
    ("10%", "STM", "SVM"): (">", ">>", ">>"),
    ("30%", "STM", "SVM"): ("<", ">>", ">>"),
    ("50%", "STM", "SVM"): ("<", ">>", ">>"),
    ("ModApte", "STM", "SVM"): ("<", ">", ">>"),
}
TABLE5 = {
    ("5%", "SVM"): (0.8881, 0.6477),
    ("5%", "STM"): (0.9064, 0.7507),
    ("10%", "SVM"): (0.9292, 0.7692),
    ("10%", "STM"): (0.9343, 0.8317),
    ("30%", "SVM"): (0.9602, 0.9063),
    ("30%", "STM"): (0.9563, 0.9152),
    ("50%", "SVM"): (0.9684, 0.9307),
    ("50%", "STM"): (0.9640, 0.9402),
}
TABLE6 = {
    ("5%", "STM", "SVM"): (">>", ">>", ">>"),
    ("10%", "STM", "SVM"): (">>", ">>", ">>"),
    ("30%", "STM", "SVM"): ("<<", "~", "~"),
    ("50%", "STM", "SVM"): ("<<", ">", ">"),
}
# fmt: off
#: Training and test documents of ModApte; tensorlsi prints the same as its Table 2.
REUTERS_CATEGORIES = {
    "earn": (2673, 1040), "acq": (1435, 620), "crude": (223, 98), "trade": (225, 73), "money-fx": (176, 69),
    "interest": (140, 57), "ship": (107, 35), "sugar": (90, 24), "coffee": (89, 21), "gold": (70, 20),
    "money-supply": (70, 17), "gnp": (49, 14), "cpi": (45, 15), "cocoa": (41, 12), "alum": (29, 16),
    "grain": (38, 7), "copper": (31, 13), "jobs": (32, 10), "reserves": (30, 8), "rubber": (29, 9),
    "iron-steel": (26, 11), "ipi": (27, 9), "nat-gas": (22, 11), "veg-oil": (19, 11), "tin": (17, 10),
    "cotton": (15, 9), "bop": (15, 8), "wpi": (12, 8), "pet-chem": (13, 6), "livestock": (13, 5),
    "gas": (10, 8), "orange": (12, 6), "retail": (15, 1), "strategic-metal": (9, 6), "housing": (13, 1),
    "zinc": (8, 4), "lumber": (7, 4), "fuel": (4, 7), "carcass": (6, 5), "heat": (6, 4), "lei": (8, 2),
}
TDT2_CATEGORIES = {
    "20001": 1844, "20015": 1828, "20002": 1222, "20013": 811, "20070": 441, "20044": 407, "20076": 272,
    "20071": 238, "20012": 226, "20023": 167, "20048": 160, "20033": 145, "20039": 141, "20086": 140,
    "20032": 131, "20047": 123, "20019": 123, "20077": 120, "20018": 104, "20087": 98, "20096": 76,
    "20021": 74, "20026": 72, "20008": 71, "20056": 66, "20037": 65, "20065": 63, "20005": 58, "20074": 56,
    "20009": 52, "20091": 51, "20031": 49, "20024": 47, "20042": 35, "20020": 34, "20011": 33, "20022": 31,
    "20017": 29, "20007": 28, "20041": 28, "20064": 28, "20089": 25, "20034": 25, "20004": 21, "20063": 19,
    "20043": 18, "20083": 17, "20078": 16, "20072": 13, "20029": 13, "20093": 12, "20084": 12, "20028": 12,
    "20050": 11, "20085": 10, "20053": 10,
}
# fmt: on


def _printed(table: dict[tuple[str, str], tuple[float, float]], k: int) -> dict[str, list[float]]:
    """Return the lines of a figure that the paper's table prints."""
    return {
        method: [figures[k] for (_, of), figures in table.items() if of == method]
        for method in ("SVM", "STM")
    }


def _figure(
    name: str, title: str, run: str, k: int, printed: dict[tuple[str, str], tuple[float, float]]
) -> Figure:
    measure = ("assignment.micro", "assignment.macro")[k]
    y_title = ("micro-F1", "macro-F1")[k]
    return Figure(
        *(name, title, run, measure, ("SVM", "STM"), "trained on", y_title), printed=_printed(printed, k)
    )


def _by_size(name: str, run: str, part: str) -> list[Claim]:
    """Return the claims of Figures 6 and 7: what STM gains, it gains on small categories."""
    return [
        Claim(
            *(
                f"{name}: STM is {words} on {half} categories",
                run,
                "STM",
                "SVM",
                "assignment.macro",
                expect,
                "T",
            ),
            at=(part,),
            half=half,
            note="the half with fewest training documents" if half == "small" else "the other half",
        )
        for half, words, expect in (("small", "ahead of SVM", ">"), ("large", "behind SVM", "<"))
    ]


_TESTS: dict[str, Any] = {"tests": ("s", "S", "T"), "pairs": (("STM", "SVM"),), "tested": "assignment.macro"}

PAPER = Paper(
    name="stm-text",
    title="Support tensor machines for text categorization (Cai et al., 2006)",
    runs=(REUTERS, TDT2, REUTERS_SIZES, TDT2_SIZES),
    items=(
        Counts("table1", "Reuters-21578: categories", "reuters sizes", ("train", "test"), REUTERS_CATEGORIES),
        Counts(
            *("table2", "TDT2: categories", "tdt2 sizes", ("documents",)),
            {name: (size,) for name, size in TDT2_CATEGORIES.items()},
        ),
        Table(
            *("table3", "Reuters-21578: micro- and macro-F1", "reuters", MEASURES | BEYOND_MEASURES),
            {key: (*figures, None, None, None, None) for key, figures in TABLE3.items()},
            note="The paper's figures are by assignment; arg max and tuned thresholds are beyond it.",
        ),
        Table("table4", "Reuters-21578: significance", "reuters", marks=TABLE4, **_TESTS),
        Table(
            *("table5", "TDT2: micro- and macro-F1", "tdt2", MEASURES | BEYOND_MEASURES),
            {key: (*figures, None, None, None, None) for key, figures in TABLE5.items()},
            note="The paper's figures are by assignment; arg max and tuned thresholds are beyond it.",
        ),
        Table("table6", "TDT2: significance", "tdt2", marks=TABLE6, **_TESTS),
        _figure("figure2", "Micro-averaged F1, Reuters-21578", "reuters", 0, TABLE3),
        _figure("figure3", "Macro-averaged F1, Reuters-21578", "reuters", 1, TABLE3),
        _figure("figure4", "Micro-averaged F1, TDT2", "tdt2", 0, TABLE5),
        _figure("figure5", "Macro-averaged F1, TDT2", "tdt2", 1, TABLE5),
        Figure(
            *("figure6", "F1 of categories by size, Reuters-21578, 30%", "reuters", "assignment"),
            *(("SVM", "STM"), "training documents of the category", "F1"),
            parts=("30%",),
            by_category=True,
            note="Categories of the same size are averaged. The paper prints no figures.",
        ),
        Figure(
            *("figure7", "F1 of categories by size, TDT2, 10%", "tdt2", "assignment"),
            *(("SVM", "STM"), "training documents of the category", "F1"),
            parts=("10%",),
            by_category=True,
            note="Categories of the same size are averaged. The paper prints no figures.",
        ),
    ),
    claims=(
        Claim(
            *("Reuters: with few labels STM has the higher micro-F1", "reuters", "STM", "SVM"),
            *("assignment.micro", ">", "s", SMALL),
        ),
        Claim(
            *("Reuters: with few labels STM has the higher macro-F1", "reuters", "STM", "SVM"),
            *("assignment.macro", ">", "T", SMALL),
        ),
        Claim(
            *("Reuters: with more labels STM has the higher macro-F1", "reuters", "STM", "SVM"),
            *("assignment.macro", ">", "T", ("30%", "50%", "ModApte")),
        ),
        Claim(
            *("Reuters: with more labels STM has the lower micro-F1", "reuters", "STM", "SVM"),
            *("assignment.micro", "<", "s", ("30%", "50%", "ModApte")),
        ),
        Claim(
            *("TDT2: with few labels STM has the higher micro-F1", "tdt2", "STM", "SVM"),
            *("assignment.micro", ">", "s", SMALL),
        ),
        Claim(
            *("TDT2: with few labels STM has the higher macro-F1", "tdt2", "STM", "SVM"),
            *("assignment.macro", ">", "T", SMALL),
        ),
        Claim(
            *("TDT2: with more labels STM has the higher macro-F1", "tdt2", "STM", "SVM"),
            *("assignment.macro", ">", "T", ("30%", "50%")),
            note="at 30% the paper's own tests find no difference",
        ),
        Claim(
            *("TDT2: with more labels STM has the lower micro-F1", "tdt2", "STM", "SVM"),
            *("assignment.micro", "<", "s", ("30%", "50%")),
        ),
        *_by_size("Reuters", "reuters", "30%"),
        *_by_size("TDT2", "tdt2", "10%"),
    ),
    errata=(
        "The text keeps categories with more than ten documents; heat, lei and two of TDT2 have ten "
        "(Tables 1 and 2).",
    ),
    choices=(
        "Unit-length tf on the matrices that the authors published; STM by document frequency, n2 = 50.",
        "The paper does not say its C: here C is chosen on the labelled documents by micro-F1, from 1, 10, "
        "100, on three folds at 5 and 10% of Reuters, on one fold of three elsewhere; rows with C = 1 are "
        "apart. An earlier run had 1 and 10 for STM, which chose 10: the grid was made that of the SVM.",
        "Ten splits, as in the paper; the tables say how many of them were run. Rank 3 and SemanticSVM were "
        "run with 5 and 10% only.",
        "The intercept is penalised, as LIBLINEAR's is; LIBSVM's, which the paper used, is free.",
        "The semantic arrangement, its rank 3 and C = 1 come from a design that looked at test scores on "
        "other splits of the same sets, which share documents with these: its rows are to some degree in "
        "its favour (`benchmarks/results/accuracy.md` has sets without this). Nothing was chosen here.",
        "Over splits the s-test pools decisions, and S- and T-test average each category's F1 first.",
    ),
    tried={
        "table3": "Tried on two splits of 5%, an intercept that is next to free (scaling 10): the means of "
        "SVM and STM hardly moved, and the SVM took several times as long. Tried for the "
        "STM column on other splits of 5%: C from 10 to 1000, n2 = 20, 50 and 137; "
        "none moved macro-F1 by much of what is missing (`python -m benchmarks.accuracy.literal`). The C, "
        "the splits and the solver of the paper are not known.",
        "table5": "Tried on two other splits of 5%, by the same command as for Table 3: C from 10 to 1000, "
        "the nearly free intercept, n2 = 20, 50 and 137. None moved macro-F1 by much of what is missing; by "
        "arg max n2 = 20 gains some points.",
    },
)
