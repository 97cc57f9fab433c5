"""Random features of term tensors: what makes a linear tensor classifier a nonlinear one.

Random Fourier features (Rahimi and Recht, 2007) with directions of rank 1, the outer products of a_i and b_j.
Averaged over Gaussian a and b and a uniform offset, the inner product of two documents' features is

    k(X, Y) = E cos(g a^T (X - Y) b) = E_b exp(-g^2 |(X - Y) b|^2 / 2) = prod_k (1 + g^2 s_k^2)^(-1/2)

with s_k the singular values of X - Y: given b, a^T D b is normal with variance |D b|^2, and in the singular
basis of D that is a sum of independent s_k^2 z_k^2, whose Laplace transform is the product.
"""

from math import sqrt
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from textensor.base.checks import Rule, check_parameters, number, whole
from textensor.base.kept import floats, keeps, require, size
from textensor.base.late.parts import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_is_fitted,
    check_random_state,
    clone,
)
from textensor.space.arrange import Arrangement
from textensor.space.matrix import read_matrix
from textensor.space.semantic import ARRANGED
from textensor.space.tensors import TermTensors


@keeps(
    n_features_in_=size("n_terms"),
    arrangement_=ARRANGED,
    row_directions_=floats("length_0", "n_rows"),
    column_directions_=floats("length_1", "n_columns"),
    offsets_=floats("n_rows", "n_columns"),
    _n_features_out=whole(1),
    gamma=number(above=0),
)
class RandomTensorFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Documents as grids of random nonlinear features, for a tensor classifier to be linear in.

    A document is a grid X of its terms, n1 x n2. Its features are
    sqrt(2 / (r1 r2)) cos(sqrt(2 gamma) a_i^T X b_j + c_ij), an r1 x r2 grid, with a_i and b_j standard
    normal and c_ij uniform. Their inner products approximate the kernel

        k(X, Y) = prod_k (1 + 2 gamma s_k^2)^(-1/2), s_k the singular values of X - Y.

    It needs r1 n1 + r2 n2 + r1 r2 random numbers, where random features of vectors need r1 r2 (n1 n2 + 1).

    Parameters
    ----------
    n_rows, n_columns : int, default=32
        r1 and r2. The error of the kernel falls like (1/r1 + 1/r2)^(1/2), for features of a row or a column
        share a direction.
    gamma : float, default=1.0
        The bandwidth, in the convention of scikit-learn's RBF kernel: for documents close to each other both
        kernels are 1 - gamma |X - Y|^2; further apart this one falls more slowly.
    shape : tuple of two int or None, default=None
        The lengths n1 and n2 of the grid of terms, one of them may be -1; None is square.
    arrangement : str, array or Arrangement, default="document-frequency"
        Which cell each term gets, a kind of :class:`~textensor.space.Arrangement`.
    random_state : int, RandomState or None, default=None
        Seeds the directions and offsets.

    Attributes
    ----------
    row_directions_ : ndarray of shape (n1, r1)
        The a_i.
    column_directions_ : ndarray of shape (n2, r2)
        The b_j.
    offsets_ : ndarray of shape (r1, r2)
        The c_ij.
    arrangement_ : Arrangement
        Where the terms stand.

    Notes
    -----
    The features of a document are its grid column by column, so that a tensor classifier with
    ``shape=(n_rows, n_columns)`` and ``arrangement="given"`` sees the grid.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from textensor.classify import SupportTensorMachine
    >>> from textensor.space import RandomTensorFeatures
    >>> X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), ["same", "same", "other", "other"]
    >>> model = make_pipeline(
    ...     RandomTensorFeatures(20, 10, shape=(2, 1), random_state=0),
    ...     SupportTensorMachine(100, shape=(20, 10), arrangement="given", rank=2, random_state=0),
    ... )
    >>> model.fit(X, y).predict(X).tolist()
    ['same', 'same', 'other', 'other']
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "n_rows": whole(1),
        "n_columns": whole(1),
        "gamma": number(above=0),
    }

    def __init__(
        self,
        n_rows: int = 32,
        n_columns: int = 32,
        *,
        gamma: float = 1.0,
        shape: tuple[int, int] | None = None,
        arrangement: Any = "document-frequency",
        random_state: Any = None,
    ) -> None:
        self.n_rows = n_rows
        self.n_columns = n_columns
        self.gamma = gamma
        self.shape = shape
        self.arrangement = arrangement
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Place the terms and draw the directions.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        y : ignored
            Labels have no say here.
        """
        check_parameters(self)
        X = read_matrix(self, X, reset=True)
        arrangement = self.arrangement
        if not isinstance(arrangement, Arrangement):
            arrangement = Arrangement(arrangement, shape=self.shape)
        self.arrangement_ = clone(arrangement).place(X)
        if len(self.arrangement_.shape_) != 2:
            raise ValueError(f"The shape must have two modes, not {len(self.arrangement_.shape_)}.")
        n1, n2 = self.arrangement_.shape_
        rng = check_random_state(self.random_state)
        self.row_directions_ = rng.standard_normal((n1, self.n_rows)).astype(X.dtype, copy=False)
        self.column_directions_ = rng.standard_normal((n2, self.n_columns)).astype(X.dtype, copy=False)
        self.offsets_ = rng.uniform(0, 2 * np.pi, (self.n_rows, self.n_columns)).astype(X.dtype, copy=False)
        self._n_features_out = self.n_rows * self.n_columns
        return self

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return the features of documents, dense, documents x (n_rows * n_columns).

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents; float32 stays float32.
        """
        check_is_fitted(self)
        tensors = TermTensors(read_matrix(self, X, reset=False), self.arrangement_)
        # Scaled factors are small; scaled features would be one more pass over the result.
        grids = tensors.project([sqrt(2 * self.gamma) * self.row_directions_, self.column_directions_])
        grids += self.offsets_.astype(grids.dtype, copy=False)
        np.cos(grids, out=grids)
        grids *= sqrt(2 / self._n_features_out)
        return grids.transpose(0, 2, 1).reshape(len(grids), -1)

    def _check_kept(self) -> None:
        require(len(self.arrangement_.shape_) == 2, "its arrangement is not of order 2")
        require(self._n_features_out == self.offsets_.size, "its features are not those of its offsets")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
