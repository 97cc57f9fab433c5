"""Any linear classifier or regressor of scikit-learn's kind as a learner."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.late.parts import clone
from textensor.learn.base import Index, Learner, Rows, Solution
from textensor.space.matrix import as_csr


@dataclass
class Foreign(Learner):
    """An estimator with ``coef_`` in the place of a learner, more slowly.

    It starts anew in every half-step. Its objective is not known here, so each of its solutions is taken as
    it is. An estimator without a seed is given the seed. Some share a generator of random numbers between
    threads, so it runs in one.
    """

    estimator: Any

    knows_objective: ClassVar[bool] = False
    thread_safe: ClassVar[bool] = False

    def solve(
        self,
        rows: Rows,
        y: Floats,
        weight: Floats,
        *,
        which: Index | None = None,
        state: Any = None,  # noqa: ARG002
        tol: float = 1e-3,  # noqa: ARG002
        seed: int = 0,
    ) -> Solution:
        """Fit a clone of the estimator."""
        X = rows.take(which).to_scipy()
        X = as_csr(X) if sp.issparse(X) else X
        model = clone(self.estimator)
        if "random_state" in model.get_params() and model.get_params()["random_state"] is None:
            model.set_params(random_state=seed % 2**32)
        from sklearn.utils.validation import has_fit_parameter

        if has_fit_parameter(model, "sample_weight"):
            model.fit(X, y, sample_weight=weight)
        elif np.ptp(weight) == 0:
            model.fit(X, y)
        else:
            raise ValueError(
                f"{type(model).__name__} takes no sample weights, and the documents differ in weight."
            )
        if not hasattr(model, "coef_"):
            raise ValueError(
                f"{type(model).__name__} has no coef_ after fitting: it cannot be a tensor's learner."
            )
        coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
        intercept = float(np.ravel(getattr(model, "intercept_", 0.0))[0])
        return Solution(np.array(coef, dtype=np.float64).ravel(), intercept)
