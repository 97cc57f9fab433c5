"""One of each: every class that a model file may hold, fitted on text written for this."""

import atexit
import importlib
import shutil
import tempfile
from functools import cache
from math import prod
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import LinearSVC

from tests.embeddings import write_model
from tests.files.documents import (
    COUNTS,
    DENSE,
    FRESH,
    FRESH_COUNTS,
    FRESH_VECTORS,
    MANY,
    NUMBERS,
    SEMI,
    SEVERAL,
    TEXTS,
    TWO,
    VECTORS,
    WORDS,
    quiet_fit,
    wider,
)
from tests.files.zoo_scikit import of_scikit_learn
from textensor import TextCategorizer
from textensor.classify import (
    AverageClassifier,
    CentroidClassifier,
    CoEM,
    MinMaxSVM,
    NearestDocument,
    SemanticSVM,
    SupportTensorMachine,
    TensorClassifier,
    TensorLeastSquares,
)
from textensor.files.known import CATEGORIZER, ROOMS, class_of, declared
from textensor.files.scikit import SCIKIT
from textensor.learn import Hinge, SquaredHinge, SquaredLoss
from textensor.reduce import (
    CLSI,
    DNE,
    HOSVD,
    KDA,
    LRWMMC,
    LSI,
    MMC,
    SDA,
    SRDA,
    CentroidProjection,
    KernelLRWMMC,
    LatentSemanticKernel,
    SemiSupervisedLRWMMC,
    TensorLRWMMC,
    TensorLSI,
)
from textensor.space import (
    Arrangement,
    CharTrigramVectorizer,
    RandomTensorFeatures,
    SemanticArrangement,
    TermTensors,
    TermVectorizer,
)

GRID = (-1, 6)


def _streamed(model, X):
    return model.partial_fit(X[:5]).partial_fit(X[5:])


def _tensor(learner, y=WORDS, **options):
    return quiet_fit(TensorClassifier(learner, shape=GRID, random_state=0, **options), VECTORS, y)


def _machine(y=WORDS, **options):
    return quiet_fit(SupportTensorMachine(10, shape=GRID, random_state=0, **options), VECTORS, y)


def _pipeline(*steps, y=WORDS):
    return quiet_fit(make_pipeline(TermVectorizer(stop_words="english"), *steps), TEXTS, y)


def _read_in_part(model):
    return quiet_fit(model, VECTORS, SEMI).set_params(columns=None)  # files keep those of the fitted model


def _embedded(labels, **options):
    """Return a categorizer with a static model, which a model file says the place of."""
    folder = Path(tempfile.mkdtemp(prefix="textensor-zoo-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    model = TextCategorizer("semantic-svm", embedding=write_model(folder / "static"), **options)
    return quiet_fit(model, TEXTS, labels).set_params(embedding=None)  # files do not keep it


def _zoo():
    """Yield the name of each model, how to fit it, and whether it is given texts, vectors or counts."""
    # space
    yield "terms", lambda: TermVectorizer().fit(TEXTS), FRESH
    yield (
        "terms-settings",
        lambda: TermVectorizer(
            weighting="tf",
            stemmer="english",
            stop_words=["the", "and"],
            ngram_range=(1, 2),
            sublinear_tf=True,
            norm="l1",
            min_df=2,
            dtype=np.float32,
            n_jobs=2,
        ).fit(TEXTS),
        FRESH,
    )
    yield "terms-characters", lambda: TermVectorizer(analyzer="char_wb", ngram_range=(2, 3)).fit(TEXTS), FRESH
    yield (
        "terms-both",
        lambda: TermVectorizer(weighting="smooth", sublinear_tf=True, char_ngram_range=(3, 4), min_df=2).fit(
            TEXTS
        ),
        FRESH,
    )
    yield "terms-scripts", lambda: TermVectorizer(scripts=True, stop_words="german").fit(TEXTS), FRESH
    yield (
        "terms-given",
        lambda: TermVectorizer(vocabulary={"wheat": 1, "bank": 0, "ship": 2}).fit(TEXTS),
        FRESH,
    )
    yield (
        "terms-pattern",
        lambda: TermVectorizer(token_pattern=r"(?u)\b[^\W\d]\w+(?:'\w+)?\b").fit(TEXTS),
        FRESH,
    )
    yield "terms-streamed", lambda: _streamed(TermVectorizer(stop_words=["the"]), TEXTS), FRESH
    yield "trigrams", lambda: CharTrigramVectorizer(norm="l1", dtype=np.float32).fit(TEXTS), FRESH
    yield (
        "arrangement-frequency",
        lambda: Arrangement("document-frequency", order=3).fit(VECTORS),
        FRESH_VECTORS,
    )
    yield "arrangement-given", lambda: Arrangement("given", shape=(-1,)).fit(VECTORS), FRESH_VECTORS
    yield (
        "arrangement-array",
        lambda: Arrangement(np.random.default_rng(0).permutation(VECTORS.shape[1])).fit(VECTORS),
        FRESH_VECTORS,
    )
    yield (
        "arrangement-weight",
        lambda: Arrangement("weight", shape=GRID, weights=DENSE.sum(axis=0)).fit(VECTORS),
        FRESH_VECTORS,
    )
    yield (
        "arrangement-semantic",
        lambda: SemanticArrangement(n_latent=5, shape=GRID).fit(VECTORS),
        FRESH_VECTORS,
    )
    yield (
        "features",
        lambda: RandomTensorFeatures(4, 3, shape=GRID, random_state=0).fit(VECTORS),
        FRESH_VECTORS,
    )
    yield (
        "features-semantic",
        lambda: RandomTensorFeatures(
            3, 2, arrangement=SemanticArrangement(n_latent=3, shape=GRID), random_state=0
        ).fit(VECTORS.astype(np.float32)),
        FRESH_VECTORS,
    )
    yield "stm", lambda: _machine(), FRESH_VECTORS
    yield "stm-two", lambda: _machine(TWO, rank=2, class_weight={"yes": 2.0, "no": 1}), FRESH_VECTORS
    yield "stm-one", lambda: _machine(np.full(12, "all")), FRESH_VECTORS
    yield "stm-many", lambda: _machine(MANY, thresholds="tuned", n_jobs=2), FRESH_VECTORS
    yield "stm-sparse", lambda: _machine(sp.csr_matrix(MANY), arrangement="document-frequency"), FRESH_VECTORS
    yield "stm-weight", lambda: _machine(arrangement="weight", class_weight="balanced"), FRESH_VECTORS
    yield "stm-object", lambda: _machine(WORDS.astype(object), unlabeled_value=""), FRESH_VECTORS
    yield (
        "stm-arrangement",
        lambda: quiet_fit(
            SupportTensorMachine(arrangement=SemanticArrangement(n_latent=4, shape=GRID), random_state=0),
            VECTORS,
            NUMBERS,
        ),
        FRESH_VECTORS,
    )
    yield (
        "stm-order-3",
        lambda: quiet_fit(SupportTensorMachine(order=3, random_state=0), VECTORS, WORDS),
        FRESH_VECTORS,
    )
    yield (
        "tls",
        lambda: quiet_fit(TensorLeastSquares(0.1, shape=GRID, rank=2, random_state=0), VECTORS, NUMBERS),
        FRESH_VECTORS,
    )
    yield "tensor-hinge", lambda: _tensor(Hinge(2.0)), FRESH_VECTORS
    yield "tensor-squared-hinge", lambda: _tensor(SquaredHinge()), FRESH_VECTORS
    yield "tensor-squares", lambda: _tensor(SquaredLoss(1.0)), FRESH_VECTORS
    yield "tensor-foreign", lambda: _tensor(LinearSVC(random_state=0)), FRESH_VECTORS
    yield (
        "semantic-svm",
        lambda: quiet_fit(SemanticSVM(reducer=LSI(3), random_state=0), VECTORS, SEMI),
        FRESH_VECTORS,
    )
    yield (
        "semantic-svm-columns",
        lambda: _read_in_part(SemanticSVM(reducer=LSI(3), columns=[0, 2, 3, 5, 7], random_state=0)),
        FRESH_VECTORS,
    )
    yield (
        "semantic-svm-embedding",
        lambda: _read_in_part(
            SemanticSVM(reducer=LSI(3), columns=[0, 2, 3, 5], n_embedding=4, random_state=0)
        ),
        FRESH_VECTORS,
    )
    yield (
        "semantic-svm-embedding-only",
        lambda: quiet_fit(SemanticSVM(weight=0.0, n_embedding=4, random_state=0), VECTORS, MANY),
        FRESH_VECTORS,
    )
    yield (
        "semantic-svm-many",
        lambda: quiet_fit(SemanticSVM(reducer=TensorLSI(4, shape=GRID), random_state=0), VECTORS, MANY),
        FRESH_VECTORS,
    )
    yield "minmax", lambda: MinMaxSVM(modules=(1, 2), random_state=0).fit(VECTORS, WORDS), FRESH_VECTORS
    yield (
        "minmax-kept",
        lambda: MinMaxSVM(modules=(2, 2), keep_documents=True, random_state=0).fit(VECTORS, MANY),
        FRESH_VECTORS,
    )
    yield (
        "minmax-cells",
        lambda: MinMaxSVM(
            modules=(2, 2), decomposition="kmeans", overlap=0.2, keep_documents=True, random_state=0
        ).fit(VECTORS, WORDS, np.ones(len(WORDS))),
        FRESH_VECTORS,
    )
    yield (
        "minmax-sparse",
        lambda: MinMaxSVM(modules=(3, 3), random_state=0).fit(wider(VECTORS), WORDS),
        wider(FRESH_VECTORS),
    )
    yield (
        "minmax-sparse-many",
        lambda: MinMaxSVM(modules=(3, 3), thresholds="tuned", random_state=0).fit(wider(VECTORS), MANY),
        wider(FRESH_VECTORS),
    )
    yield (
        "average",
        lambda: AverageClassifier(
            [MinMaxSVM(modules=(1, 1), random_state=0), SupportTensorMachine(shape=GRID, random_state=0)],
            thresholds="averaged",
        ).fit(VECTORS, WORDS),
        FRESH_VECTORS,
    )
    yield "centroid", lambda: CentroidClassifier().fit(VECTORS, NUMBERS), FRESH_VECTORS
    yield "centroid-many", lambda: CentroidClassifier(thresholds="tuned").fit(VECTORS, MANY), FRESH_VECTORS
    yield "coem", lambda: quiet_fit(CoEM(random_state=0), COUNTS, SEMI), FRESH_COUNTS
    yield "nearest", lambda: NearestDocument().fit(DENSE, WORDS), FRESH_VECTORS.toarray()
    yield "categorizer", lambda: quiet_fit(TextCategorizer("svm"), TEXTS, WORDS), FRESH
    yield "categorizer-several", lambda: quiet_fit(TextCategorizer("stm"), TEXTS, SEVERAL), FRESH
    yield "categorizer-nearest", lambda: quiet_fit(TextCategorizer("srda-knn"), TEXTS, WORDS), FRESH
    yield "categorizer-embedding", lambda: _embedded(WORDS), FRESH
    yield "categorizer-embedding-many", lambda: _embedded(SEVERAL, settings={"weight": 0.0}), FRESH
    yield "categorizer-counts", lambda: quiet_fit(TextCategorizer("coem"), TEXTS, TWO), FRESH
    yield "tensorlsi", lambda: TensorLSI(5, shape=GRID).fit(VECTORS), FRESH_VECTORS
    yield "tensorlsi-turned", lambda: TensorLSI(3, n_pairs=6, shape=GRID).fit(VECTORS), FRESH_VECTORS
    yield "tensorlsi-order-1", lambda: TensorLSI(4, shape=(-1,)).fit(VECTORS), FRESH_VECTORS
    yield (
        "tensorlsi-streamed",
        lambda: _streamed(TensorLSI(5, shape=GRID, arrangement="given"), VECTORS),
        FRESH_VECTORS,
    )
    yield (
        "tensorlsi-batches",
        lambda: TensorLSI(5, shape=GRID, n_jobs=2).fit_batches([VECTORS[:6], VECTORS[6:]]),
        FRESH_VECTORS,
    )
    yield "hosvd", lambda: HOSVD((2, 2), shape=GRID).fit(VECTORS), FRESH_VECTORS
    yield "srda", lambda: SRDA().fit(VECTORS, WORDS), FRESH_VECTORS
    yield "sda", lambda: SDA(n_neighbors=2).fit(VECTORS, SEMI), FRESH_VECTORS
    yield "clsi", lambda: CLSI(4).fit(VECTORS, WORDS), FRESH_VECTORS
    yield "lsi", lambda: LSI(3).fit(VECTORS), FRESH_VECTORS
    yield "centroids", lambda: CentroidProjection().fit(VECTORS, NUMBERS.astype(np.int8)), FRESH_VECTORS
    yield "kda", lambda: KDA().fit(VECTORS, WORDS), FRESH_VECTORS
    yield "lsk", lambda: LatentSemanticKernel(3, kernel="cosine").fit(VECTORS), FRESH_VECTORS
    yield "mmc", lambda: MMC(2).fit(VECTORS, WORDS), FRESH_VECTORS
    yield "dne", lambda: DNE(2, 2).fit(VECTORS, WORDS), FRESH_VECTORS
    yield "lrwmmc", lambda: LRWMMC(2, 2).fit(VECTORS, NUMBERS), FRESH_VECTORS
    yield "semi-lrwmmc", lambda: SemiSupervisedLRWMMC(1, 2, reg=0.1).fit(VECTORS, SEMI), FRESH_VECTORS
    yield "kernel-lrwmmc", lambda: KernelLRWMMC(2, 2).fit(VECTORS, WORDS), FRESH_VECTORS
    yield "tensor-lrwmmc", lambda: quiet_fit(TensorLRWMMC(2, 2, shape=GRID), VECTORS, WORDS), FRESH_VECTORS
    yield "kda-dense", lambda: KDA(kernel="poly", degree=2).fit(DENSE, WORDS), FRESH_VECTORS.toarray()
    yield (
        "kda-precomputed",
        lambda: KDA(kernel="precomputed").fit((VECTORS @ VECTORS.T).toarray(), WORDS),
        (FRESH_VECTORS @ VECTORS.T).toarray(),
    )
    yield "srda-dense", lambda: SRDA().fit(DENSE.astype(np.float32), NUMBERS == 5), FRESH_VECTORS.toarray()
    yield from of_scikit_learn()
    yield "pipe-stm", lambda: _pipeline(SupportTensorMachine(10, shape=GRID, random_state=0)), FRESH
    yield "pipe-srda", lambda: _pipeline(SRDA(), Normalizer(), KNeighborsClassifier(1)), FRESH
    yield (
        "pipe-svd",
        lambda: _pipeline(TruncatedSVD(3, random_state=0), StandardScaler(), LogisticRegression(), y=TWO),
        FRESH,
    )
    yield (
        "pipe-pipe",
        lambda: _pipeline(
            make_pipeline(TensorLSI(4, shape=GRID), "passthrough"), LinearSVC(random_state=0), y=MANY[:, 0]
        ),
        FRESH,
    )
    yield (
        "pipe-calibrated",
        lambda: _pipeline(CalibratedClassifierCV(SupportTensorMachine(shape=GRID, random_state=0), cv=2)),
        FRESH,
    )
    yield (
        "pipe-trigrams",
        lambda: quiet_fit(
            make_pipeline(
                CharTrigramVectorizer(), HOSVD((2, 2, 2), shape=(27, 27, 27)), KNeighborsClassifier(1)
            ),
            TEXTS,
            WORDS,
        ),
        FRESH,
    )


#: The names of all classes in model files, records aside.
NAMES = sorted(
    {
        f"{room}.{name}"
        for room in ROOMS
        for name in importlib.import_module(room).__all__
        if class_of(f"{room}.{name}") is not None
    }
    | {CATEGORIZER}
    | {name for name in SCIKIT if not declared(class_of(name)).record}
)

ZOO = {name: (make, given) for name, make, given in _zoo()}


@cache
def fitted(name):
    """Return a model of the zoo, fitted once."""
    return ZOO[name][0]()


def given(name):
    """Return what a model of the zoo is to be asked."""
    return ZOO[name][1]


def outputs(model, given):
    """Return all that a model says of documents, as arrays."""
    if isinstance(model, Arrangement):
        tensors = TermTensors(given, model)
        if prod(tensors.shape) > 10**7:  # a grid may be as wide as one likes: nothing in it is made
            return [np.array(tensors.shape), *model.indices()]
        return [tensors.contract(1, np.arange(tensors.shape[1]) / 7.0), tensors.X.toarray()]
    found = []
    for method in ("transform", "predict", "decision_function", "predict_proba"):
        if hasattr(model, method):
            result = getattr(model, method)(given)
            if isinstance(result, list):  # of several labels, as many as there are
                result = np.array(list(map(str, result)))
            found.append(result.toarray() if sp.issparse(result) else np.asarray(result))
    assert found
    return found


def same(one, other):
    """Return whether two lists of arrays are equal bit by bit, dtypes included."""
    return len(one) == len(other) and all(
        a.dtype == b.dtype
        and a.shape == b.shape
        and (a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes())
        for a, b in zip(one, other, strict=True)
    )
