"""Processes, a Dask cluster of processes, and workers that are killed in the middle of it."""

import contextlib
import os
import time
import warnings
from functools import partial

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import normalize

from tests.workers import Numbers, die, die_first, die_once, fail, kill, look_up, process
from textensor.classify import MinMaxSVM
from textensor.datasets import make_documents
from textensor.parallel import WorkersError, as_done, cluster, on_cluster, tree_reduce

MATERIAL = Numbers(np.arange(100) ** 2)


@pytest.fixture(scope="module")
def client():
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    with (
        # A task may lose one worker, not three: starting them takes seconds.
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def corpus():
    corpus = make_documents(1500, 1500, 8, random_state=0)
    return normalize(corpus.X.astype(np.float64)), corpus.y


@pytest.fixture(scope="module")
def model(corpus):
    """The model of one thread, which all others are to be equal to."""
    return MinMaxSVM(modules=(2, 6), overlap=0.1, random_state=0, n_jobs=1).fit(*corpus)


def fit_again(model, corpus, **options):
    again = MinMaxSVM(**{**model.get_params(), "n_jobs": None, **options}).fit(*corpus)
    np.testing.assert_array_equal(again.coef_, model.coef_)
    np.testing.assert_array_equal(again.intercept_, model.intercept_)
    np.testing.assert_array_equal(again.modules_["objective"], model.modules_["objective"])
    return again


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_share_the_material_itself(n_jobs):
    found = dict(as_done(lambda material, task: material is MATERIAL, MATERIAL, range(9), n_jobs))
    assert found == dict.fromkeys(range(9), True)
    with pytest.raises(ZeroDivisionError, match="task"):
        list(as_done(fail, MATERIAL, range(9), n_jobs))


def test_results_that_are_not_wanted_are_not_computed():
    done = []

    def run(material, task):
        time.sleep(0.01)
        done.append(task)

    results = as_done(run, MATERIAL, range(1000), 2)
    next(results)
    results.close()
    assert len(done) < 100


def test_a_process_that_dies_is_replaced_and_its_tasks_are_done_again():
    found, killed = {}, False
    with joblib.parallel_config(backend="loky", n_jobs=2), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # loky's own, of the worker that stopped
        for number, (value, pid) in as_done(look_up, MATERIAL, range(40)):
            assert number not in found
            found[number] = value
            if not killed:
                kill(pid)
                killed = True
        assert found == {k: k * k for k in range(40)}
        finished = []
        with pytest.raises(RuntimeError, match="keep dying and 1 tasks"):
            finished.extend(as_done(die, MATERIAL, range(4)))
        with pytest.raises(ZeroDivisionError, match="task"):
            list(as_done(fail, MATERIAL, range(4)))


@pytest.mark.parametrize("where", ["processes", "cluster"])
def test_whichever_task_kills_its_worker_the_results_are_the_same(where, tmp_path, request):
    n_tasks = 4
    with contextlib.ExitStack() as stack:
        if where == "cluster":
            client = request.getfixturevalue("client")
            stack.enter_context(on_cluster(client))
        else:
            stack.enter_context(joblib.parallel_config(backend="loky", n_jobs=2))
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore", UserWarning)  # loky's own, of the worker that stopped
        for dying in range(n_tasks):
            mark = tmp_path / str(dying)
            tasks = [(k, str(mark) if k == dying else None) for k in range(n_tasks)]
            assert dict(as_done(die_once, MATERIAL, tasks)) == {k: k * k for k in range(n_tasks)}
            assert mark.exists()


def test_processes_fit_the_same_model(model, corpus, tmp_path):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        fit_again(model, corpus, checkpoint=tmp_path)
    assert len(list(tmp_path.rglob("*.npz"))) >= 1


def test_a_process_killed_in_mid_fit_changes_nothing(model, corpus, tmp_path, monkeypatch):
    """It dies in a task: loky waits for ever for the rest of a result if it dies while it writes one."""
    mark = tmp_path / "mark"

    def killing(function, material, tasks, n_jobs):
        return as_done(partial(die_first, mark, function), material, tasks, n_jobs)

    monkeypatch.setattr("textensor.classify.minmax.minmax_svm.as_done", killing)
    with joblib.parallel_config(backend="loky", n_jobs=2), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # loky's own, of the worker that stopped
        fit_again(model, corpus)
    assert mark.exists()


@pytest.fixture
def empty():
    """A cluster without workers."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=0, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
        on_cluster(client),
    ):
        yield cluster


def test_workers_that_start_when_there_are_tasks_are_waited_for(empty):
    empty.adapt(minimum=0, maximum=1, interval="50ms")
    found = {number: value for number, (value, _) in as_done(look_up, MATERIAL, range(4))}
    assert found == {k: k * k for k in range(4)}


def test_how_long_workers_are_waited_for_is_a_setting_of_dask(empty):
    empty.scheduler.no_workers_timeout = 0.2  # "distributed.scheduler.no-workers-timeout"
    with pytest.raises(Exception, match="without any running workers"):
        list(as_done(look_up, MATERIAL, range(4)))


@pytest.mark.parametrize("work", ["tasks", "a tree"])
def test_a_cluster_without_workers_is_told_of_and_given_up(work, empty, monkeypatch, caplog):
    dask = pytest.importorskip("dask")
    monkeypatch.setattr(cluster, "SAID", 0.1)
    monkeypatch.setattr(cluster, "ASK", 0.05)
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "0.5s"}),
        pytest.raises(WorkersError, match=r"no workers for 0\.5 seconds: start some"),
    ):
        if work == "tasks":
            list(as_done(look_up, MATERIAL, range(4)))
        else:
            tree_reduce(process, range(4), set.union)
    said = [record.getMessage() for record in caplog.records if record.name == "textensor"]
    assert said == ["The Dask cluster has no workers: waiting up to 0.5 seconds."]


def test_workers_that_leave_in_the_middle_are_missed(empty, monkeypatch):
    monkeypatch.setattr(cluster, "ASK", 0.05)
    monkeypatch.setattr(cluster, "GIVEN_UP", 0.5)
    dask = pytest.importorskip("dask")
    empty.scale(1)
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": None}),
        pytest.raises(WorkersError, match="no workers"),
    ):
        for number, _ in as_done(look_up, MATERIAL, range(1000)):
            if number == 0:
                empty.scale(0)


def test_sums_in_a_tree_go_to_the_cluster_that_is_named(client):
    client.wait_for_workers(2, timeout=300)  # one may have been killed by a test before
    pids = set(client.run(os.getpid).values())
    with on_cluster(client):
        assert tree_reduce(process, range(5), set.union) <= pids
    with joblib.parallel_config(backend="dask"):
        assert tree_reduce(process, range(5), set.union) <= pids
    assert tree_reduce(process, range(5), set.union) == {os.getpid()}


def test_a_cluster_fits_the_same_model(client, model, corpus, monkeypatch):
    with on_cluster(client):
        fit_again(model, corpus)
    with joblib.parallel_config(backend="dask"):
        fit_again(model, corpus)
    # Workers that do not see the files of this machine are sent the documents.
    monkeypatch.setattr(cluster, "_sees", lambda client, folder: False)
    with on_cluster(client):
        fit_again(model, corpus)
        with pytest.raises(ZeroDivisionError, match="task"):
            list(as_done(fail, MATERIAL, range(4)))


def test_a_search_whose_fits_are_on_the_cluster_does_not_wait_for_itself(client, corpus):
    client.wait_for_workers(2, timeout=300)
    X, Y = corpus
    search = GridSearchCV(MinMaxSVM(modules=(1, 2), random_state=0), {"C": [0.5, 1.0]}, cv=2)
    expected = clone(search).fit(X[:300], Y[:300])
    with joblib.parallel_config(backend="dask"):
        found = search.fit(X[:300], Y[:300])
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )


def test_a_worker_killed_in_mid_fit_changes_nothing(client, model, corpus, monkeypatch):
    client.wait_for_workers(2, timeout=300)
    killed = []

    def killing(function, material, tasks, n_jobs):
        pids = client.run(os.getpid)
        for count, done in enumerate(as_done(function, material, tasks, n_jobs)):
            if count == 2:
                killed.append(next(iter(pids.values())))
                kill(killed[0])
            yield done

    monkeypatch.setattr("textensor.classify.minmax.minmax_svm.as_done", killing)
    with on_cluster(client):
        fit_again(model, corpus)
    assert len(killed) == 1
    client.wait_for_workers(2, timeout=300)
    assert killed[0] not in client.run(os.getpid).values()


def test_material_that_was_sent_outlives_a_worker(client, monkeypatch):
    client.wait_for_workers(2, timeout=300)
    monkeypatch.setattr(cluster, "_sees", lambda client, folder: False)
    found = {}
    with on_cluster(client):
        for number, (value, pid) in as_done(look_up, MATERIAL, range(60)):
            if not found:
                kill(pid)
            assert number not in found
            found[number] = value
    assert found == {k: k * k for k in range(60)}


def test_a_task_that_kills_every_worker_is_given_up(client):
    client.wait_for_workers(2, timeout=300)
    with on_cluster(client), pytest.raises(RuntimeError, match="Workers keep dying"):
        list(as_done(die, MATERIAL, [3]))
