"""How long all kernels take to compile, once, on a machine that has none of them."""

import os
import subprocess
import sys
import tempfile
import time

from benchmarks.measure import publish

ROUNDS = 3


def compile_all() -> None:
    """Use every kernel once and print the seconds that went into compiling."""
    import numpy as np
    from numba.core import event

    from textensor.classify import SupportTensorMachine, TensorLeastSquares
    from textensor.search import DocumentIndex
    from textensor.space import Arrangement, CharTrigramVectorizer, TermTensors, TermVectorizer

    class Clock(event.Listener):
        total = 0.0
        depth = 0

        def on_start(self, _):
            self.depth += 1
            if self.depth == 1:
                self.started = time.perf_counter()

        def on_end(self, _):
            self.depth -= 1
            if self.depth == 0:
                self.total += time.perf_counter() - self.started

    clock = Clock()
    event.register("numba:compile", clock)
    texts = [f"alpha beta{i % 7} gamma{i % 5} naïve some_longer_words{i}" for i in range(60)]
    X = TermVectorizer().fit_transform(texts)
    CharTrigramVectorizer().transform(texts)
    tensors = TermTensors(X, Arrangement(shape=(-1, 5)))
    tensors.gram(1)
    factors = [np.ones((length, 2)) for length in tensors.shape[1:]]
    tensors.project(factors)
    tensors.squares(factors)
    y = np.arange(60) % 2
    for shape in ((-1, 50), (2, -1)):
        SupportTensorMachine(shape=shape, arrangement="document-frequency").fit(X, y)
    index = DocumentIndex()
    index.add(X.toarray())
    index.search(X.toarray(), k=3)
    TensorLeastSquares(0.1, shape=(-1, 2)).fit(X, y)
    print(clock.total)


def main() -> None:
    seconds = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", "from benchmarks.compilation import *; compile_all()"],
                env={**os.environ, "NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            )
        seconds.append(float(done.stdout))
    body = f"All kernels together: {sorted(seconds)[ROUNDS // 2]:.1f} s, the median of {ROUNDS} cold starts."
    publish("compilation", "Compiling", body)
