"""LSI: latent semantic indexing (Deerwester et al. 1990) of weighted documents."""

from typing import Any, ClassVar, Self

import numpy as np

from textensor.base.checks import Rule, check_parameters, number, seed, whole
from textensor.base.kept import floats, keeps
from textensor.reduce.projection import LinearProjection, read_documents, with_fixed_signs
from textensor.space.arrange import document_frequency
from textensor.space.semantic import latent_axes


@keeps(singular_values_=floats("n_axes"))
class LSI(LinearProjection):
    """Coordinates of documents along the leading right singular vectors of x * log(n/df) ** idf_power.

    Weighted documents are of length 1 when the vectors are found. With x = tf * log(n/df) the space is that
    of tf * log(n/df)^2, which brings out rare subjects; ``idf_power=0`` is plain LSI.

    Parameters
    ----------
    n_components : int, default=100
        The number of axes; there are fewer where documents or terms are fewer.
    idf_power : float, default=1.0
        As above.
    random_state : int, RandomState or None, default=0
        Seeds the decomposition.

    Attributes
    ----------
    components_ : ndarray of shape (n_axes, n_terms)
        What a document is multiplied by: the vectors, times the weights of the terms.
    singular_values_ : ndarray of shape (n_axes,)
        Falling.

    Examples
    --------
    >>> from textensor.reduce import LSI
    >>> from textensor.space import TermVectorizer
    >>> texts = ["wheat maize", "maize corn", "corn wheat", "bank rate", "rate money", "money bank"]
    >>> LSI(2).fit_transform(TermVectorizer().fit_transform(texts)).shape
    (6, 2)
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "n_components": whole(1),
        "idf_power": number(least=0),
        "random_state": seed,
    }

    def __init__(self, n_components: int = 100, *, idf_power: float = 1.0, random_state: Any = 0) -> None:
        self.n_components = n_components
        self.idf_power = idf_power
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Find the axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        y : ignored
            Labels have no say here.
        """
        check_parameters(self)
        X = read_documents(self, X, reset=True, dense=False)
        weights, axes, self.singular_values_ = latent_axes(
            X, document_frequency(X, None), self.n_components, self.idf_power, self.random_state
        )
        self.components_ = np.zeros(axes.T.shape)
        known = np.flatnonzero(weights)
        self.components_[:, known] = (with_fixed_signs(axes[known]) * weights[known, None]).T
        return self
