"""Folders that others made: refused in one sentence, whatever they hold, or read within bounds."""

import base64
import json
import os
import re
import struct
import subprocess
import sys

import numpy as np
import pytest

from tests.embeddings import TOKENS, tokenizer, vectors, write_model
from textensor.space import EmbeddingError, StaticEmbedding
from textensor.space.embedding import static
from textensor.space.embedding.tokens import MOST_GROWN

TEXTS = ["wheat and barley", "", "q" * 3000, "the wheat " * 300, "\x00\ud83d é \u0130 \u2028 ﷺ"]


def refusal(folder):
    """Return the one sentence of a refusal."""
    with pytest.raises(EmbeddingError) as caught:
        StaticEmbedding(folder).fit().transform(TEXTS)
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 800
    assert said.startswith(str(folder))
    return said


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"other": vectors()}, "does not have an array named embeddings"),
        ({"embeddings": vectors()[:, 0]}, "has 1 dimensions, not 2"),
        ({"embeddings": vectors()[:, :0]}, "vectors have 0 dimensions"),
        ({"embeddings": vectors()[:0]}, "does not have a vector for each token"),
        ({"embeddings": vectors()[:-1]}, "does not have a vector for each token"),
        ({"embeddings": np.zeros((2, 10_000), np.float32)}, "vectors have 10000 dimensions"),
        ({"embeddings": vectors().astype(np.int64)}, "is of I64, not of F64"),
        ({"embeddings": vectors() > 0}, "is of BOOL, not of F64"),
        ({"embeddings": np.where(vectors() > 2, np.nan, 1.0)}, "not finite or too large"),
        ({"embeddings": np.where(vectors() > 2, -np.inf, 1.0)}, "not finite or too large"),
        ({"embeddings": np.where(vectors() > 2, 1e300, 1.0)}, "not finite or too large"),
        ({"embeddings": vectors(), "weights": np.full(len(TOKENS), np.nan)}, "not finite or too large"),
        ({"embeddings": vectors(), "weights": np.ones(3)}, "does not have a vector for each token"),
        ({"embeddings": vectors(), "weights": np.ones((len(TOKENS), 1))}, "has 2 dimensions, not 1"),
        ({"embeddings": vectors(), "mapping": np.zeros(3, np.int64)}, "does not have a vector for each"),
        ({"embeddings": vectors(), "mapping": np.full(len(TOKENS), -1)}, "a vector that is not there"),
        ({"embeddings": vectors(), "mapping": np.full(len(TOKENS), 99)}, "a vector that is not there"),
        ({"embeddings": vectors(), "mapping": np.zeros(len(TOKENS))}, "is of F64, not of I64, I32"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, arrays, message):
    assert message in refusal(write_model(tmp_path, arrays))


def header(about, data=b""):
    text = json.dumps(about).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"\x00" * 7,
        b"\xff" * 100,
        struct.pack("<Q", 1 << 19) + b"{",
        header([]),
        header({"embeddings": {"dtype": "F32", "shape": [28, 4], "data_offsets": [0, 448]}}),
        header({"embeddings": {"dtype": "F32", "shape": [1 << 40, 4], "data_offsets": [0, 4]}}, b"abcd"),
        header({"embeddings": {"dtype": "F32", "shape": [1 << 62, 8], "data_offsets": [0, 0]}}),
        header({"embeddings": {"dtype": "X9", "shape": [1], "data_offsets": [0, 1]}}, b"a"),
    ],
)
def test_files_that_are_no_safetensors(tmp_path, contents):
    folder = write_model(tmp_path)
    (folder / "model.safetensors").write_bytes(contents)
    refusal(folder)


def test_a_long_header_is_not_parsed(tmp_path):
    folder = write_model(tmp_path)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", 50_000_000) + b" " * 1000)
    assert "no file of safetensors" in refusal(folder)


def test_every_cut_and_many_changed_bytes_of_the_vectors(tmp_path):
    folder = write_model(tmp_path)
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    mutants = [whole[:n] for n in range(0, len(whole), 7)]
    for _ in range(200):
        changed = bytearray(whole)
        changed[random.integers(200)] = random.integers(256)
        mutants.append(bytes(changed))
    for mutant in mutants:
        path.write_bytes(mutant)
        try:
            found = StaticEmbedding(folder).fit().transform(TEXTS)
        except EmbeddingError as error:
            assert str(error).isprintable()
        else:
            assert np.isfinite(found).all()


def model(**changes):
    return tokenizer(model=tokenizer()["model"] | changes)


def normalizers(*steps):
    return tokenizer(normalizer={"type": "Sequence", "normalizers": list(steps)})


def replace(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


DOUBLE = [replace("q", "qq")] * 40


def precompiled(*units, strings=b"q\0"):
    """Return the normalizer of a compiled map of characters, with a table of 256 units that begins so."""
    table = struct.pack("<256I", *units, *[0] * (256 - len(units)))
    charsmap = base64.b64encode(struct.pack("<I", len(table)) + table + strings).decode()
    return normalizers({"type": "Precompiled", "precompiled_charsmap": charsmap})


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ([], "describes no tokenizer"),
        ({}, "describes no tokenizer"),
        ({"model": 3}, "describes no tokenizer"),
        ({"model": {}}, "tokenizer cannot be read"),
        (model(type="Other"), "tokenizer cannot be read"),
        (model(vocab={}), "tokenizer has no tokens"),
        (model(vocab={"wheat": 10**6, "[UNK]": 0}), "does not have a vector for each token"),
        (model(vocab={"wheat": -1}), "tokenizer cannot be read"),
        (model(vocab={"wheat": 10**30}), "tokenizer cannot be read"),
        (model(vocab={"wheat": 1.5}), "tokenizer cannot be read"),
        (model(vocab=float("nan")), "tokenizer cannot be read"),
        (model(unk_token="[NONE]"), "failed on a text"),
        (model(dropout=0.5), "tokenizer is random"),
        (model(alpha=0.1), "tokenizer is random"),
        (tokenizer(normalizer=[]), "tokenizer is damaged"),
        (tokenizer(normalizer={"type": "Sequence"}), "tokenizer is damaged"),
        (tokenizer(normalizer={"type": "Curse"}), "unknown kind, Curse"),
        (normalizers({"type": "Replace"}), "tokenizer is damaged"),
        (normalizers(*DOUBLE), "makes texts too long"),
        (normalizers(*[replace("(?=q)", "q", "Regex")] * 40), "makes texts too long"),
        (normalizers(*[replace("a", "b" * 99), replace("b", "c" * 99), replace("c", "d" * 99)]), "too long"),
        (
            normalizers(replace("q", "Q" * 150), {"type": "Lowercase"}, replace("q", "r" * 150)),
            "makes texts too long",
        ),
        (normalizers(*[{"type": "ByteLevel"}] * 30), "makes texts too long"),
        (normalizers(*[{"type": "Prepend", "prepend": "q" * 200}] * 2), "makes texts too long"),
        (precompiled(strings=b"q" * 20_000 + b"\0"), "makes texts too long"),
        (precompiled(1 << 20), "tokenizer is damaged"),  # out of the table
        (precompiled(1 << 31), "tokenizer is damaged"),  # no root
        (precompiled(1 << 10 | 1 << 8, 1 << 31 | 2), "tokenizer is damaged"),  # out of the strings
        (precompiled(1 << 10 | 1 << 8, 1 << 31 | 1, strings=b"\xc3\xa9\0"), "tokenizer is damaged"),
        (normalizers({"type": "Precompiled", "precompiled_charsmap": "AAAAAA=="}), "tokenizer is damaged"),
        (normalizers({"type": "Precompiled", "precompiled_charsmap": "AQAAAAA="}), "tokenizer is damaged"),
        (normalizers({"type": "Precompiled", "precompiled_charsmap": "§"}), "tokenizer is damaged"),
        (normalizers({"type": "Precompiled", "precompiled_charsmap": "/////w=="}), "tokenizer is damaged"),
        (normalizers(replace("a", "b" * 5000)), "makes texts too long"),
        (
            tokenizer(
                pre_tokenizer={
                    "type": "Sequence",
                    "pretokenizers": [{"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}]
                    * 40,
                }
            ),
            "makes texts too long",
        ),
    ],
)
def test_tokenizers_that_are_refused(tmp_path, description, message):
    assert message in refusal(write_model(tmp_path, description=description))


def test_replacements_that_find_nothing_of_each_other_do_not_add_up(tmp_path):
    """As tokenizers have them that put spaces around each sign of punctuation."""
    steps = [replace(sign, f" {sign} ") for sign in "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"]
    description = normalizers({"type": "Lowercase"}, *steps, replace(r"\s+", " ", "Regex"), {"type": "Strip"})
    description["normalizer"]["normalizers"][-1] |= {"strip_left": True, "strip_right": True}
    found = StaticEmbedding(write_model(tmp_path, description=description)).transform(["WHEAT!wheat"])
    np.testing.assert_allclose(found[0], vectors()[2], atol=1e-7)


@pytest.mark.parametrize(
    "contents",
    [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"nan", b"9" * 10_000],
)
def test_files_that_are_no_json(tmp_path, contents):
    for name in ("tokenizer.json", "config.json"):
        folder = write_model(tmp_path / name)
        (folder / name).write_bytes(contents)
        refusal(folder)


def test_many_changed_bytes_of_the_tokenizer(tmp_path):
    folder = write_model(tmp_path)
    path = folder / "tokenizer.json"
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    for _ in range(300):
        changed = bytearray(whole)
        changed[random.integers(len(whole))] = random.choice(list(b'"{}[]:,0129-zq\\'))
        path.write_bytes(bytes(changed))
        try:
            found = StaticEmbedding(folder).fit().transform(TEXTS)
        except EmbeddingError as error:
            assert str(error).isprintable()
        else:
            assert found.shape == (len(TEXTS), 4)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_files_that_are_none_or_too_large(tmp_path, name, monkeypatch):
    folder = write_model(tmp_path, config={})
    path = folder / name
    monkeypatch.setitem(static.MOST_BYTES, name, 1)
    assert f"{name} has more than" in refusal(folder)
    path.unlink()
    if name != "config.json":
        assert f"there is no {name}" in refusal(folder)
    path.mkdir()
    assert f"{name} is not a regular file" in refusal(folder)
    path.rmdir()
    os.mkfifo(path)
    assert f"{name} is not a regular file" in refusal(folder)
    path.unlink()
    path.symlink_to(path)
    refusal(folder)


def test_a_file_in_place_of_the_folder(tmp_path):
    path = tmp_path / "file"
    path.write_text("no folder")
    refusal(path)


def long_tokens(count=60):
    """Return tokens of a hundred characters: a text may be that much longer than its tokens are many."""
    return {"z" * 99 + chr(0x4E00 + k): k + 2 for k in range(count)}


SLOW = {
    "words of any length": model(
        max_input_chars_per_word=10**9,
        continuing_subword_prefix="",
        vocab={"[UNK]": 0, "a": 1} | long_tokens(),
    ),
    "tokens that begin alike": tokenizer(
        model={"type": "Unigram", "unk_id": 0, "vocab": [["a" * (k + 1), -float(k)] for k in range(2000)]}
    ),
    "many steps": tokenizer(
        pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}] * 20_000}
    ),
}


#: In a process of its own: what takes too long goes on in its threads until the process ends.
TRANSFORM = """
import sys, time
from textensor.space import EmbeddingError, StaticEmbedding
try:
    StaticEmbedding(sys.argv[1]).transform([sys.argv[2] * (50_000 // len(sys.argv[2]))] * 20)
except EmbeddingError as error:
    print(time.process_time() < 20, error)
"""


@pytest.mark.parametrize("name", SLOW)
def test_tokenizers_that_take_too_long(tmp_path, name):
    description = SLOW[name] | {"normalizer": None}
    if name != "many steps":
        description["pre_tokenizer"] = None
    write_model(tmp_path, {"embeddings": np.ones((2000, 4))}, description)
    command = [sys.executable, "-c", TRANSFORM, str(tmp_path), "a a " if name == "many steps" else "a"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert re.match(r"True .* failed on a text: it takes too long", done.stdout)


def test_what_a_tokenizer_makes_of_one_text_is_bounded(tmp_path):
    """Each character becomes hundreds, and each of those takes dozens of bytes."""
    description = normalizers(replace("a", "b" * 900))
    description["model"]["vocab"] |= long_tokens()
    embedding = StaticEmbedding(write_model(tmp_path, {"embeddings": np.ones((100, 4))}, description))
    (batch,) = embedding._model.tokens._batches(["a" * 10**6], 10**6)
    assert 900 * len(batch[0]) <= MOST_GROWN


def test_a_description_that_would_take_much_memory_is_not_parsed(tmp_path):
    steps = [{"type": "Nmt"}] * 300_000
    pre = {"type": "Sequence", "pretokenizers": steps}
    write_model(tmp_path / "steps", {"embeddings": vectors()}, tokenizer(pre_tokenizer=pre))
    assert "far too much memory" in refusal(tmp_path / "steps")
    words = [["[UNK]", 0.0]] + [[f"word{k}", -1.0 / (k + 1)] for k in range(100_000)]
    large = tokenizer(model={"type": "Unigram", "unk_id": 0, "vocab": words})
    write_model(tmp_path / "large", {"embeddings": np.ones((len(words), 2), np.float32)}, large)
    assert StaticEmbedding(tmp_path / "large").fit_transform(["word7"]).shape == (1, 2)
