import json

import numpy as np
import pytest
import scipy.sparse as sp

from textensor.space import csr_files as storage
from textensor.space import read_csr, write_csr


def blocks(n=4, dtype=np.float64):
    return [sp.random(3, 5, 0.4, random_state=i, format="csr", dtype=dtype) for i in range(n)]


@pytest.mark.parametrize("limit", [2**31 - 1, 3])
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
def test_what_was_written_is_read(tmp_path, monkeypatch, limit, make):
    monkeypatch.setattr(storage, "INT32_MAX", limit)
    monkeypatch.setattr(storage, "_COPY_LENGTH", 2)
    X = write_csr(tmp_path / "deep" / "X", map(make, blocks()), n_columns=5)
    expected = sp.vstack(blocks())
    np.testing.assert_array_equal(X.toarray(), expected.toarray())
    stored = np.load(tmp_path / "deep" / "X" / "indices.npy", mmap_mode="r")
    assert stored.dtype == (np.int64 if limit == 3 else np.int32)
    assert not X.data.flags.writeable


def test_no_blocks_and_empty_blocks(tmp_path):
    assert write_csr(tmp_path / "a", [], n_columns=3).shape == (0, 3)
    assert write_csr(tmp_path / "b", [sp.csr_matrix((2, 3))], n_columns=3).shape == (2, 3)


def test_a_place_that_is_taken_is_refused_and_kept(tmp_path):
    write_csr(tmp_path / "X", blocks(), n_columns=5)
    with pytest.raises(FileExistsError, match="exists already"):
        write_csr(tmp_path / "X", blocks(1), n_columns=5)
    assert read_csr(tmp_path / "X").shape == (12, 5)


def test_blocks_that_do_not_fit_leave_nothing(tmp_path):
    for wrong in ([*blocks(), sp.csr_matrix((1, 6))], [*blocks(), *blocks(1, np.float32)]):
        with pytest.raises(ValueError, match="after row 12"):
            write_csr(tmp_path / "X", wrong, n_columns=5)
    assert list(tmp_path.iterdir()) == []


def spoil_header(folder, **changes):
    header = json.loads((folder / "header.json").read_text())
    (folder / "header.json").write_text(json.dumps({**header, **changes}))


def spoil_indices(folder):
    indices = np.load(folder / "indices.npy")
    indices[0] = 99
    np.save(folder / "indices.npy", indices)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda f: (f / "header.json").unlink(),
        lambda f: (f / "data.npy").unlink(),
        lambda f: (f / "header.json").write_text("[]"),
        lambda f: (f / "header.json").write_text("{"),
        lambda f: spoil_header(f, format="other"),
        lambda f: spoil_header(f, shape=[12]),
        lambda f: spoil_header(f, shape=[13, 5]),
        lambda f: (f / "data.npy").write_bytes((f / "data.npy").read_bytes()[:-8]),
        lambda f: np.save(f / "data.npy", np.array([object()]), allow_pickle=True),
        spoil_indices,
    ],
)
def test_a_spoilt_folder_is_refused_in_a_sentence(tmp_path, spoil):
    write_csr(tmp_path / "X", blocks(), n_columns=5)
    spoil(tmp_path / "X")
    with pytest.raises(ValueError, match="X holds no matrix that can be read"):
        read_csr(tmp_path / "X")
