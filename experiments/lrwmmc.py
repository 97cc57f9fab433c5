"""Local relevance weighted maximum margin criterion for text classification (Wang, Zhang, Zhang, 2009)."""

from collections.abc import Mapping
from typing import Any

from experiments.declare import Claim, Figure, Method, Paper, Part, Run, Table

REUTERS, TREC9, NEWS = "Reuters21578", "TREC-9 (stand-in: Ohsumed-23)", "20Newsgroup"
SETS = {REUTERS: "reuters52", TREC9: "ohsumed", NEWS: "20newsgroups"}
KS = [1, 3, 5, 10, 20, 30, 40, 50]
#: The number of dimensions is not stated: chosen by cross-validation.
DIMENSIONS = [25, 50, 100]


def _parts(quick: tuple[int, int, int], full: tuple[int, int, int], end: str = "") -> tuple[Part, ...]:
    return tuple(
        Part(name, quick[k], full[k], {"data": data + end}) for k, (name, data) in enumerate(SETS.items())
    )


PLAIN = Run(
    *("plain", "nearest", "", _parts((1, 0, 0), (1, 1, 1))),
    {
        "LSI": Method({"method": "lsi", "dimensions": DIMENSIONS}),
        "CLSI": Method({"method": "clsi", "grid": [100, 200]}),
        "CM": Method({"method": "cm"}),
        "LDA": Method({"method": "srda", "grid": [0.1, 1.0, 10.0]}),
        "DNE": Method({"method": "dne", "k": KS, "dimensions": DIMENSIONS}),
        "LRWMMC": Method({"method": "lrwmmc", "k": KS, "dimensions": DIMENSIONS}),
        "plain terms": Method({"method": "terms"}, beyond="the nearest document without any reduction"),
        "LRWMMC, by the cosine": Method(
            {"method": "lrwmmc", "k": KS, "dimensions": DIMENSIONS, "cosine": True},
            quick=False,
            beyond="the nearest document by the angle between projections, not by their distance",
        ),
        "LinearSVC, C tuned": Method(
            {"method": "svm", "grid": [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]},
            beyond="all terms, hinge loss, C chosen by the same cross-validation",
        ),
    },
)
GAMMAS = [1 / 16, 1 / 4, 1.0, 4.0]
KERNELS = Run(
    *("kernels", "nearest", "", _parts((0, 1, 0), (1, 1, 1))),
    {
        "LSK": Method({"method": "lsk", "gamma": GAMMAS, "dimensions": [50, 100]}),
        "KDA": Method({"method": "kda", "gamma": GAMMAS, "delta": 1.0}),
        "Kernel LRWMMC": Method(
            {"method": "kernel", "gamma": GAMMAS[1:], "k": [10, 30], "dimensions": [50, 100]}
        ),
    }
    | {name: PLAIN.methods[name] for name in ("plain terms", "LinearSVC, C tuned")},
)
TENSORS = Run(
    *("tensors", "nearest", "", _parts((0, 1, 0), (1, 1, 1), "-trigrams")),
    {
        "HOSVD": Method({"method": "hosvd", "ranks": [5, 10, 15]}),
        "Tensor LRWMMC": Method({"method": "tensor", "ranks": [10, 15], "k": [10, 30]}),
        "plain trigrams": Method(
            {"method": "terms"}, beyond="the nearest document without any reduction", quick=False
        ),
        "LinearSVC on trigrams, C tuned": Method(
            {"method": "svm", "grid": [0.25, 1.0, 4.0]},
            beyond="all trigrams, hinge loss, C chosen by the same cross-validation",
            quick=False,
        ),
    },
)


#: k and dimensions where labels are few.
FEW = {"k": [5, 20], "dimensions": [50, 100]}
#: grid: lambda of Semi-Supervised LRWMMC (the paper's is 4^-3 to 4^3), alpha of SDA, smoothing of Co-EM.
SEMI = {
    "LRWMMC": Method({"method": "lrwmmc", "grid": [0.0]} | FEW),
    "Semi-Supervised LRWMMC": Method({"method": "semi", "grid": [1 / 64, 1 / 16, 1 / 4]} | FEW),
    "SDA": Method({"method": "sda", "grid": [0.0, 0.01]}),
    "Co-EM": Method({"method": "coem", "grid": [0.01, 0.1, 1.0]}),
}


def _few(name: str, data: str, sizes: tuple[int, ...], quick: int = 0) -> Run:
    parts = tuple(Part(str(n), int(n == quick), 10, {"labels": n}) for n in sizes)
    return Run(f"few labels, {name}", "few labels", data, parts, SEMI)


FEW_REUTERS = _few("Reuters", "reuters52", (200, 500, 1000, 2000, 3000, 4000, 5000))
FEW_TREC9 = _few("TREC-9", "ohsumed", (200, 300, 400, 500, 600), quick=600)
FEW_NEWS = _few("20Newsgroup", "20newsgroups", (2000, 4000, 6000, 8000, 10000))

TABLE2 = {
    "LSI": (0.9018, 0.7319, 0.8421, 0.7714, 0.4987, 0.4901),
    "CLSI": (0.9371, 0.7422, 0.8723, 0.8222, 0.5175, 0.5088),
    "CM": (0.9156, 0.7275, 0.8776, 0.8315, 0.5319, 0.5274),
    "LDA": (0.9267, 0.7305, 0.8575, 0.7828, 0.5625, 0.5571),
    "DNE": (0.9421, 0.7875, 0.9098, 0.8504, 0.6432, 0.6396),
    "LRWMMC": (0.9552, 0.8097, 0.9115, 0.8886, 0.6616, 0.6604),
}
TABLE3 = {
    "LSK": (0.9159, 0.7892, 0.8575, 0.7875, 0.5174, 0.5119),
    "KDA": (0.9349, 0.8067, 0.8821, 0.8016, 0.5951, 0.5872),
    "Kernel LRWMMC": (0.9656, 0.8129, 0.9271, 0.9043, 0.7127, 0.7109),
}
TABLE4 = {
    "HOSVD": (0.8514, 0.6917, 0.8271, 0.7319, 0.5172, 0.5087),
    "Tensor LRWMMC": (0.9133, 0.7649, 0.8810, 0.8275, 0.6739, 0.6529),
}
#: The paper's macro-F1, and the mean of the categories' F1, which others mean by it and the paper lacks.
MEASURES = {
    "micro-F1": "argmax.micro",
    "macro-F1": "argmax.macro of means",
    "macro-F1, mean of the F1 of categories": "argmax.macro",
}
BEST = {
    "micro-F1, k best on the test part, as in the paper": "best.micro",
    "macro-F1, k best on the test part, as in the paper": "best.macro of means",
}
#: The paper's macro-F1 is one figure of all categories.
TESTED_MACRO = "the mean of the categories' F1, which can be tested over them"
#: What each table is about, tested against the others; the paper has no tests.
TESTS: dict[str, Any] = {"tests": ("s", "T"), "tested": "argmax.macro"}
OTHER_DATA = (
    "The paper's figures of TREC-9 are of other documents: 63 categories, 634 training documents. Beside "
    "them "
    "stands Ohsumed, 23 categories of the same collection, as a stand-in; differences there say nothing."
)


def _printed(
    table: Mapping[str, tuple[float, ...]], more: int = 0
) -> dict[tuple[str, str], tuple[float | None, ...]]:
    """Return the figures by set and method; of the chosen k first, then of the k that is best on the test."""
    printed: dict[tuple[str, str], tuple[float | None, ...]] = {}
    for method, figures in table.items():
        for k, name in enumerate(SETS):
            own = figures[2 * k : 2 * k + 2]
            printed[name, method] = (*own, None, *own) if more else (*own, None)
    return printed


def _ahead(run: str, a: str, b: str, other_run: str = "") -> list[Claim]:
    return [
        Claim(
            *(f"{a} is ahead of {b} in {mean}-F1", run, a, b, f"argmax.{mean}", ">", test),
            note=note,
            other_run=other_run,
        )
        for mean, test, note in (("micro", "s", ""), ("macro", "T", TESTED_MACRO))
    ]


PAPER = Paper(
    name="lrwmmc",
    title="Local relevance weighted maximum margin criterion for text classification (2009)",
    runs=(PLAIN, KERNELS, TENSORS, FEW_REUTERS, FEW_TREC9, FEW_NEWS),
    items=(
        Table(
            "table2",
            "Nearest document after reduction",
            "plain",
            MEASURES | BEST,
            _printed(TABLE2, 2),
            pairs=[("LRWMMC", other) for other in list(TABLE2)[:-1]],
            note=OTHER_DATA,
            **TESTS,
        ),
        Table(
            *("table3", "Kernel methods", "kernels", MEASURES, _printed(TABLE3)),
            pairs=[("Kernel LRWMMC", other) for other in ("LSK", "KDA")],
            note=OTHER_DATA,
            **TESTS,
        ),
        Table(
            *("table4", "Tensors of character trigrams", "tensors", MEASURES, _printed(TABLE4)),
            pairs=[("Tensor LRWMMC", "HOSVD")],
            note=OTHER_DATA,
            **TESTS,
        ),
        *(
            Figure(
                *(f"figure3-{short}", f"Micro-F1 by the size k of the region, {name}", "plain", ""),
                *(("DNE", "LRWMMC"), "k", "micro-F1"),
                parts=(name,),
                measures={str(k): f"by k.{k}" for k in KS},
                note="The dimension is chosen by cross-validation. The paper prints no figures.",
            )
            for short, name in (("reuters", REUTERS), ("trec9", TREC9), ("20newsgroup", NEWS))
        ),
        *(
            Figure(
                *(f"figure4-{short}", f"Micro-F1 by labelled documents, {name}", run, "argmax.micro"),
                *(tuple(SEMI), "labelled documents", "micro-F1"),
                note="The paper prints no figures.",
            )
            for short, name, run in (
                ("reuters", REUTERS, "few labels, Reuters"),
                ("trec9", TREC9, "few labels, TREC-9"),
                ("20newsgroup", NEWS, "few labels, 20Newsgroup"),
            )
        ),
    ),
    claims=(
        *(claim for other in list(TABLE2)[:-1] for claim in _ahead("plain", "LRWMMC", other)),
        *(claim for other in ("LSK", "KDA") for claim in _ahead("kernels", "Kernel LRWMMC", other)),
        *_ahead("tensors", "Tensor LRWMMC", "HOSVD"),
        *_ahead("kernels", "Kernel LRWMMC", "LRWMMC", other_run="plain"),
        *(
            Claim(
                *(f"{tensor} is {words} {vector} on {where}", "tensors", tensor, vector),
                *("argmax.micro", expect, "s", parts),
                other_run="plain",
            )
            for tensor, vector in (("Tensor LRWMMC", "LRWMMC"), ("HOSVD", "LSI"))
            for words, expect, where, parts in (
                ("behind", "<", "Reuters and TREC-9", (REUTERS, TREC9)),
                ("ahead of", ">", "20Newsgroup", (NEWS,)),
            )
        ),
        Claim(
            *("Figure 3: with k of 10 and more LRWMMC is ahead of DNE", "plain", "LRWMMC", "DNE"),
            *("", ">", ""),
            measures={f"k = {k}": f"by k.{k}" for k in KS if k >= 10},
        ),
        Claim(
            *("Figure 3: DNE is better with k = 1 than with k = 50", "plain", "DNE", "DNE"),
            *("by k.1", ">", ""),
            other_measure="by k.50",
        ),
        Claim(
            *("Figure 3: LRWMMC with k = 30 is ahead of DNE with k = 1", "plain", "LRWMMC", "DNE"),
            *("by k.30", ">", ""),
            note="the paper: it does well with k from 1 to 30, DNE with 1 and 3 only",
            other_measure="by k.1",
        ),
        *(
            Claim(
                *(f"{run}: Semi-Supervised LRWMMC is ahead of {other}", run),
                *("Semi-Supervised LRWMMC", other, "argmax.micro", ">", "s"),
                note="which is the paper's baseline" if other == "LRWMMC" else "",
            )
            for run in ("few labels, Reuters", "few labels, TREC-9", "few labels, 20Newsgroup")
            for other in ("LRWMMC", "SDA", "Co-EM")
        ),
        *(
            Claim(
                *(f"{run}: with {sizes[0]} labels and more LRWMMC is ahead of {other}", run),
                *("LRWMMC", other, "argmax.micro", ">", "s"),
                at=sizes,
            )
            for run, sizes in (
                ("few labels, Reuters", ("4000", "5000")),
                ("few labels, TREC-9", ("500", "600")),
            )
            for other in ("Co-EM", "SDA")
        ),
        *(
            Claim(
                *(f"{run.name}: with more labels LRWMMC gains more than Co-EM and SDA", run.name),
                *("LRWMMC", "Co-EM", "argmax.micro", ">", ""),
                at=(run.parts[-1].name,),
                note="the paper: it increases dramatically; here, how many times the micro-F1 of "
                f"{run.parts[0].name} labels it is",
                more=[("LRWMMC", "SDA")],
                since=run.parts[0].name,
            )
            for run in (FEW_REUTERS, FEW_TREC9, FEW_NEWS)
        ),
    ),
    errata=(
        "Equation 3.6 counts a pair twice where each names the other, Equation 3.8 once: 3.7 is followed.",
        "Equation 5.19 has a factor 2 to spare; the overall mean below Equation 2.2 lacks 1/n.",
    ),
    missing=(
        "The TREC-9 subset of 63 categories is not at hand: Ohsumed with 23 categories is the stand-in.",
    ),
    choices=(
        "tf * log(n/df) of the training part, stop words removed, stemmed by Porter2 (the paper names no "
        "stemmer), "
        "unit length; the nearest document by the Euclidean distance.",
        "The number of dimensions, which the paper does not state, and all other settings are chosen by "
        "cross-validation with three folds of the training documents (the paper: five for sigma); the "
        "columns 'as in the paper' have the k that is best on the test part.",
        "k of LRWMMC and DNE from the paper's 1 to 50; sigma^2 of the kernel 1/4 to 16 (Kernel LRWMMC: to "
        "4), k = 10 or 30, 50 or 100 axes; tensors 10 or 15 axes for each mode, k = 10 or 30. With few "
        "labels k = 5 or 20, which is that of the graph of all documents, too, and 50 or 100 axes, of "
        "Semi-Supervised LRWMMC first with lambda = 0, then lambda of 1/64, 1/16 or 1/4 (the paper: to 64; "
        "so large ones leave hardly an axis, and earlier runs chose none above 1/4).",
        "Settings are chosen with axes that may lack a thousandth of the criterion (tol=1e-3), a fraction of "
        "the time; the axes of the figures shown have 1e-6. That tolerance was taken after a trial on one "
        "split of two sets that printed test figures at several.",
        "These grids were set after runs with one held-out third or with smaller grids, which printed test "
        "figures; where those runs chose a value at the edge of a grid, it was made wider, and those of few "
        "labels were cut for time.",
        "Macro-F1 is the F1 of mean precision and mean recall, as in the paper's Table 1; the mean of the "
        "categories' F1 is beside it.",
    ),
    tried={
        "table2": "On Reuters LRWMMC and DNE stay two to three points below. Tried on held-out training "
        "documents: one to fifty neighbours, 50 to 200 axes, the cosine in place of the distance, "
        "axes scaled by their eigenvalues, other weights of terms, no stemming, rare terms left out. "
        "Damped weights and the cosine gain most (`python -m benchmarks damped`) and still leave a "
        "point; the printed micro-F1 is that of a tuned LinearSVC on all terms. On 20Newsgroup every "
        "method is far above its printed figure: which documents and parts of them the paper took is "
        "not known.",
        "table3": "Tried: sigma^2 of 1/4 to 4 (LSK and KDA: to 16), k of 10 and 30, 50 to 200 axes, as "
        "chosen within the training documents. The kernel gains nothing significant on 20Newsgroup and loses "
        "elsewhere: where it is wide, all relevances come near 1, and those of one class have no weight "
        "left.",
        "table4": "Tried: 5, 10 and 15 axes for each mode, and the nearest document by the trigrams "
        "themselves, which is little better: in the table beyond the paper, where a linear SVM finds much "
        "more in the same trigrams. How the paper made its tensors is not known.",
        **dict.fromkeys(
            ("figure4-reuters", "figure4-trec9", "figure4-20newsgroup"),
            "Tried: lambda of 1/64 to 4. The folds of labelled documents nearly always choose 1/64, the "
            "least of the paper's grid, and with it the axes hardly differ from those of LRWMMC. How large "
            "the paper's gain is, it prints nowhere.",
        ),
    },
)
