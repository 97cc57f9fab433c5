"""The accuracy bar: what its cells compute, and how its table judges."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC

from experiments import data as sets_data
from experiments import experiment
from experiments.bar import bar_tables
from experiments.comparisons import strong as declared
from experiments.engine.declare import SEED, Bar, Part, Run, Variant
from experiments.engine.stats import Found
from experiments.protocols import evaluate
from experiments.protocols.texts import peers, strong
from tests.experiments.made import cell_of
from textensor.classify.thresholds import folds, tune_threshold
from textensor.evaluate import corrected_t_test, holm

TEXTS = [
    "the red car and the red bus",
    "a green car",
    "green green grass and a red car",
    "grass is green",
    "the bus is late",
    "quiz",
]
SOME, OTHERS = np.array([0, 2, 3]), np.array([1, 4, 5])
WORDS = {"method": "LinearSVC", "features": "words", "sublinear": True, "unlabelled": False}
UNION = "words 1-2, characters 3-5"
GRID = [{"C": 1.0}, {"C": 100.0}]


def texts_of(rows):
    return [sets_data.data("ohsumed-texts").texts[row] for row in rows]


@pytest.fixture
def texts(monkeypatch):
    corpus = sets_data.Data(None, np.arange(6) % 2, np.arange(6) < 4, ["a", "b"], TEXTS)
    monkeypatch.setattr(sets_data, "LOADERS", {"few": lambda: corpus})
    sets_data.data.cache_clear()
    peers.counted.cache_clear()
    peers._vectors.cache_clear()
    peers._spans.cache_clear()
    yield
    sets_data.data.cache_clear()
    peers.counted.cache_clear()
    peers._vectors.cache_clear()
    peers._spans.cache_clear()


@pytest.mark.parametrize("sublinear", [False, True])
@pytest.mark.parametrize("features", peers.FEATURES)
def test_features_are_those_of_scikit_learn_fitted_to_some_documents(features, sublinear, texts):
    blocks = [
        TfidfVectorizer(analyzer=analyzer, ngram_range=(low, high), sublinear_tf=sublinear)
        for analyzer, low, high in peers.FEATURES[features]
    ]
    vectorizer = make_union(*blocks).fit([TEXTS[k] for k in SOME])
    X, queries = peers.vectors("few", {"features": features, "sublinear": sublinear}, SOME, OTHERS)
    for own, rows in ((X, SOME), (queries, OTHERS)):
        np.testing.assert_allclose(own.toarray(), vectorizer.transform([TEXTS[k] for k in rows]).toarray())
    assert queries[-1].nnz == 0  # no term of the last document is in the others


def test_each_block_of_features_has_unit_length(texts):
    X, _ = peers.vectors("few", {"features": UNION, "sublinear": True}, SOME, OTHERS)
    np.testing.assert_allclose(sp.linalg.norm(X, axis=1), np.sqrt(2))


def test_counts_are_not_changed_by_weighing(texts):
    counts = peers.counted("few", ("word", 1, 1))
    before = counts.toarray()
    for sublinear in (True, False):
        peers.vectors("few", {"features": "words", "sublinear": sublinear}, SOME, OTHERS)
    assert (counts.toarray() == before).all()


def test_a_larger_share_of_a_split_only_adds_labels_and_the_test_part_is_fixed(small_sets):
    found = sets_data.data("ohsumed-texts")
    tasks = [strong.task("ohsumed-texts", share, 0) for share in (0.01, 0.4, 1.0)]
    for smaller, larger in pairwise(tasks):
        assert set(smaller.labelled) < set(larger.labelled)
    for of in tasks:
        assert np.array_equal(np.sort(np.append(of.labelled, of.pool)), np.flatnonzero(found.train))
        assert np.array_equal(of.test, np.flatnonzero(~found.train))
        assert (of.Y.argmax(axis=1) == found.y).all()
    assert (tasks[0].Y[tasks[0].labelled].sum(axis=0) == 2).all()
    assert len(tasks[2].pool) == 0
    other = strong.task("ohsumed-texts", 0.01, 1)
    assert not np.array_equal(other.labelled, tasks[0].labelled)


def test_with_several_labels_the_share_is_of_all_documents(small_sets):
    few, more = (strong.task("reuters90-texts", share, 3) for share in (0.1, 0.5))
    assert few.several
    assert len(few.labelled) == round(0.1 * (len(few.labelled) + len(few.pool)))
    assert set(few.labelled) < set(more.labelled)
    assert few.Y[few.labelled].sum(axis=1).max() == 2


def test_a_class_with_one_document_gives_it(monkeypatch):
    y = np.array([0] * 9 + [1])
    corpus = sets_data.Data(None, y, np.ones(10, dtype=bool), ["a", "b"], ["text"] * 10)
    monkeypatch.setattr(strong, "data", lambda _: corpus)
    of = strong.task("any", 0.1, 0)
    assert y[of.labelled].tolist() == [0, 0, 1]


def test_without_an_official_split_the_training_part_is_drawn_once(monkeypatch):
    y = np.repeat([0, 1, 2], [50, 10, 5])
    corpus = sets_data.Corpus(["text"] * 65, None, y, None, ["a", "b", "c"], "")
    first, again = (sets_data._plain(corpus).train for _ in range(2))
    assert np.bincount(y[first]).tolist() == [30, 6, 3]
    assert (first == again).all()


@pytest.mark.parametrize("method", ["LinearSVC", "LogisticRegression"])
def test_a_peer_is_a_tuned_pipeline_of_scikit_learn(method, small_sets):
    settings = WORDS | {"method": method, "fraction": 0.4, "grid": GRID}
    result = evaluate(cell_of("strong", "ohsumed-texts", settings, split=2))
    of = strong.task("ohsumed-texts", 0.4, 2)
    y = of.Y.argmax(axis=1)

    def fitted(C, rows):
        learner = LinearSVC(C=C, random_state=0)
        if method == "LogisticRegression":
            learner = OneVsRestClassifier(
                LogisticRegression(C=C, solver="liblinear", dual=True, random_state=0)
            )
        return make_pipeline(TfidfVectorizer(sublinear_tf=True), learner).fit(texts_of(rows), y[rows])

    found = []
    for setting in GRID:
        held_out = np.empty(len(of.labelled), dtype=int)
        for some, others in folds(sp.csc_array(of.Y[of.labelled]), seed=SEED):
            model = fitted(setting["C"], of.labelled[some])
            held_out[others] = model.predict(texts_of(of.labelled[others]))
        found.append([f1_score(y[of.labelled], held_out, average=kind) for kind in ("micro", "macro")])
    best = int(np.argmax(np.sum(found, axis=1)))
    C = GRID[best]["C"]
    predicted = fitted(C, of.labelled).predict(texts_of(of.test))
    expected = [f1_score(y[of.test], predicted, average=kind) for kind in ("micro", "macro")]
    own = result["argmax"]
    assert own["chosen"] == f"C = {C:g}"
    assert [own["cross-validated"][kind] for kind in ("micro", "macro")] == pytest.approx(found[best])
    assert [own["micro"], own["macro"]] == pytest.approx(expected)
    sizes = [result[name] for name in ("labelled", "unlabelled", "tested")]
    assert sizes == [len(of.labelled), 0, len(of.test)]
    assert result["seconds"] > 0


def test_self_training_reads_the_pool(small_sets):
    grid = [{"alpha": 1e-4}]
    settings = WORDS | {"method": "self-training", "unlabelled": True, "fraction": 0.2, "grid": grid}
    result = evaluate(cell_of("strong", "ohsumed-texts", settings))
    of = strong.task("ohsumed-texts", 0.2, 0)
    y = of.Y.argmax(axis=1)
    rows = np.append(of.labelled, of.pool)
    base = SGDClassifier(alpha=1e-4, loss="log_loss", random_state=0)
    known = np.append(y[of.labelled], np.full(len(of.pool), -1))
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    model = SelfTrainingClassifier(base).fit(vectorizer.fit_transform(texts_of(rows)), known)
    predicted = model.predict(vectorizer.transform(texts_of(of.test)))
    assert result["argmax"]["micro"] == pytest.approx(np.mean(predicted == y[of.test]))
    assert result["unlabelled"] == len(of.pool) > 0


@pytest.mark.parametrize("method", peers.DUAL)
def test_few_documents_in_their_own_span_give_the_same_decisions(method):
    random = np.random.default_rng(0)
    X = sp.random_array((12, 400), density=0.2, format="csr", rng=random)
    X = sp.csr_matrix(sp.vstack([X, X[:2]]))  # two are there twice
    queries = sp.csr_matrix(sp.random_array((9, 400), density=0.2, format="csr", rng=random))
    truth = np.eye(3, dtype=bool)[np.arange(14) % 3]
    grid = [{"C": 0.1}, {"C": 1.0}]
    span = peers.in_span(X, queries)
    assert span.rows.shape == (14, 12)
    np.testing.assert_allclose(span.queries @ span.rows.T, (queries @ X.T).toarray(), atol=1e-12)
    found = [*peers._decisions(method, grid, *span, truth, False)]
    for setting, decisions in zip(grid, found, strict=True):
        model = peers._made(method, setting)
        if method == "LogisticRegression":
            model = OneVsRestClassifier(model)
        plain = model.fit(X, truth.argmax(axis=1)).decision_function(queries)
        np.testing.assert_allclose(decisions, plain, atol=1e-4)  # the tolerance of the solver


def test_with_several_labels_peers_decide_at_0_and_by_tuned_thresholds(small_sets):
    settings = WORDS | {"fraction": 0.5, "grid": [{"C": 1.0}]}
    result = evaluate(cell_of("strong", "reuters90-texts", settings))
    of = strong.task("reuters90-texts", 0.5, 0)
    truth = of.Y.astype(int)

    def decisions(some, others):
        model = make_pipeline(
            TfidfVectorizer(sublinear_tf=True), OneVsRestClassifier(LinearSVC(random_state=0))
        )
        return model.fit(texts_of(some), truth[some]).decision_function(texts_of(others))

    held_out = np.empty((len(of.labelled), truth.shape[1]))
    for some, others in folds(sp.csc_array(of.Y[of.labelled]), seed=SEED):
        held_out[others] = decisions(of.labelled[some], of.labelled[others])
    thresholds = [tune_threshold(s, y) for s, y in zip(held_out.T, of.Y[of.labelled].T, strict=True)]
    decided, known = decisions(of.labelled, of.test), truth[of.labelled]
    for way, moved in (("assignment", 0.0), ("thresholds", np.array(thresholds))):
        for kind in ("micro", "macro"):
            expected = f1_score(truth[of.test], decided > moved, average=kind, zero_division=0)
            assert result[way][kind] == pytest.approx(expected)
        assert len(result[way]["per category"]) == truth.shape[1]
    at_0 = [f1_score(known, held_out > 0, average=kind, zero_division=0) for kind in ("micro", "macro")]
    found = result["assignment"]["cross-validated"]
    assert [found["micro"], found["macro"]] == pytest.approx(at_0)
    assert result["thresholds"]["macro"] > result["assignment"]["macro"]


def test_with_several_labels_self_training_asks_about_each(small_sets):
    grid = [{"alpha": 1e-5}]
    settings = WORDS | {"method": "self-training", "fraction": 0.5, "grid": grid, "unlabelled": True}
    result = evaluate(cell_of("strong", "reuters90-texts", settings))
    assert result["assignment"]["macro"] > 0.6
    assert result["thresholds"]["macro"] > 0.6
    assert result["unlabelled"] > 0


def test_thresholds_are_not_judged_on_the_documents_that_they_were_tuned_on():
    rng = np.random.default_rng(0)
    truth = rng.random((40, 30)) < 0.3
    scores = rng.standard_normal(truth.shape) + truth
    honest = peers._cross_validated("thresholds", scores, truth)
    tuned = peers.scored("thresholds", scores - peers.thresholds(scores, truth), truth, np.arange(3))
    assert honest.micro < tuned.micro


def test_labels_that_were_not_learnt_are_never_decided_on():
    truth = np.eye(3, dtype=bool)[[0, 1, 2]]
    scores = np.array([[-5.0, -7.0, np.nan], [-5.0, -4.0, np.nan], [-3.0, -9.0, np.nan]])
    by_argmax = peers.scored("argmax", scores, truth, np.arange(3))
    assert by_argmax.counts[1].tolist() == [2, 1, 0]
    assert by_argmax.macro == pytest.approx((2 / 3 + 1 + 0) / 3)
    by_assignment = peers.scored("assignment", scores + 4.5, truth, np.arange(3))
    assert by_assignment.counts[1].tolist() == [1, 1, 0]


@pytest.mark.parametrize("name", ["ohsumed-texts", "reuters90-texts"])
@pytest.mark.parametrize("unlabelled", [True, False])
def test_auto_reads_no_test_document_and_no_label_of_the_pool(name, unlabelled, small_sets, monkeypatch):
    given = []

    class Watched(strong.TextCategorizer):
        def fit(self, texts, labels):
            given.append((self.time_budget, texts, labels))
            return super().fit(texts, labels)

    def watched(method, **options):
        assert method == "auto"
        return Watched("semantic-svm", **options)  # quick, and the same whatever the time

    monkeypatch.setattr(strong, "TextCategorizer", watched)
    monkeypatch.setattr(strong, "warm_up", lambda: None)
    settings = {"method": "auto", "unlabelled": unlabelled, "time_budget": 30.0, "fraction": 0.5}
    result = evaluate(cell_of("strong", name, settings))
    of, found = strong.task(name, 0.5, 0), sets_data.data(name)
    [(budget, texts, labels)] = given
    assert budget == 30.0
    read = np.sort(np.append(of.labelled, of.pool)) if unlabelled else of.labelled
    assert texts == [found.texts[row] for row in read]
    for row, label in zip(read, labels, strict=True):
        names = tuple(found.labels[k] for k in np.flatnonzero(of.Y[row]))
        expected = names if of.several else names[0]
        assert label == (expected if row in of.labelled else None)
    own = result["own" if of.several else "argmax"]
    assert own["micro"] > 0.5
    assert own["chosen"] == "semantic-svm on words (C = 1.0)"
    assert own["cross-validated"]["micro"] > 0.5
    assert [one["method"] for one in result["tried"]] == ["semantic-svm"]
    assert result["unlabelled"] == (len(of.pool) if unlabelled else 0)
    assert result["seconds"] > 0


def test_auto_cells_run_alone_and_peers_side_by_side():
    run = experiment("strong").run("Ohsumed, few labels")
    cells = [*run.cells(True)]
    assert {cell.method for cell in cells if cell.alone} == set(declared.AUTO.values())
    assert {cell.settings["method"] for cell in cells if not cell.alone} == set(declared.GRIDS)


def test_splits_and_grids_are_those_that_were_declared():
    splits = {}
    for run in experiment("strong").runs:
        for part in run.parts:
            splits.setdefault(part.name, set()).add(part.full)
    assert splits == {"1%": {10}, "5%": {10}, "10%": {10}, "50%": {3}, "100%": {1}}
    cells = [*experiment("strong").run("Reuters-90, many labels").cells(True)]
    assert {cell.split for cell in cells if cell.settings["fraction"] == 1} == {0}
    with_pool = [cell for cell in cells if cell.settings["unlabelled"]]
    assert {cell.part for cell in with_pool} == {"50%"}
    assert len(declared.SUPERVISED) == 12


# The table.


def result_of(micro, macro, held_out=0.5, *, way="argmax", seconds=10.0, labelled=50, unlabelled=150):
    of = {"micro": micro, "macro": macro, "chosen": "x", "cross-validated": {"micro": held_out, "macro": 0.5}}
    return {way: of, "seconds": seconds, "labelled": labelled, "unlabelled": unlabelled, "tested": 100}


def tables_of(results, parts=("5%",), **more):
    """Return both tables for one corpus with the methods auto, A and B."""
    run = Run(
        name="r",
        protocol="strong",
        parts=[Part(name) for name in parts],
        methods={"auto": Variant(), "A": Variant(), "B": Variant()},
    )
    bar = Bar(
        name="table1",
        title="",
        run="r",
        corpora={"corpus": ["r"]},
        methods={"all": "auto"},
        peers={"all": ["A", "B"]},
        ahead={"all": ["5%"]},
        behind=0.005,
        longest=72.0,
    )
    found = {(part, name): dict(enumerate(of)) for (part, name), of in results.items()}
    return bar_tables(bar, {"r": Found(run, found)}, **more)


def five(auto, a=0.5, held_out=(0.6, 0.4), **more):
    """Return results of five splits at 5%: auto, A ahead of B on held-out folds, and B with .9."""
    noise = [0.0, 0.001, -0.001, 0.002, -0.002]
    return {
        ("5%", "auto"): [result_of(auto + n, auto - n, **more) for n in noise],
        ("5%", "A"): [result_of(a, a, held_out[0]) for _ in noise],
        ("5%", "B"): [result_of(0.9, 0.9, held_out[1]) for _ in noise],
    }


def test_the_peer_is_the_one_that_held_out_folds_choose():
    judged, behind = tables_of(five(0.6))
    (row,) = judged.rows
    assert row[:4] == ["corpus", "5%", "all", "5"]
    assert row[4:7] == ["0.6000 / 0.6000", "0.5000 / 0.5000", "+0.1000 / +0.1000"]
    assert row[-1] == "yes"
    assert judged.caption.endswith("Of 1 rows, yes in 1")
    (row,) = behind.rows
    assert row[4:7] == ["x 5", "A (x) 5", "B: −0.3000; B: −0.3000"]
    judged, _ = tables_of(five(0.6, held_out=(0.4, 0.6)))
    assert judged.rows[0][-1].startswith("no: 30.0 points behind in micro, 30.0 points behind in macro")


def test_p_is_corrected_for_overlap_and_for_the_number_of_rows():
    results = five(0.504)
    judged, behind = tables_of(results, parts=("5%", "10%"))
    own = [one["argmax"]["micro"] for one in results["5%", "auto"]]
    for table, column, n_train in ((judged, -3, 200), (behind, -1, 50)):
        raw = corrected_t_test(own, [0.5] * 5, n_train=n_train, n_test=100).p_value
        # Two rows with two measures each; those of the row that was not run count as 1.
        expected = holm([raw, raw, 1.0, 1.0])[0]
        assert float(table.rows[0][column].split(" / ")[0]) == pytest.approx(expected, rel=0.05)
    assert judged.rows[1][4:] == ["not run", "not run", "", "", "", "not run"]
    assert behind.rows[1][4:] == ["", "", "", ""]


def test_what_a_row_lacks_is_said():
    verdict = {
        name: tables_of(results)[0].rows[0][-1]
        for name, results in {
            "behind": five(0.494),
            "within half a point": five(0.496),
            "slow": five(0.6, seconds=73.0),
            "level": five(0.5),
        }.items()
    }
    assert verdict == {
        "behind": "no: 0.6 points behind in micro, 0.6 points behind in macro, not ahead in micro, not "
        "ahead in macro",
        "within half a point": "no: not ahead in micro, not ahead in macro",
        "slow": "no: took 73 s",
        "level": "no: not ahead in micro, not ahead in macro",
    }


def test_a_row_that_need_not_be_ahead_may_be_level():
    results = {("50%", name): of for (_, name), of in five(0.497).items()}
    judged, _ = tables_of(results, parts=("50%",))
    assert judged.rows[0][-1] == "yes"


def test_one_split_has_no_test():
    results = {key: of[:1] for key, of in five(0.6).items()}
    judged, behind = tables_of(results)
    assert judged.rows[0][-3:] == ["one split, no test", "10", "no: one split, no test"]
    assert behind.rows[0][-1] == "one split, no test"


def test_only_splits_that_all_methods_have_are_compared():
    results = five(0.6)
    results["5%", "B"] = results["5%", "B"][:3]
    judged, _ = tables_of(results)
    assert judged.rows[0][3] == "3"
    del results["5%", "B"]
    judged, _ = tables_of(results)
    assert judged.rows[0][3:] == ["", "", "not run", "", "", "", "not run"]


def test_ways_to_decide_are_peers_of_their_own():
    results = five(0.6)
    results["5%", "auto"] = [result_of(0.6, 0.6, way="own")] * 5
    for name in ("A", "B"):
        results["5%", name] = [
            result_of(0.3, 0.3, 0.2, way="assignment") | result_of(0.55, 0.5, 0.7, way="thresholds")
        ] * 5
    judged, behind = tables_of(results)
    assert judged.rows[0][5] == "0.5500 / 0.5000"
    assert behind.rows[0][5] == "A, thresholds (x) 5"
    assert behind.rows[0][6] == "A, thresholds: +0.0500; A, thresholds: +0.1000"
