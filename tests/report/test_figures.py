import numpy as np
import pytest
from sklearn.metrics import average_precision_score, confusion_matrix, precision_recall_fscore_support

from textensor.classify.onevsrest import Explanation
from textensor.evaluate import coverage, f1_by_argmax, f1_by_assignment, macro_sign_test, micro_sign_test
from textensor.report import Result, SizePoint, compare_results, evaluate_model
from textensor.report.measuring import confusions
from textensor.report.plots import coverage_plot

NAMES = np.array(["ale", "bread", "cheese", "dill"])


def _single(n=200, seed=0):
    rng = np.random.default_rng(seed)
    which = rng.integers(len(NAMES), size=n)
    decisions = rng.normal(size=(n, len(NAMES))) - 0.5
    decisions[np.arange(n), which] += 1.5
    return NAMES[which], decisions


def _multiple(n=150, seed=1):
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, 4)) < [0.5, 0.3, 0.2, 0.02]).astype(int)
    return truth, truth * 2 - 1 + rng.normal(size=truth.shape)


def test_figures_are_those_of_scikit_learn():
    truth, decisions = _single()
    found = evaluate_model(truth, decisions, NAMES)
    predicted = NAMES[decisions.argmax(axis=1)]
    expected = precision_recall_fscore_support(truth, predicted, labels=NAMES)
    got = [[one.precision.value, one.recall.value, one.f1.value, one.n_true] for one in found.labels]
    np.testing.assert_allclose(np.transpose(got), expected)
    np.testing.assert_array_equal(
        found.confusion.toarray()[:-1, :-1], confusion_matrix(truth, predicted, labels=NAMES)
    )
    assert not found.confusion.toarray()[-1].any()
    assert found.headlines[0].micro.value == pytest.approx((truth == predicted).mean())
    assert found.n_mistakes == (truth != predicted).sum()
    assert [one.protocol for one in found.headlines] == ["argmax", "assignment"]
    for curve, k in zip(found.curves, range(4), strict=True):
        average = curve.average_precision
        assert average.value == average_precision_score(truth == NAMES[k], decisions[:, k])
        assert 0 <= average.low < average.value < average.high <= 1
        assert (np.diff(curve.recall) > 0).all()
    for one in [figure for label in found.labels for figure in (label.precision, label.recall, label.f1)]:
        assert 0 <= one.low <= one.value <= one.high <= 1


def test_confusions_of_several_labels_counted_one_by_one():
    truth, decisions = _multiple()
    expected = np.zeros((5, 5), dtype=int)
    for true, decided in zip(truth > 0, decisions > 0, strict=True):
        missed = np.flatnonzero(true & ~decided).tolist()
        wrong = np.flatnonzero(decided & ~true).tolist()
        if missed or wrong:
            for i in missed or [4]:
                for j in wrong or [4]:
                    expected[i, j] += 1
        for k in np.flatnonzero(true & decided):
            expected[k, k] += 1
    np.testing.assert_array_equal(confusions(f1_by_assignment(truth, decisions)).toarray(), expected)


@pytest.mark.parametrize("several", [False, True])
def test_the_worst_mistakes_come_first(several):
    truth, decisions = _multiple() if several else _single()
    found = evaluate_model(truth, decisions, NAMES)
    margins = {}
    for i, row in enumerate(decisions):
        if several:
            wrong = [-f if true else f for f, true in zip(row, truth[i], strict=True) if (f > 0) != true]
            margins[i] = max(wrong, default=-np.inf)
        else:
            margins[i] = row.max() - row[list(NAMES).index(truth[i])] or -np.inf
    expected = sorted((i for i in margins if margins[i] > -np.inf), key=lambda i: -margins[i])
    assert [one.document for one in found.mistakes] == expected[:20]
    assert found.n_mistakes == len(expected)
    np.testing.assert_allclose([one.margin for one in found.mistakes], [margins[i] for i in expected[:20]])


def test_reasons_name_terms_and_sum_to_the_decision():
    asked = []

    def explain(document, labels):
        asked.append((document, labels))
        parts = [("salt", 0.5), ("hop", -2.0), ("(all other terms)", 0.1), ("(intercept)", 0.4)]
        return [Explanation(label, -1.0, parts) for label in labels]

    found = evaluate_model(["ale", "bread"], [[-1.0, 1.0], [-1.0, 1.0]], ["ale", "bread"], explain=explain)
    assert asked == [(0, ["bread", "ale"])]
    reason = found.mistakes[0].reasons[0]
    assert reason.terms == (("hop", -2.0), ("salt", 0.5))
    assert sum(amount for _, amount in reason.terms) + reason.rest == pytest.approx(reason.decision)


def test_a_label_with_few_documents_is_not_measurable():
    truth, decisions = _multiple()
    found = evaluate_model(truth, decisions, NAMES, min_documents=5)
    few = truth.sum(axis=0) < 5
    assert few.any()
    assert [one.measurable for one in found.labels] == (~few).tolist()
    kept = np.array([one.f1.value for one in found.labels])[~few]
    assert found.headlines[0].macro_measurable == pytest.approx(kept.mean())


def test_no_mistake_in_few_documents_is_no_certainty():
    found = evaluate_model(["a", "b"] * 4, [[1.0, -1.0], [-2.0, 1.0]] * 4, ["a", "b"])
    assert found.headlines[0].micro.value == found.headlines[0].micro.high == 1
    assert 0.5 < found.headlines[0].micro.low < 0.9
    assert found.mistakes == []


def test_a_label_that_the_model_has_never_seen_is_never_found():
    found = evaluate_model(["a", "b", "new"], [[1.0, -1.0], [-1.0, 1.0], [-1.0, 2.0]], ["a", "b"])
    assert [one.label for one in found.labels] == ["a", "b", "new"]
    assert found.labels[2].n_assigned == 0
    assert found.headlines[0].micro.value == pytest.approx(2 / 3)
    assert found.mistakes[0].true == ("new",)
    assert found.confusion[2, 1] == 1


def test_two_classes_and_one_column():
    decisions = np.array([-2.0, 1.0, 0.5, -0.1, 3.0, -1.0])
    truth = np.array([0, 1, 0, 0, 1, 1])
    found = evaluate_model(truth, decisions, [0, 1])
    assert [one.n_true for one in found.labels] == [3, 3]
    assert found.headlines[1].micro.value == f1_by_assignment(truth, decisions, classes=[0, 1]).micro
    assert [one.document for one in found.mistakes] == [5, 2]
    assert len(found.curves) == 2


def test_predictions_of_yes_and_no_have_no_curves():
    truth, decisions = _single()
    found = evaluate_model(truth, (decisions == decisions.max(axis=1, keepdims=True)).astype(int), NAMES)
    assert found.curves == ()
    assert found.headlines[0].micro.value == evaluate_model(truth, decisions, NAMES).headlines[0].micro.value


def test_the_figures_without_near_duplicates_leave_them_out():
    texts = ["ale hop malt", "bread rye", "ale barrel cask"]
    found = evaluate_model(
        ["a", "b", "a"],
        [[1.0, -1.0], [1.0, -1.0], [1.0, -1.0]],
        ["a", "b"],
        texts=texts,
        train_texts=["Ale, hop; malt!", "quite other words"],
    )
    assert [(one.test, one.train, one.exact) for one in found.duplicates] == [(0, 0, True)]
    assert found.without_duplicates.micro.value == 0.5
    assert found.duplicate_texts == {0: (texts[0], "Ale, hop; malt!")}


def test_texts_for_other_documents_are_refused():
    with pytest.raises(ValueError, match="1 text for 2 documents"):
        evaluate_model(["a", "b"], [[1, -1], [-1, 1]], ["a", "b"], texts=["one"])


def test_sizes_are_kept():
    point = SizePoint(10, (0.5, 0.4, 0.6), (0.4, 0.3, 0.5))
    assert evaluate_model(["a", "b"], [[1, -1], [-1, 1]], ["a", "b"], sizes=[point]).sizes == [point]


def test_a_comparison_averages_splits_and_marks_against_the_first():
    scored = {}
    for split in range(3):
        truth, good = _single(seed=split)
        bad = np.random.default_rng(split).normal(size=good.shape)
        for method, decisions in (("bad", bad), ("good", good)):
            scored.setdefault(method, []).append(
                [score(truth, decisions, classes=NAMES) for score in (f1_by_argmax, f1_by_assignment)]
            )
    results = [Result(m, "5%", 10 + k, s, k + 1.0) for m in scored for k, s in enumerate(scored[m])]
    found = compare_results(results)
    cell = next(c for c in found.cells if c.method == "good" and c.protocol == "argmax")
    good, bad = ([s[0] for s in scored[method]] for method in ("good", "bad"))
    assert cell.micro == pytest.approx(np.mean([s.micro for s in good]))
    assert cell.macro_std == pytest.approx(np.std([s.macro for s in good], ddof=1))
    assert cell.micro_mark == micro_sign_test(good, bad).mark == ">>"
    assert cell.macro_mark == macro_sign_test(good, bad).mark
    assert found.seconds["good", "5%"] == 2
    assert found.n_train == {"5%": 11}
    assert (found.n_splits, len(found.cells)) == (3, 4)


def test_a_comparison_of_nothing_or_of_unequal_splits_is_refused():
    with pytest.raises(ValueError, match="no results"):
        compare_results([])
    scores = [f1_by_argmax(["a", "b"], ["a", "b"])]
    with pytest.raises(ValueError, match="on the same"):
        compare_results([Result("x", "5%", 1, scores, 0)] * 2 + [Result("y", "5%", 1, scores, 0)])


def test_infinite_decisions_are_decisions():
    found = evaluate_model(["a", "b"], [[-np.inf, np.inf], [-np.inf, np.inf]], ["a", "b"])
    assert found.headlines[0].micro.value == 0.5
    assert np.isfinite(found.mistakes[0].margin)


def test_a_decision_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="NaN in row 1"):
        evaluate_model(["a", "b"], [[-1, 1], [np.nan, 1]], ["a", "b"])


def test_automation_counts_documents_all_of_whose_labels_are_right():
    truth, decisions = _multiple()
    right = ((decisions > 0) == truth).all(axis=1)
    sure = np.linspace(0, 1, len(truth))
    found = evaluate_model(truth, decisions, NAMES, certainty=sure, confidence=0.9).coverage
    assert found.levels == coverage(sure, right, confidence=0.9)
    assert found.curve == coverage(sure, right, at=None, confidence=0.9)
    assert evaluate_model(truth, decisions, NAMES).coverage is None
    new = evaluate_model(["a", "new"], [[1.0, -1.0], [1.0, -1.0]], ["a", "b"], certainty=[0.9, 0.8]).coverage
    assert [point[:3] for point in new.levels if point.above in (0.0, 0.9)] == [(0.0, 2, 1), (0.9, 1, 1)]
    with pytest.raises(ValueError, match="give one of each for a document"):
        evaluate_model(truth, decisions, NAMES, certainty=sure[:3])


def test_the_plot_of_automation_has_all_of_the_curve_and_names_that_do_not_overlap():
    truth, decisions = _single()
    found = evaluate_model(truth, decisions, NAMES, certainty=np.linspace(0.25, 1, 200)).coverage
    plot = coverage_plot(found)
    places = np.array([place.split() for place in plot.path[1:].split("L")], dtype=float)
    assert len(places) == len(found.curve)
    assert (np.diff(places[:, 0]) >= 0).all()
    assert places[-1].tolist() == [plot.right, plot.points[0][1]]  # all documents, as at level 0
    band = np.array([place.split() for place in plot.band[1:].split("L")], dtype=float)
    for drawn in (places, band):
        assert (drawn[:, 0] >= plot.left).all()
        assert (drawn[:, 0] <= plot.right).all()
        assert (drawn[:, 1] >= plot.y_ticks[-1][0]).all()
        assert (drawn[:, 1] <= plot.bottom).all()
    assert [name for _, _, name, _ in plot.points] == [f"{point.above:g}" for point in found.levels]
    named = sorted(x for x, _, _, is_named in plot.points if is_named)
    assert len(named) > 3
    assert min(np.diff(named)) >= 30
    assert (plot.y_ticks[-1][1], plot.x_ticks[-1][1]) == ("100%", "100%")


@pytest.mark.parametrize(("sure", "truth"), [([0.7], ["a"]), ([0.7], ["b"]), ([0.2, 0.2, 0.2], ["b"] * 3)])
def test_the_plot_of_automation_with_one_point(sure, truth):
    found = evaluate_model(truth, [[1.0, -1.0]] * len(truth), ["a", "b"], certainty=sure)
    plot = coverage_plot(found.coverage)
    assert plot.path.count("L") == 0
    assert len(plot.y_ticks) > 1
