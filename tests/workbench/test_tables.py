"""Documents and labels as pandas, numpy and scipy have them."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from tests.files.zoo import SEVERAL, TEXTS, WORDS
from textensor import TextCategorizer
from textensor.base.reading.y import read_named
from textensor.workbench import cluster_texts, evaluate_documents, index_texts, try_methods

pd = pytest.importorskip("pandas")
LABELS = WORDS.tolist()
NAMES = ["early", "grain", "money", "sea"]
#: Which labels each document has, and two documents to which none applies.
TABLE = np.array([[name in one for name in NAMES] for one in SEVERAL], dtype=int)


def fitted(texts=TEXTS, labels=LABELS):
    return TextCategorizer("svm", cross_validate=False).fit(texts, labels)


MISSING = {
    "None": None,
    "NaN": float("nan"),
    "NaN of numpy": np.float32("nan"),
    "NA": pd.NA,
    "NaT": pd.NaT,
    "NaT of numpy": np.datetime64("NaT"),
    "masked": np.ma.masked,
    "nothing": "",
}


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_value_is_no_label(name):
    model = fitted(labels=[MISSING[name], *LABELS[1:]])
    assert model.classes_.tolist() == ["grain", "money", "sea"]
    assert model.data_ == fitted(labels=["", *LABELS[1:]]).data_
    assert model.data_["unlabelled"] == 1
    if name != "nothing":  # which is a mistake within a collection
        collections = read_named([("a", MISSING[name]), MISSING[name], (MISSING[name],)])
        assert collections.as_y().tolist() == [[1], [-1], [-1]]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([None, *LABELS[1:]]),
        pd.Series([None, *LABELS[1:]], dtype="string"),
        pd.Series([None, *LABELS[1:]], dtype="category"),
        pd.Series([np.nan, *LABELS[1:]], dtype=object, index=range(5, 17)),
        pd.DataFrame({"label": [None, *LABELS[1:]]}),
        np.array([None, *LABELS[1:]], dtype=object),
        np.array(["", *LABELS[1:]])[:, None],
        np.ma.array(LABELS, mask=[True] + 11 * [False]),
    ],
    ids=["str", "string", "category", "object", "frame", "array", "one column", "masked"],
)
def test_columns_of_labels(column):
    assert fitted(labels=column).data_ == fitted(labels=["", *LABELS[1:]]).data_


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([3, np.nan, 5]),
        pd.Series([3, None, 5], dtype="Int64"),
        np.array([3, np.nan, 5], dtype=np.float32),
        np.ma.array([3, 9, 5], mask=[0, 1, 0]),
    ],
    ids=["float", "Int64", "array", "masked"],
)
def test_whole_numbers_beside_missing_ones(column):
    found = read_named(column)
    assert found.names.tolist() == [3, 5]
    assert found.names.dtype.kind == "i"
    assert found.codes.tolist() == [0, -1, 1]


@pytest.mark.parametrize(
    "texts",
    [
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype="string", index=range(12, 0, -1)),
        pd.DataFrame({"body": TEXTS}),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object)[:, None],
        (text for text in TEXTS),
    ],
    ids=["series", "string", "frame", "array", "one column", "generator"],
)
def test_columns_of_texts(texts):
    assert fitted(texts).data_ == fitted().data_


def test_texts_to_predict_may_be_a_column():
    model, column = fitted(), pd.DataFrame({"body": ["wheat and rain", "the bank"]})
    assert model.predict(column).tolist() == ["grain", "money"]
    assert model.predict(column["body"]).tolist() == ["grain", "money"]
    with pytest.raises(ValueError, match="entry 1 is missing"):
        model.predict(pd.Series(["a", None]))


BAD_TEXTS = {
    "NaN": (["a", float("nan")], 'The text at entry 1 is missing (nan): give a string, "" if it is empty'),
    "None": (pd.Series(["a", None], dtype=object), "The text at entry 1 is missing (None)"),
    "NA": (pd.Series(["a", "b", pd.NA], dtype="string"), "The text at entry 2 is missing (<NA>)"),
    "a number": (["a", 3], "The text at entry 1 is not text but int"),
    "bytes": ([b"a", "b"], "The text at entry 0 is not text but bytes"),
    "a list": ([["a", "b"]], "The text at entry 0 is not text but list"),
    "two columns": (pd.DataFrame({"a": ["x"], "b": ["y"]}), "a table of several columns: give one column"),
    "no column": (pd.DataFrame(index=[0, 1]), "a table of several columns: give one column"),
    "an array of two columns": (np.array([["x", "y"]]), "a table of several columns: give one column"),
}


@pytest.mark.parametrize("name", BAD_TEXTS)
def test_texts_that_are_none(name, tmp_path):
    texts, message = BAD_TEXTS[name]
    for act in (
        lambda: fitted(texts),
        lambda: fitted().predict(texts),
        lambda: cluster_texts(texts, 2),
        lambda: index_texts(tmp_path / "new", texts, ["a", "b"]),
        lambda: try_methods(texts, ["a", "b"], ["svm"], [0.5]),
        lambda: evaluate_documents(fitted(), texts, LABELS),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            act()


def test_a_text_for_each_label():
    with pytest.raises(ValueError, match="12 texts and 1 label were given: give one label for each text"):
        fitted(labels=["a"])
    with pytest.raises(ValueError, match="1 text and 12 labels were given"):
        fitted(["a"])


# ---- indicators


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(TABLE, columns=NAMES),
        pd.DataFrame(TABLE.astype(bool), columns=NAMES, index=range(20, 32)),
        pd.DataFrame(TABLE.astype(np.float32), columns=NAMES),
        pd.DataFrame(TABLE, columns=NAMES, dtype="Int8"),
        pd.DataFrame(TABLE, columns=NAMES, dtype=pd.SparseDtype(int, 0)),
        pd.DataFrame(TABLE, columns=NAMES).assign(never=0),
    ],
    ids=["int", "bool", "float", "nullable", "sparse", "a label without documents"],
)
def test_a_frame_of_0_and_1_is_several_labels(table):
    model, expected = fitted(labels=table), fitted(labels=SEVERAL)
    assert model.several_
    assert model.classes_.tolist() == NAMES
    assert model.data_ == expected.data_
    assert model.predict(TEXTS) == expected.predict(TEXTS)


@pytest.mark.parametrize(
    "make", [np.asarray, sp.csr_array, sp.coo_matrix, np.asfortranarray, lambda y: y.astype(bool)]
)
def test_an_array_of_0_and_1_is_several_labels(make):
    table = make(TABLE)
    model = fitted(labels=table)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.predict(TEXTS[:1]) == [(1,)]
    assert model.data_["labels"] == dict(zip("0123", TABLE.sum(axis=0).tolist(), strict=True))


def test_a_read_only_table_stays_as_it_is():
    table = TABLE.astype(float)
    table[3] = np.nan
    table.flags.writeable = False
    assert fitted(labels=table).data_["unlabelled"] == 1
    assert np.isnan(table[3]).all()


@pytest.mark.parametrize("mark", [-1, np.nan])
def test_no_label_applies_or_none_is_known(mark):
    table = TABLE.astype(float)
    table[2], table[6] = 0, mark
    frame = pd.DataFrame(table, columns=NAMES)
    found = read_named(frame)
    assert np.flatnonzero(~found.labelled).tolist() == [6]
    assert found.of(2) == found.of(6) == ()
    assert fitted(labels=frame).data_["unlabelled"] == 1
    assert read_named(np.ma.masked_equal(np.where(np.isnan(table), -1, table), -1)).labelled.sum() == 11


def test_documents_to_which_no_label_applies_teach_what_no_label_is():
    """Without them every document would get a label."""
    texts = [
        *TEXTS,
        *(f"nothing of the kind {word}" for word in ("one", "two", "three", "four", "five", "six")),
    ]
    table = np.vstack([TABLE[:, 1:], np.zeros((6, 3), dtype=int)])
    model = TextCategorizer("svm").fit(texts, table)
    assert model.predict(["nothing of the kind"]) == [()]
    found = evaluate_documents(model, texts, table)
    assert found.n_documents == 18
    trials = try_methods(texts, table, ["svm"], [0.7], n_splits=1)
    assert trials[0].n_train + trials[0].scores[0].n_documents == 18


def test_trials_keep_documents_to_which_no_label_applies(monkeypatch):
    from textensor.workbench import trials

    seen = []
    fit = TextCategorizer.fit

    def watch(self, texts, labels, **more):
        seen.append(int(labels.labelled.sum()))
        return fit(self, texts, labels, **more)

    monkeypatch.setattr(trials.TextCategorizer, "fit", watch)
    table = np.vstack([TABLE[:, 1:], np.zeros((6, 3), dtype=int)])
    try_methods([*TEXTS, *(f"{text} too" for text in TEXTS[:6])], table, ["svm"], [0.5], n_splits=1)
    assert seen == [9]


BAD_TABLES = {
    "a number": (TABLE * 3, "labels has 3 in row"),
    "some NaN": (np.where(np.arange(4) == 2, np.nan, TABLE), "labels has NaN in row 0, column 2"),
    "words": (np.array([["a", "b"]] * 12), "a table of several columns and not of 0 and 1: give one column"),
    "a frame of words": (pd.DataFrame({"a": LABELS, "b": LABELS}), "a table of several columns and not of 0"),
    "three dimensions": (np.zeros((12, 2, 2)), "a table of several columns and not of 0 and 1"),
    "no label at all": (np.zeros((12, 3)), "No document has a label"),
    "unlabelled": (np.full((12, 3), -1), "No document has a label"),
    "one label": (np.column_stack([np.arange(12) % 2, np.zeros(12)]), "give two labels or more"),
    "a name twice": (pd.DataFrame(TABLE, columns=["a", "b", "c", "a"]), "names a category twice"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_tables_that_are_no_labels(name):
    labels, message = BAD_TABLES[name]
    with pytest.raises(ValueError, match=message):
        fitted(labels=labels)


def test_evaluate_reads_labels_as_fit_does():
    model = fitted()
    plain = evaluate_documents(model, TEXTS, ["", *LABELS[1:]])
    for labels in (pd.Series([np.nan, *LABELS[1:]]), pd.DataFrame({"label": [None, *LABELS[1:]]})):
        found = evaluate_documents(model, pd.DataFrame({"text": TEXTS}), labels, train_texts=np.array(TEXTS))
        assert found.headlines == plain.headlines
        assert (found.n_documents, len(found.duplicates)) == (11, 11)
    several = fitted(labels=SEVERAL)
    frame = pd.DataFrame(TABLE, columns=NAMES)
    assert (
        evaluate_documents(several, TEXTS, frame).headlines
        == evaluate_documents(several, TEXTS, SEVERAL).headlines
    )
    with pytest.raises(ValueError, match="pass tuples of labels"):
        evaluate_documents(several, TEXTS, LABELS)
    with pytest.raises(ValueError, match="fit it on such documents"):
        evaluate_documents(model, TEXTS, frame)


def test_evaluate_takes_labels_that_are_numbers():
    numbers = np.repeat([3, 5, 8], 4)
    found = evaluate_documents(fitted(labels=numbers), TEXTS, numbers)
    assert found.headlines[0].micro.value == 1
