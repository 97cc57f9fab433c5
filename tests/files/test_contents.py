"""Well-formed files with contents that no model has: refused with one sentence, or harmless."""

import numpy as np
import pytest

from tests.cli.conftest import write_csv
from tests.files.damage import refused, saved
from tests.files.writing import write_file
from tests.files.zoo import FRESH, TEXTS, VECTORS, WORDS
from tests.fuzz.asking import ask_model
from textensor.classify import MinMaxSVM
from textensor.files import load, save
from textensor.files.container import read_file
from textensor.files.known import class_of, declared
from textensor.space import EmbeddingError


def rewrite(path, change):
    """Change the model in a file, with all sums in order."""
    header, arrays, _ = read_file(path)
    header = {key: header[key] for key in ("versions", "metadata", "model")}
    change(header["model"], arrays)
    write_file(path, header, arrays)


def test_truth_values_are_true_or_false(path):
    save(MinMaxSVM(random_state=0).fit(VECTORS, np.asarray(WORDS) == WORDS[0]), path)

    def change(model, arrays):
        where = next(i for i, array in enumerate(arrays) if array.dtype == bool)
        arrays[where] = np.array([2], dtype=np.uint8).view(bool)

    rewrite(path, change)
    refused(path, "neither true nor false")


def set_state(key, value):
    return lambda model, arrays: model["state"].__setitem__(key, value)


def set_array(key, change):
    def apply(model, arrays):
        number = (model.get("state") or model["fields"])[key]["array"]
        arrays[number] = change(arrays[number].copy())

    return apply


def put(index, value):
    def change(array):
        array[index] = value
        return array

    return change


def in_solution(key, change):
    return lambda model, arrays: set_array(key, change)(model["state"]["_solved"], arrays)


def in_arrangement(key, change):
    return lambda model, arrays: set_array(key, change)(model["state"]["arrangement_"], arrays)


def in_documents(number, change):
    def apply(model, arrays):
        at = model["state"]["X_fit_"]["arrays"][number]["array"]
        arrays[at] = change(arrays[at].copy())

    return apply


def fewer_weights(model, arrays):
    """Leave out the weights of the last module, which the layout still has."""
    for key in ("coef_", "intercept_", "_numbers"):
        set_array(key, lambda a: a[:-1])(model, arrays)


def many_modes(model, arrays):
    """Make a small file whose documents have 2 ** 25 coordinates."""
    placed, solved = model["state"]["arrangement_"], model["state"]["_solved"]
    placed["state"]["shape_"] = {"tuple": [2] * 25}
    order = arrays[placed["state"]["permutation_"]["array"]]
    placed["state"]["permutation_"] = {"array": 0}
    solved["fields"]["factors"] = [{"array": 1 + i} for i in range(25)]
    solved["fields"]["eigenvalues"] = [{"array": 26 + i} for i in range(25)]
    arrays[:] = [order, *(np.eye(2) for _ in range(25)), *(np.ones(2) for _ in range(25))]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("srda", set_array("components_", put((0, 0), np.nan)), r"SRDA\.components_: it is not finite"),
        ("srda", set_array("components_", put((0, 0), 1e200)), r"it holds a number that is too large"),
        ("kda", in_documents(0, put(0, -1e200)), r"X_fit_: it holds a number that is too large"),
        (
            "trigrams",
            set_state("_sklearn_output_config", {"dict": [["transform", "pandas"]]}),
            r"_sklearn_output_config: .* is not one of",
        ),
        ("srda", set_array("components_", lambda a: a[:, :-1]), r"it has 56 terms where there are 57"),
        ("srda", set_array("components_", lambda a: a[None]), r"it has 3 dimensions, not 2"),
        ("srda", set_array("components_", lambda a: a.astype(int)), r"not an array of such numbers"),
        ("srda", set_array("intercept_", lambda a: a[:-1]), r"it has 1 axes where there are 2"),
        (
            "neighbours-dense",
            lambda model, arrays: model["parameters"].update(n_neighbors=None),
            r"it does not say how many neighbours decide",
        ),
        ("srda", set_state("classes_", {"strings": ["a", "a", "b"], "width": 1}), r"a label is there twice"),
        (
            "srda",
            set_state("classes_", {"strings": ["a", "b" * 1001, "c"], "width": None}),
            r"a label has 1,001 characters, more than 1,000",
        ),
        ("srda", set_state("n_features_in_", True), r"True is not a whole number of 1 or more"),
        ("srda", set_state("secret_", 1), r"SRDA: it has no attribute 'secret_'"),
        ("srda", lambda model, arrays: model["state"].pop("n_iter_"), r"its attribute n_iter_ is missing"),
        ("srda", lambda model, arrays: model["parameters"].update(x=1), r"it has no parameter 'x'"),
        (
            "srda",
            lambda model, arrays: model["parameters"].update(n_jobs=10**9),
            r"n_jobs: 1000000000 is not",
        ),
        ("srda", lambda model, arrays: arrays.append(np.zeros(1)), r"an array that nothing uses"),
        ("srda", lambda model, arrays: model.update({"class": "os.system"}), r"'os.system' is no class"),
        ("srda", lambda model, arrays: model.update({"class": ["a"]}), r"is no class"),
        ("srda", lambda model, arrays: model.update(state=None), r"its model is not fitted"),
        ("kda", in_documents(1, put(0, 10**6)), r"X_fit_: it is not a sparse matrix"),
        ("kda", in_documents(1, put(0, -1)), r"X_fit_: it has an index below 0"),
        ("kda", in_documents(2, put(1, 10**6)), r"X_fit_: it is not a sparse matrix: .* fall"),
        ("kda", in_documents(2, lambda a: np.zeros_like(a)), r"X_fit_: it has values that are in no row"),
        ("kda", in_documents(0, lambda a: a[:-1]), r"X_fit_: it does not have one value for each index"),
        (
            "kda",
            lambda model, arrays: model["parameters"].update(kernel="precomputed"),
            r"its documents are not",
        ),
        (
            "kda",
            lambda model, arrays: model["parameters"].update(gamma="1"),
            r"KDA: gamma must be a number of 0 or more, or None",
        ),
        ("tensorlsi", in_solution("pairs", put((0, 0), 10**6)), r"its pairs are of vectors that it"),
        ("tensorlsi", in_solution("pairs", put((0, 0), -1)), r"pairs: it holds a number out of range"),
        ("tensorlsi", in_solution("pairs", lambda a: a[:, :1]), r"it has 1 modes where there are 2"),
        (
            "tensorlsi",
            in_arrangement("permutation_", lambda a: np.append(a[:-1], a[0])),
            r"permutation_: it is not a permutation",
        ),
        (
            "tensorlsi",
            in_arrangement("permutation_", lambda a: np.sort(a)[:-1]),
            r"56 terms where there are 57",
        ),
        ("stm", in_arrangement("_positions", put(0, 10**6)), r"its terms have no cells"),
        ("stm", set_array("intercept_", lambda a: a[:-1]), r"it has 2 questions where there are 3"),
        (
            "stm",
            lambda model, arrays: model["state"]["factors_"].pop(),
            r"it has 1 modes where there are 2",
        ),
        ("stm", set_state("arrangement_", []), r"arrangement_: it has 0 questions where there are 3"),
        ("coem", set_state("views_", {"tuple": []}), r"it has a length of 0, not 2"),
        ("terms", set_state("_vocabulary", {"vocabulary": ["a", "a"]}), r"a term is there twice"),
        ("terms", set_state("_vocabulary", {"vocabulary": ["a", "b"]}), r"57 terms where there are 2"),
        (
            "terms",
            lambda model, arrays: model["parameters"].update(input="filename"),
            r"'filename' is not one",
        ),
        (
            "terms",
            lambda model, arrays: model["parameters"].update(ngram_range={"tuple": [1, 10**9]}),
            r"ngram",
        ),
        ("terms", lambda model, arrays: model["parameters"].update(token_pattern="(a+)+$"), r"simple kind"),
        (
            "terms",
            lambda model, arrays: model["parameters"].update(token_pattern="[z-a]"),
            r"not a regular expression",
        ),
        (
            "terms",
            lambda model, arrays: model["parameters"].update(stemmer="klingon"),
            r"stemmer must be one of",
        ),
        ("terms", lambda model, arrays: model["parameters"].update(stop_words=[[]]), r"\[\] is not a word"),
        ("terms", lambda model, arrays: model["parameters"].update(stop_words="\x1b[31m\n"), r"not a list"),
        ("minmax", fewer_weights, r"coef_: it has 5 modules where there are 6"),
        ("hosvd", many_modes, r"it has 33554432 coordinates, over the limit"),
        ("neighbours", set_array("_y", put(0, 3)), r"_y: it holds a number out of range"),
        ("svc", set_array("coef_", lambda a: a[:2]), r"it has 3 questions where there are 2"),
        (
            "pipe-stm",
            lambda model, arrays: model["parameters"].update(memory="/tmp/x"),
            r"no parameter 'memory'",
        ),
        ("pipe-stm", lambda model, arrays: model["parameters"].update(steps=[]), r"it has no steps"),
    ],
)
def test_contents_that_would_mislead_a_kernel_are_refused(name, change, message, path):
    saved(path, name)
    rewrite(path, change)
    refused(path, message)


HOSTILE_LABELS = {
    "floats": np.array([0.5, 1.5, 2.5]),
    "truth values": np.array([True, False]),
    "half a character": {"strings": ["\ud800", "b", "c"], "width": 1},
    "control characters": {"strings": ["\x1b[31m", "\n", "\x00b"], "width": 5},
    "empty": {"strings": ["", " ", "c"], "width": 1},
    "long": {"strings": ["a" * 50_000, "b", "c"], "width": 50_000},
    "objects": {"strings": ["a", "b", "c"], "width": None},
    "markup": {"strings": ["<script>alert(1)</script>", "=1+1", "c"], "width": 30},
}


@pytest.mark.parametrize("name", HOSTILE_LABELS)
def test_hostile_labels_of_a_categorizer_do_no_harm(name, path, tmp_path):
    value = HOSTILE_LABELS[name]

    def change(model, arrays):
        if isinstance(value, dict):
            model["state"]["classes_"] = value
        else:
            arrays.append(value)
            model["state"]["classes_"] = {"array": len(arrays) - 1}

    saved(path, "categorizer")
    rewrite(path, change)
    mail = write_csv(tmp_path / "mail.csv", ["text", "label"], zip(TEXTS, WORDS, strict=True))
    assert ask_model(path, FRESH, mail) in ("refused", "harmless")


def test_strings_are_no_wider_than_they_need_be(path):
    saved(path, "srda")
    rewrite(path, set_state("classes_", {"strings": ["grain", "money", "sea"], "width": 3_000_000}))
    assert load(path).classes_.dtype == "<U1000"


def test_weights_whose_squares_are_zero_do_no_harm(path):
    saved(path, "terms")
    rewrite(path, set_array("_idf", lambda a: np.full_like(a, 1e-200)))
    assert ask_model(path, FRESH, path) == "harmless"
    assert (load(path).transform(["wheat"]).data == 1e-200).all()


def test_an_embedding_of_another_size_than_the_file_says_is_refused(path, tmp_path):
    """The model agrees with the lie: each of its rows has one more weight."""

    def change(model, arrays):
        machine, mark = model["state"]["model_"], model["state"]["embedding_"]["fields"]
        mark["n_dimensions"] += 1
        machine["parameters"]["n_embedding"] += 1
        machine["state"]["n_features_in_"] += 1
        set_array("_weights", lambda a: np.insert(a, machine["state"]["n_features_in_"] - 1, 0.0, axis=1))(
            machine, arrays
        )

    saved(path, "categorizer-embedding")
    rewrite(path, change)
    mail = write_csv(tmp_path / "mail.csv", ["text", "label"], zip(TEXTS, WORDS, strict=True))
    assert ask_model(path, FRESH, mail) == "harmless"
    with pytest.raises(EmbeddingError, match="is another one"):
        load(path).predict(FRESH)


@pytest.mark.parametrize("name", ["neighbours", "terms-settings", "one-vs-rest", "pipe-calibrated"])
def test_a_file_does_not_decide_how_many_threads_there_are(name, path):
    saved(path, name)

    def change(node, arrays):
        if isinstance(node, dict):
            for value in node.values():
                change(value, arrays)
            if "class" in node and declared(class_of(node["class"])).parameters.get("n_jobs"):
                node["parameters"]["n_jobs"] = 200
        if isinstance(node, list):
            for value in node:
                change(value, arrays)

    def numbers(model):
        return [value for key, value in model.get_params().items() if key.endswith("n_jobs")]

    rewrite(path, change)
    found = numbers(load(path))
    assert found
    assert set(found) == {None}
