"""Time limits, looked at between tasks and between the passes of a kernel."""

import threading
import time

import numpy as np
import pytest

from textensor.base.progress import TimeUpError, check_time, time_flag, time_left, time_limit
from textensor.learn import Hinge, rows_of
from textensor.parallel import as_done, crew, in_order


def test_without_a_limit_there_is_all_the_time():
    check_time()
    assert time_left() == float("inf")
    assert time_flag().tolist() == [0]


def test_the_limit_that_ends_first_holds():
    with time_limit(1000.0), time_limit(5000.0):
        assert time_left() <= 1000.0
        with time_limit(0.0), pytest.raises(TimeUpError):
            check_time()
        check_time()
    assert time_left() == float("inf")


def test_an_endless_limit_is_none():
    with time_limit(float("inf")):
        check_time()
        assert time_left() == float("inf")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_tasks_of_threads_know_the_limit(n_jobs):
    with time_limit(1000.0):
        assert all(left <= 1000.0 for left in in_order(lambda _: time_left(), range(5), n_jobs))
        assert all(left <= 1000.0 for _, left in as_done(lambda _, __: time_left(), None, range(5), n_jobs))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_task_is_begun_after_the_limit(n_jobs):
    done = []
    with time_limit(0.0):
        with pytest.raises(TimeUpError):
            list(in_order(done.append, range(5), n_jobs))
        with crew(n_jobs) as run, pytest.raises(TimeUpError):
            run(done.append, range(5))
        with pytest.raises(TimeUpError):
            list(as_done(lambda _, task: done.append(task), None, range(5), 1))
    assert done == []


def test_descent_that_would_go_on_for_ever_is_stopped_by_the_limit():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 5)), np.where(random.random(300) < 0.5, 1.0, -1.0)
    endless = Hinge(1e6, max_epochs=2**62)
    before = threading.active_count()
    with pytest.raises(TimeUpError), time_limit(0.2):
        endless.solve(rows_of(X), y, np.ones(300), tol=1e-300)
    while threading.active_count() > before:  # the timer ends, too
        time.sleep(0.01)
