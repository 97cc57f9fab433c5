import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from tests.files.zoo import FRESH, SEVERAL, TEXTS, WORDS
from textensor import TextCategorizer
from textensor.files import ModelFileError, describe, save
from textensor.reduce.graph import graphs
from textensor.space import TermVectorizer
from textensor.workbench.choice.features import FEATURES, term_vectorizer
from textensor.workbench.methods import METHODS, Method, candidates

LABELS = WORDS.tolist()


def unlabelled(labels, every=4):
    """Take the label of each fourth document away."""
    return ["" if k % every == every - 1 else label for k, label in enumerate(labels)]


def corpus(n):
    """Write documents of three topics that share most of their words."""
    random = np.random.default_rng(0)
    labels = random.choice(["grain", "money", "sea"], n)
    shares = np.full((3, 60), 1.0)
    for k in range(3):
        shares[k, 5 * k : 5 * k + 5] = 3.0
    shares /= shares.sum(axis=1, keepdims=True)
    words = np.array([f"word{k}" for k in range(60)])
    topics = {"grain": 0, "money": 1, "sea": 2}
    return [" ".join(random.choice(words, 25, p=shares[topics[one]])) for one in labels], labels.tolist()


@pytest.mark.parametrize("name", METHODS)
def test_every_method_learns_saves_and_gives_reasons(name, tmp_path):
    labels = unlabelled(LABELS) if METHODS[name].unlabelled else LABELS
    model = TextCategorizer(name).fit(TEXTS, labels)
    assert model.method_ == name
    assert model.predict(["the farmer harvested maize and wheat", "a loan of the bank"]).tolist() == [
        "grain",
        "money",
    ]
    model.save(tmp_path / "my.model")
    again = TextCategorizer.load(tmp_path / "my.model")
    scores = model.predict_scores(FRESH)
    np.testing.assert_array_equal(again.predict_scores(FRESH), scores)
    probabilities = again.predict_proba(FRESH)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    for text, row in zip(FRESH, scores, strict=True):
        (reason,) = again.explain([text], 3)[0]
        assert reason.label == model.classes_[row.argmax()]
        assert reason.decision == pytest.approx(row.max(), abs=1e-9)
        assert sum(amount for _, amount in reason.parts) == pytest.approx(row.max(), abs=1e-9)
    assert 0 <= model.figures_["micro"] <= 1


def test_a_search_over_k_looks_for_neighbours_once_in_each_fold(monkeypatch):
    made, search = [], graphs._sweep
    monkeypatch.setattr(graphs, "_sweep", lambda *args: made.append(args[3]) or search(*args))
    model = TextCategorizer(["lrwmmc"], features="words", time_budget=600).fit(TEXTS, LABELS)
    assert sum(one["folds"] for one in model.tried_) == 6
    assert made == [20, 20, 20, model.settings_.get("n_neighbors", 20)]


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.several])
def test_several_labels(name, tmp_path):
    labels = [*SEVERAL[:-1], ()]
    model = TextCategorizer(name).fit(TEXTS, labels)
    assert model.several_
    assert model.classes_.tolist() == ["early", "grain", "money", "sea"]
    found = model.predict(TEXTS)
    assert all(isinstance(one, tuple) for one in found)
    assert [("grain" in one) for one in found] == [("grain" in one) for one in SEVERAL]
    scores = model.predict_scores(TEXTS)
    assert [len(one) for one in found] == (scores > 0).sum(axis=1).tolist()
    model.save(tmp_path / "my.model")
    again = TextCategorizer.load(tmp_path / "my.model")
    assert again.predict(TEXTS) == found
    reasons = again.explain(TEXTS[:3])
    assert [tuple(reason.label for reason in one) for one in reasons] == [
        one or (model.classes_[scores[k].argmax()],) for k, one in enumerate(found[:3])
    ]
    for k, one in enumerate(reasons):
        for reason in one:
            assert reason.decision == pytest.approx(scores[k][model.classes_.tolist().index(reason.label)])


def test_methods_for_one_label_say_so():
    with pytest.raises(ValueError, match="one label for each document only; for several take svm"):
        TextCategorizer("lrwmmc").fit(TEXTS, SEVERAL)


def test_the_search_is_stated_and_recorded():
    told = []
    texts, labels = corpus(120)
    model = TextCategorizer("auto", progress=lambda message, *_: told.append(message)).fit(texts, labels)
    planned = [
        {"method": method.name, "features": features, "settings": settings}
        for method, settings, features in candidates(["auto"], [*FEATURES], several=False)
    ]
    assert all({key: one[key] for key in planned[0]} in planned for one in model.tried_)
    assert [one["method"] for one in model.tried_[:2]] == ["svm", "semantic-svm"]
    (chosen,) = (
        one
        for one in model.tried_
        if (one["method"], one["features"], one["settings"])
        == (model.method_, model.features_, model.settings_)
    )
    assert "problem" not in chosen
    assert chosen["folds"] == 3
    assert told[-2].startswith(f"Chosen: {model.method_} on {model.features_}")
    assert model.figures_["micro"] == chosen["micro"]


@pytest.mark.parametrize(
    ("features", "said"),
    {
        "words": "words",
        "bigrams": "words, n-grams of up to 2 words; those in 2 or more documents",
        "characters": "n-grams of 3 to 5 characters; those in 2 or more documents",
        "both": "words, n-grams of up to 2 words, n-grams of 3 to 4 characters",
    }.items(),
)
def test_all_features_are_read_in_any_script_and_said(features, said, tmp_path):
    texts = [*TEXTS, "cafe\u0301 grain", "会議の予算", "会議の昼食"]
    model = TextCategorizer("svm", features=features).fit(texts, [*LABELS, LABELS[0], LABELS[0], LABELS[0]])
    pairs = "" if features == "characters" else "; Hiragana, Han as pairs of characters"
    first, *rest = said.split("; ")
    assert sorted(model.data_["features"].split("; ")) == sorted([*f"{first}{pairs}".split("; "), *rest])
    model.save(tmp_path / "my.model")
    again = TextCategorizer.load(tmp_path / "my.model")
    np.testing.assert_array_equal(again.predict_scores(texts), model.predict_scores(texts))
    both_forms = again.predict_scores(["cafe\u0301", "caf\u00e9"])
    np.testing.assert_array_equal(both_forms[0], both_forms[1])


def test_without_time_the_quickest_method_is_fitted(tmp_path):
    told = []
    model = TextCategorizer("auto", time_budget=0, progress=lambda message, *_: told.append(message)).fit(
        TEXTS, LABELS
    )
    model.save(tmp_path / "my.model")  # without the function
    assert TextCategorizer.load(tmp_path / "my.model").tried_ == model.tried_
    assert [one["method"] for one in model.tried_] == ["svm", "centroid"]
    assert model.method_ == "centroid"
    assert "too short for a search" in told[2]
    assert (model.predict(TEXTS) == LABELS).all()
    assert TextCategorizer(["tls", "svm"], time_budget=0).fit(TEXTS, LABELS).method_ == "tls"


def test_a_candidate_that_cannot_be_tried_is_passed_over(monkeypatch):
    broken = Method("broken", "one that never works", "textensor.reduce.LRWMMC", grid=({"depth": 1},))
    monkeypatch.setitem(METHODS, "broken", broken)
    model = TextCategorizer(["broken", "svm"]).fit(TEXTS, LABELS)
    assert "no setting 'depth'" in model.tried_[0]["problem"]
    assert model.method_ == "svm"
    with pytest.raises(ValueError, match="No method could be tried: The method broken"):
        TextCategorizer(["broken"]).fit(TEXTS, LABELS)


def test_probabilities_of_naive_bayes_do_not_saturate():
    model = TextCategorizer("coem").fit(TEXTS, unlabelled(LABELS))
    sure = model.predict_proba(TEXTS).max(axis=1)
    assert len(set(sure.round(6))) > len(set(TEXTS)) / 2  # no two documents are equally sure by saturation
    (reason,) = model.explain(TEXTS[:1])[0]
    assert any(abs(amount) > 0.1 for _, amount in reason.parts[:-1])
    assert model.data_["unlabelled"] == 3


def test_unlabelled_documents_change_nothing_for_a_method_without_use_for_them():
    labels = unlabelled(LABELS)
    kept = [k for k, label in enumerate(labels) if label]
    one = TextCategorizer("svm").fit(TEXTS, labels)
    other = TextCategorizer("svm").fit([TEXTS[k] for k in kept], [labels[k] for k in kept])
    np.testing.assert_array_equal(one.predict_scores(FRESH), other.predict_scores(FRESH))


def test_svm_is_an_svm():
    X = term_vectorizer().fit(TEXTS)
    model = TextCategorizer("svm", settings={"C": 1.0, "tol": 1e-8, "max_iter": 1000}).fit(TEXTS, LABELS)
    other = LinearSVC(loss="hinge", C=1.0, tol=1e-8, max_iter=100_000, random_state=0)
    other.fit(X.transform(TEXTS), LABELS)
    expected = other.decision_function(X.transform(FRESH))
    np.testing.assert_allclose(model.predict_scores(FRESH) + model.thresholds_, expected, atol=1e-4)


def test_probabilities_are_calibrated_on_documents_not_seen():
    texts, labels = corpus(1200)
    model = TextCategorizer("svm").fit(texts[:600], labels[:600])
    found = model.predict_proba(texts[600:])
    truth = np.array(labels[600:])[:, None] == model.classes_
    for low in (0.0, 0.25, 0.5, 0.75):
        there = (found >= low) & (found < low + 0.25)
        if there.sum() > 60:
            assert abs(truth[there].mean() - found[there].mean()) < 0.12
    assert abs(found.max(axis=1).mean() - (model.predict(texts[600:]) == labels[600:]).mean()) < 0.06


def test_held_out_figures_are_those_of_new_documents():
    texts, labels = corpus(1200)
    model = TextCategorizer("svm").fit(texts[:600], labels[:600])
    accuracy = (model.predict(texts[600:]) == labels[600:]).mean()
    assert abs(model.figures_["micro"] - accuracy) < 0.06


def test_a_label_of_few_documents_is_not_measurable():
    with pytest.warns(UserWarning, match="1 of 4 labels has one document only, the first is 'odd'"):
        model = TextCategorizer("svm").fit(
            [*TEXTS, *(f"{text} again" for text in TEXTS[:4]), "an odd one out"],
            [*LABELS, *LABELS[:4], "odd"],
        )
    assert model.figures_["labels"]["odd"] is None
    assert model.figures_["labels"]["sea"] is None  # it has four
    assert model.figures_["labels"]["grain"] is not None
    assert model.predict(["an odd one out"]).tolist() == ["odd"]


def test_labelled_training_documents_are_known_again(tmp_path):
    model = TextCategorizer("svm").fit([*TEXTS, "another wheat", "a new harbour"], [*LABELS, "", "sea"])
    model.save(tmp_path / "my.model")
    for one in (model, TextCategorizer.load(tmp_path / "my.model")):
        assert one.seen_.nbytes == 8 * 13
        asked = [TEXTS[1], "nothing", f" {TEXTS[0].upper()}\n", "another wheat", "", "a new harbour"]
        assert one.trained_on(asked).tolist() == [True, False, True, False, False, True]
        assert one.trained_on([]).tolist() == []
    with pytest.raises(TypeError, match="a single string"):
        model.trained_on("wheat")


def test_empty_and_long_documents_are_counted():
    with pytest.warns(UserWarning) as caught:
        TextCategorizer("svm").fit([*TEXTS, " ", "wheat " * 200_000], [*LABELS, "sea", "grain"])
    assert [str(one.message) for one in caught] == [
        "1 of 14 documents is empty.",
        "1 of 14 documents has more than 1,000,000 characters.",
    ]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 12, "one and the same, 'a'"),
        ([""] * 12, "nothing to learn"),
        (["a"] * 11, "12 texts and 11 labels"),
        ([("a",), *"b" * 11], "stands alone"),
        ([1.5] * 12, "a string or a whole number"),
        ([("a", "")] * 12, "a string or a whole number"),
    ],
)
def test_labels_that_cannot_be_learnt(labels, message):
    with pytest.raises(ValueError, match=message):
        TextCategorizer("svm").fit(TEXTS, labels)


def test_what_is_asked_wrongly_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="no method 'nonsense': choose auto, svm"):
        TextCategorizer("nonsense").fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="no setting 'depth'"):
        TextCategorizer("svm", settings={"depth": 3}).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="name it"):
        TextCategorizer(settings={"C": 3}).fit(TEXTS, LABELS)
    with pytest.raises(TypeError, match="a single string"):
        TextCategorizer("svm").fit("wheat", LABELS)
    model = TextCategorizer("svm", cross_validate=False).fit(TEXTS, LABELS)
    with pytest.raises(TypeError, match="a single string"):
        model.predict("wheat")
    with pytest.raises(ValueError, match="no probabilities"):
        model.predict_proba(["wheat"])
    with pytest.raises(ValueError, match="no label 'tree', only grain"):
        model.explain(["wheat"], labels=["tree"])
    save(TermVectorizer().fit(TEXTS), tmp_path / "terms.model")
    with pytest.raises(ModelFileError, match="holds a TermVectorizer"):
        TextCategorizer.load(tmp_path / "terms.model")


def test_nothing_asked_nothing_said():
    model = TextCategorizer("svm").fit(TEXTS, LABELS)
    assert model.predict([]).tolist() == []
    assert model.predict_scores([]).shape == (0, 3)
    assert model.explain([]) == []


def test_an_endless_stream_is_drawn_from_only_as_needed():
    model = TextCategorizer("svm").fit(TEXTS, LABELS)
    drawn = 0

    def texts():
        nonlocal drawn
        while True:
            drawn += 1
            yield "wheat and maize"

    blocks = model.score_blocks(texts())
    first, second = len(next(blocks)), len(next(blocks))
    assert 0 < first <= drawn <= 4 * (first + second)


def test_labels_of_numbers_and_two_classes(tmp_path):
    numbers = [1 if label == "sea" else 7 for label in LABELS]
    model = TextCategorizer("svm").fit(TEXTS, np.array(numbers))
    assert model.predict(TEXTS).tolist() == numbers
    scores = model.predict_scores(FRESH)
    np.testing.assert_allclose(scores[:, 0], -scores[:, 1], rtol=1e-12)
    model.save(tmp_path / "my.model")
    assert TextCategorizer.load(tmp_path / "my.model").explain(FRESH[:1])[0][0].label in (1, 7)
    assert set(model.telling_terms(3)) == {1, 7}


def test_the_card_is_in_the_file(tmp_path):
    model = TextCategorizer("svm").fit(TEXTS, LABELS)
    model.save(tmp_path / "my.model", metadata={"source": "written for this"})
    card = describe(tmp_path / "my.model").metadata
    assert card["method"] == "svm"
    assert card["source"] == "written for this"
    assert card["data"]["labels"] == {"grain": 4, "money": 4, "sea": 4}
    assert card["held out"]["micro"] == model.figures_["micro"]
    assert card["data"]["sha256"] == TextCategorizer("svm").fit(TEXTS, LABELS).data_["sha256"]
    assert card["data"]["sha256"] != TextCategorizer("svm").fit(TEXTS[::-1], LABELS[::-1]).data_["sha256"]


def test_the_contract_of_estimators_of_text():
    model = TextCategorizer("svm", settings={"C": 2.0}, n_jobs=2)
    fitted = clone(model).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(fitted)).predict_scores(FRESH), fitted.predict_scores(FRESH)
    )
    alone = TextCategorizer("svm", settings={"C": 2.0}).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(alone.predict_scores(FRESH), fitted.predict_scores(FRESH))
    grid = GridSearchCV(TextCategorizer("svm", cross_validate=False), {"method": ["svm", "stm"]}, cv=2)
    assert grid.fit(TEXTS, LABELS).best_score_ > 0.3
