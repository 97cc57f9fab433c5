"""How the min-max modular SVM grows: time, memory, a cost model, and what it says of larger collections.

Every size is fitted in a process of its own, which holds X and nothing else before it starts, so that the
peak of its memory is that of the fit.
"""

import json
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from benchmarks.measure import RESULTS, publish, table
from benchmarks.minmax import C, documents
from textensor.classify import MinMaxSVM
from textensor.classify.minmax.plan import numbers_of_parts
from textensor.parallel import as_done, on_cluster

SIZES = (50_000, 100_000, 200_000)
#: The cost model is fitted to modules of these collections, one at a time on one core.
MODEL_SIZES = (5_000, 20_000, 50_000)
GIB = 2**30
PLOT = RESULTS / "scale-growth.svg"

#: Assumed, not measured: what one link of a network, and one machine's disk, carries in a second.
BYTES_A_SECOND = 1e9


class Collection(NamedTuple):
    """A collection that is too large for here: documents, nonzeros of each, terms, labels."""

    name: str
    documents: int
    nonzeros: int
    terms: int
    labels: int


COLLECTIONS = (
    Collection("here, the largest", 200_000, 57, 47_236, 103),
    Collection("RCV1 full", 804_414, 76, 47_236, 103),
    Collection("Wikipedia-size", 7_000_000, 200, 2_000_000, 1_000),
)
WORKERS = (2, 32, 1_000)


def main() -> None:
    grown = [measured(n, 2) for n in SIZES]
    plot(grown)
    single = [measured(n, 1) for n in MODEL_SIZES]
    per_module, per_value, error = cost_model(single)
    per_task = task_overhead()
    density = grown[-1]["density"]
    n_modules = sum(len(run["rows"]) for run in single)
    note = (
        f"seconds of a module = {per_module:.2g} + {per_value:.2g} x nonzeros x passes, on one core; median "
        f"error {100 * error:.0f}% over {n_modules} modules. "
        f"A task costs the Dask scheduler and client {1e3 * per_task:.2g} ms. Weights that are not zero: "
        f"{100 * density:.0f}%. Passes of a module, median: "
        + ", ".join(f"{np.median(run['passes']):.0f} at {run['documents']}" for run in [*single, *grown])
        + "."
    )
    body = [growth_table(grown), f"![Time against documents]({PLOT.name})", "## The cost model", note]
    passes = [(run["documents"], mean_passes(run)) for run in grown]
    body += [
        "## Carried on (computed, not measured)",
        carried(per_module, per_value, per_task, passes, density),
    ]
    publish("scale", "Min-max modular SVM: scale", "\n\n".join(body))


def measured(n: int, n_jobs: int) -> dict[str, Any]:
    """Fit n documents in another process and return what it took."""
    sys.stderr.write(f"\r{n} documents, {n_jobs} threads".ljust(60))
    with tempfile.TemporaryDirectory() as folder:
        X, Y = documents(n)
        for name in ("data", "indices", "indptr"):
            np.save(Path(folder) / f"{name}.npy", getattr(X, name))
        sp.save_npz(Path(folder) / "Y.npz", Y)
        (Path(folder) / "shape.json").write_text(json.dumps(X.shape))
        del X, Y
        command = [sys.executable, "-m", "benchmarks.scale", folder, str(n_jobs)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return {"documents": n, **json.loads(done.stdout.splitlines()[-1])}


def child(folder: Path, n_jobs: int) -> None:
    """Fit the documents in a folder and print what it took."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    warm, answers = documents(600)
    MinMaxSVM(C, n_jobs=n_jobs, random_state=0).fit(warm, answers)  # compiles
    arrays = [np.load(folder / f"{name}.npy") for name in ("data", "indices", "indptr")]
    X = sp.csr_matrix(tuple(arrays), shape=json.loads((folder / "shape.json").read_text()), copy=False)
    Y = sp.load_npz(folder / "Y.npz")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = memory("VmRSS")
    start, cpu = time.perf_counter(), time.process_time()
    model = MinMaxSVM(C, n_jobs=n_jobs, random_state=0).fit(X, Y)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    coef = model.coef_
    weights = coef.data.nbytes + coef.indices.nbytes if sp.issparse(coef) else coef.nbytes
    found = {
        "modules": len(model.modules_),
        "seconds": seconds,
        "cpu": cpu,
        "x_bytes": sum(array.nbytes for array in arrays),
        "weight_bytes": weights,
        "peak_bytes": memory("VmHWM") - before,
        "density": (coef.nnz if sp.issparse(coef) else np.count_nonzero(coef)) / np.prod(coef.shape),
        "nonzeros": X.nnz / X.shape[0],
        "rows": model.modules_["rows"].tolist(),
        "passes": model.modules_["n_iter"].tolist(),
        "module_seconds": model.modules_["seconds"].tolist(),
    }
    print(json.dumps(found))


def memory(name: str) -> int:
    """Return a line of this process's status, in bytes."""
    status = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in status if line.startswith(name)))


def cost_model(runs: list[dict[str, Any]]) -> tuple[float, float, float]:
    """Fit the seconds of modules by least squares of the relative error."""
    rows, passes, seconds = (
        np.concatenate([run[name] for run in runs]).astype(float)
        for name in ("rows", "passes", "module_seconds")
    )
    nonzeros = np.concatenate([np.full(len(run["rows"]), run["nonzeros"]) for run in runs])
    known = (rows > 0) & (seconds > 0)
    A = np.column_stack([np.ones(len(rows)), nonzeros * rows * passes])[known]
    scale = 1 / seconds[known]
    found, _ = nnls(A * scale[:, None], np.ones(known.sum()))
    error = float(np.median(np.abs(A @ found * scale - 1)))
    return float(found[0]), float(found[1]), error


class Nothing(NamedTuple):
    """Material of nothing."""

    def save(self, _folder: Path) -> None:
        """Write nothing."""

    @classmethod
    def load(cls, _folder: Path) -> "Nothing":
        return cls()


def nothing(_material: Nothing, task: int) -> int:
    return task


def task_overhead(n: int = 2_000) -> float:
    """Return the seconds that a task without work takes on a Dask cluster of two processes."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
        on_cluster(client),
    ):
        run = partial(list, as_done(nothing, Nothing(), range(100)))
        run()
        start = time.perf_counter()
        list(as_done(nothing, Nothing(), range(n)))
        return (time.perf_counter() - start) / n


def growth_table(grown: list[dict[str, Any]]) -> str:
    rows: list[list[object]] = [
        [
            run["documents"], run["modules"], run["seconds"], run["cpu"], 1e6 * run["cpu"] / run["documents"],
            mean_passes(run), 1e9 * run["cpu"] / (run["nonzeros"] * np.dot(run["rows"], run["passes"])),
            run["x_bytes"] / GIB, run["weight_bytes"] / GIB, run["peak_bytes"] / GIB,
            (run["peak_bytes"] - run["weight_bytes"]) / GIB,
        ]
        for run in grown
    ]  # fmt: skip
    header = ["documents", "modules", "seconds", "CPU seconds", "CPU us/document", "passes over a row"]
    header += [
        "CPU ns/nonzero and pass",
        "X, GiB",
        "weights, GiB",
        "peak above X, GiB",
        "of it beside the weights",
    ]
    return "## Fit, 103 labels, two threads\n\n" + table(header, rows)


def mean_passes(run: dict[str, Any]) -> float:
    """Return how often a row is passed over: large modules need more passes than small ones."""
    return float(np.dot(run["rows"], run["passes"]) / np.sum(run["rows"]))


def work(of: Collection) -> tuple[int, float, float]:
    """Return the modules of a collection by default sizes, their rows in all, and the rows of the largest."""
    shares = np.geomspace(0.5, 1e-4, of.labels)  # as make_documents has them
    n_modules, rows, largest = 0, 0.0, 0.0
    for share in shares:
        yes = max(round(share * of.documents), 1)
        no = of.documents - yes
        n_pos, n_neg = numbers_of_parts(yes, no, of.documents, None, (0.25, 0.1))
        n_modules += n_pos * n_neg
        rows += n_pos * no + n_neg * yes
        largest = max(largest, yes / n_pos + no / n_neg)
    return n_modules, rows, largest


def carried(
    per_module: float, per_value: float, per_task: float, passes: list[tuple[int, float]], density: float
) -> str:
    """Compute what larger collections take; passes go on growing as they grew over the sizes measured."""
    exponent, level = np.polyfit(*np.log(np.array(passes)).T, 1)
    lines: list[list[object]] = []
    for of in COLLECTIONS:
        n_modules, rows, largest = work(of)
        passes_here = float(np.exp(level) * of.documents**exponent)
        per_pass = of.nonzeros * per_value
        total = n_modules * per_module + rows * passes_here * per_pass
        longest = largest * passes_here * per_pass
        x_bytes = of.documents * (8 * of.nonzeros + 8)  # values and indices of 32 bits
        # A module has no more weights than its documents have nonzeros.
        weights = n_modules * min(density * of.terms, rows / n_modules * of.nonzeros) * 8
        for n_workers in WORKERS:
            parts = {
                "solving": max(total / n_workers, longest),
                "scheduler": n_modules * per_task,
                "X to the workers": x_bytes / BYTES_A_SECOND * np.ceil(np.log2(n_workers)),
                "weights back": weights / BYTES_A_SECOND,
            }
            bottleneck = max(parts, key=lambda name: parts[name])
            seconds = [f"{value:.3g}" for value in parts.values()]
            lines.append([of.name, n_workers, n_modules, x_bytes / GIB, weights / GIB, *seconds, bottleneck])
    header = ["collection", "workers", "modules", "X, GiB", "weights, GiB", "solving, s", "scheduler, s"]
    note = (
        f"Passes over a row grow as documents to the power {exponent:.2f}; a link carries 1 GB/s (assumed)."
    )
    return note + "\n\n" + table([*header, "X to the workers, s", "weights back, s", "bottleneck"], lines)


def plot(grown: list[dict[str, Any]]) -> None:
    """Draw seconds against documents, and the straight line through 0 that fits best."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    n, cpu = (np.array([run[name] for run in grown], dtype=float) for name in ("documents", "cpu"))
    slope = (n @ cpu) / (n @ n)
    plt.rcParams.update({"svg.hashsalt": "textensor", "font.size": 9})
    figure, axis = plt.subplots(figsize=(5, 3.4), layout="constrained")
    axis.plot([0, n[-1] / 1e3], [0, slope * n[-1]], "--", color="0.5", label="straight line through 0")
    axis.plot(n / 1e3, cpu, "o", label="measured")
    axis.set(xlabel="thousand documents", ylabel="CPU seconds, 103 labels", xlim=(0, None), ylim=(0, None))
    axis.grid(alpha=0.25)
    axis.legend(frameon=False)
    figure.savefig(PLOT, metadata={"Date": None})
    PLOT.write_text("\n".join(line.rstrip() for line in PLOT.read_text().splitlines()) + "\n")


if __name__ == "__main__":
    child(Path(sys.argv[1]), int(sys.argv[2]))
