"""Tensor space model for document analysis: TensorLSI (Cai, He, Han, 2006)."""

from experiments.declare import Claim, Counts, Figure, Listing, Method, Paper, Part, Run, Table
from experiments.stm_text import REUTERS_CATEGORIES
from experiments.tensorlsi_printed import (
    AVERAGE5,
    AVERAGE7,
    KEYWORD_SECONDS,
    KEYWORDS,
    TABLE5,
    TABLE6,
    TABLE7,
    THREE,
    Printed,
    by_method,
    figures_of,
)

PAIRS = (("LSI", "Baseline"), ("TensorLSI", "Baseline"), ("TensorLSI", "LSI"))
KS = tuple(TABLE5)
SIMILARITY_MARKS = {("all", *pair): (mark,) for pair, mark in zip(PAIRS, (">>", ">>", "~"), strict=True)}

# Similarity
WORDS = {"keywords": list(KEYWORDS)}
ONCE = (Part("all", 1, 1, WORDS),)
SIMILARITY = Run(
    *("similarity", "similarity", "reuters41-text", ONCE),
    {
        "Baseline": Method({"method": "baseline"}),
        "LSI": Method({"method": "lsi", "dimensions": [10, 20, 50, 100, 200, 400]}, as_paper=True),
        "TensorLSI": Method(
            {"method": "tensor-lsi", "dimensions": [20, 50, 100, 200, 400, 800, 1500]}, as_paper=True
        ),
        "TensorLSI, turned": Method(
            {"method": "turned", "dimensions": [10, 20, 50, 100, 200, 300]},
            beyond="the leading directions within 1000 pairs, by an eigenproblem of that size",
        ),
    },
    alone=True,
)
#: Figure 2's seconds, and gains of LSI that are zero at best, speak of a fit for each keyword's documents.
EACH = Run(
    *("similarity each", "similarity", "reuters41-text", ONCE),
    {
        name: method if name == "Baseline" else Method({**method.settings, "each": True}, as_paper=True)
        for name, method in SIMILARITY.methods.items()
        if not method.beyond
    },
    alone=True,
)
#: What is added to the names of items, how it was fitted, and the run.
SIMILARITIES = (("", "one fit on all", SIMILARITY), ("-each", "a fit for each keyword", EACH))
KEYWORD_SIZES = Run("keywords", "keywords", "reuters41-text", ONCE, {"counted": Method({})})
REUTERS_SIZES = Run("sizes", "sizes", "reuters41", (Part("all", 1, 1),), {"counted": Method({})})

# Clustering
DRAWS = 5
CLUSTERING = Run(
    *("clustering", "clustering", "reuters41"),
    tuple(Part(k, int(k in ("2", "5")), 9, {"clusters": int(k), "draws": DRAWS}) for k in KS),
    {
        "Baseline": Method({"method": "baseline"}),
        "LSI": Method({"method": "lsi", "dimensions": [2, 5, 10, 20, 30, 50]}, as_paper=True),
        "TensorLSI": Method({"method": "tensor-lsi", "dimensions": [2, 5, 10, 20, 30, 50]}, as_paper=True),
        "TensorLSI, turned": Method(
            {"method": "turned", "dimensions": [2, 5, 10, 20, 30, 50]},
            beyond="the leading directions within 1000 pairs, by an eigenproblem of that size; the dimension "
            "picked as in the paper",
            quick=False,
        ),
    },
)

#: The same draws, with coordinates of unit length: the terms are of unit length already.
SPHERICAL = Run(
    *("clustering of unit length", "clustering of unit length", "reuters41"),
    tuple(Part(part.name, 0, part.full, part.settings) for part in CLUSTERING.parts),
    {
        name: Method(
            method.settings,
            beyond="the terms, of unit length already"
            if name == "Baseline"
            else "coordinates of unit length, the dimension picked as in the paper",
        )
        for name, method in CLUSTERING.methods.items()
        if not method.beyond
    },
)

# Nearest neighbours
SPLITS = {"5%": (1, 10), "10%": (1, 10), "30%": (0, 10), "50%": (0, 10), "ModApte": (1, 1)}
NEIGHBOURS = Run(
    *("neighbours", "neighbours", "reuters41-counts"),
    tuple(
        Part(
            *(part, *SPLITS[part]),
            {"dimensions": {"lsi": lsi[0], "tensor-lsi": tensor[0], "turned": 300}}
            | ({} if part == "ModApte" else {"fraction": float(part[:-1]) / 100}),
        )
        for part, (_, lsi, tensor) in TABLE7.items()
    ),
    {
        "Baseline": Method({"method": "baseline"}, as_paper=True),
        "LSI": Method({"method": "lsi"}, as_paper=True),
        "TensorLSI": Method({"method": "tensor-lsi"}, as_paper=True),
        "TensorLSI, turned": Method(
            {"method": "turned"},
            beyond="300 leading directions within 1000 pairs, by an eigenproblem of that size; k = 4 as in "
            "the paper",
        ),
        "LinearSVC, C tuned": Method(
            {"method": "svm", "grid": [0.25, 1.0, 4.0, 16.0]},
            beyond="no neighbours: hinge loss on the terms, C by three folds of the training documents",
        ),
    },
    alone=True,
)


def _clustering_marks() -> dict[tuple[str, str, str], tuple[str]]:
    marks = {}
    for k, mark in TABLE6.items():
        marks[k, "LSI", "Baseline"] = marks[k, "TensorLSI", "Baseline"] = (">>",)
        marks[k, "TensorLSI", "LSI"] = (mark,)
    return marks


CLUSTERING_FIGURES, NEIGHBOUR_FIGURES = by_method(TABLE5), by_method(TABLE7)
#: The paper's seconds are MATLAB's on its machine, and its dimensions were chosen among others.
OTHER = ("reduction, s", "k-means, s", "search, s", "in all, s", "fit, s", "dimension")


def _lines(printed: Printed, k: int) -> dict[str, list[float | None]]:
    return {name: [row[k] for (_, of), row in printed.items() if of == name] for name in THREE}


#: Where the paper's TensorLSI takes less time than its LSI.
FROM_10 = ("10%", "30%", "50%", "ModApte")
SPARSE = "here the search on the terms is a product of sparse matrices"

PAPER = Paper(
    name="tensorlsi",
    title="Tensor space model for document analysis: TensorLSI (Cai et al., 2006)",
    runs=(SIMILARITY, EACH, KEYWORD_SIZES, REUTERS_SIZES, CLUSTERING, SPHERICAL, NEIGHBOURS),
    items=(
        Table(
            *("table1", "Complexity: what a fit on ModApte takes here", "neighbours"),
            {"reduction, s": "reducing", "stored, MiB": "stored"},
            {("ModApte", name): NEIGHBOUR_FIGURES["ModApte", name][1:5:3] for name in THREE},
            parts=("ModApte",),
            digits=3,
            uncompared=OTHER,
            note="The paper's table has orders of growth and no figures; those beside ours are of its "
            "Table 7. With m documents, n terms, q the smaller of the two and k dimensions it has, for "
            "TensorLSI and LSI: time O(m n^1.5) and O((m + n) q^2), memory O(n) and O(q^2), which is not "
            "measured here, storage O(2n) and O(kn).",
        ),
        Counts("table2", "Reuters-21578: categories", "sizes", ("train", "test"), REUTERS_CATEGORIES),
        Counts(
            *("table3", "Documents with each keyword", "keywords", ("documents",)),
            {word: figures[:1] for word, figures in KEYWORDS.items()},
            note="Looked for in the body of a document, words not parted at hyphens and apostrophes. The "
            "paper does not say so, but its counts do: with titles, and words parted, ours are far above "
            "them.",
        ),
        *(
            Table(
                *(f"table4{suffix}", f"Similarity, {fits}: t-tests over the keywords", run.name),
                tests=("t",),
                pairs=PAIRS,
                marks=SIMILARITY_MARKS,
                tested="best",
            )
            for suffix, fits, run in SIMILARITIES
        ),
        Table(
            *("table4-each-seconds", "Similarity, a fit for each keyword: t-test of the seconds", EACH.name),
            tests=("t",),
            pairs=PAIRS[2:],
            marks={("all", *PAIRS[2]): ("<<",)},
            tested="seconds",
        ),
        *(
            Table(
                *(f"table4{suffix}-precision", f"Similarity, {fits}: average precision", run.name),
                {
                    "best dimension, as in the paper": "best",
                    "dimension chosen by the other keywords": "fair",
                    "fit, s": "seconds",
                },
                {
                    ("all", "Baseline"): (0.560, None, None),
                    ("all", "LSI"): (0.593, None, 1.628),
                    ("all", "TensorLSI"): (0.598, None, 0.214),
                },
                digits=3,
                uncompared=OTHER,
                note="Splits are keywords. The paper's seconds are means over one fit for each keyword.",
            )
            for suffix, fits, run in SIMILARITIES
        ),
        Table(
            *("table5", "Clustering: accuracy and seconds", "clustering"),
            {
                "accuracy": "accuracy",
                "reduction, s": "reducing",
                "k-means, s": "k-means",
                "in all, s": "seconds",
                "dimension": "dimension",
            },
            CLUSTERING_FIGURES,
            digits=3,
            uncompared=OTHER,
            averages=figures_of(AVERAGE5),
            note="Splits are draws of categories: 45, as in the paper. The dimension is picked by the labels "
            "of 5 other draws, as in the paper; these share documents with those that are shown.",
        ),
        Table(
            *("table5-unit", "Clustering, beyond the paper: coordinates of unit length", SPHERICAL.name),
            {"accuracy": "accuracy", "dimension": "dimension"},
            tests=("t",),
            pairs=PAIRS,
            tested="accuracy",
            digits=3,
            note="The same draws, and LSI and TensorLSI with coordinates of unit length, of which the paper "
            "does not speak; declared after a trial on other draws had shown gains. The dimension is picked "
            "as in Table 5.",
        ),
        Table(
            *("table6", "Clustering: t-tests of the accuracy over draws", "clustering"),
            tests=("t",),
            pairs=PAIRS,
            marks=_clustering_marks(),
            tested="accuracy",
        ),
        Table(
            *("table6-seconds", "Clustering: t-tests of the seconds over draws", "clustering"),
            tests=("t",),
            pairs=PAIRS,
            marks={(k, *pair): ("<<",) for k in KS for pair in PAIRS},
            tested="seconds",
        ),
        Table(
            *("table7", "Nearest neighbours: accuracy, seconds, storage", "neighbours"),
            {
                "accuracy": "accuracy",
                "reduction, s": "reducing",
                "search, s": "searching",
                "in all, s": "seconds",
                "stored, MiB": "stored",
                "dimension": "dimension",
            },
            NEIGHBOUR_FIGURES,
            digits=3,
            uncompared=OTHER,
            averages=figures_of(AVERAGE7),
            note="The dimensions and k = 4 are the paper's, which it chose on test results.",
        ),
        Table(
            *("table7-tests", "Nearest neighbours: t-tests of the accuracy over splits", "neighbours"),
            tests=("t",),
            pairs=PAIRS,
            tested="accuracy",
            note="The paper has no such tests.",
        ),
        *(
            Listing(
                *(f"figure2{suffix}", f"Similarity by keyword, {fits}", run.name, "best", THREE),
                {word: figures[1:] for word, figures in KEYWORDS.items()},
                "points of average precision that a reduction adds to the terms",
                seconds=KEYWORD_SECONDS,
                note="Average precision in % at the best dimensions, and what LSI and TensorLSI add. The "
                "paper's seconds are of one fit for each keyword.",
            )
            for suffix, fits, run in SIMILARITIES
        ),
        Figure(
            *("figure3", "Clustering accuracy by number of clusters", "clustering", "accuracy", THREE),
            *("clusters", "accuracy"),
            printed=_lines(CLUSTERING_FIGURES, 0),
        ),
        Figure(
            *("figure4", "Clustering time by number of clusters", "clustering", "seconds", THREE),
            *("clusters", "seconds"),
            printed=_lines(CLUSTERING_FIGURES, 3),
            log_y=True,
        ),
        Figure(
            *("figure5", "Classification time by training size", "neighbours", "seconds", THREE),
            *("trained on", "seconds"),
            printed=_lines(NEIGHBOUR_FIGURES, 3),
            log_y=True,
        ),
        Figure(
            *("figure6", "Storage by training size", "neighbours", "stored", ("LSI", "TensorLSI")),
            *("trained on", "MiB"),
            printed={name: _lines(NEIGHBOUR_FIGURES, 4)[name] for name in ("LSI", "TensorLSI")},
            log_y=True,
        ),
    ),
    claims=(
        *(
            Claim(
                *(f"Similarity, {fits}: {text}", run.name, a, b, "best", expect, "t"),
                note="at the best dimension of each keyword, as in the paper",
            )
            for _, fits, run in SIMILARITIES
            for text, a, b, expect in (
                ("LSI is better than the terms", "LSI", "Baseline", ">"),
                ("TensorLSI is better than the terms", "TensorLSI", "Baseline", ">"),
                ("TensorLSI and LSI are level", "TensorLSI", "LSI", "~"),
            )
        ),
        *(
            Claim(
                *(f"Similarity, {fits}: TensorLSI takes less time than LSI", run.name, "TensorLSI", "LSI"),
                *("seconds", "<", "t" if run is EACH else ""),
            )
            for _, fits, run in SIMILARITIES
        ),
        *(
            Claim(f"Clustering: {text}", "clustering", a, b, "accuracy", expect, "t", parts)
            for text, a, b, expect, parts in (
                ("LSI is better than the terms", "LSI", "Baseline", ">", ()),
                ("TensorLSI is better than the terms", "TensorLSI", "Baseline", ">", ()),
                ("TensorLSI and LSI are level up to 6 clusters", "TensorLSI", "LSI", "~", KS[:5]),
                ("LSI is ahead of TensorLSI for 8 to 10 clusters", "LSI", "TensorLSI", ">", KS[6:]),
            )
        ),
        *(
            Claim(
                f"Clustering: {a} takes less time than {'LSI' if b == 'LSI' else 'the terms'}",
                *("clustering", a, b, "seconds", "<", "t"),
            )
            for a, b in reversed(PAIRS)
        ),
        *(
            Claim(f"Classification: {text}", "neighbours", a, b, "argmax.micro", "~", "s")
            for text, a, b in (
                ("TensorLSI and LSI are level", "TensorLSI", "LSI"),
                ("LSI does not change the terms' accuracy much", "LSI", "Baseline"),
                ("TensorLSI does not change the terms' accuracy much", "TensorLSI", "Baseline"),
            )
        ),
        *(
            Claim(f"Classification: {text}", "neighbours", a, b, measure, "<", "t", parts, note)
            for text, a, b, measure, parts, note in (
                (
                    *("TensorLSI takes less time than LSI from 10% on", "TensorLSI", "LSI", "seconds"),
                    *(FROM_10, "with 5% LSI takes less in the paper's own table"),
                ),
                (
                    *("TensorLSI's reduction takes less time than LSI's", "TensorLSI", "LSI", "reducing"),
                    *((), ""),
                ),
                (
                    *("the search takes less time after LSI than on the terms", "LSI", "Baseline"),
                    *("searching", (), SPARSE),
                ),
                (
                    *("the search takes less time after TensorLSI than on the terms", "TensorLSI"),
                    *("Baseline", "searching", (), SPARSE),
                ),
                (
                    *("TensorLSI and the search take less time than the terms", "TensorLSI", "Baseline"),
                    *("seconds", (), ""),
                ),
                (
                    *("with many labels LSI and the search take more time than the terms", "Baseline"),
                    *("LSI", "seconds", ("50%", "ModApte"), ""),
                ),
                ("TensorLSI stores less than LSI", "TensorLSI", "LSI", "stored", (), ""),
            )
        ),
        Claim(
            *("Figure 5: TensorLSI's time grows less with the training part than LSI's", "neighbours"),
            *("TensorLSI", "LSI", "seconds", "<", ""),
            at=FROM_10,
            note="how many times that of 5% it is",
            since="5%",
        ),
    ),
    errata=(
        "The text keeps categories with more than ten documents; heat and lei have ten (Table 2).",
        "Table 7's storage implies terms that two training documents hold, which the text does not say.",
        "Figure 2's times, and gains of LSI of exactly zero, imply one fit for each keyword, the text one on "
        "all documents: here are both.",
    ),
    choices=(
        "Unit-length tf, n2 = 20, by document frequency; the similarity on the texts, as the authors' matrix "
        "has no words, all else on the authors' matrix.",
        "LSI is scikit-learn's TruncatedSVD (randomised), one thread: the paper's eigenproblem of all "
        "documents "
        "took MATLAB minutes, so our seconds of LSI are far smaller.",
        "Clustering: 5 draws to pick the dimension from 2, 5, 10, 20, 30, 50 (the paper: 1 to 50), then 5 "
        "others; nine times over, 45 draws as in the paper. The tables say how many of them were run.",
        "LinearSVC and turned directions in clustering were tried on the first split, test figures seen, "
        "before they were declared; nothing was changed after.",
        "An earlier run had other documents for each keyword (see Table 3), the seed 0 for the starts of SVD "
        "and k-means, and in clustering the terms that no drawn document has.",
        "Similarity: terms that none of the documents has are left out. An earlier run had them, which moves "
        "where terms are placed, and TensorLSI's precision in one fit on all was a point higher.",
    ),
    tried={
        "table4": "LSI gains more here than in the paper, and is significantly ahead of TensorLSI. Tried: a "
        "fit for each keyword, which is the next table.",
        "table4-each": "For many keywords LSI adds nothing to the terms at its best dimension, as printed "
        "for some (Figure 2), and the printed seconds fit no other reading: this is likely how the paper was "
        "run. But for most keywords both gain less here than printed, and TensorLSI is behind the terms for "
        "half of them: the 1500 pairs that it keeps at most are fewer than make up such documents. The "
        "paper's grid of dimensions is not stated.",
        **{
            name: "The terms themselves are off by many points for some keywords, agreement and talks above "
            f"all{more}. Tried: vectors of the body alone, of words that are not parted at hyphens and "
            "apostrophes, and with stop words; none brings the terms nearer on average. The paper's matrix "
            "has no words to look for, and its rows are in another order than the texts."
            for name, more in (
                ("figure2", ", and there the reductions gain as much more"),
                ("figure2-each", ""),
            )
        },
        "table5": "Accuracies are well below the printed ones, and the reductions lose. Tried on "
        "twelve other draws of 2 and of 5 categories: coordinates of unit length, which gain (the next table "
        "has them on the same draws as this one); tf-idf and starts at random rows lower the terms' figure "
        "for 2 categories and raise it for 5, drawing only categories of 30 documents or more does the "
        "opposite. The paper's seconds are MATLAB's on its machine, and ours are of cells that run side by "
        "side.",
        "table7": "The paper's splits are not known, nor how it broke ties between neighbours; nothing was "
        "tried. Its seconds are MATLAB's on its machine.",
    },
)
