"""The min-max modular SVM: documents that are added later, and checkpoints."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tests.classify.minmax_data import dense, documents, same
from textensor.classify import MinMaxSVM
from textensor.classify.minmax import modules as modules_file
from textensor.classify.minmax.decompose import DECOMPOSITIONS
from textensor.files import load, save


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("keep", [False, True])
def test_added_documents_train_only_the_modules_they_touch(decomposition, keep):
    X, Y = documents(300, 40, 3)
    model = MinMaxSVM(modules=(2, 8), decomposition=decomposition, keep_documents=keep, random_state=0).fit(
        X[:297], Y[:297]
    )
    model._numbers[:, 1] = -1.0  # no module takes so many seconds: one that keeps them was not trained again
    before, old = model.modules_, dense(model.coef_).copy()
    new = slice(297, 300) if keep else slice(0, 300)
    model.add_documents(X[new], Y[new])
    after = model.modules_
    assert model.n_documents_ == 300
    assert (
        after[["label", "positive", "negative"]].tolist()
        == before[["label", "positive", "negative"]].tolist()
    )
    grown = after["rows"] > before["rows"]
    assert 0 < grown.sum() < len(grown)
    changed = (dense(model.coef_) != old).any(axis=1)
    np.testing.assert_array_equal(after["seconds"] >= 0, grown)
    assert not changed[~grown].any()
    # A label's new documents are all somewhere in its parts.
    for q in range(3):
        ours = after["label"] == q
        n_yes = sum(after["rows"][ours & (after["negative"] == 0)]) - sum(
            before["rows"][ours & (before["negative"] == 0)]
        )
        assert n_yes >= int(Y[297:, [q]].sum())
    np.testing.assert_array_equal(model.predict(X).toarray(), model.decision_function(X) > 0)


def test_one_module_grows_into_the_machine_of_all_documents():
    X, Y = documents(100, 20, 3)
    model = MinMaxSVM(modules=(1, 1), random_state=0).fit(X[:60], Y[:60]).add_documents(X, Y)
    assert same(model, MinMaxSVM(modules=(1, 1), random_state=0).fit(X, Y), X)


def test_a_label_without_documents_learns_when_some_come():
    X, Y = documents(80, 20, 3)
    Y = Y.toarray()
    Y[:60, 1] = 0
    Y[60:70, 1] = 1
    model = MinMaxSVM(modules=(2, 2), random_state=0, keep_documents=True).fit(X[:60], Y[:60])
    assert (model.modules_["label"] == 1).sum() == 1
    model.add_documents(X[60:], Y[60:])
    assert (model.modules_["label"] == 1).sum() == 4
    model.add_documents(X[:1], Y[:1], [2.0])
    assert model.n_documents_ == 81


@pytest.mark.parametrize("keep", [False, True])
def test_a_model_carries_documents_only_where_it_is_told_to(keep):
    X, Y = documents(300, 40, 3)
    marked = X.copy()
    marked.data[-1] = 0.12345
    model = MinMaxSVM(modules=(1, 1), random_state=0, keep_documents=keep).fit(marked[:200], Y[:200])
    new = slice(200, 300) if keep else slice(0, 300)
    model.add_documents(marked[new], Y[new])
    assert (np.float64(0.12345).tobytes() in pickle.dumps(model)) == keep
    assert model._labels.indicator.shape[0] == 0
    again = pickle.loads(pickle.dumps(model))
    assert same(again, model, X)
    if keep:
        assert same(again.add_documents(X[:5], Y[:5]), model.add_documents(X[:5], Y[:5]), X)


def test_documents_that_are_not_the_old_ones_are_refused():
    X, Y = documents(60, 20, 3)
    model = MinMaxSVM(random_state=0).fit(X[:40], Y[:40])
    assert model.documents_ is None
    with pytest.raises(ValueError, match="first 40 rows"):
        model.add_documents(X[40:], Y[40:])
    with pytest.raises(ValueError, match="first 40 rows"):
        model.add_documents(X[::-1], Y[::-1])
    y = np.asarray(Y[:, 0].toarray()).ravel()
    named = MinMaxSVM(random_state=0, keep_documents=True).fit(X, y)
    with pytest.raises(ValueError, match="not those of the first fit"):
        named.add_documents(X[:2], np.array([2, 3]))
    with pytest.raises(ValueError, match="parameters are not those of the first fit"):
        named.set_params(C=3.0).add_documents(X[:2], y[:2])
    with pytest.raises(NotFittedError):
        MinMaxSVM().add_documents(X, Y)


def test_documents_that_are_kept_are_the_models_own():
    X, Y = documents(60, 20, 3)
    X = X.astype(np.float64)
    model = MinMaxSVM(random_state=0, keep_documents=True).fit(X[:59], y := Y[:59].toarray())
    y[:] = 0
    kept = model.documents_[0].data.copy()
    X.data[:] = 0
    np.testing.assert_array_equal(model.documents_[0].data, kept)
    model.add_documents(sp.csr_matrix((1, X.shape[1])), np.ones((1, 3), dtype=int))
    assert model.n_documents_ == 60


def test_kept_documents_with_collections_of_labels_are_saved(tmp_path):
    X, _ = documents(90, 20, 3)
    Y = (X[:, :3].toarray() > 0).astype(int)
    y = [tuple(np.array(["a", "b", "c"])[row > 0].tolist()) for row in Y]
    parameters = {"modules": (2, 2), "random_state": 0, "keep_documents": True}
    expected = MinMaxSVM(**parameters).fit(X[:60], Y[:60]).add_documents(X[60:], Y[60:])
    save(MinMaxSVM(**parameters).fit(X[:60], y[:60]), tmp_path / "model")
    model = load(tmp_path / "model").add_documents(X[60:], y[60:])
    assert same(model, expected, X)
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_added_documents_take_the_form_of_those_that_are_kept():
    X, Y = documents(90, 20, 3)
    parameters = {"modules": (2, 2), "random_state": 0, "keep_documents": True}
    expected = MinMaxSVM(**parameters).fit(X[:60], Y[:60]).add_documents(X[60:], Y[60:])
    for old, new, kind in [
        (sp.csr_matrix, sp.csr_array, sp.csr_matrix),
        (sp.csc_array, sp.csr_matrix, sp.csr_array),
        (sp.csr_array.toarray, sp.csr_matrix, np.ndarray),
        (sp.csr_matrix, sp.csr_array.toarray, sp.csr_matrix),
    ]:
        model = MinMaxSVM(**parameters).fit(X[:60], old(Y[:60])).add_documents(X[60:], new(Y[60:]))
        assert type(model.predict(X)) is kind
        assert same(model, expected, X)
    single = MinMaxSVM(**parameters).fit(X[:60].astype(np.float32), Y[:60]).add_documents(X[60:], Y[60:])
    assert single.documents_[0].dtype == np.float32
    column = Y[:, [0]].toarray()
    with pytest.warns(UserWarning, match="column-vector"):
        model = MinMaxSVM(**parameters).fit(X[:60], column[:60])
    assert model.add_documents(X[60:], column[60:].ravel()).n_documents_ == 90


@pytest.mark.parametrize("keep", [False, True])
def test_added_documents_may_have_a_mark_among_names(keep):
    X, Y = documents(90, 20, 3)
    y = [-1 if k % 7 == 0 else "yes" if yes else "no" for k, yes in enumerate(Y[:, [0]].toarray().ravel())]
    model = MinMaxSVM(modules=(1, 1), unlabeled_value=-1, keep_documents=keep, random_state=0)
    expected = clone(model).fit(X, y)
    new = slice(60, 90) if keep else slice(0, 90)
    assert same(model.fit(X[:60], y[:60]).add_documents(X[new], y[new]), expected, X)


def test_weights_of_added_documents_are_checked_and_the_models_own():
    X, Y = documents(90, 20, 3)
    weight = np.ones(60)
    model = MinMaxSVM(modules=(1, 1), keep_documents=True, random_state=0).fit(X[:60], Y[:60], weight)
    weight[:] = 5.0
    for wrong, message in [(-np.ones(30), "[Nn]egative"), (np.ones(7), "shape"), (np.ones((30, 1)), "1D")]:
        with pytest.raises(ValueError, match=message):
            model.add_documents(X[60:], Y[60:], wrong)
    with pytest.raises(ValueError, match="y is None"):
        model.add_documents(X[60:], None)
    with pytest.raises(ValueError, match="classes are not those"):
        model.add_documents(X[60:], Y[60:, :2])
    assert model.n_documents_ == 60
    model.add_documents(X[60:], Y[60:], 1.0)
    assert same(model, MinMaxSVM(modules=(1, 1), random_state=0).fit(X, Y), X)


def test_an_interrupted_fit_goes_on_where_it_stopped(tmp_path, monkeypatch):
    X, Y = documents(200, 40, 4)
    model = MinMaxSVM(modules=(2, 4), random_state=0, checkpoint=tmp_path)
    expected = clone(model).set_params(checkpoint=None).fit(X, Y)
    trained = []

    def interrupted(material, task, **settings):
        if len(trained) == 10:
            raise KeyboardInterrupt
        trained.append(task)
        return modules_file.train(material, task, **settings)

    monkeypatch.setattr("textensor.classify.minmax.minmax_svm.train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clone(model).fit(X, Y)
    assert len(list(tmp_path.rglob("*.npz"))) == 1
    assert not list(tmp_path.rglob("*.partial"))
    trained.clear()

    def counted(material, task, **settings):
        trained.append(task)
        return modules_file.train(material, task, **settings)

    monkeypatch.setattr("textensor.classify.minmax.minmax_svm.train", counted)
    resumed = clone(model).fit(X, Y)
    assert len(trained) == len(expected.modules_) - 10
    assert same(resumed, expected, X)
    trained.clear()
    # Nothing is left to do; other parameters and other documents are other fits.
    assert same(clone(model).fit(X, Y), expected, X)
    assert not trained
    clone(model).set_params(C=1.0).fit(X, Y)
    assert len(trained) == len(expected.modules_)
    clone(model).fit(X[:-1], Y[:-1])
    assert len(trained) > len(expected.modules_)


def test_documents_that_came_in_other_portions_are_another_fit(tmp_path):
    X, Y = documents(200, 40, 4)
    model = MinMaxSVM(modules=(2, 3), random_state=0, checkpoint=tmp_path)
    clone(model).fit(X[:80], Y[:80]).add_documents(X[:140], Y[:140]).add_documents(X, Y)
    expected = clone(model).set_params(checkpoint=None).fit(X[:140], Y[:140]).add_documents(X, Y)
    assert same(clone(model).fit(X[:140], Y[:140]).add_documents(X, Y), expected, X)


def test_a_damaged_checkpoint_is_refused_in_a_sentence(tmp_path):
    X, Y = documents(60, 20, 3)
    model = MinMaxSVM(random_state=0, checkpoint=tmp_path).fit(X, Y)
    (path,) = tmp_path.rglob("*.npz")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"cannot be read.*computed again"):
        clone(model).fit(X, Y)
    path.write_bytes(content)
    with np.load(path) as file:
        arrays = dict(file)
    for name, value, message in [
        ("terms", arrays["terms"] + np.int32(10**6), "its terms are not those"),
        ("terms", np.zeros_like(arrays["terms"]), "its terms are not those"),
        ("terms", arrays["terms"].astype(float), "no weights of terms"),
        ("weights", arrays["weights"][:-1], "no weights of terms"),
        ("numbers", arrays["numbers"].astype(str), "cannot be read"),
        ("keys", arrays["keys"][:, :1], "cannot be read"),
        ("ends", arrays["ends"].astype(float), "cannot be read"),
        ("keys", np.array(0), "cannot be read"),
    ]:
        np.savez(path, **{**arrays, name: value})
        with pytest.raises(ValueError, match=message):
            clone(model).fit(X, Y)


def test_a_checkpoint_that_is_no_folder_or_of_others_does_no_harm(tmp_path):
    X, Y = documents(60, 20, 3)
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(ValueError, match="cannot be a checkpoint folder"):
        MinMaxSVM(random_state=0, checkpoint=file).fit(X, Y)
    # Whatever else is in the folder is neither read nor touched.
    (tmp_path / "modules-0-0-0.npz").write_bytes(b"not ours")
    expected = MinMaxSVM(random_state=0).fit(X, Y)
    assert same(MinMaxSVM(random_state=0, checkpoint=tmp_path).fit(X, Y), expected, X)
    assert file.read_text() == "mine"
    assert (tmp_path / "modules-0-0-0.npz").read_bytes() == b"not ours"
