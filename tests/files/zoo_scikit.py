"""The part of the zoo that is scikit-learn's."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import LabelBinarizer, MaxAbsScaler, Normalizer, StandardScaler
from sklearn.svm import LinearSVC

from tests.files.documents import (
    COUNTS,
    DENSE,
    FRESH,
    FRESH_COUNTS,
    FRESH_VECTORS,
    MANY,
    NUMBERS,
    TEXTS,
    TWO,
    VECTORS,
    WORDS,
    quiet_fit,
)


def of_scikit_learn():
    """Yield the name of each model, how to fit it, and what it is asked."""
    yield "counts", lambda: CountVectorizer(stop_words="english", max_features=20).fit(TEXTS), FRESH
    yield "tfidf", lambda: TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)).fit(TEXTS), FRESH
    yield "tfidf-none", lambda: TfidfVectorizer(use_idf=False).fit(TEXTS), FRESH
    yield "weights", lambda: TfidfTransformer().fit(VECTORS), FRESH_VECTORS
    yield "normalizer", lambda: Normalizer("l1").fit(VECTORS), FRESH_VECTORS
    yield "largest", lambda: MaxAbsScaler().fit(VECTORS), FRESH_VECTORS
    yield "scaler", lambda: StandardScaler(with_mean=False).fit(VECTORS), FRESH_VECTORS
    yield "svd", lambda: TruncatedSVD(3, random_state=0).fit(VECTORS), FRESH_VECTORS
    yield "nystroem", lambda: Nystroem(n_components=4, random_state=0).fit(VECTORS), FRESH_VECTORS
    yield "svc", lambda: LinearSVC(random_state=0).fit(VECTORS, WORDS), FRESH_VECTORS
    yield "svc-two", lambda: LinearSVC(fit_intercept=False, random_state=0).fit(VECTORS, TWO), FRESH_VECTORS
    yield "logistic", lambda: LogisticRegression().fit(VECTORS, WORDS), FRESH_VECTORS
    yield "neighbours", lambda: KNeighborsClassifier(3, metric="cosine").fit(VECTORS, WORDS), FRESH_VECTORS
    yield (
        "one-vs-rest",
        lambda: OneVsRestClassifier(LinearSVC(random_state=0)).fit(VECTORS, MANY),
        FRESH_VECTORS,
    )
    yield (
        "one-vs-rest-constant",
        lambda: quiet_fit(OneVsRestClassifier(LinearSVC(random_state=0)), VECTORS, MANY * [1, 0, 1]),
        FRESH_VECTORS,
    )
    yield (
        "one-vs-rest-three",
        lambda: OneVsRestClassifier(LogisticRegression()).fit(VECTORS, WORDS),
        FRESH_VECTORS,
    )
    yield (
        "calibrated",
        lambda: CalibratedClassifierCV(LinearSVC(random_state=0), cv=2).fit(VECTORS, WORDS),
        FRESH_VECTORS,
    )
    yield (
        "calibrated-two",
        lambda: CalibratedClassifierCV(LinearSVC(random_state=0), cv=2).fit(VECTORS, TWO),
        FRESH_VECTORS,
    )
    yield (
        "neighbours-dense",
        lambda: KNeighborsClassifier(2, weights="distance", p=1).fit(DENSE, NUMBERS),
        FRESH_VECTORS.toarray(),
    )
    yield "scaler-dense", lambda: StandardScaler().fit(DENSE), FRESH_VECTORS.toarray()
    yield "bayes", lambda: MultinomialNB().fit(COUNTS, WORDS), FRESH_COUNTS
    yield "complement", lambda: ComplementNB().fit(COUNTS, WORDS), FRESH_COUNTS
    yield "binarizer", lambda: LabelBinarizer().fit(WORDS), WORDS
