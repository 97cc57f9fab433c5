"""Encode texts with MiniLM: ``python minilm.py model.onnx tokenizer.json texts.jsonl FOLDER``.

It is run by an environment of its own and writes ``vectors.npy`` and ``seconds.json``, the seconds of a
processor for one text. A vector is the mean of those of the first 256 tokens, at unit length, as
sentence-transformers has it.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

#: Tokens of a text that are read, and texts that are encoded at a time.
LONGEST, BATCH = 256, 32


def main(model: str, description: str, texts: str, folder: str) -> None:
    """Encode the texts of a file of JSON lines."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    asked = [one.name for one in session.get_inputs()]
    tokenizer = Tokenizer.from_file(description)
    tokenizer.enable_truncation(LONGEST)
    tokenizer.no_padding()
    lines = Path(texts).read_text(encoding="utf-8").splitlines()
    # Half of a surrogate pair is no text to the tokenizer.
    given = [json.loads(line).encode("utf-8", "replace").decode() for line in lines]
    start = time.process_time()
    encoded = tokenizer.encode_batch(given)
    vectors: list[np.ndarray | None] = [None] * len(given)
    order = sorted(range(len(given)), key=lambda k: len(encoded[k].ids))  # so that batches are of one length
    for first in range(0, len(order), BATCH):
        some = order[first : first + BATCH]
        length = max(len(encoded[k].ids) for k in some)
        ids, mask = (np.zeros((len(some), length), dtype=np.int64) for _ in range(2))
        for row, k in enumerate(some):
            ids[row, : len(encoded[k].ids)] = encoded[k].ids
            mask[row, : len(encoded[k].ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (found, *_) = session.run(None, {name: inputs[name] for name in asked})
        if found.ndim == 3:  # a vector for each token
            found = (found * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        found = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
        for row, k in enumerate(some):
            vectors[k] = found[row].astype(np.float32)
    seconds = (time.process_time() - start) / max(len(given), 1)
    np.save(Path(folder) / "vectors.npy", np.array(vectors))
    (Path(folder) / "seconds.json").write_text(json.dumps(seconds), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
