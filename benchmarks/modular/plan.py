"""What is run, fixed before the first run on test documents.

Reuters-90 is the ModApte split of Reuters-21578, multilabel, 90 labels; a document is scikit-learn's
``TfidfVectorizer()`` of its text, fitted on the training part, for every row of the tables alike.

The machine that is put up against the others is chosen by ``choose.py`` on the training part alone: three
outer folds are scored by machines and thresholds from the other two, whose thresholds come from three inner
folds. Greatest micro-F1 + macro-F1 of the pooled outer decisions wins. The grid is what a wider look at the
same folds of the training part left over: four decompositions, 1 x 5 to 1 x 40 modules, C from 1 to 4, and
thresholds by pooling or averaging with a fall-back at 0.1, 0.3 or 0.5. The test part had no say in any of it.
"""

from typing import Any

#: The cost of an error where nothing is said: LIBLINEAR's own default.
C = 1.0
#: Module counts and overlaps of the paper's Table 2, and its C.
COUNTS = (3, 7, 20, 26)
OVERLAPS = (0.0, 0.15, 0.3)
PAPER_C = 0.5
#: The seed of machines, of the outer folds, and of LibMultiLabel's draws.
SEED = 0
FOLD_SEED = 1
#: Added after the first run, to show how much hangs on the draw; nothing was chosen by them.
MORE_SEEDS = (1, 2)

#: Machines to choose from, each alone and the mean of each two. (The first alone is the plain SVM.)
MEMBERS: dict[str, dict[str, Any]] = {
    "1 x 1, C = 1": {"C": 1.0, "modules": (1, 1)},
    "classes 1 x 5, C = 1": {"C": 1.0, "modules": (1, 5), "decomposition": "classes"},
    "classes 1 x 20, C = 4": {"C": 4.0, "modules": (1, 20), "decomposition": "classes"},
    "random 1 x 5, C = 4": {"C": 4.0, "modules": (1, 5), "decomposition": "random"},
    "kmeans 1 x 5, C = 4": {"C": 4.0, "modules": (1, 5), "decomposition": "kmeans"},
}

#: The synthetic stand-in for RCV1: as many training documents, terms and labels; the four largest are scored.
STAND_IN = {"n_documents": 33_149, "n_terms": 47_236, "n_labels": 103, "random_state": 0}
N_TRAIN = 23_149
N_SCORED = 4
