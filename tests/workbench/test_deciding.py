"""One quantity decides: labels, probabilities, certainty, reasons, the command and the report agree."""

import csv
import io
import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.cli.conftest import runner, write_csv
from tests.files.zoo import FRESH, SEVERAL, TEXTS, TWO, WORDS
from tests.workbench.test_categorizer import corpus
from textensor import TextCategorizer, cli
from textensor.base.kept import LONGEST_LABEL
from textensor.workbench import evaluate_documents
from textensor.workbench.answers.deciding import held_out_coverage
from textensor.workbench.methods import METHODS

LABELS = WORDS.tolist()


def deciding(n_labels, sigmoids, several=False):
    """Return the decisions of a model that knows nothing else."""
    model = TextCategorizer()
    model.classes_ = np.array([f"label {k}" for k in range(n_labels)])
    model.several_, model.sigmoids_ = several, sigmoids
    return model


def probable(*probabilities):
    """Return decisions and scores whose probabilities are these, of each document in a row."""
    shown = np.array(probabilities)
    # With an intercept far below 0 the shares are those of exp(score).
    return deciding(shown.shape[1], np.array([1.0, -40.0, 1.0])), np.log(shown)


def agree(model, texts):
    """Check that whatever says something of texts says the same."""
    scores, shown = model.predict_scores(texts), model.predict_proba(texts)
    labels = model.predict(texts)
    assert (model.classes_[shown.argmax(axis=1)] == labels).all()
    assert (model.classes_[scores.argmax(axis=1)] == labels).all()
    assert (model.decide(scores) == labels).all()
    np.testing.assert_array_equal(model.certainty(scores), shown.max(axis=1))
    assert [reasons[0].label for reasons in model.explain(texts, 3)] == labels.tolist()
    np.testing.assert_allclose(shown.sum(axis=1), 1)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("given", [LABELS, TWO.tolist()], ids=["three labels", "two labels"])
def test_every_method_predicts_the_most_probable_label(name, given):
    agree(TextCategorizer(name).fit(TEXTS, given), [*FRESH, *TEXTS, "", "no known words"])


def test_the_command_and_the_report_agree_with_the_model(tmp_path, monkeypatch, capsys):
    texts, labels = corpus(240)
    model = TextCategorizer("svm").fit(texts[:60], labels[:60])
    agree(model, texts)
    assert model.thresholds_.any()
    model.save(tmp_path / "my.model")
    data = write_csv(tmp_path / "new.csv", ["text", "label"], zip(texts[60:], labels[60:], strict=True))
    run = runner(monkeypatch, capsys, cli.app)
    rows = list(csv.DictReader(io.StringIO(run("predict", tmp_path / "my.model", data).out)))
    shown = model.predict_proba(texts[60:])
    assert [row["predicted_label"] for row in rows] == model.classes_[shown.argmax(axis=1)].tolist()
    assert [float(row["score"]) for row in rows] == shown.max(axis=1).round(4).tolist()
    unsure = model.unsure(model.predict_scores(texts[60:]))
    assert [row["unsure"] == "true" for row in rows] == unsure.tolist()
    (reason,) = json.loads(run("explain", tmp_path / "my.model", texts[60], "--json").out)
    assert reason["label"] == rows[0]["predicted_label"]
    assert reason["probability"] == float(rows[0]["score"])
    found = evaluate_documents(model, texts[60:], labels[60:])
    wrong = [row["predicted_label"] != label for row, label in zip(rows, labels[60:], strict=True)]
    assert found.n_mistakes == sum(wrong)
    assert all(one.assigned == (rows[one.document]["predicted_label"],) for one in found.mistakes)
    assert found.coverage.levels[0].n_right == len(wrong) - sum(wrong)
    sure = shown.max(axis=1)
    for point in found.coverage.levels:
        assert point.n_documents == (sure >= point.above).sum()
        assert point.n_right == (~np.array(wrong) & (sure >= point.above)).sum()


@settings(deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(2, 5)), elements=st.floats(-1e6, 1e6)),
    st.floats(0, 1e6),
    st.floats(-1e3, 1e3),
    st.floats(0.01, 100),
)
@example(np.array([[1.0, 2.0, 2.0]]), 0.0, 0.0, 1.0)  # scores say nothing of probabilities
@example(np.array([[50.0, 60.0]]), 1.0, 0.0, 1.0)  # both sigmoids are 1
@example(np.array([[0.0, 5e-324]]), 1.0, 0.0, 1.0)  # the difference is lost
@example(np.array([[-1e6, -1e6, -9e5]]), 1e6, -1e3, 100.0)  # both are 0
@example(np.array([[3.0, 3.0], [-1.0, -1.0]]), 1.0, 0.0, 1.0)  # ties
def test_the_first_highest_score_is_the_most_probable_whatever_the_numbers(scores, slope, intercept, power):
    model = deciding(scores.shape[1], np.array([slope, intercept, power]))
    shown = model.probabilities(scores)
    assert (shown.argmax(axis=1) == scores.argmax(axis=1)).all()
    assert (model.decide(scores) == model.classes_[shown.argmax(axis=1)]).all()
    assert ((shown >= 0) & (shown <= 1)).all()
    np.testing.assert_allclose(shown.sum(axis=1), 1)
    order = np.argsort(scores, axis=1, kind="stable")
    assert (np.diff(np.take_along_axis(shown, order, axis=1), axis=1) >= -1e-15).all()


def test_several_labels_are_predicted_above_a_probability_of_their_own():
    labels = [tuple(one) for one in SEVERAL]
    model = TextCategorizer("svm").fit(TEXTS, labels)
    scores, shown = model.predict_scores([*TEXTS, *FRESH]), model.predict_proba([*TEXTS, *FRESH])
    for k in range(len(model.classes_)):
        yes = scores[:, k] > 0
        assert yes.any()
        assert shown[~yes, k].max(initial=0.0) <= shown[yes, k].min()
    least = [row[yes > 0].min(initial=np.inf) for row, yes in zip(shown, scores, strict=True)]
    expected = np.where(np.isinf(least), 1 - shown.max(axis=1), least)
    np.testing.assert_array_equal(model.certainty(scores), expected)
    np.testing.assert_array_equal(model.unsure(scores), expected < 0.5)


def test_a_coin_toss_between_two_labels_is_unsure():
    model, scores = probable([0.5, 0.5], [0.55, 0.45], [0.45, 0.55], [0.66, 0.34], [0.67, 0.33], [0.99, 0.01])
    assert model.unsure(scores).tolist() == [True, True, True, True, False, False]


def test_a_label_far_ahead_of_nineteen_others_is_not_a_coin_toss():
    others = np.full(18, (1 - 0.45 - 0.03) / 18)
    model, scores = probable([0.45, 0.03, *others], [0.3, 0.2, *(others * 0.5 / 0.52)])
    np.testing.assert_allclose(model.certainty(scores), [0.45, 0.3])
    assert model.unsure(scores).tolist() == [False, True]


def test_the_rule_compares_the_first_two_whatever_their_places():
    model, scores = probable([0.1, 0.3, 0.2, 0.4], [0.6, 0.1, 0.1, 0.2], [0.25, 0.25, 0.25, 0.25])
    assert model.unsure(scores).tolist() == [True, False, True]
    exactly_twice, scores = probable([0.5, 0.25, 0.25])
    assert not exactly_twice.unsure(scores - 1e-12 * np.array([0, 1, 1]))[0]


@pytest.mark.parametrize("n_labels", [2, 20])
def test_unsure_labels_are_right_as_often_as_a_toss_between_two(n_labels):
    """Labels are drawn by known probabilities: those that are unsure are right in 1/2 to 2/3 of cases."""
    rng = np.random.default_rng(0)
    shown = rng.dirichlet(np.full(n_labels, 0.3), size=20_000)
    truth = (rng.random(len(shown))[:, None] > shown.cumsum(axis=1)).sum(axis=1).clip(max=n_labels - 1)
    model, scores = probable(*np.maximum(shown, 1e-12))
    unsure = model.unsure(scores)
    first, second = np.argsort(-shown, axis=1)[:, :2].T
    of_two = (truth == first) | (truth == second)
    assert 0.5 < (truth == first)[unsure & of_two].mean() < 2 / 3
    assert (truth == first)[~unsure & of_two].mean() > 0.7
    even = shown.max(axis=1) / (shown.max(axis=1) + np.sort(shown, axis=1)[:, -2]) < 0.6
    assert unsure[even].all()
    assert 0.02 < unsure.mean() < 0.8


def test_a_fitted_model_flags_documents_that_are_coin_tosses_by_the_law_they_were_made_by():
    """Two labels with words of known frequencies: the true probability of each document is known."""
    rng = np.random.default_rng(2)
    shares = np.full((2, 40), 1.0)
    shares[0, :8], shares[1, 8:16] = 2.0, 2.0
    shares /= shares.sum(axis=1, keepdims=True)
    labels = rng.integers(2, size=3000)
    counts = np.array([rng.multinomial(30, shares[label]) for label in labels])
    odds = counts @ np.log(shares[1] / shares[0])
    true = 1 / (1 + np.exp(-np.abs(odds)))
    words = np.array([f"word{k}" for k in range(40)])
    texts = [" ".join(np.repeat(words, row)) for row in counts]
    model = TextCategorizer("svm", settings={"C": 1.0}).fit(texts[:1000], labels[:1000])
    scores, true = model.predict_scores(texts[1000:]), true[1000:]
    unsure, right = model.unsure(scores), model.predict(texts[1000:]) == labels[1000:]
    assert (model.certainty(scores) >= 0.5).all()  # so "below one half" flags nothing
    assert (true < 0.6).sum() > 50
    assert unsure[true < 0.6].mean() > 0.4
    assert unsure[true > 0.97].mean() < 0.02
    assert 0.4 < right[unsure].mean() < 0.67
    assert right[~unsure].mean() > 0.8


def test_without_probabilities_labels_below_zero_are_unsure():
    scores = np.array([[-0.2, -0.1], [0.3, -1.0]])
    assert deciding(2, None).unsure(scores).tolist() == [True, False]
    several = deciding(2, None, several=True)
    assert several.unsure(np.array([[-1.0, -2.0], [0.5, 0.1]])).tolist() == [False, False]
    with pytest.raises(ValueError, match="no probabilities"):
        deciding(2, None).probabilities(scores)


def test_no_documents():
    model = deciding(3, np.array([1.0, 0.0, 1.0]))
    none = np.empty((0, 3))
    assert len(model.decide(none)) == len(model.certainty(none)) == len(model.unsure(none)) == 0
    assert deciding(3, np.ones((3, 2)), several=True).decide(none, unknown="x") == []


def test_unknown_stands_in_for_unsure_labels():
    model, scores = probable([0.5, 0.5], [0.1, 0.9])
    assert model.decide(scores, unknown="for somebody to see").tolist() == ["for somebody to see", "label 1"]
    several = deciding(2, np.array([[1.0, -1.0], [1.0, 0.0]]), several=True)
    scores = np.array([[0.5, -1.0], [3.0, 2.0], [-9.0, -9.0], [-9.0, -0.1]])
    assert several.decide(scores) == [("label 0",), ("label 0", "label 1"), (), ()]
    assert several.decide(scores, unknown="?") == [("?",), ("label 0", "label 1"), (), ()]


def test_unknown_is_of_the_type_of_the_labels():
    texts, labels = corpus(120)
    numbers = [["grain", "money", "sea"].index(one) for one in labels]
    model = TextCategorizer("svm").fit(texts[:60], numbers[:60])
    texts = texts[60:]
    found = model.predict(texts, unknown=-1)
    unsure = model.unsure(model.predict_scores(texts))
    assert unsure.any()
    assert found.dtype.kind == "i"
    np.testing.assert_array_equal(found, np.where(unsure, -1, model.predict(texts)))
    with pytest.raises(ValueError, match="unknown='other' is not of the labels' type: pass one of type int"):
        model.predict(texts, unknown="other")
    assert model.predict([], unknown=-1).tolist() == []


def test_held_out_coverage_counts_documents_with_a_score():
    nan = np.nan
    scores = np.array([[2.0, 0.0], [nan, nan], [0.0, 2.0], [nan, 1.0], [0.0, 0.1]])
    found = held_out_coverage(scores, np.array([0, 1, 0, 1, 1]), np.array([1.0, -40.0, 1.0]))
    assert found[0] == {"above": 0.0, "documents": 4, "right": 3}
    assert found[-1] == {"above": 0.8, "documents": 3, "right": 2}
    texts, labels = corpus(120)
    model = TextCategorizer("svm").fit(texts, labels)
    points = model.figures_["coverage"]
    assert points[0]["documents"] == 120
    assert points[0]["right"] / 120 == pytest.approx(model.figures_["micro"], abs=1e-6)
    assert "coverage" not in TextCategorizer("svm").fit(TEXTS, [tuple(one) for one in SEVERAL]).figures_


def test_a_very_long_label_is_not_copied_for_each_document():
    model = TextCategorizer("svm").fit(TEXTS, np.where(TWO == "yes", "y" * LONGEST_LABEL, "n"))
    scores = np.tile([[0.0, 1.0]], (5000, 1))
    tracemalloc.start()
    found = model.decide(scores)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.tolist() == ["y" * LONGEST_LABEL] * 5000
    assert taken < 5_000_000
    assert (
        model.predict(TEXTS).tolist() == model.classes_[model.predict_scores(TEXTS).argmax(axis=1)].tolist()
    )


def test_a_limit_of_the_users_own():
    model, scores = probable([0.5, 0.5], [0.1, 0.9])
    assert model.unsure(scores, 0.95).tolist() == [True, True]
    assert model.decide(scores, unknown="?", below=0.4).tolist() == model.decide(scores).tolist()
    assert model.decide(scores, unknown="?", below=0.6).tolist() == ["?", "label 1"]
