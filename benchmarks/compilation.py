"""How long all kernels take to compile, once, on a machine that has none of them."""

import os
import subprocess
import sys
import tempfile
import time

from benchmarks.measure import publish

ROUNDS = 3


def compile_all() -> None:
    """Use every kernel once and print the seconds of compiling, of the classifiers first and then of all."""
    import numpy as np
    from numba.core import event

    from textensor.classify import MinMaxSVM, SupportTensorMachine, TensorLeastSquares
    from textensor.reduce import LRWMMC
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
    y = np.arange(60) % 2
    for shape in ((-1, 50), (2, -1)):
        SupportTensorMachine(shape=shape, arrangement="document-frequency").fit(X, y).predict(X)
    TensorLeastSquares(0.1, shape=(-1, 2)).fit(X, y)
    print(clock.total)
    CharTrigramVectorizer().transform(texts)
    tensors = TermTensors(X, Arrangement(shape=(-1, 5)))
    tensors.gram(1)
    factors = [np.ones((length, 2)) for length in tensors.shape[1:]]
    tensors.project(factors)
    tensors.squares(factors)
    index = DocumentIndex()
    index.add(X.toarray())
    index.search(X.toarray(), k=3)
    LRWMMC(1, 3).fit(X, y)
    MinMaxSVM(random_state=0).fit(X, y).predict(X)
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
        seconds.append([float(line) for line in done.stdout.split()])
    classifiers, everything = (sorted(column)[ROUNDS // 2] for column in zip(*seconds, strict=True))
    body = (
        f"From raw text to a tensor classifier: {classifiers:.1f} s. With the kernels of all other methods: "
        f"{everything:.1f} s. Medians of {ROUNDS} cold starts."
    )
    publish("compilation", "Compiling", body)
