import logging
import re
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import textensor
from textensor.base.late import numba_cache as _numba
from textensor.parallel import in_order

ROOT = Path(__file__).parents[1]


def test_sub_packages_load_on_first_use():
    assert {"datasets", "evaluate", "space"} <= set(dir(textensor))
    assert textensor.space.TermVectorizer
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = textensor.nonsense


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/space.md",
        "docs/tensor-classifiers.md",
        "docs/guarantee.md",
        "docs/tensorlsi.md",
        "docs/comparators.md",
        "docs/model-files.md",
        "docs/embeddings.md",
        "docs/minmax.md",
    ],
)
def test_the_python_on_the_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {
        "batches": [["wheat rose", "rates fell"], ["wheat and maize rose", "rates rose"]],
        "stream": iter(["wheat rose"]),
        "counted_elsewhere": textensor.space.TermVectorizer(min_df=2).partial_fit(["wheat wheat"]),
    }
    for block in re.findall(
        r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL
    ):
        exec(block, names)
    if page in ("README.md", "docs/tensor-classifiers.md", "docs/minmax.md"):
        assert "micro" in capsys.readouterr().out
    elif page == "docs/space.md":
        assert names["tensors"].shape[0] == 3
    elif page == "docs/tensorlsi.md":
        assert names["Z"].shape[1] == 100


def test_kernels_compile_where_no_folder_can_be_written():
    """With nowhere to keep machine code, everything still works."""
    code = (
        "import numba.core.caching as c\n"
        "c.CacheImpl._locator_classes = []\n"
        "from textensor.space import TermVectorizer\n"
        "print(sorted(TermVectorizer().fit(['to be or not']).vocabulary_))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert done.stdout.strip() == "['be', 'not', 'or', 'to']", done.stderr


def test_the_first_compilation_says_so_once(caplog, monkeypatch):
    def add(a, b):
        return a + b

    add.__module__ = "textensor.space"
    monkeypatch.setattr(_numba._say_once, "said", False)
    with caplog.at_level(logging.WARNING, logger="textensor"):
        compiled = numba.njit(add)
        compiled(1, 2)
        compiled(1.0, 2.0)
    assert [record.message for record in caplog.records] == [
        "Compiling kernels: a few seconds, the first time only."
    ]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_tasks(n_jobs):
    assert list(in_order(lambda k: k * k, iter(range(50)), n_jobs)) == [k * k for k in range(50)]


def test_an_endless_stream_of_tasks_is_drawn_from_only_as_needed():
    drawn = []

    def tasks():
        k = 0
        while True:
            drawn.append(k)
            yield k
            k += 1

    results = in_order(np.sqrt, tasks(), n_jobs=2)
    assert [next(results) for _ in range(5)] == [np.sqrt(k) for k in range(5)]
    results.close()
    assert len(drawn) < 50
