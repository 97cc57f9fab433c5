"""The largest eigenvalues of X L X^T by a block Lanczos method with thick restarts.

The criterion of these methods has few positive eigenvalues, close to 0, beside negative ones that are many
and far larger, so restarts keep both ends: the wanted axes, and the most negative ones, which would otherwise
slow the wanted ones down by the root of the ratio.
"""

import warnings
from math import sqrt
from typing import NamedTuple

import numpy as np

from textensor.base.arrays import Floats
from textensor.base.late.parts import ConvergenceWarning
from textensor.parallel import Run
from textensor.reduce.axes.sides import Side, row_blocks

#: Vectors in a block: a row of eight numbers is what a processor fetches at a time.
BLOCK = 8
#: Basis vectors for each axis, and the least number of them.
BASIS, LEAST_BASIS = 4, 160
#: Parts of the basis that restarts keep beside the wanted axes: the next ones, and the most negative ones.
KEPT_NEXT, KEPT_LAST = 0.1, 0.15
#: Stop when what the trace will still gain is less than this part of the tolerance, as far as its last gains
#: tell, and when axes before a gap are as close as the tolerance to the subspace that they should span (the
#: sine of the angle). A gap, as a part of the first eigenvalue, is this times the root of the tolerance.
GAIN, GAP = 0.25, 5.0
MAX_RESTARTS = 300
#: Where after so many restarts no value is positive beyond this part of the one farthest from 0, none is
#: taken to be: the one axis that stays need not be exact.
PATIENCE, POSITIVE = 8, 1e-7
#: Below this part of a vector's length what is left of it is rounding, and so is a smaller gain of the trace.
NOTHING = 1e-10
#: Differences of eigenvalues below this part of the one farthest from 0 are rounding.
ROUNDING = 1e-13
#: Below this part of the largest in a block it is taken to depend on the others.
DEPENDENT = 1e-6
#: Below this part it is made orthogonal once more.
CLOSE = 1e-2


class _Ritz(NamedTuple):
    """What a basis says: values from the largest down, vectors in it, and the lengths of their residuals."""

    values: Floats
    vectors: Floats
    residuals: Floats

    @property
    def scale(self) -> float:
        """The length of the value farthest from 0."""
        return float(np.abs(self.values).max())


def lanczos(
    side: Side, n_components: int, run: Run, *, tol: float = 1e-6, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues that are positive and their vectors, of length 1 in S.

    If none is positive, all values of the last basis are returned. Values fall; vectors are columns, in the
    coordinates of the side.

    Parameters
    ----------
    side : Side
        The operator.
    n_components : int
        How many.
    run : callable
        Runs tasks side by side: see :func:`textensor.parallel.crew`.
    tol : float, default=1e-6
        Which part of their sum the values may lack; the axes before a gap of the spectrum are as close.
    seed : int, default=0
        Of the vectors to start from.
    """
    basis = _Basis(side, n_components, run, seed)
    traces: list[float] = []
    for restarts in range(MAX_RESTARTS + 1):
        # Looked at when the basis is half full, too: the last restart often need not fill it.
        for full in (False, True):
            basis.fill(full)
            ritz = basis.ritz()
            m = wanted(ritz.values, n_components, scale=ritz.scale)
            traces.append(float(ritz.values[:m].sum()))
            gained = _to_gain(traces, ritz.scale) <= GAIN * tol * abs(traces[-1])
            none = bool(ritz.values[0] <= POSITIVE * ritz.scale)
            hopeless = restarts >= PATIENCE and none
            if basis.exhausted or hopeless or (gained and _settled(ritz, m, tol)):
                m = basis.n if none else m
                return ritz.values[:m], basis.combine(ritz.vectors[:, :m])
        if restarts < MAX_RESTARTS:
            basis.restart(ritz, m)
    warnings.warn(
        f"The axes did not converge in {restarts} restarts, and the last are approximate: take fewer, or "
        "raise tol.",
        ConvergenceWarning,
        stacklevel=2,
    )
    return ritz.values[:m], basis.combine(ritz.vectors[:, :m])


def wanted(values: Floats, n_components: int, *, scale: float) -> int:
    """Return how many leading eigenvalues are positive beyond rounding, at least one, at most all asked."""
    return max(1, min(n_components, int((values > NOTHING * scale).sum())))


def _to_gain(traces: list[float], scale: float) -> float:
    """Return what the trace will still gain if its gains go on to shrink as they did last."""
    if len(traces) < 3:
        return np.inf
    before, last = np.diff(traces[-3:])
    if abs(last) <= max(NOTHING * abs(traces[-1]), ROUNDING * scale):
        return 0.0  # gains that are rounding do not shrink
    return last * last / (before - last) if before > last else np.inf


def _settled(ritz: _Ritz, m: int, tol: float) -> bool:
    """Whether the axes before each gap span what they should: residuals are small beside the gap."""
    values = ritz.values[: m + 1]
    rounding = ROUNDING * ritz.scale
    least = max(GAP * sqrt(tol) * abs(values[0]), rounding)
    for after in np.flatnonzero(values[:-1] - values[1:] >= least) + 1:
        if (ritz.residuals[:after] > np.maximum(tol * (values[:after] - values[after]), rounding)).any():
            return False
    return True


class _Basis:
    """An S-orthonormal basis V of a Krylov space, S V, and the operator's matrix H = V^T S T V in it."""

    def __init__(self, side: Side, n_components: int, run: Run, seed: int) -> None:
        self.side = side
        self.run = run
        self.rows = row_blocks(side.size)
        self.rng = np.random.default_rng(seed)
        # There are no more vectors than dimensions, however many are asked for.
        most = side.size + LEAST_BASIS
        self.capacity = min(max(BASIS * n_components, LEAST_BASIS), most) // BLOCK * BLOCK
        self.V = np.empty((side.size, self.capacity), order="F")
        self.SV = self.V if side.euclidean else np.empty_like(self.V)
        self.H = np.zeros((self.capacity, self.capacity))
        self.n = 0  # vectors in the basis
        self.whole = True  # whether the next block meets all of the basis, as after a restart
        self.exhausted = False  # whether the basis holds every vector there is
        self.last = 0  # vectors in the last block
        self.next: tuple[Floats, Floats]  # the next block, V and S V
        self.R: Floats  # T V_last = V H_last + next R
        self._start_anew()

    def fill(self, full: bool) -> None:
        """Add blocks until the basis is full, or half of what is free is taken, or nothing is left to add."""
        most = self.capacity if full else (self.n + self.capacity) // 2
        while not self.exhausted and self.n + self.next[0].shape[1] <= most:
            self._step()

    def ritz(self) -> _Ritz:
        """Solve the small eigenproblem."""
        H = self.H[: self.n, : self.n]
        values, vectors = np.linalg.eigh((H + H.T) / 2)
        values, vectors = values[::-1], vectors[:, ::-1]
        residuals = np.linalg.norm(self.R @ vectors[self.n - self.last :], axis=0)
        return _Ritz(values, vectors, residuals)

    def restart(self, ritz: _Ritz, m: int) -> None:
        """Keep the wanted Ritz vectors, some after them and the most negative ones; the next block stays."""
        n_next, n_last = int(KEPT_NEXT * self.capacity), int(KEPT_LAST * self.capacity)
        first = min(m + n_next, self.n - n_last)
        kept = np.r_[:first, self.n - n_last : self.n]
        Y = ritz.vectors[:, kept]
        for array in [self.V] if self.SV is self.V else [self.V, self.SV]:
            array[:, : len(kept)] = self._combine(array, Y)
        self.H[:] = 0
        self.H[range(len(kept)), range(len(kept))] = ritz.values[kept]
        self.n, self.whole = len(kept), True

    def combine(self, Y: Floats) -> Floats:
        """Return vectors given by their coordinates in the basis."""
        return self._combine(self.V, Y)

    def _step(self) -> None:
        """Put the next block into the basis, apply the operator to it, and find the block after it."""
        V, SV = self.next
        before, self.n, self.last = self.n, self.n + V.shape[1], V.shape[1]
        self.V[:, before : self.n], self.SV[:, before : self.n] = V, SV
        W = self.side.operate(SV)
        # The recurrence meets the last two blocks only, so a first pass over those leaves to the pass over
        # all what rounding left.
        near = 0 if self.whole else max(0, before - BLOCK)
        h = np.zeros((self.n, V.shape[1]))
        h[near:] = self._remove(W, near)
        h += self._remove(W, 0)
        self.H[: self.n, before : self.n] = h
        self.H[before : self.n, : self.n] = h.T
        self.whole = False
        self.R = self._set_next(W, float(np.linalg.norm(h, axis=0).max()))
        if not len(self.R):
            self._start_anew()

    def _start_anew(self) -> None:
        """Go on with random vectors, at the start and where the Krylov space is at its end."""
        W = self.side.random(self.rng, min(BLOCK, self.side.size))
        removed = float(np.linalg.norm(self._remove(W, 0), axis=0).max(initial=0))
        self._remove(W, 0)
        n_next = len(self._set_next(W, removed))
        self.R = np.zeros((n_next, self.last))  # the last block does not lead to them
        self.exhausted = n_next == 0
        self.whole = True

    def _set_next(self, W: Floats, removed: float) -> Floats:
        """Make W the next block, S-orthonormal, and return R with W = next R.

        Directions that are rounding beside the length of what was removed from W are left out, and so are
        those that nearly depend on others of the block. H misses nothing by it, for it is computed in full.
        """
        R = np.eye(W.shape[1])
        for again in (False, True):
            SW = self.side.metric(W)
            S = self._inner(W, SW)
            values, Q = np.linalg.eigh((S + S.T) / 2)
            length = max(removed, float(np.sqrt(max(values[-1], 0))))
            good = values > max((NOTHING * length) ** 2, DEPENDENT**2 * values[-1], 0)
            root = np.sqrt(values[good])
            R = root[:, None] * (Q[:, good].T @ R)
            W, SW = (array @ (Q[:, good] / root) for array in (W, SW))
            if again or not good.any() or root[0] > CLOSE * length:
                break
            self._remove(W, 0)  # so little was left that rounding has a share in it
            removed = 0.0
        self.next = W, SW
        return R

    def _remove(self, W: Floats, start: int) -> Floats:
        """Take away from W, in place, its part in the basis from a column on; return the coefficients."""
        V, SV = self.V[:, start : self.n], self.SV[:, start : self.n]
        h = self._inner(SV, W)

        def update(rows: slice) -> None:
            W[rows] -= V[rows] @ h

        self.run(update, self.rows)
        return h

    def _inner(self, A: Floats, B: Floats) -> Floats:
        parts = self.run(lambda rows: A[rows].T @ B[rows], self.rows)
        return np.sum(parts, axis=0)

    def _combine(self, A: Floats, Y: Floats) -> Floats:
        out = np.empty((len(A), Y.shape[1]))

        def fill(rows: slice) -> None:
            out[rows] = A[rows, : self.n] @ Y

        self.run(fill, self.rows)
        return out
