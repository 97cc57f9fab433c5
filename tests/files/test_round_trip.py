"""What is saved is loaded: every estimator, bit by bit, and nothing that is no data."""

import inspect
import json
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

import textensor
from tests.files.zoo import DENSE, NAMES, TEXTS, VECTORS, WORDS, ZOO, fitted, given, outputs, same
from textensor.classify import SemanticSVM, SupportTensorMachine, TensorClassifier
from textensor.files import ModelFileError, describe, load, open_model, save
from textensor.files.known import class_of, declared, name_of
from textensor.learn import Learner
from textensor.reduce import KDA, CentroidProjection, TensorLSI
from textensor.space import TermVectorizer


def classes_in(node):
    """Return the names of all classes in a file's tree."""
    if isinstance(node, dict):
        found = {node["class"]} if isinstance(node.get("class"), str) else set()
        return found.union(*(classes_in(part) for part in node.values()))
    return set().union(*map(classes_in, node)) if isinstance(node, list) else set()


def header_of(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("header.json"))


@pytest.mark.parametrize("name", ZOO)
def test_a_loaded_model_says_the_same_bit_by_bit(name, path):
    model = fitted(name)
    before = outputs(model, given(name))
    save(model, path)
    again = load(path)
    assert type(again) is type(model)
    assert same(outputs(again, given(name)), before)
    assert same(outputs(model, given(name)), before)  # saving changes nothing
    assert repr(again.get_params(deep=True).keys()) == repr(model.get_params(deep=True).keys())
    threads = dict.fromkeys((key for key in model.get_params() if key.endswith("n_jobs")), None)
    assert repr(clone(again)) == repr(clone(model).set_params(**threads))  # files do not keep their number
    bytes_before = path.read_bytes()
    save(again, path)
    assert path.read_bytes() == bytes_before  # one model, one sequence of bytes
    assert describe(path).n_bytes == len(bytes_before)


def test_the_zoo_has_sparse_weights():
    assert sp.issparse(fitted("minmax-sparse").coef_)
    assert sp.issparse(fitted("minmax-sparse-many").coef_)


def test_every_estimator_of_the_package_is_in_the_table():
    packages = [textensor.classify, textensor.learn, textensor.reduce, textensor.space]
    ours = {
        f"{package.__name__}.{name}"
        for package in packages
        for name in package.__all__
        if inspect.isclass(getattr(package, name))
        and issubclass(getattr(package, name), BaseEstimator | Learner)
        and not inspect.isabstract(getattr(package, name))
    }
    ours -= {"textensor.learn.Foreign"}  # the estimator in it is stored itself
    ours -= {"textensor.space.StaticEmbedding"}  # a folder on disk, of which a categorizer keeps the SHA-256
    assert ours == {name for name in NAMES if name.count(".") == 2 and name.startswith("textensor.")}


def test_every_class_of_the_table_is_tried_here(path):
    found = set()
    for name in ZOO:
        save(fitted(name), path)
        found |= classes_in(header_of(path)["model"])
    assert found == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_class_has_one_name(name):
    assert name_of(class_of(name)) == name
    assert not declared(class_of(name)).record


@pytest.mark.parametrize("name", ["pipe-stm", "kda", "stm-many"])
def test_others_can_read_the_file(name, path):
    save(fitted(name), path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        arrays = json.loads(archive.read("header.json"))["arrays"]
        assert names == ["header.json", *(f"{i}.npy" for i in range(len(arrays)))]
        for description, member in zip(arrays, names[1:], strict=True):
            with archive.open(member) as file:
                array = np.load(file, allow_pickle=False)
            assert [array.dtype.str, list(array.shape)] == [description["dtype"], description["shape"]]


def test_no_pickle_is_read(path, monkeypatch):
    model = fitted("pipe-stm")
    save(model, path)
    for place, name in [(pickle, "load"), (pickle, "loads"), (pickle, "Unpickler"), (np, "load")]:
        monkeypatch.setattr(place, name, None)
    assert same(outputs(load(path), given("pipe-stm")), outputs(model, given("pipe-stm")))


@pytest.mark.parametrize("name", ["terms-streamed", "tensorlsi-streamed", "stm", "srda", "svc", "clsi"])
def test_no_document_is_in_the_file(name, path):
    model = fitted(name)
    save(model, path)
    state = header_of(path)["model"]["state"]
    assert not {"counts_", "_sample", "_moments"} & state.keys()
    assert not any(text in path.read_bytes().decode("latin-1") for text in TEXTS)
    lengths = [description["shape"] for description in header_of(path)["arrays"]]
    assert not any(len(TEXTS) in shape for shape in lengths)


def test_names_of_columns_and_the_form_of_the_output_are_kept(path):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(DENSE, columns=TermVectorizer().fit(TEXTS).get_feature_names_out())
    for model in (CentroidProjection().set_output(transform="pandas"), KNeighborsClassifier(1)):
        save(model.fit(X, WORDS), path)
        again = load(path)
        assert again.feature_names_in_.tolist() == list(X.columns)
        method = "transform" if hasattr(model, "transform") else "predict"
        one, other = getattr(model, method)(X), getattr(again, method)(X)
        assert type(one) is type(other)
        assert np.array_equal(one, other)
        with pytest.raises(ValueError, match="feature names"):
            getattr(again, method)(X.iloc[:, ::-1])


def test_a_loaded_model_can_be_fitted_again(path):
    for name in ("pipe-stm", "kda", "tensorlsi", "terms-settings"):
        save(fitted(name), path)
        again = load(path)
        assert same(outputs(_refit(again, name), given(name)), outputs(fitted(name), given(name)))


def _refit(model, name):
    X = TEXTS if isinstance(given(name), list) else VECTORS
    return clone(model).fit(X) if name in ("tensorlsi", "terms-settings") else clone(model).fit(X, WORDS)


@pytest.mark.parametrize("labels", [["b", "a"], [1.0, -2.0], [True, False], ["ä\n", "\U0001f600"], ["", "x"]])
def test_labels_of_every_kind_come_back(labels, path):
    y = np.array(labels)[np.arange(12) % 2]
    for kind in (y, y.astype(object) if y.dtype.kind == "U" else y):
        model = CentroidProjection().fit(VECTORS, kind)
        save(model, path)
        assert load(path).classes_.tolist() == model.classes_.tolist()
        assert load(path).classes_.dtype == model.classes_.dtype


def test_metadata_is_kept_and_described(path):
    metadata = {"data": {"sha256": "00", "rows": np.int64(3)}, "F1": [0.5, np.float64(0.25)], "none": None}
    save(fitted("pipe-stm"), path, metadata=metadata)
    found = describe(path)
    assert found.metadata == {"data": {"sha256": "00", "rows": 3}, "F1": [0.5, 0.25], "none": None}
    assert found.versions["textensor"] == textensor.__version__
    assert set(found.versions) == {"python", "textensor", "numpy", "scipy", "scikit-learn"}
    assert found.n_bytes == path.stat().st_size
    (_, terms), (_, machine) = found.model["parameters"]["steps"]
    assert terms["state"]["_vocabulary"].endswith(" terms")
    assert machine["parameters"]["C"] == 10
    assert machine["state"]["classes_"] == ["grain", "money", "sea"]
    assert machine["state"]["intercept_"] == "float64 3"
    model, also = open_model(path)
    assert also == found
    assert same(outputs(model, given("pipe-stm")), outputs(fitted("pipe-stm"), given("pipe-stm")))


@pytest.mark.parametrize(
    "metadata",
    [{"a": float("nan")}, {"a": object()}, {1: 2}, {"a": {3}}, [], "text", {"a": np.arange(3)}],
)
def test_metadata_that_is_no_json_is_refused(metadata, path):
    with pytest.raises(ModelFileError, match="cannot be saved: its metadata"):
        save(fitted("srda"), path, metadata=metadata)
    assert not path.exists()


def identity(text):
    return text


class Mine(CentroidProjection):
    pass


def hidden():
    model = CentroidProjection().fit(VECTORS, WORDS)
    model.secret_ = 1
    return model


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: TermVectorizer(tokenizer=str.split, token_pattern=None).fit(TEXTS),
            r"tokenizer: a function",
        ),
        (
            lambda: TermVectorizer(preprocessor=identity).fit(TEXTS),
            r"preprocessor: a function cannot be stored",
        ),
        (lambda: TermVectorizer(analyzer=str.split).fit(TEXTS), r"analyzer: a function"),
        (lambda: KDA(kernel=laplacian_kernel).fit(DENSE, WORDS), r"KDA\.kernel: a function"),
        (lambda: KMeans(2, n_init=1).fit(DENSE), r"a sklearn\.cluster\._kmeans\.KMeans cannot be stored"),
        (lambda: Mine().fit(DENSE, WORDS), r"Mine cannot be stored"),
        (lambda: make_pipeline(FunctionTransformer(), LinearSVC()).fit(DENSE, WORDS), r"FunctionTransformer"),
        (lambda: TensorClassifier(KMeans(2)), r"learner: a sklearn"),
        (lambda: SupportTensorMachine(), r"it is not fitted"),
        (lambda: make_pipeline(TermVectorizer(), LinearSVC()), r"the TermVectorizer in it is not fitted"),
        (
            lambda: LinearSVC(random_state=np.random.RandomState(0)).fit(DENSE, WORDS),
            r"random_state: a numpy",
        ),
        (lambda: np.arange(3), r"it is not an estimator"),
        (lambda: {"a": 1}, r"it is not an estimator"),
        (hidden, r"its attribute secret_ is not known"),
        (
            lambda: TermVectorizer(input="filename").fit([__file__]),
            r"input: 'filename' is not one of 'content'",
        ),
        (lambda: TermVectorizer(token_pattern=r"(\w+\s?)+").fit(TEXTS), r"simple kind"),
    ],
)
def test_what_is_no_data_is_refused_when_it_is_saved(make, message, path):
    model = make()
    with pytest.raises(ModelFileError, match=message) as caught:
        save(model, path)
    assert str(caught.value).startswith(f"This {type(model).__name__} cannot be saved: ")
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert list(path.parent.iterdir()) == []


def test_a_number_of_threads_is_not_stored(path):
    for n_jobs in (None, 10**6):
        save(TensorLSI(2, shape=(-1, 2), n_jobs=n_jobs).fit_batches([VECTORS]), path.with_name(str(n_jobs)))
    assert path.with_name("None").read_bytes() == path.with_name("1000000").read_bytes()
    assert load(path.with_name("1000000")).n_jobs is None


def test_where_a_pipeline_kept_its_cache_is_not_stored(path, tmp_path):
    model = make_pipeline(LinearSVC(), memory=str(tmp_path / "cache")).fit(VECTORS, WORDS)
    save(model, path)
    assert load(path).memory is None
    assert b"cache" not in path.read_bytes()


def test_a_model_that_contains_itself_is_refused(path):
    model = make_pipeline(LinearSVC()).fit(VECTORS, WORDS)
    model.steps.append(("again", model))
    with pytest.raises(ModelFileError, match="nested too deeply"):
        save(model, path)


def test_memory_layouts_are_kept(path):
    model = CentroidProjection().fit(VECTORS, WORDS)
    for layout in ("C", "F"):
        model.components_ = np.asarray(model.components_, order=layout)
        save(model, path)
        assert load(path).components_.flags[f"{layout}_CONTIGUOUS"]
    model.components_ = np.repeat(model.components_, 2, axis=1)[:, ::2]
    save(model, path)
    assert np.array_equal(load(path).components_, model.components_)
    assert load(path).components_.flags.writeable


def test_sparse_interfaces_are_kept(path):
    for kind in (sp.csr_matrix, sp.csr_array):
        model = KDA().fit(VECTORS, WORDS)
        model.X_fit_ = kind(model.X_fit_)
        save(model, path)
        assert type(load(path).X_fit_) is kind


def test_a_reducer_may_return_data_frames(path):
    pytest.importorskip("pandas")
    reducer = TruncatedSVD(3, random_state=0).set_output(transform="pandas")
    model = SemanticSVM(reducer=reducer, random_state=0).fit(VECTORS, WORDS)
    save(model, path)
    np.testing.assert_array_equal(load(path).decision_function(VECTORS), model.decision_function(VECTORS))
