"""What is mutated: one model file of every kind, and an index folder."""

import copy
import hashlib
import json
import random
from base64 import b64encode
from functools import cache
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np

from tests.embeddings import tokenizer, vectors, write_model
from tests.files.writing import write_file
from tests.files.zoo import FRESH, TEXTS, ZOO, fitted
from tests.fuzz.consistent import resize
from tests.fuzz.mutate import mutate, mutate_array, mutate_tree
from tests.fuzz.wide import WIDE, widened
from textensor import TextCategorizer
from textensor.base.disk import npy_head
from textensor.files import save
from textensor.files.container import read_file
from textensor.workbench import index_texts

#: Texts that slow expressions, narrow buffers and odd characters fail on.
HOSTILE = [
    *FRESH,
    "a" * 34 + " !",
    "a" * 5000,
    "wheat " * 500,
    " " * 3000,
    "\x00\ud83d\ude00 é \u0130 \u2028",
]
MODELS = [*ZOO, *WIDE]
INDEX = "index folder"
EMBEDDING = "embedding folder"
SUBJECTS = [*MODELS, *[INDEX] * 10, *[EMBEDDING] * 5]


def given(name: str) -> Any:
    """Return what a model is asked."""
    own = FRESH if name in WIDE else ZOO[name][1]
    return HOSTILE if own is FRESH else own


@cache
def model_parts(name: str, place: Path) -> tuple[dict[str, Any], list[Any]]:
    """Return header and arrays of the file of a model."""
    path = place / f"{name}.model"
    model = widened(name) if name in WIDE else fitted(name)
    model.save(path) if isinstance(model, TextCategorizer) else save(model, path)
    header, arrays, _ = read_file(path)
    return {key: header[key] for key in ("versions", "metadata", "model")}, arrays


def mutated_model(name: str, place: Path, path: Path, rng: random.Random) -> None:
    """Write a mutant of a model's file, with all sums right."""
    header, arrays = model_parts(name, place)
    header, arrays = copy.deepcopy(header), list(arrays)
    others = [model_parts(other, place) for other in rng.sample(MODELS, 2)]
    change = rng.random()
    if change < 0.3:
        resize(header, arrays, rng)
    if not 0.1 < change < 0.3:
        mutate(header, arrays, rng, others)
    write_file(path, header, arrays)


@cache
def index_folder(place: Path) -> Path:
    """Return a valid index folder."""
    folder = place / "index"
    index_texts(folder, TEXTS, [f"text {k}" for k in range(len(TEXTS))], dimensions=5)
    return folder


def mutated_index(place: Path, folder: Path, rng: random.Random) -> None:
    """Write a mutant of an index folder, with all sums right."""
    source = index_folder(place)
    (folder / "vectors").mkdir(parents=True)
    for path in (path for path in source.rglob("*") if path.is_file()):
        (folder / path.relative_to(source)).write_bytes(path.read_bytes())
    what = rng.random()
    if what < 0.25:
        header, arrays, _ = read_file(source / "projection.model")
        header = {key: copy.deepcopy(header[key]) for key in ("versions", "metadata", "model")}
        mutate(header, arrays, rng, [model_parts(name, place) for name in rng.sample(MODELS, 2)])
        write_file(folder / "projection.model", header, arrays)
    elif what < 0.35:
        _mutate_excerpts(folder / "excerpts.jsonl", rng)
    else:
        _mutate_vectors(folder / "vectors", rng)


def _mutate_excerpts(path: Path, rng: random.Random) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    tree = {"rows": rows}
    mutate_tree(tree, rng)
    rows = tree.get("rows", [])
    text = "".join(json.dumps(row) + "\n" for row in (rows if isinstance(rows, list) else [rows]))
    path.write_text(text[: rng.randrange(len(text) + 1)] if rng.random() < 0.2 else text)


def _mutate_vectors(folder: Path, rng: random.Random) -> None:
    header = json.loads((folder / "header.json").read_text())
    names = list(header["arrays"])
    arrays = [np.load(folder / f"{name}.npy") for name in names]
    for _ in range(rng.choice([1, 1, 2])):
        if rng.random() < 0.5:
            mutate_array(arrays, rng)
        else:
            mutate_tree(header, rng)
    described = header.get("arrays")
    agreeing = rng.random() < 0.5
    for name, array in zip(names, arrays, strict=True):
        content = npy_head(array.dtype.str, array.shape) + np.ascontiguousarray(array).tobytes()
        (folder / f"{name}.npy").write_bytes(content)
        if isinstance(described, dict) and isinstance(described.get(name), dict):
            described[name]["sha256"] = hashlib.sha256(content).hexdigest()
            if agreeing:
                described[name] |= {"dtype": array.dtype.str, "shape": list(array.shape)}
    if agreeing and arrays[0].ndim == 2:
        header |= dict(zip(("n_documents", "n_dimensions"), arrays[0].shape, strict=True))
    (folder / "header.json").write_text(json.dumps(header))


CHARSMAP = b64encode(pack("<257I2s", 1024, *[0] * 256, b"q\0")).decode()
#: Parts of tokenizers: steps of each kind, and models.
STEPS = [
    *({"type": kind} for kind in ("NFC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")),
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Prepend", "prepend": "a" * 300},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"},
    {"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": "b"},
    {"type": "Precompiled", "precompiled_charsmap": "AAAAAA=="},
    {
        "type": "Precompiled",
        "precompiled_charsmap": b64encode(pack("<257I2s", 1024, *[0] * 256, b"q\0")).decode(),
    },
    {"type": "Split", "pattern": {"Regex": "a*a*a*b"}, "behavior": "Isolated", "invert": False},
    {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True},
    *({"type": kind} for kind in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "Punctuation")),
    {"type": "FixedLength", "length": 5},
]
WORDS = {"[UNK]": 0, "a": 1, "wheat": 2, "z" * 99: 3, "y" * 99: 4, "x" * 99: 5}
TOKENIZERS = [
    tokenizer(),
    tokenizer(
        model={"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "", "vocab": WORDS}
    ),
    tokenizer(model={"type": "WordLevel", "unk_token": "[UNK]", "vocab": WORDS}),
    tokenizer(
        model={"type": "BPE", "unk_token": "[UNK]", "vocab": {**WORDS, "aa": 6}, "merges": [["a", "a"]]}
    ),
    tokenizer(model={"type": "Unigram", "unk_id": 0, "vocab": [["a" * k, -1.0 * k] for k in range(1, 25)]}),
]


def mutated_embedding(folder: Path, rng: random.Random) -> None:
    """Write a mutant of the folder of a static model."""
    description = copy.deepcopy(rng.choice(TOKENIZERS))
    for key, parts in (("normalizer", "normalizers"), ("pre_tokenizer", "pretokenizers")):
        if rng.random() < 0.5:
            steps = [copy.deepcopy(step) for step in rng.sample(STEPS, 3) * rng.choice([1, 1, 1, 5, 5000])]
            description[key] = {"type": "Sequence", parts: steps}
    if rng.random() < 0.3:
        description["model"]["max_input_chars_per_word"] = 10**9
    arrays = [vectors(), np.ones(len(vectors()), np.float32)]
    for _ in range(rng.choice([0, 1, 2])):
        mutate_tree(description, rng) if rng.random() < 0.7 else mutate_array(arrays, rng)
    named = {"embeddings": arrays[0], "weights": arrays[1]}
    write_model(folder, {name: np.ascontiguousarray(array) for name, array in named.items()}, description)
