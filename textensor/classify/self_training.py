"""Self-training: a machine labels documents itself, takes those it is surest of, and learns again."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Floats
from textensor.base.labels import Labels
from textensor.base.late.parts import check_random_state
from textensor.classify.costs import class_costs
from textensor.learn import Hinge, Solution, rows_of
from textensor.parallel import in_order


class Questions:
    """One SVM for each question, over the documents that have an answer to it, given or self-labelled.

    Documents are not copied from round to round, and each round starts from the dual variables of the last.
    ``model`` has the parameters of the SVM.
    """

    def __init__(self, X: sp.csr_matrix, Z: Floats, labels: Labels, costs: Floats, model: Any) -> None:
        self.rows = rows_of(X, Z)
        self.labels, self.costs = labels, costs
        self.learner = Hinge(model.C)
        self.tol, self.class_weight = model.tol, model.class_weight
        self.random = check_random_state(model.random_state)
        self.known = np.flatnonzero(labels.labelled)
        self.answers = np.zeros((X.shape[0], labels.n_questions), dtype=np.int8)
        for question in range(labels.n_questions):
            self.answers[self.known, question] = labels.targets(question)
        self.alpha = np.zeros((labels.n_questions, X.shape[0]))

    def answer(self, documents: npt.NDArray[np.intp], answers: npt.NDArray[np.int8]) -> None:
        """Give documents new answers; the dual variables of a changed answer start at 0."""
        self.alpha[:, documents] *= (self.answers[documents] == answers).T
        self.answers[documents] = answers

    def solve(self, n_jobs: int | None) -> tuple[Floats, Floats]:
        """Return weights and intercepts."""
        seed = int(self.random.randint(2**31 - 1))

        def solve_one(question: int) -> Solution:
            known = self.answers[self.known, question].astype(np.float64)
            if np.ptp(known) == 0:  # one answer only: it is the answer
                return Solution(np.zeros(self.rows.n_columns), float(known[0]))
            cost = self.costs.copy()
            cost[self.known] *= class_costs(self.class_weight, known, self.labels, question)
            which = np.flatnonzero(self.answers[:, question])
            y, alpha = self.answers[which, question].astype(np.float64), self.alpha[question, which]
            found = self.learner.solve(
                self.rows, y, cost[which], which=which, state=alpha, tol=self.tol, seed=seed + question
            )
            self.alpha[question, which] = found.state
            return found

        with threadpool_limits(1, user_api="blas"):
            found = list(in_order(solve_one, range(self.labels.n_questions), n_jobs))
        return np.array([one.weights for one in found]), np.array([one.intercept for one in found])


def self_labelled(scores: Floats, labels: Labels, share: float) -> npt.NDArray[np.int8]:
    """Return the answers that a machine gives itself, documents x questions: 1 yes, -1 no, 0 left open.

    In single-label mode each document gets the class of its highest score, and in every class the share whose
    score is furthest above the next one is answered. In multilabel mode each question is answered by itself,
    for the highest and the lowest scores, so that as large a part is yes as among labelled documents.
    """
    if labels.kind == "multilabel":
        answers = np.zeros(scores.shape, dtype=np.int8)
        priors = labels.counts / max(int(labels.labelled.sum()), 1)
        order = np.argsort(-scores, axis=0, kind="stable")
        for question, prior in enumerate(priors):
            n_yes = round(share * prior * len(scores))
            n_no = round(share * (1 - prior) * len(scores))
            answers[order[:n_yes, question], question] = 1
            answers[order[len(scores) - n_no :, question], question] = -1
        return answers
    both = np.column_stack([-scores, scores]) if labels.kind == "binary" else scores
    answers = np.zeros(both.shape, dtype=np.int8)
    best = both.argmax(axis=1)
    ranked = np.sort(both, axis=1)
    margin = ranked[:, -1] - ranked[:, -2]
    for c in np.unique(best):
        members = np.flatnonzero(best == c)
        surest = members[np.argsort(-margin[members], kind="stable")[: max(1, round(share * len(members)))]]
        answers[surest] = -1
        answers[surest, c] = 1
    return answers[:, 1:] if labels.kind == "binary" else answers
