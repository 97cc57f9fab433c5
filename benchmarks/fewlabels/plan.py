"""What is run: corpora, splits and grids, fixed before the first run of these methods on test documents.

Splits are those of :mod:`benchmarks.accuracy.plan`. The defaults of SemanticSVM (300 dimensions, weight 1,
4 rounds, a cost of 0.1, a share of 0.9) were chosen on training parts alone, see :mod:`.trials`, and
so were the values of C.
"""

from benchmarks.accuracy.plan import FRACTIONS, N_SPLITS

__all__ = ["CORPORA", "FRACTIONS", "N_SPLITS", "SELF_TRAINING", "SEMANTIC_GRID", "SVM_GRID"]

CORPORA = ("reuters41", "20newsgroups", "ohsumed")

#: LinearSVC with the hinge loss.
SVM_GRID = [{"C": C} for C in (0.1, 1.0, 10.0, 100.0)]
SEMANTIC_GRID = [{"C": C} for C in (1.0, 3.0)]
#: scikit-learn's own example of self-training on 20 Newsgroups: SGD with the logistic loss.
SELF_TRAINING = {"alpha": 1e-5, "threshold": 0.75}
