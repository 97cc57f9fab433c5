"""Consistent lies: all sizes agree, all sums are right, and the file is made to mislead. It is refused."""

import os

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from sklearn.svm import LinearSVC

from tests.files.damage import refused, saved
from tests.files.test_contents import rewrite, set_array, set_state
from tests.files.writing import write_file
from tests.files.zoo import COUNTS, DENSE, MANY, SEMI, TEXTS, VECTORS, WORDS
from textensor.classify import AverageClassifier, CoEM, MinMaxSVM
from textensor.files import ModelFileError, describe, load, save
from textensor.files.container import FORMAT, Member, _crc, _directory
from textensor.files.writing import Writer
from textensor.space import TermVectorizer


def lie(model, path):
    """Write a model as it is, without the check that it can be read."""
    writer = Writer()
    node = writer.encode(model)
    write_file(path, {"versions": {}, "metadata": {}, "model": node}, writer.arrays)


def many_answers():
    model = OneVsRestClassifier(LinearSVC(random_state=0)).fit(VECTORS, MANY)
    model.estimators_ = [LinearSVC(random_state=0).fit(VECTORS, WORDS) for _ in model.estimators_]
    return model


def unsorted_classes():
    from sklearn.calibration import CalibratedClassifierCV

    model = CalibratedClassifierCV(LinearSVC(random_state=0), cv=2).fit(VECTORS, WORDS == "sea")
    model.classes_ = model.classes_[::-1]
    for one in model.calibrated_classifiers_:
        one.classes = one.classes[::-1]
        one.estimator.classes_ = one.estimator.classes_[::-1]
    return model


def scales_by_nothing():
    model = StandardScaler().fit(DENSE)
    model.mean_ = None
    return model


def nested():
    model = LogisticRegression().fit(VECTORS, WORDS)
    for _ in range(5):
        model = make_pipeline(model)
    return model


def overlapping_views():
    model = CoEM(random_state=0).fit(COUNTS, SEMI)
    model.views_ = (np.zeros_like(model.views_[0]), model.views_[1])
    return model


def no_members():
    model = AverageClassifier([MinMaxSVM(random_state=0)]).fit(VECTORS, WORDS)
    model.members_ = []
    return model


def history_of_estimators():
    model = CoEM(random_state=0).fit(COUNTS, SEMI)
    model.change_history_ = [LogisticRegression()] * 3
    return model


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (many_answers, "do not answer yes or no"),
        (unsorted_classes, "not in order"),
        (scales_by_nothing, "what it scales by"),
        (nested, "nested too deeply"),
        (overlapping_views, "do not share the terms"),
        (no_members, "it has no members"),
        (history_of_estimators, "may not hold an estimator"),
        (lambda: KNeighborsClassifier(3, metric="chebyshev").fit(DENSE, WORDS), "metric"),
        (lambda: LabelBinarizer(pos_label=2**40).fit(WORDS), "pos_label"),
        (lambda: TermVectorizer(ngram_range=(1, 50)).fit(TEXTS), "more than 8 lengths"),
        (lambda: CountVectorizer(strip_accents="unicode").fit(TEXTS), "TermVectorizer does not"),
        (lambda: TfidfVectorizer(strip_accents="ascii").fit(TEXTS), "TermVectorizer does not"),
        (lambda: TermVectorizer(encoding="bogus").fit(TEXTS), "encoding is not known"),
    ],
)
def test_a_model_that_misleads_is_refused(make, message, path):
    model = make()
    lie(model, path)
    refused(path, message)
    path.unlink()
    with pytest.raises(ModelFileError, match=message):
        save(model, path)


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-]+(?:-[a-]+)?\b",
        r"[a-z]+\b",
        r"\W+\b",
        r"[a-z]+(?:'[a-z]+)?\b",
        r"\w{1,99}(?:_\w{1,99})?\b",
        r"\w+(?:[_-]\w+)?\b",
    ],
)
def test_patterns_that_backtrack_are_refused(pattern, path):
    with pytest.raises(ModelFileError, match="simple kind"):
        save(TermVectorizer(token_pattern=pattern, vocabulary=["a"]).fit(["a"]), path)


def huge_parts(model, arrays):
    """Give labels so many parts that their product is 0 in 64 bits."""
    number = model["state"]["_layout"]["fields"]["keys"]["array"]
    keys = arrays[number].astype(np.int64)
    keys[0], keys[1] = (0, 2**33 - 1, 0), (0, 0, 2**31 - 1)
    arrays[number] = keys


def test_numbers_of_parts_cannot_overflow(path):
    saved(path, "minmax")
    rewrite(path, huge_parts)
    refused(path, "all of its modules")


@pytest.mark.parametrize("modules", [2**61 - 1, {"tuple": [2**40, 2**40]}])
def test_a_number_of_modules_that_takes_for_ever_is_refused(modules, path):
    saved(path, "minmax")
    rewrite(path, lambda model, arrays: model["parameters"].update(modules=modules))
    refused(path, "modules must be a whole number from 1 to 1000000")


def test_thresholds_do_not_compile_kernels_again(path):
    saved(path, "minmax")
    rewrite(path, set_array("thresholds_", lambda a: a.astype(np.float32)))
    refused(path, "stored as they should be")


def test_a_size_that_nothing_backs_makes_no_names(path):
    saved(path, "semantic-svm")

    def change(model, arrays):
        model["state"]["reducer_"] = {
            "class": "sklearn.preprocessing.Normalizer",
            "parameters": {},
            "state": {"n_features_in_": 57},
        }

    rewrite(path, change)
    with pytest.raises(ModelFileError):
        load(path)


def test_a_state_that_is_no_object_is_refused(path):
    saved(path, "categorizer")
    rewrite(path, lambda model, arrays: (model.update(state=[]), arrays.clear()))
    with pytest.raises(ModelFileError, match="not fitted"):
        describe(path)


def test_a_header_of_many_keys_is_refused(path):
    keys = ",".join(f'"{k:x}":1' for k in range(1_500_000))
    text = (
        f'{{"format": "{FORMAT}", "versions": {{}}, "metadata": {{{keys}}}, "model": {{}}, "arrays": []}}'
    ).encode()
    member = Member("header.json", len(text), _crc([text]))
    path.write_bytes(member.before() + text + _directory([member]))
    refused(path, "more memory")


def test_long_stop_words_are_refused(path):
    with pytest.raises(ModelFileError, match="not a word of at most 1000 letters"):
        save(TermVectorizer(stop_words=["a" * 1001]).fit(["wheat"]), path)


@pytest.mark.parametrize("key", ["dict", "set"])
def test_many_numbers_as_keys_are_refused(key, path):
    """Their hashes can be made to collide."""
    numbers = [[k, 0] if key == "dict" else k for k in range(20_001)]
    saved(path, "categorizer")
    rewrite(path, set_state("settings_", {key: numbers}))
    refused(path, "20,001 numbers as keys")


def test_a_sparse_matrix_that_is_far_too_wide_is_refused(path):
    """A product with it would take as many numbers as it has columns."""
    saved(path, "kda")

    def widen(model, arrays):
        data = {"array": len(arrays)}
        arrays += [np.ones(1), np.zeros(1, dtype=np.int32), np.array([0, 1], dtype=np.int32)]
        parts = [data, {"array": data["array"] + 1}, {"array": data["array"] + 2}]
        model["state"]["X_fit_"] = {"sparse": ["csr", "matrix"], "shape": [1, 2**27], "arrays": parts}

    rewrite(path, widen)
    refused(path, "more memory")


def test_a_parameter_that_is_far_too_large_is_refused(path):
    saved(path, "semantic-svm")
    rewrite(path, lambda model, arrays: model["parameters"].update(weight=1.7e308))
    refused(path, "too large")


def test_classes_of_a_categorizer_are_those_of_its_model(path):
    saved(path, "categorizer")
    rewrite(path, set_state("classes_", {"strings": ["a", "b"], "width": 1}))
    refused(path, "classes")


def test_a_file_of_holes_is_refused(path):
    saved(path)
    os.truncate(path, 3 * 10**9)
    if getattr(path.stat(), "st_blocks", 10**9) > 10**4:
        pytest.skip("this file system does not make holes, or does not say so")
    refused(path, "3,000,000,000 bytes, but only")
    with pytest.raises(ModelFileError, match="on the disk"):
        describe(path)
    path.unlink()
    path.touch()
    os.truncate(path, 3 * 10**9)
    refused(path, "but only 0 of them")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([5, 5], "not in order"),
        ([5, 3], "not in order"),
        ([-1, 3], "out of range"),
        ([3, 1 << 62], "out of range"),
    ],
)
def test_hashes_of_training_texts_are_sorted_and_no_marks(values, message, path):
    saved(path, "categorizer")

    def change(model, arrays):
        where = model["state"]["seen_"]
        arrays[where["array"]] = np.array(values)

    rewrite(path, change)
    refused(path, message)
