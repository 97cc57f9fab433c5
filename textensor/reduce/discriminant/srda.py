"""SRDA: discriminant analysis by spectral regression (Cai, He and Han 2008)."""

from typing import Any, ClassVar

from textensor.base.checks import Rule, number
from textensor.base.labels import Labels
from textensor.reduce.discriminant.regression import REGRESSION, ResponseRegression, centred, class_responses


class SRDA(ResponseRegression):
    """Linear discriminant analysis of sparse documents, by ridge regression of the class responses.

    The axes a_k minimise |X a_k + b_k - y_k|^2 + alpha |a_k|^2, with y_k the orthonormal class indicators of
    mean 0 and b_k a free intercept. The c - 1 axes span the leading eigenvectors of Sb against
    St + alpha I (the scatter between classes, and of all documents), and LDA's as alpha goes to 0. Sparse
    documents are never centred, and time and memory are linear in their nonzeros.

    Parameters
    ----------
    alpha : float, default=1.0
        The ridge.
    tol : float, default=1e-6
        How precise the regression is to be, the ``atol`` and ``btol`` of scipy's ``lsqr``.
    max_iter : int, default=1000
        Iterations of the regression at the most.
    n_jobs : int or None, default=None
        Threads, an axis each; the result does not depend on it.

    Attributes
    ----------
    components_ : ndarray of shape (n_classes - 1, n_terms)
        The axes.
    intercept_ : ndarray of shape (n_classes - 1,)
        The intercepts: coordinates are X a_k + b_k.
    classes_ : ndarray
        The classes.
    n_iter_ : int
        Iterations of the regression, for the axis that took the most.

    Examples
    --------
    >>> from textensor.reduce import SRDA
    >>> from textensor.space import TermVectorizer
    >>> texts = ["wheat maize", "maize corn", "bank rate", "rate money", "goal match", "match score"]
    >>> X = TermVectorizer().fit_transform(texts)
    >>> SRDA().fit_transform(X, [0, 0, 1, 1, 2, 2]).shape
    (6, 2)
    """

    _parameters: ClassVar[dict[str, Rule]] = {**REGRESSION, "alpha": number(least=0)}

    def __init__(
        self, alpha: float = 1.0, *, tol: float = 1e-6, max_iter: int = 1000, n_jobs: int | None = None
    ) -> None:
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _fit(self, X: Any, classes: Labels) -> None:
        documents, mean = centred(X)
        self.components_ = self._regress(documents, class_responses(classes.codes), self.alpha).T
        self.intercept_ = -self.components_ @ mean
