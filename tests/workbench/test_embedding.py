"""Embeddings that users bring: read beside terms, known again later, and explained."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from tests.embeddings import tokenizer, vectors, write_model
from tests.files.zoo import FRESH, SEVERAL, TEXTS, TWO, WORDS
from textensor import TextCategorizer
from textensor.base.progress import TimeUpError, time_limit
from textensor.files import describe
from textensor.space import EmbeddingError, StaticEmbedding
from textensor.workbench.choice import embedded as module
from textensor.workbench.choice.choose import with_embedding
from textensor.workbench.choice.embedded import EmbeddedTexts
from textensor.workbench.choice.selection import Candidate
from textensor.workbench.embedding import PROBES, Embedding, embedded_blocks, same_embedding
from textensor.workbench.methods import METHODS

LABELS = WORDS.tolist()


def lengths(texts):
    """Return two numbers for each text."""
    return [[len(text), text.count("a") + 1.0] for text in texts]


def words(texts):
    """Return whether each of some words is there."""
    known = ("wheat", "barley", "bank", "money", "ship", "tide")
    return np.array([[float(word in text) for word in known] for text in texts])


class Encoder:
    """As models of sentence-transformers, which can be called with something else."""

    def __call__(self, inputs):
        raise NotImplementedError

    def encode(self, texts):
        return words(texts)


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path / "tiny", config={"normalize": True})


def fitted(embedding, labels=LABELS, **options):
    return TextCategorizer("semantic-svm", embedding=embedding, **options).fit(TEXTS, labels)


def kinds(folder):
    svd = make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0)).fit(TEXTS)
    return {
        "folder": folder,
        "path": str(folder),
        "static": StaticEmbedding(folder, max_tokens=5),
        "transformer": svd,
        "function": words,
        "encoder": Encoder(),
    }


@pytest.mark.parametrize("kind", ["folder", "path", "static", "transformer", "function", "encoder"])
@pytest.mark.parametrize("labels", [LABELS, TWO.tolist(), SEVERAL, [*LABELS[:-1], ""]])
def test_anything_that_turns_texts_into_vectors(folder, kind, labels, tmp_path):
    given = kinds(folder)[kind]
    model = fitted(given, labels)
    scores = model.predict_scores(FRESH)
    assert np.isfinite(scores).all()
    assert (
        model.model_.n_embedding == model.embedding_.n_dimensions == Embedding(given).vectors(TEXTS).shape[1]
    )
    assert model.data_["terms"] == len(model.vectorizer_.vocabulary_)
    model.save(tmp_path / "my.model")
    again = TextCategorizer.load(tmp_path / "my.model", embedding=given)
    np.testing.assert_array_equal(again.predict_scores(FRESH), scores)
    np.testing.assert_array_equal(again.predict_proba(FRESH), model.predict_proba(FRESH))
    assert again.telling_terms(3) == model.telling_terms(3)
    assert describe(tmp_path / "my.model").metadata["embedding"]["dimensions"] == model.model_.n_embedding


@pytest.mark.parametrize("labels", [LABELS, TWO.tolist(), SEVERAL])
@pytest.mark.parametrize("settings", [None, {"weight": 0.0}, {"embedding_weight": 2.0}])
@pytest.mark.parametrize("features", ["words", "both"])
def test_reasons_sum_to_the_score(folder, labels, settings, features):
    texts = [*FRESH, TEXTS[0], "The FARMERS, and wheat!", "Wheat wheat barley maize"]
    for given, is_static in ((folder, True), (words, False)):
        # Of several labels, held-out scores give thresholds, which are parts of the score.
        options = {"settings": settings, "features": features, "cross_validate": labels is SEVERAL}
        model = fitted(given, labels, **options)
        scores, names = model.predict_scores(texts), model.classes_.tolist()
        for text, row in zip(texts, scores, strict=True):
            for top in (0, 2, 100):
                for reason, score in zip(model.explain([text], top, labels=names)[0], row, strict=True):
                    parts = dict(reason.parts)
                    assert len(parts) == len(reason.parts)  # each word once
                    assert sum(parts.values()) == pytest.approx(score, abs=1e-9)
                    assert reason.decision == pytest.approx(score, abs=1e-9)
                    assert len(parts) <= top + 3
                    assert "(embedding)" not in parts or not is_static
        if not is_static:
            assert "(embedding)" in dict(model.explain([TEXTS[0]], 100)[0][0].parts)


def test_the_words_of_a_text_get_what_their_tokens_give(folder):
    model = fitted(folder, settings={"weight": 0.0})
    svm, text = model.model_, "Farmers farmers and WHEAT"
    X = model.vectorizer_.transform([text]).toarray()[0]
    names, parts = StaticEmbedding(folder).words(text)
    assert names == ["Farmers"] * 3 + ["farmers"] * 3 + ["and", "WHEAT"]
    for k, label in enumerate(model.classes_.tolist()):
        found = dict(model.explain([text], 100, labels=[label])[0][0].parts)
        through = parts @ svm.embedding_coef_[k] / np.linalg.norm(parts.sum(axis=0))
        terms = model.vectorizer_.vocabulary_
        expected = {
            "farmers": through[:6].sum(),  # not a term: the embedding alone knows it
            "and": through[6] + X[terms["and"]] * svm.coef_[k, terms["and"]],
            "wheat": through[7] + X[terms["wheat"]] * svm.coef_[k, terms["wheat"]],
        }
        assert {name: found[name] for name in expected} == pytest.approx(expected)
        assert set(found) == {*expected, "(all other terms)", "(intercept)", "(threshold)"}


def test_the_scores_are_those_of_terms_and_vectors_side_by_side(folder):
    model = fitted(folder)
    X = sp.csr_matrix(
        sp.hstack([model.vectorizer_.transform(FRESH), StaticEmbedding(folder).transform(FRESH)])
    )
    np.testing.assert_allclose(
        model.predict_scores(FRESH), model.model_.decision_function(X) - model.thresholds_, atol=1e-12
    )


def test_texts_stream_through(monkeypatch):
    def blocks(texts):
        texts = iter(texts)
        first = [next(texts), next(texts)]
        yield sp.csr_matrix(np.ones((len(first), 1)))
        rest = list(texts)
        yield sp.csr_matrix(np.ones((len(rest), 1)))

    found = list(embedded_blocks(blocks, iter(["a", "bb", "ccc"]), Embedding(lengths)))
    np.testing.assert_array_equal(np.vstack([X.toarray() for X in found])[:, 1], [1, 2, 3])


def test_a_file_holds_no_embedding_and_refuses_another(folder, tmp_path):
    path = tmp_path / "my.model"
    model = fitted(folder)
    model.save(path)
    assert vectors().tobytes() not in path.read_bytes()
    scores = model.predict_scores(FRESH)
    np.testing.assert_array_equal(TextCategorizer.load(path).predict_scores(FRESH), scores)  # where it was
    moved = folder.rename(tmp_path / "moved")
    with pytest.raises(EmbeddingError, match=r"fitted with the embedding tiny, which is not at .*: give its"):
        TextCategorizer.load(path).predict(FRESH)
    again = TextCategorizer.load(path).use_embedding(moved)
    np.testing.assert_array_equal(again.predict_scores(FRESH), scores)
    other = write_model(tmp_path / "other", {"embeddings": vectors(seed=1)})
    with pytest.raises(EmbeddingError, match="embedding tiny, and other is another one"):
        TextCategorizer.load(path, embedding=other)
    write_model(folder, {"embeddings": vectors(seed=1)}, config={"normalize": True})
    with pytest.raises(EmbeddingError, match="embedding tiny, and tiny is another one"):
        TextCategorizer.load(path).predict(FRESH)
    with pytest.raises(EmbeddingError, match="a folder of a static model, and words is none"):
        TextCategorizer.load(path, embedding=words)


def test_a_function_is_known_by_what_it_does(tmp_path):
    path = tmp_path / "my.model"
    fitted(words).save(path)
    with pytest.raises(EmbeddingError, match="embedding words, a function or transformer of Python"):
        TextCategorizer.load(path).predict(FRESH)
    random = np.random.default_rng(0)
    for alike in (lambda texts: words(texts) * 3, lambda texts: words(texts) * (1 + random.random(6) / 1000)):
        TextCategorizer.load(path, embedding=alike).predict(FRESH)  # unit length is all that counts
    for other in (lengths, lambda texts: words(texts)[:, ::-1], lambda texts: words(texts) + 0.1):
        with pytest.raises(EmbeddingError, match="is another one"):
            TextCategorizer.load(path, embedding=other)
    with pytest.raises(EmbeddingError, match="a function or transformer, and tiny is none"):
        TextCategorizer.load(path, embedding=write_model(tmp_path / "tiny"))


def test_a_place_that_a_file_names_is_looked_at_with_care(folder):
    mark = Embedding(folder).mark()
    from dataclasses import replace

    for place in ("tiny", "//host/share", "\\\\host\\share", "\0", "/dev/null", "/" + "x" * 5000):
        with pytest.raises(EmbeddingError, match="which is not at"):
            same_embedding(None, replace(mark, folder=place))


def test_a_model_without_one_takes_none(tmp_path, folder):
    model = TextCategorizer("svm").fit(TEXTS, LABELS)
    assert model.embedding_ is None
    assert model.use_embedding() is model
    model.save(tmp_path / "my.model")
    with pytest.raises(EmbeddingError, match="reads no embedding"):
        TextCategorizer.load(tmp_path / "my.model", embedding=folder)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "must be the path of a folder, a transformer or a function, not 3"),
        (TfidfVectorizer, "must be the path of a folder"),
        (TfidfVectorizer(), "TfidfVectorizer is not fitted: fit it before.*FrozenEstimator"),
        (CountVectorizer().fit(TEXTS), "returns a sparse matrix"),
        (HashingVectorizer(), "returns a sparse matrix"),
        (lambda texts: None, r"returns an array of shape \(\) for"),
        (lambda texts: [["a"]] * len(texts), "returns no array of numbers"),
        (lambda texts: [[1.0], [1.0, 2.0]], "returns no array of numbers"),
        (lambda texts: np.ones(len(texts)), "it must have a row for each text"),
        (lambda texts: np.ones((3, 2)), "it must have a row for each text"),
        (lambda texts: np.ones((len(texts), 0)), "it must have a row for each text"),
        (lambda texts: np.ones((len(texts), len(texts))), "dimensions for text 1 and 8 before"),
        (lambda texts: np.full((len(texts), 2), np.nan), "not finite, or too large, for text 1"),
        (lambda texts: np.full((len(texts), 2), 1e200), "not finite, or too large, for text 1"),
    ],
)
def test_what_is_no_embedding_is_refused(given, message):
    with pytest.raises(EmbeddingError, match=message):
        fitted(given)


def test_an_error_of_a_function_is_its_own():
    def broken(texts):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fitted(broken)


def test_methods_that_read_none_say_so(folder):
    with pytest.raises(ValueError, match="svm: an embedding is read by semantic-svm only"):
        TextCategorizer("svm", embedding=folder).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="has no setting 'n_embedding'"):
        fitted(folder, settings={"n_embedding": 2})


def test_clone_pickle_and_grid_search(folder):
    model = fitted(folder)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(FRESH), model.predict(FRESH))
    assert clone(model).embedding == folder
    svd = FrozenEstimator(make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0)).fit(TEXTS))
    search = TextCategorizer("semantic-svm", embedding=svd, cross_validate=False)
    found = GridSearchCV(search, {"settings": [{"C": 1.0}, {"C": 10.0}]}, cv=2).fit(TEXTS, LABELS)
    assert found.best_estimator_.embedding_.n_dimensions == 3


# The search


def plan(*names):
    return [Candidate(METHODS[name], {"C": float(k)}) for k, name in enumerate(names, 1)]


def test_own_coordinates_then_both_then_the_embedding_alone():
    found = with_embedding(plan("svm", "semantic-svm", "coem", "semantic-svm"), search=True)
    assert [(one.method.name, one.settings, one.embedding) for one in found] == [
        ("svm", {"C": 1.0}, False),
        ("semantic-svm", {"C": 2.0}, False),
        ("semantic-svm", {"C": 2.0}, True),
        ("semantic-svm", {"C": 2.0, "weight": 0.0}, True),
        ("coem", {"C": 3.0}, False),
        ("semantic-svm", {"C": 4.0}, False),
        ("semantic-svm", {"C": 4.0}, True),
    ]
    assert len({id(one.tested) for one in found}) == len(found)
    assert found[2].title() == "semantic-svm on words and embedding (C=2.0)"
    assert found[2].as_data()["embedding"] is True


def documents(n=160, seed=0):
    """Write documents of two topics that share no telling word, and an embedding that knows the topics."""
    random = np.random.default_rng(seed)
    labels = random.choice(["a", "b"], n)
    texts = [f"{label}{k} " + " ".join(random.choice(FILL, 8)) for k, label in enumerate(labels)]
    return texts, labels.tolist()


FILL = [f"word{k}" for k in range(30)]


def knowing(texts):
    """Return an embedding by the first letter of a text."""
    return np.array([[text[:1] == "a", text[:1] == "b", 0.1] for text in texts], dtype=float)


def noise(texts):
    """Return an embedding that knows nothing."""
    return np.array([np.random.default_rng(len(text)).standard_normal(5) for text in texts])


def test_the_search_takes_an_embedding_that_helps():
    texts, labels = documents()
    said = []
    model = TextCategorizer(embedding=knowing, progress=lambda message, *_: said.append(message))
    model.fit(texts, labels)
    assert model.embedding_ is not None
    assert any(one.get("embedding") for one in model.tried_)
    assert said[-1].startswith("Fitting semantic-svm on words and embedding (C=1.0")
    assert (model.predict(["a999 word1", "b999 word1"]) == ["a", "b"]).all()
    assert json.loads(json.dumps(model.card()))["embedding"]["name"] == "knowing"


def test_the_search_leaves_out_an_embedding_that_does_not_help():
    random = np.random.default_rng(0)
    labels = random.choice(["a", "b"], 160).tolist()
    topics = {"a": ["wheat", "barley", "maize"], "b": ["bank", "money", "loan"]}
    texts = [" ".join([*random.choice(topics[one], 3), *random.choice(FILL, 5)]) for one in labels]
    model = TextCategorizer(embedding=noise).fit(texts, labels)
    assert model.embedding_ is None
    assert "embedding" not in model.tried_[0]
    model.predict(texts)


def test_with_own_coordinates_level_the_embedding_is_not_taken(folder):
    model = TextCategorizer(["semantic-svm"], embedding=folder)
    texts, labels = TEXTS * 4, LABELS * 4
    model.fit([f"{text} {k}" for k, text in enumerate(texts)], labels)
    tried = [(one["settings"], one.get("embedding", False)) for one in model.tried_]
    assert ({"C": 1.0, "weight": 0.0}, True) in tried
    assert model.embedding_ is None


def test_a_checkpoint_is_of_one_embedding(tmp_path):
    calls = []

    def counted(texts):
        calls.append(len(texts))
        return words(texts)

    def fit(embedding):
        options = {"checkpoint": tmp_path, "embedding": embedding}
        return TextCategorizer(["semantic-svm"], **options).fit(TEXTS, LABELS).tried_

    first = fit(counted)
    n_files = len(list(tmp_path.iterdir()))
    assert fit(counted) == first
    assert len(list(tmp_path.iterdir())) == n_files
    fit(lengths)
    assert len(list(tmp_path.iterdir())) > n_files


class Clock:
    """A clock that each batch of texts moves on."""

    now = 0.0

    def monotonic(self):
        return self.now


def test_texts_are_embedded_once_and_within_the_time(monkeypatch):
    clock, calls = Clock(), []

    def slow(texts):
        clock.now += 10.0
        calls.append(len(texts))
        return np.ones((len(texts), 2))

    left = [100.0]
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "time_left", lambda: left[0])
    texts = EmbeddedTexts(Embedding(slow), ["a"] * 1000)
    X = sp.csr_matrix((1000, 3))
    left[0] = 20.0
    with pytest.raises(TimeUpError):  # three more batches take about 29 s
        texts.beside(X)
    with pytest.raises(TimeUpError):
        texts.beside(X)
    assert calls == [256]
    left[0] = 100.0
    assert texts.beside(X).shape == (1000, 5)
    assert texts.beside(X).nnz == 2000
    assert calls == [256, 256, 256, 232]


def test_no_time_at_all():
    texts = EmbeddedTexts(Embedding(words), TEXTS)
    with time_limit(0.0), pytest.raises(TimeUpError):
        texts.beside(sp.csr_matrix((12, 1)))


def test_probes_are_of_many_kinds():
    assert len(set(PROBES)) == len(PROBES)
    assert not all(probe.isascii() for probe in PROBES)


def test_a_tokenizer_that_fails_while_predicting_says_so(tmp_path):
    broken = tokenizer(model=tokenizer()["model"] | {"unk_token": "[NONE]"})
    with pytest.raises(EmbeddingError, match="its tokenizer failed on a text"):
        fitted(write_model(tmp_path / "tiny", description=broken))
