"""Tensor Least Squares (stm-tls §3.1)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from textensor.base.checks import Rule
from textensor.classify.tensor.classifier import TensorClassifier
from textensor.learn import SquaredLoss


class TensorLeastSquares(TensorClassifier):
    """The tensor classifier with the squared loss: min sum of (y - f)^2 + alpha |W|^2 (Eq. 1 for alpha = 0).

    The normal equations are the true ones: Eqs. 4 and 5 of the paper carry a factor 2 on the right-hand
    side that the derivative does not give.

    Parameters
    ----------
    alpha : float, default=0.0
        Penalty. With 0 and few documents there are many solutions; the shortest is taken.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1.0
        The larger, the less the intercept is penalised.
    shape, order, arrangement, rank, max_iter, tol, class_weight, thresholds, unlabeled_value, n_jobs, \
random_state
        As in :class:`TensorClassifier`.
    """

    _parameters: ClassVar[Mapping[str, Rule]] = {
        **TensorClassifier._parameters,
        **{name: SquaredLoss._parameters[name] for name in ("alpha", "fit_intercept", "intercept_scaling")},
    }

    def __init__(
        self,
        alpha: float = 0.0,
        *,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        shape: tuple[int, ...] | None = None,
        order: int = 2,
        arrangement: Any = "document-frequency",
        rank: int = 1,
        max_iter: int = 100,
        tol: float = 4e-3,
        class_weight: Any = None,
        thresholds: str = "none",
        unlabeled_value: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
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

    def _make_learner(self) -> SquaredLoss:
        return SquaredLoss(self.alpha, self.fit_intercept, self.intercept_scaling)
