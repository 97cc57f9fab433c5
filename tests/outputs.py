"""Small fits of every public estimator, for comparing the outputs of two commits bit by bit.

    python -m tests.outputs write before.npz      # in a checkout of one commit
    python -m tests.outputs write after.npz       # in a checkout of the other, on the same machine
    python -m tests.outputs compare before.npz after.npz

Only public names are used, so the file can be copied into an older checkout.
"""

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from textensor import TextCategorizer
from textensor import classify as c
from textensor import reduce as r
from textensor.datasets import make_documents
from textensor.evaluate import f1_by_argmax, f1_by_assignment, f1_intervals
from textensor.files import load, save
from textensor.learn import Hinge, SquaredHinge, SquaredLoss
from textensor.search import DocumentIndex
from textensor.space import CharTrigramVectorizer, RandomTensorFeatures, TermVectorizer

WORDS = ["wheat", "maize", "barley", "flour", "harvest", "bank", "money", "rates", "loan", "interest"]
WORDS += ["ship", "harbour", "tide", "storm", "anchor"]
COMMON = ["the", "of", "and", "in", "was", "to", "from", "with", "that", "for"]


def texts_and_labels(n=120, seed=0):
    """Return short texts of three labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    texts = [
        " ".join([*rng.choice(WORDS[5 * k : 5 * k + 5], 4), *rng.choice(COMMON, 6), *rng.choice(WORDS, 2)])
        for k in y
    ]
    return texts, np.array(["grain", "money", "sea"])[y]


def matrices():
    """Return documents x terms, one class for each, the same with unlabelled ones, and an indicator."""
    corpus = make_documents(600, 400, 4, random_state=0)
    X = sp.csr_matrix(normalize(corpus.X.astype(float)))
    several = np.asarray(corpus.y.todense() if sp.issparse(corpus.y) else corpus.y)
    y = several.argmax(axis=1) if several.ndim == 2 else several
    semi = np.where(np.arange(len(y)) % 3 > 0, y, -1)
    return X, y, semi, several


def estimators():
    """Yield a name, an estimator, and the kind of y that it is given."""
    for C in (0.3, 10.0):
        yield f"svm-{C}", c.SupportTensorMachine(C, order=1, random_state=0), "several"
    yield "svm-tol", c.SupportTensorMachine(10, order=1, tol=2e-2, random_state=0), "classes"
    yield "svm-balanced", c.SupportTensorMachine(order=1, class_weight="balanced", random_state=1), "classes"
    yield "svm-tuned", c.SupportTensorMachine(order=1, thresholds="tuned", random_state=1), "several"
    yield (
        "stm",
        c.SupportTensorMachine(10, arrangement="document-frequency", shape=(-1, 20), random_state=0),
        "classes",
    )
    yield "stm-weight", c.SupportTensorMachine(10, arrangement="weight", random_state=0), "classes"
    yield (
        "stm-3",
        c.SupportTensorMachine(order=3, rank=2, arrangement="document-frequency", random_state=0),
        "two",
    )
    yield "stm-semantic", c.SupportTensorMachine(rank=3, unlabeled_value=-1, random_state=0), "semi"
    yield "stm-averaged", c.SupportTensorMachine(thresholds="averaged", random_state=0), "several"
    yield "tls", c.TensorLeastSquares(0.1, shape=(-1, 20), random_state=0), "classes"
    yield "tls-0", c.TensorLeastSquares(order=1, random_state=0), "two"
    yield "tensor-hinge", c.TensorClassifier(Hinge(3.0, True, 2.0), rank=2, random_state=0), "classes"
    yield "tensor-squared-hinge", c.TensorClassifier(SquaredHinge(3.0), random_state=0), "classes"
    yield "tensor-squares", c.TensorClassifier(SquaredLoss(0.5), order=3, random_state=0), "two"
    yield "tensor-foreign", c.TensorClassifier(LogisticRegression(), max_iter=5, random_state=0), "two"
    yield "semantic-svm", c.SemanticSVM(random_state=0), "semi"
    yield (
        "semantic-svm-several",
        c.SemanticSVM(reducer=r.LSI(20), thresholds="tuned", random_state=0),
        "several",
    )
    yield "minmax", c.MinMaxSVM(modules=(2, 3), random_state=0), "several"
    yield "minmax-auto", c.MinMaxSVM(thresholds="tuned", random_state=0), "classes"
    members = [c.MinMaxSVM(modules=(1, 1), random_state=0), c.MinMaxSVM(modules=(1, 3), random_state=0)]
    yield "average", c.AverageClassifier(members, thresholds="averaged"), "several"
    yield "coem", c.CoEM(random_state=0), "semi-counts"
    yield "nearest", c.NearestDocument(), "dense"
    for solver in ("lanczos", "qr", "dense"):
        yield f"lrwmmc-{solver}", r.LRWMMC(8, 5, solver=solver), "classes"
    yield "dne", r.DNE(8, 5), "classes"
    yield "mmc", r.MMC(3), "classes"
    yield "semi-lrwmmc", r.SemiSupervisedLRWMMC(8, 5, reg=0.1), "semi"
    yield "kernel-lrwmmc", r.KernelLRWMMC(8, 5), "classes"
    yield (
        "kernel-lrwmmc-paper",
        r.KernelLRWMMC(8, 5, kernel="poly", axes="coefficients", solver="lanczos"),
        "classes",
    )
    yield "tensor-lrwmmc", r.TensorLRWMMC(3, 5, shape=(-1, 20)), "classes"
    yield "srda", r.SRDA(), "classes"
    yield "sda", r.SDA(), "semi"
    yield "kda", r.KDA(), "classes"
    yield "lsk", r.LatentSemanticKernel(10), "classes"
    yield "clsi", r.CLSI(12), "classes"
    yield "centroid", r.CentroidProjection(), "classes"
    yield "lsi", r.LSI(20, random_state=0), "classes"
    yield "tensorlsi", r.TensorLSI(20), "classes"
    yield "tensorlsi-pairs", r.TensorLSI(20, n_pairs=60, shape=(-1, 10)), "classes"
    yield "hosvd", r.HOSVD((4, 4), shape=(-1, 20)), "classes"
    yield "random-features", RandomTensorFeatures(30, random_state=0), "classes"


def outputs():
    """Yield the name of each output, and the output."""
    X, y, semi, several = matrices()
    kinds = {"classes": (X, y), "semi": (X, semi), "several": (X, several), "two": (X, y > 1)}
    kinds["semi-counts"] = sp.csr_matrix((np.ceil(10 * X.data), X.indices, X.indptr), shape=X.shape), semi
    kinds["dense"] = X[:, :50].toarray(), y
    for name, model, kind in estimators():
        data, target = kinds[kind]
        model.fit(data, target)
        for method in ("transform", "decision_function", "predict"):
            if hasattr(model, method):
                yield f"{name}.{method}", getattr(model, method)(data)
        for attribute, value in sorted(vars(model).items()):
            if attribute.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind in "fi":
                yield f"{name}.{attribute}", value
        with tempfile.TemporaryDirectory() as folder:
            save(model, Path(folder) / "a.model")
            again = load(Path(folder) / "a.model")
            asked = "transform" if hasattr(model, "transform") else "decision_function"
            yield f"{name}.loaded", getattr(again, asked)(data)
    yield from of_texts()


def of_texts():
    """Yield what comes of raw text."""
    texts, labels = texts_and_labels()
    fresh, truth = texts_and_labels(60, 1)
    for name, vectorizer in {
        "terms": TermVectorizer(),
        "terms-pairs": TermVectorizer(
            ngram_range=(1, 2), sublinear_tf=True, stop_words="english", stemmer="english"
        ),
        "trigrams": CharTrigramVectorizer(),
    }.items():
        yield f"{name}.transform", vectorizer.fit(texts).transform(fresh)
    some = [label if k % 4 else "" for k, label in enumerate(labels)]
    many = [(label, "even") if k % 2 else (label,) for k, label in enumerate(labels.tolist())]
    methods = (
        "svm",
        "stm",
        "semantic-stm",
        "semantic-svm",
        "minmax",
        "tls",
        "lrwmmc",
        "semi-lrwmmc",
        "coem",
        "auto",
    )
    for method in (*methods, "srda-knn", "tensorlsi-knn"):
        for kind, given in {"one": labels, "some": some, "many": many}.items():
            if kind == "many" and method not in (*methods[:6], "auto"):
                continue
            model = TextCategorizer(method, time_budget=600).fit(texts, given)
            name = f"categorizer-{method}-{kind}"
            yield f"{name}.scores", model.predict_scores(fresh)
            yield f"{name}.probabilities", model.predict_proba(fresh)
            yield f"{name}.figures", np.array([model.figures_["micro"], model.figures_["macro"]])
            reasons = [part[1] for one in model.explain(fresh[:5]) for found in one for part in found.parts]
            yield f"{name}.reasons", np.array(reasons)
    scores = TextCategorizer("svm").fit(texts, labels).predict_scores(fresh)
    for name, measure in (("argmax", f1_by_argmax), ("assignment", f1_by_assignment)):
        found = measure(truth, scores, classes=np.unique(labels))
        interval = f1_intervals(found)
        yield (
            f"f1-{name}",
            np.array([found.micro, found.macro, *np.ravel(interval.micro), *np.ravel(interval.macro)]),
        )
    index = DocumentIndex(r.LSI(10).fit(matrices()[0]))
    index.add(matrices()[0])
    names, cosines = index.search(matrices()[0][:50], k=5)
    yield "index.names", names
    yield "index.cosines", cosines


def main():
    """Write the outputs, or compare two files of them."""
    if sys.argv[1:2] == ["write"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = {}
            for name, value in outputs():
                if sp.issparse(value):
                    value = value.toarray()
                value = np.asarray(value)
                found[name] = value.astype(str) if value.dtype == object else value
        np.savez_compressed(sys.argv[2], **found)
        print(f"{len(found)} outputs")
        return
    before, after = (np.load(path) for path in sys.argv[2:4])
    names = sorted(set(before.files) | set(after.files))
    moved = 0
    for name in names:
        if name not in before.files or name not in after.files:
            print(f"{name}: only in {'the first' if name in before.files else 'the second'}")
            continue
        a, b = before[name], after[name]
        if a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            continue
        moved += 1
        if a.shape != b.shape or a.dtype.kind in "US":
            print(f"{name}: differs ({a.shape} {b.shape})")
        else:
            print(f"{name}: differs by at most {np.nanmax(np.abs(a.astype(float) - b.astype(float))):.3g}")
    print(f"{len(names) - moved} of {len(names)} outputs are equal bit by bit.")


if __name__ == "__main__":
    main()
