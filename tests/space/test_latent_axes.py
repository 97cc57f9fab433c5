"""The decomposition behind the semantic space, beside scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from textensor.base.progress import TimeUpError, time_limit
from textensor.space.semantic import POWER_STEPS, leading_axes


@pytest.mark.parametrize("shape", [(60, 200), (200, 60), (90, 90)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_has_the_axes_and_signs_of_scikit_learn(shape, dtype):
    A = sp.random(*shape, density=0.1, format="csr", random_state=0, dtype=dtype)
    values, axes = leading_axes(A, 12, 3)
    _, expected, vectors = randomized_svd(A, 12, n_iter=POWER_STEPS, random_state=3)
    tol = 1e-3 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(values, expected, rtol=tol)
    np.testing.assert_allclose(axes, vectors.T, atol=tol)
    assert axes.dtype == dtype


def test_a_time_limit_stops_it():
    A = sp.random(50, 50, density=0.1, format="csr", random_state=0)
    with time_limit(0.0), pytest.raises(TimeUpError):
        leading_axes(A, 5, 0)
