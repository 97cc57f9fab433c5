"""Operations on term tensors: our kernels beside the same by scipy's sparse products."""

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import publish, side_by_side, table
from textensor.datasets import make_documents
from textensor.space import Arrangement, TermTensors

N_DOCUMENTS, N_TERMS = 8000, 19000


def by_scipy(tensors: TermTensors, mode: int, vector: np.ndarray) -> np.ndarray:
    """Contract by a product with the matrix that sends each term to its cell."""
    indices = tensors.arrangement.indices()
    other = 2 - mode
    cells = sp.csr_matrix(
        (vector[indices[mode - 1]], (np.arange(tensors.X.shape[1]), indices[other])),
        shape=(tensors.X.shape[1], tensors.shape[other + 1]),
    )
    return (tensors.X @ cells).toarray()


def gram_by_scipy(tensors: TermTensors, mode: int) -> sp.csr_matrix:
    """Unfold, then one product."""
    unfolded = tensors.unfold(mode)
    return unfolded @ unfolded.T


def main() -> None:
    X = make_documents(N_DOCUMENTS, N_TERMS, 40, random_state=0).X
    rows = []
    for shape in ((-1, 20), (-1, 50), (-1, 138)):
        tensors = TermTensors(X, Arrangement("document-frequency", shape=shape))
        for mode in (1, 2):
            vector = np.ones(tensors.shape[mode])
            seconds = side_by_side(
                {
                    "contract": lambda t=tensors, m=mode, v=vector: t.contract(m, v),
                    "contract scipy": lambda t=tensors, m=mode, v=vector: by_scipy(t, m, v),
                    "gram": lambda t=tensors, m=mode: t.gram(m),
                    "gram scipy": lambda t=tensors, m=mode: gram_by_scipy(t, m),
                }
            )
            for name in ("contract", "gram"):
                ours, peer = seconds[name], seconds[f"{name} scipy"]
                rows.append([str(tensors.shape[1:]), mode, name, ours * 1e3, peer * 1e3, peer / ours])
    body = table(["shape", "mode", "operation", "ms", "scipy, ms", "times as fast"], rows)
    note = f"{N_DOCUMENTS} synthetic documents x {N_TERMS} terms, {X.nnz} nonzeros, one core, medians."
    publish("tensors", "Term tensors", f"{note}\n\n{body}")
