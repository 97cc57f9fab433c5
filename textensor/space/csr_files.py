"""Sparse matrices on disk: written in blocks of rows, read memory-mapped.

A matrix is a folder of ``header.json`` and three ``.npy`` files, the arrays of scipy's CSR format.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.disk import npy_head, reason, whole_folder
from textensor.space.matrix import sparse_result

#: Above this many stored values the indices need 64 bits.
INT32_MAX = np.iinfo(np.int32).max
_FORMAT = "textensor-csr-1"
_COPY_LENGTH = 1 << 22
#: Bytes of the header of a one-dimensional array, whatever its length.
_HEAD_LENGTH = len(npy_head("<f8", (0,)))


def stack_rows(blocks: Iterable[Any], n_columns: int, dtype: npt.DTypeLike = np.float64) -> Any:
    """Join blocks of CSR rows; no blocks give a matrix without rows."""
    parts = list(blocks) or [sp.csr_matrix((0, n_columns), dtype=dtype)]
    return sparse_result(parts[0] if len(parts) == 1 else sp.vstack(parts, format="csr"))


def write_csr(
    folder: str | Path, blocks: Iterable[Any], n_columns: int, dtype: npt.DTypeLike = np.float64
) -> Any:
    """Write blocks of CSR rows to a new folder and return the whole matrix, memory-mapped.

    The folder appears only when it is complete.

    Parameters
    ----------
    folder : path
        A folder that does not exist yet.
    blocks : iterable of CSR matrices
        Taken one at a time; they must have ``n_columns`` columns and one dtype.
    n_columns : int
        The number of columns.
    dtype : dtype, default=float64
        The type of the values where there are no blocks to tell.

    Examples
    --------
    >>> import tempfile, scipy.sparse as sp
    >>> blocks = [sp.csr_matrix([[1.0, 0.0]]), sp.csr_matrix([[0.0, 2.0]])]
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_csr(place + "/X", blocks, n_columns=2).toarray()
    array([[1., 0.],
           [0., 2.]])
    """
    if Path(folder).exists():
        raise FileExistsError(f"{folder} exists already: remove it or choose another place.")
    with whole_folder(folder) as partial:
        _write_arrays(partial, blocks, n_columns, np.dtype(dtype))
    return read_csr(folder)


def read_csr(folder: str | Path) -> Any:
    """Open a matrix that :func:`write_csr` wrote; its arrays stay on disk until they are used."""
    folder = Path(folder)
    try:
        header = json.loads((folder / "header.json").read_text(encoding="utf-8"))
        shape = int(header["shape"][0]), int(header["shape"][1])
        arrays = [
            np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            for name in ("data", "indices", "indptr")
        ]
        if header["format"] != _FORMAT:
            raise ValueError(f"the format is {header['format']!r}, not {_FORMAT!r}")
        X = sp.csr_matrix(tuple(arrays), shape=shape, copy=False)
        X.check_format(full_check=True)
        return sparse_result(X)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{folder} holds no matrix that can be read: {reason(error)}.") from error


def _write_arrays(folder: Path, blocks: Iterable[Any], n_columns: int, dtype: np.dtype[Any]) -> None:
    """Write the arrays of the joined blocks, then the header."""
    n_rows = n_values = 0
    with (
        (folder / "data.npy").open("wb") as data,
        (folder / "indices.npy").open("wb") as indices,
        (folder / "indptr.npy").open("wb") as indptr,
    ):
        for file in (data, indices, indptr):
            file.seek(_HEAD_LENGTH)
        indptr.write(np.zeros(1, dtype=np.int64).tobytes())
        for block in blocks:
            if block.shape[1] != n_columns or (n_rows and block.dtype != dtype):
                raise ValueError(
                    f"Blocks differ: {block.shape[1]} columns of {block.dtype} after row {n_rows}."
                )
            dtype = block.dtype
            data.write(np.ascontiguousarray(block.data).data)
            indices.write(np.ascontiguousarray(block.indices, dtype=np.int32).data)
            indptr.write((block.indptr[1:].astype(np.int64) + n_values).data)
            n_rows += block.shape[0]
            n_values += block.nnz
        kinds = (data, dtype, n_values), (indices, np.int32, n_values), (indptr, np.int64, n_rows + 1)
        for file, kind, length in kinds:
            file.seek(0)
            file.write(npy_head(np.dtype(kind).str, (length,)))
    # scipy wants one type for both: the smaller one where it holds the number of values.
    if n_values <= INT32_MAX:
        _convert(folder / "indptr.npy", np.dtype(np.int32))
    else:
        _convert(folder / "indices.npy", np.dtype(np.int64))
    header = {"format": _FORMAT, "shape": [n_rows, n_columns]}
    (folder / "header.json").write_text(json.dumps(header), encoding="utf-8")


def _convert(path: Path, dtype: np.dtype[Any]) -> None:
    """Rewrite an array with another dtype, a piece at a time."""
    old = np.load(path, mmap_mode="r", allow_pickle=False)
    with path.with_suffix(".new").open("wb") as file:
        file.write(npy_head(dtype.str, (len(old),)))
        for start in range(0, len(old), _COPY_LENGTH):
            file.write(old[start : start + _COPY_LENGTH].astype(dtype).data)
    path.with_suffix(".new").replace(path)
