"""From a laptop to a cluster by a flag, and on from where a command was interrupted."""

import gc
import json

import pytest

from tests.cli.conftest import one_sentence
from textensor.cli import workers
from textensor.files import load
from textensor.workbench import trials

FIELDS = ["--text", "body", "--label", "kind"]
COMPARE = [*FIELDS, "--methods", "svm,stm", "--train", "50%", "--splits", "2", "--json"]


@pytest.fixture(scope="module")
def address():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address


def without_seconds(done):
    assert done.code == 0, done.err
    return [{**cell, "seconds": 0} for cell in json.loads(done.out)["cells"]]


def test_a_comparison_goes_on_where_it_was_interrupted(textensor, mail, tmp_path, monkeypatch):
    folder = tmp_path / "kept"
    whole = without_seconds(textensor("compare", mail, *COMPARE))
    decide, n_calls = trials._decide, 0

    def counted(material, task):
        nonlocal n_calls
        n_calls += 1
        if n_calls == 3:
            raise KeyboardInterrupt
        return decide(material, task)

    monkeypatch.setattr(trials, "_decide", counted)
    stopped = textensor("compare", mail, *COMPARE, "--checkpoint", folder)
    assert (stopped.code, stopped.out) == (130, "")
    assert len(list(folder.iterdir())) == 2
    assert without_seconds(textensor("compare", mail, *COMPARE, "--checkpoint", folder)) == whole
    assert n_calls == 3 + 2  # two were kept, and two of four were left
    other = textensor("compare", mail, *COMPARE, "--seed", 1, "--checkpoint", folder)
    assert other.code == 0
    assert n_calls == 5 + 4  # other splits are other trials
    next(folder.iterdir()).write_bytes(b"PK")
    again = [textensor("compare", mail, *COMPARE, "--seed", s, "--checkpoint", folder) for s in (0, 1)]
    assert sorted(done.code for done in again) == [0, 1]
    one_sentence(
        next(done for done in again if done.code),
        "remove it, and its results are computed again",
    )


@pytest.mark.parametrize("method", ["minmax", "svm,stm"])
def test_a_fit_takes_what_is_kept(method, textensor, mail, tmp_path):
    folder, paths = tmp_path / "kept", [tmp_path / "a.model", tmp_path / "b.model"]
    for path in paths:
        done = textensor("fit", mail, *FIELDS, "-m", method, "--checkpoint", folder, "-o", path)
        assert done.code == 0, done.err
    assert list(folder.glob("scores-*.npz"))
    assert bool(list(folder.glob("modules-*.npz"))) == (method == "minmax")
    one, other = map(load, paths)
    assert (one.predict_scores(["wheat", "the sea"]) == other.predict_scores(["wheat", "the sea"])).all()
    assert one.checkpoint is None


def test_a_cluster_gives_the_same(textensor, mail, tmp_path, address):
    here = without_seconds(textensor("compare", mail, *COMPARE))
    assert without_seconds(textensor("compare", mail, *COMPARE, "--dask", address)) == here
    fit = ["fit", mail, *FIELDS, "-m", "minmax"]
    assert textensor(*fit, "-o", tmp_path / "a.model").code == 0
    assert textensor(*fit, "-o", tmp_path / "b.model", "--dask", address).code == 0
    one, other = (load(tmp_path / name) for name in ("a.model", "b.model"))
    assert (one.predict_scores(["wheat", "the sea"]) == other.predict_scores(["wheat", "the sea"])).all()


def test_what_cannot_be(textensor, mail, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    fit = ["fit", mail, *FIELDS, "-o", tmp_path / "a.model"]
    one_sentence(textensor(*fit, "-m", "svm", "--dask", "tcp://x:1"), "svm: fitted on this machine only", 2)
    one_sentence(textensor(*fit, "--dask", "tcp://x:1"), "--dask is for --method minmax", 2)
    one_sentence(textensor(*fit, "-m", "svm", "--checkpoint", mail), "cannot be a checkpoint folder")
    monkeypatch.setattr(workers, "CONNECT", 0.3)
    done = textensor("compare", mail, *COMPARE, "--dask", "tcp://127.0.0.1:9")
    one_sentence(done, "No Dask scheduler answers at 'tcp://127.0.0.1:9'")
    one_sentence(textensor("compare", mail, *COMPARE, "--dask", "nonsense://"), "No Dask scheduler answers")
    assert not (tmp_path / "a.model").exists()
    # Left to the collector, a client that found nobody could close in a thread where that waits for ever.
    assert not [one for one in gc.get_objects() if type(one) is distributed.Client and one.status != "closed"]
