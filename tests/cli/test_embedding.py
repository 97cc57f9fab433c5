"""--embedding: fitted with a folder, and asked for again."""

import json

import pytest

from tests.embeddings import vectors, write_model

FIT = ("--text", "body", "--label", "kind", "-m", "semantic-svm")


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path / "tiny", config={"normalize": True})


@pytest.fixture
def embedded(tmp_path, mail, folder, textensor):
    path = tmp_path / "embedded.model"
    done = textensor("fit", mail, *FIT, "--embedding", folder, "-o", path)
    assert done.code == 0, done.err
    assert "semantic-svm on words and the embedding tiny (C=1.0)" in done.out
    return path


def asked(model, mail):
    return [
        ("predict", model, mail),
        ("evaluate", model, mail),
        ("explain", model, "wheat and a loan of the bank"),
    ]


def test_a_model_finds_its_embedding_where_it_was(textensor, embedded, mail, folder):
    for arguments in asked(embedded, mail):
        found = textensor(*arguments)
        assert found.code == 0, found.err
        assert textensor(*arguments, "--embedding", folder).out == found.out


def test_a_moved_embedding_is_named(textensor, embedded, mail, folder, tmp_path):
    before = [textensor(*arguments).out for arguments in asked(embedded, mail)]
    moved = folder.rename(tmp_path / "moved")
    for arguments, out in zip(asked(embedded, mail), before, strict=True):
        missing = textensor(*arguments)
        assert missing.code == 1
        assert missing.out == ""
        assert missing.err == (
            f"textensor: The model was fitted with the embedding tiny, which is not at {folder}: give its "
            "folder as --embedding.\n"
        )
        assert textensor(*arguments, "--embedding", moved).out == out


def test_another_embedding_is_refused(textensor, embedded, mail, tmp_path):
    other = write_model(tmp_path / "other", {"embeddings": vectors(seed=1)})
    for arguments in asked(embedded, mail):
        done = textensor(*arguments, "--embedding", other)
        assert (done.code, done.out) == (1, "")
        assert done.err == (
            "textensor: The model was fitted with the embedding tiny, and other is another one: give the "
            "same as --embedding.\n"
        )


def test_explanations_name_words(textensor, embedded):
    done = textensor("explain", embedded, "Wheat, wheat and farmers", "--json", "--top", "100")
    (reason,) = json.loads(done.out)
    parts = dict(reason["parts"])
    assert {"wheat", "farmers", ","} <= parts.keys()
    assert sum(parts.values()) == pytest.approx(reason["score"])


def test_a_text_that_only_the_embedding_knows(textensor, embedded):
    assert "no known words" not in textensor("explain", embedded, "far").err
    assert "no known words" in textensor("explain", embedded, "zebra").err


def test_show_says_what_is_needed(textensor, embedded, folder):
    done = textensor("show", embedded)
    assert done.code == 0
    flat = " ".join(done.out.split())
    assert "and the embedding tiny" in flat
    assert "tiny, 4 dimensions: needed to predict" in flat
    assert json.loads(textensor("show", embedded, "--json").out)["metadata"]["embedding"]["name"] == "tiny"


def test_wrong_uses_are_known_before_data_is_read(textensor, tmp_path, folder, model, mail):
    nowhere = tmp_path / "nowhere.csv"
    done = textensor("fit", nowhere, "-o", tmp_path / "x.model", "-m", "svm,coem", "--embedding", folder)
    assert (done.code, done.err) == (2, "textensor: --embedding is for --method auto, semantic-svm.\n")
    done = textensor("fit", nowhere, "-o", tmp_path / "x.model", "--embedding", tmp_path / "none")
    assert done.code == 2
    assert done.err == (
        f"textensor: --embedding: {tmp_path}/none cannot be read as a static model: there is no such folder. "
        "Give a folder in the format of model2vec, with model.safetensors and tokenizer.json.\n"
    )
    for arguments in asked(model, mail):
        done = textensor(*arguments, "--embedding", folder)
        assert (done.code, done.err) == (1, "textensor: The model reads no embedding: leave it out.\n")


def test_auto_with_an_embedding(textensor, mail, folder, tmp_path):
    done = textensor(
        "fit",
        mail,
        *("--text", "body", "--label", "kind"),
        *("--embedding", folder, "-o", tmp_path / "my.model", "--json"),
    )
    assert done.code == 0, done.err
    assert any(one.get("embedding") for one in json.loads(done.out)["tried"])
