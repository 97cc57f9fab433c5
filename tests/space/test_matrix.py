"""A matrix is checked once in a fit, and again when it comes back from outside."""

import numpy as np
import pytest
import scipy.sparse as sp

from textensor.classify import MinMaxSVM, SemanticSVM
from textensor.reduce import LSI, KernelLRWMMC
from textensor.space import matrix
from textensor.space.matrix import as_csr


def test_a_fit_checks_once(monkeypatch):
    checked = []
    whole = matrix.check_indices
    monkeypatch.setattr(matrix, "check_indices", lambda X: (checked.append(X), whole(X)))
    X, y = sp.csr_matrix(np.eye(6) + 1), [0, 1] * 3
    SemanticSVM(reducer=LSI(2), random_state=0).fit(X, y)
    assert len(checked) == 1


def test_what_an_estimator_keeps_is_checked_again():
    """Users can change it, and hand it on."""
    X, y = sp.csr_matrix(np.eye(6) + 1), [0, 1] * 3
    kernel = KernelLRWMMC(1).fit(X, y)
    machine = MinMaxSVM(keep_documents=True, random_state=0).fit(X, y)
    machine.add_documents(X, y)
    for found in (kernel.X_fit_, machine.documents_[0]):
        assert type(found) is sp.csr_matrix
        found.indices[0] = 10**6
        with pytest.raises(ValueError, match="indices"):
            as_csr(found)
