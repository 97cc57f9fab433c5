"""Support Tensor Machine (stm-text; stm-tls §3.2)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from textensor.base.checks import Rule
from textensor.classify.tensor.classifier import TensorClassifier
from textensor.learn import Hinge


class SupportTensorMachine(TensorClassifier):
    """The tensor classifier with the hinge loss: min 1/2 |W|^2 + 1/2 b^2 + C sum of the slacks (Eq. 8).

    Parameters
    ----------
    C : float, default=1.0
        The cost of an error.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1.0
        The larger, the less the intercept is penalised.
    arrangement : str, array or Arrangement, default="auto"
        Which cell each term gets, as in :class:`TensorClassifier`. ``"auto"`` is ``"semantic"`` at order 2:
        with few labels it won on every corpus measured. The papers' own is ``"document-frequency"``.
    shape, order, rank, max_iter, tol, class_weight, thresholds, unlabeled_value, n_jobs, \
random_state
        As in :class:`TensorClassifier`.

    Examples
    --------
    >>> from textensor.classify import SupportTensorMachine
    >>> from textensor.space import TermVectorizer
    >>> texts = ["wheat and maize rose", "the bank cut its rates", "maize fell", "rates of the bank"]
    >>> vectorizer = TermVectorizer()
    >>> model = SupportTensorMachine(C=10, shape=(-1, 2)).fit(
    ...     vectorizer.fit_transform(texts), ["grain", "money", "grain", "money"]
    ... )
    >>> model.predict(vectorizer.transform(["wheat fell", "a cut by the bank"]))
    array(['grain', 'money'], dtype='<U5')
    """

    _parameters: ClassVar[Mapping[str, Rule]] = {
        **TensorClassifier._parameters,
        **{name: Hinge._parameters[name] for name in ("C", "fit_intercept", "intercept_scaling")},
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        shape: tuple[int, ...] | None = None,
        order: int = 2,
        arrangement: Any = "auto",
        rank: int = 1,
        max_iter: int = 100,
        tol: float = 4e-3,
        class_weight: Any = None,
        thresholds: str = "none",
        unlabeled_value: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.shape = shape
        self.order = order
        self.arrangement = arrangement
        self.rank = rank
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.thresholds = thresholds
        self.unlabeled_value = unlabeled_value
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_learner(self) -> Hinge:
        return Hinge(self.C, self.fit_intercept, self.intercept_scaling, max_epochs=3)
