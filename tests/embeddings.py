"""Tiny static models, made on the fly."""

import json

import numpy as np
from safetensors.numpy import save_file

WORDS = [
    *("wheat", "maize", "barley", "flour", "harvest"),
    *("bank", "money", "rates", "loan", "interest"),
    *("ship", "harbour", "tide", "boats", "anchor", "storm"),
    *("the", "and", "of", "in"),
]
TOKENS = ["[PAD]", "[UNK]", *WORDS, "far", "##mer", "##s", ",", "."]


def tokenizer(tokens=TOKENS, **changes):
    """Return the description of a WordPiece tokenizer."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {token: k for k, token in enumerate(tokens)},
        },
    } | changes


def vectors(n_dimensions=4, seed=0):
    """Return the vectors of tokens: those of one topic are like each other."""
    random = np.random.default_rng(seed)
    found = 0.2 * random.standard_normal((len(TOKENS), n_dimensions))
    for start, axis in ((2, 0), (7, 1), (12, 2)):
        found[start : start + 5, axis % n_dimensions] += 2.0
    return found.astype(np.float32)


def write_model(folder, arrays=None, description=None, config=None):
    """Write a folder in the format of model2vec."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"embeddings": vectors()} if arrays is None else arrays, folder / "model.safetensors")
    text = json.dumps(tokenizer() if description is None else description)
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder
