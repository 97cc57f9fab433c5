import pickle

import numpy as np
import pytest
from sklearn.base import clone

from tests.embeddings import TOKENS, tokenizer, vectors, write_model
from textensor.space import EmbeddingError, StaticEmbedding
from textensor.space.embedding import tokens as module
from textensor.space.embedding.tokens import Token, words_at

NUMBER = {token: k for k, token in enumerate(TOKENS)}
TEXT = "The farmers, in harvest; Wheat and WHEAT and zebras."
#: Its tokens: unknown ones, such as the semicolon and the zebras, are left out.
KNOWN = ["the", "far", "##mer", "##s", ",", "in", "harvest", "wheat", "and", "wheat", "and", "."]
INSIDE = ["The", "farmers", "farmers", "farmers", ",", "in", "harvest", "Wheat", "and", "WHEAT", "and", "."]


def mean(rows):
    return rows.astype(float).mean(axis=0)


def test_a_text_is_the_mean_of_its_tokens(tmp_path):
    found = StaticEmbedding(write_model(tmp_path)).transform([TEXT, "", "zebra zebra", "wheat"])
    E = vectors()
    assert found.dtype == np.float64
    np.testing.assert_allclose(found[0], mean(E[[NUMBER[one] for one in KNOWN]]), atol=1e-12)
    np.testing.assert_array_equal(found[1:3], 0)
    np.testing.assert_array_equal(found[3], E[NUMBER["wheat"]])


def test_unit_length_if_the_settings_say_so(tmp_path):
    raw = StaticEmbedding(write_model(tmp_path / "raw", config={"normalize": False})).transform([TEXT, ""])
    unit = StaticEmbedding(write_model(tmp_path / "unit", config={"normalize": True})).transform([TEXT, ""])
    np.testing.assert_allclose(unit[0], raw[0] / np.linalg.norm(raw[0]))
    np.testing.assert_array_equal(unit[1], 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int8])
def test_weights_and_a_mapping_of_tokens_to_fewer_vectors(tmp_path, dtype):
    random = np.random.default_rng(1)
    few = random.integers(-100, 100, size=(6, 3)).astype(dtype)
    mapping = random.integers(0, 6, size=len(TOKENS)).astype(np.int32)
    weights = random.random(len(TOKENS)).astype(np.float32)
    folder = write_model(tmp_path, {"embeddings": few, "mapping": mapping, "weights": weights})
    numbers = [NUMBER[one] for one in KNOWN]
    expected = mean(few[mapping[numbers]] * weights[numbers][:, None].astype(float))
    np.testing.assert_allclose(StaticEmbedding(folder).transform([TEXT])[0], expected, atol=1e-12)


def test_the_name_that_sentence_transformers_writes(tmp_path):
    one = StaticEmbedding(write_model(tmp_path / "one"))
    other = StaticEmbedding(write_model(tmp_path / "other", {"embedding.weight": vectors()}))
    np.testing.assert_array_equal(one.transform([TEXT]), other.transform([TEXT]))


def test_only_the_first_tokens_are_read(tmp_path):
    folder = write_model(tmp_path)
    found = StaticEmbedding(folder, max_tokens=2).transform(["wheat bank ship ship"])[0]
    np.testing.assert_allclose(found, mean(vectors()[[NUMBER["wheat"], NUMBER["bank"]]]))
    long = "wheat " * 100_000
    np.testing.assert_allclose(StaticEmbedding(folder).transform([long])[0], vectors()[NUMBER["wheat"]])


@pytest.mark.parametrize("text", [TEXT, "", "zebra", "wheat-bank", "wheat\u00a0 ship", "\ud800 wheat"])
@pytest.mark.parametrize("normalize", [False, True])
def test_the_parts_of_words_sum_to_the_vector(tmp_path, text, normalize):
    model = StaticEmbedding(write_model(tmp_path, config={"normalize": normalize}))
    words, parts = model.words(text)
    assert parts.shape == (len(words), 4)
    np.testing.assert_allclose(parts.sum(axis=0), model.transform([text])[0], atol=1e-12)
    if text is TEXT:
        assert words == INSIDE


def test_words_that_tokens_are_in():
    text = "to be-or  not"
    spans = [(0, 2), (2, 5), (5, 6), (3, 8), (8, 10), (12, 13)]
    places = [Token(1, *span) for span in spans]
    assert words_at(text, places) == ["to", "be", "-", "be-or", "(space)", "not"]
    assert words_at("", []) == []


def test_batches_do_not_show(tmp_path, monkeypatch):
    model = StaticEmbedding(write_model(tmp_path))
    texts = [TEXT, "", "wheat", "ship and bank", "barley " * 50] * 3
    expected = model.transform(texts)
    monkeypatch.setattr(module, "BATCH", 300)
    monkeypatch.setattr("textensor.space.embedding.static.BLOCK", 2)
    np.testing.assert_array_equal(model.transform(texts), expected)
    assert model.transform([]).shape == (0, 4)


def test_what_a_tokenizer_does_to_sentences_is_left_out(tmp_path):
    """Special tokens, padding and truncation are for transformers."""
    changed = tokenizer(
        truncation={"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
        padding={
            "strategy": {"Fixed": 1000},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
        post_processor={"type": "BertProcessing", "sep": ["the", 18], "cls": ["the", 18]},
    )
    found = StaticEmbedding(write_model(tmp_path, description=changed)).transform(["wheat bank ship"])[0]
    expected = vectors()[[NUMBER[one] for one in ("wheat", "bank", "ship")]]
    np.testing.assert_allclose(found, mean(expected))


def test_the_sum_of_the_files(tmp_path):
    one = StaticEmbedding(write_model(tmp_path / "one"))
    same = StaticEmbedding(str(write_model(tmp_path / "same")))
    assert len(one.sha256_) == 64
    assert one.sha256_ == same.sha256_
    others = [
        StaticEmbedding(write_model(tmp_path / "vectors", {"embeddings": vectors(seed=1)})),
        StaticEmbedding(write_model(tmp_path / "tokens", description=tokenizer(version="2.0"))),
        StaticEmbedding(write_model(tmp_path / "settings", config={"normalize": True})),
        StaticEmbedding(tmp_path / "one", max_tokens=100),
    ]
    assert len({one.sha256_, *(other.sha256_ for other in others)}) == 5


def test_it_is_an_estimator(tmp_path):
    model = StaticEmbedding(write_model(tmp_path), max_tokens=7)
    copies = [clone(model), pickle.loads(pickle.dumps(model.fit())), model.fit(["a text"])]
    for one in copies:
        assert one.get_params() == {"folder": tmp_path, "max_tokens": 7}
        np.testing.assert_array_equal(one.transform([TEXT]), model.transform([TEXT]))
    assert model.get_feature_names_out().tolist() == [f"embedding{k}" for k in range(4)]
    assert model.n_dimensions == 4


def test_links_are_followed(tmp_path):
    """The store of Hugging Face is made of them."""
    folder, links = write_model(tmp_path / "folder"), tmp_path / "links"
    links.mkdir()
    for file in folder.iterdir():
        (links / file.name).symlink_to(file)
    np.testing.assert_array_equal(
        StaticEmbedding(links).transform([TEXT]), StaticEmbedding(folder).transform([TEXT])
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [({"folder": 3}, "folder must be the path"), ({"max_tokens": 0}, "max_tokens must be a whole number")],
)
def test_settings_that_make_no_sense(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        StaticEmbedding(**({"folder": tmp_path} | options)).transform(["a"])


def test_a_single_string_is_refused(tmp_path):
    with pytest.raises(TypeError, match="give a list of texts"):
        StaticEmbedding(write_model(tmp_path)).transform("wheat")


def test_without_the_packages(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(ImportError, match=r'pip install "textensor\[embeddings\]"'):
        StaticEmbedding(write_model(tmp_path)).fit()


def test_a_folder_that_is_not_there(tmp_path):
    for folder in (tmp_path / "none", tmp_path / "a\0b"):
        with pytest.raises(EmbeddingError, match=r"there is no such folder\. Give a folder"):
            StaticEmbedding(folder).fit()
