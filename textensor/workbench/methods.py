"""The methods by name: what each is, what it needs, and the few settings that a search tries.

One line makes a method known to :class:`~textensor.TextCategorizer` and to every command. Nothing heavy is
imported before an estimator is made.
"""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """A method that users can name, and how to make its estimator.

    Attributes
    ----------
    name : str
        Its name.
    about : str
        A short description.
    estimator : str
        The class, by its public name.
    fixed : dict
        Parameters that make it this method.
    grid : tuple of dict
        Settings that a search tries; the first is the one without a search.
    several : bool
        Whether a document may have several labels.
    unlabelled : bool
        Whether it learns from documents without a label.
    nearest : bool
        Whether the estimator is a transformer, and the nearest document decides.
    counts : bool
        Whether it takes term counts instead of tf-idf weights.
    spreads : bool
        Whether it can be fitted on the workers of a cluster.
    """

    name: str
    about: str
    estimator: str
    fixed: Settings = field(default_factory=dict)
    grid: tuple[Settings, ...] = ({},)
    several: bool = False
    unlabelled: bool = False
    nearest: bool = False
    counts: bool = False
    spreads: bool = False

    @property
    def kind(self) -> Any:
        """The class of the estimator."""
        from textensor.base.kept import class_named

        try:
            return class_named(self.estimator)
        except (AttributeError, ImportError) as error:
            raise ValueError(f"The method {self.name} needs {self.estimator}, which is not there.") from error

    def make(
        self,
        settings: Settings,
        *,
        n_jobs: int | None = None,
        random_state: Any = 0,
        checkpoint: Any = None,
        columns: Any = None,
        n_embedding: int = 0,
    ) -> Any:
        """Return an estimator that is not fitted yet.

        Settings are the method's own; the other arguments are for estimators that have such a parameter.
        """
        from textensor.base.labels import UNLABELLED

        kind = self.kind
        known = inspect.signature(kind).parameters
        settable = sorted(known.keys() - {"columns", "n_embedding"})  # those two follow from the documents
        for key in settings:
            if key not in settable:
                raise ValueError(
                    f"The method {self.name} has no setting {key!r}, only {', '.join(settable)}."
                )
        common = {
            "n_jobs": n_jobs,
            "random_state": random_state,
            "checkpoint": checkpoint,
            "columns": columns,
            "n_embedding": n_embedding,
        }
        if self.unlabelled:
            common["unlabeled_value"] = UNLABELLED
        usable = {key: value for key, value in common.items() if key in known}
        made = kind(**{**usable, **self.fixed, **settings})
        if not self.nearest:
            return made
        from sklearn.pipeline import make_pipeline

        from textensor.classify import NearestDocument

        return make_pipeline(made, NearestDocument(unlabeled_value=UNLABELLED))


def _nearest(name: str, kind: str, about: str, *grid: Settings, unlabelled: bool = False) -> Method:
    """Return a method that projects documents; the nearest one decides."""
    estimator = f"textensor.reduce.{kind}"
    return Method(name, about, estimator, grid=grid or ({},), unlabelled=unlabelled, nearest=True)


# A tolerance above the default, for speed: svm keeps its F1 to a thousandth, stm loses up to 0.8 points.
_STM, _TLS = "textensor.classify.SupportTensorMachine", "textensor.classify.TensorLeastSquares"
_METHODS = (
    Method(
        "svm",
        "linear support vector machine",
        _STM,
        {"order": 1, "tol": 2e-2},
        ({"C": 10.0}, {"C": 1.0}, {"C": 100.0}),
        several=True,
    ),
    Method(
        "stm",
        "support tensor machine of the paper, terms by document frequency: quick and small",
        _STM,
        {"arrangement": "document-frequency", "shape": (-1, 50), "tol": 1e-2},
        ({"C": 10.0}, {"C": 1.0}),
        several=True,
    ),
    Method(
        "semantic-stm",
        "support tensor machine with terms by meaning, learned from unlabelled documents too",
        _STM,
        {"arrangement": "semantic"},
        ({"rank": 3}, {"rank": 3, "C": 10.0}, {"rank": 1}),
        several=True,
        unlabelled=True,
    ),
    Method(
        "semantic-svm",
        "SVM over terms and over coordinates learned from unlabelled documents too",
        "textensor.classify.SemanticSVM",
        # Chosen on docstrings, Reuters-52 and 20 Newsgroups with 1 and 5% of the labels: rare ones gain.
        {"pseudo_cost": 0.3, "class_weight": "balanced", "tol": 1e-2},
        ({"C": 1.0}, {"C": 10.0}),
        several=True,
        unlabelled=True,
    ),
    Method(
        "centroid",
        "nearest centroid: quick with any number of labels",
        "textensor.classify.CentroidClassifier",
        several=True,
    ),
    Method(
        "minmax",
        "min-max modular SVM: many small ones, for many documents",
        "textensor.classify.MinMaxSVM",
        several=True,
        spreads=True,
    ),
    Method(
        "tls",
        "tensor least squares",
        _TLS,
        {"shape": (-1, 50)},
        ({"alpha": 0.1}, {"alpha": 1.0}),
        several=True,
    ),
    _nearest("lrwmmc", "LRWMMC", "local relevance weighted margin, nearest document", {}, {"n_neighbors": 5}),
    _nearest(
        "semi-lrwmmc",
        "SemiSupervisedLRWMMC",
        "the same, from unlabelled documents too",
        {"reg": 0.1},
        {"reg": 1.0},
        unlabelled=True,
    ),
    Method(
        "coem",
        "two naive Bayes that teach each other",
        "textensor.classify.CoEM",
        {},
        ({"smoothing": 0.1}, {"smoothing": 1.0}),
        unlabelled=True,
        counts=True,
    ),
    _nearest(
        "tensorlsi-knn", "TensorLSI", "TensorLSI, nearest document", {"n_components": 300}, unlabelled=True
    ),
    _nearest(
        "srda-knn",
        "SRDA",
        "spectral regression discriminant analysis, nearest document",
        {"alpha": 1.0},
        {"alpha": 0.1},
    ),
    _nearest("sda-knn", "SDA", "the same, from unlabelled documents too", unlabelled=True),
    _nearest("mmc-knn", "MMC", "maximum margin criterion, nearest document"),
    _nearest("dne-knn", "DNE", "discriminant neighbourhood embedding, nearest document"),
    _nearest("clsi-knn", "CLSI", "LSI of each class, nearest document"),
    _nearest("centroid-knn", "CentroidProjection", "projection on the classes' centroids, nearest document"),
)
METHODS: dict[str, Method] = {method.name: method for method in _METHODS}

#: What "auto" tries, in order: a method, the features it reads, and which of its settings.
AUTO = (
    ("svm", "words", 0),
    ("semantic-svm", "words", 0),
    ("svm", "both", 1),
    ("semantic-svm", "both", 0),
    ("semantic-svm", "words", 1),
    ("svm", "both", 0),
)
#: What "auto" falls back on if there is no time for anything else.
QUICKEST = "centroid"


def is_made(model: Any) -> bool:
    """Return whether a model is one that some method makes."""
    from textensor.base.kept import steps_of
    from textensor.classify import NearestDocument

    first, *rest = [type(step) for step in steps_of(model)]
    named = (m for m in METHODS.values() if m.estimator.endswith(f".{first.__name__}"))
    return any(m.kind is first and rest == [NearestDocument] * m.nearest for m in named)


def method_named(name: str) -> Method:
    """Return a method by its name; the error names all methods."""
    try:
        return METHODS[name]
    except KeyError:
        raise ValueError(f"There is no method {name!r}: choose auto, {', '.join(METHODS)}.") from None


def candidates(
    names: Sequence[str], features: Sequence[str] = ("words",), *, several: bool
) -> list[tuple[Method, dict[str, Any], str]]:
    """Return the candidates of a search, in order: methods with settings and features.

    Parameters
    ----------
    names : sequence of str
        The methods, or ``["auto"]``. The first setting of each method comes first, then the second of each.
    features : sequence of str
        The features to try. ``"auto"`` leaves out what it has on other features, unless there is only one.
    several : bool
        Whether documents have several labels: methods for one label are skipped.
    """
    if list(names) == ["auto"]:
        planned = [
            (METHODS[name], dict(METHODS[name].grid[k]), kind if len(features) > 1 else features[0])
            for name, kind, k in AUTO
        ]
    else:
        methods = [method_named(name) for name in names]
        planned = [
            (method, dict(method.grid[k]), kind)
            for kind in features
            for k in range(max(len(method.grid) for method in methods))
            for method in methods
            if k < len(method.grid)
        ]
    found = []
    for one in planned:
        if (one[0].several or not several) and one not in found:
            found.append(one)
    if not found:
        able = ", ".join(method.name for method in METHODS.values() if method.several)
        raise ValueError(f"{', '.join(names)}: one label for each document only; for several take {able}.")
    return found
