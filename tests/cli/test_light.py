"""Commands that score texts import nothing that they do not need, and give the same bits without it."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.languages import LANGUAGES
from textensor import TextCategorizer
from textensor.files import save
from textensor.space import TermVectorizer
from textensor.workbench import METHODS, index_texts
from textensor.workbench.choice.features import FEATURES, term_vectorizer

#: What takes a tenth of a second or more to import.
HEAVY = (
    "sklearn",
    "pandas",
    "numba",
    "scipy.stats",
    "scipy.optimize",
    "joblib",
    "scipy.linalg",
    "rich.console",
)
GRAIN = ["wheat rose", "maize and wheat fell", "the maize harvest", "wheat and rye rose today"]
MONEY = ["bank rates rose", "the bank lent money", "rates of banks fell", "money and a bank"]
NEW = ["wheat and a bank", "rates, rates and maize: naïve Привет 小麦 🙂", ""]


def _run(code, *args):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _loaded(*args):
    """Return which heavy modules a command imports."""
    code = (
        "import sys, json\n"
        "from textensor.cli import main\n"
        "sys.argv[0] = 'textensor'\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    return set(json.loads(_run(code, *args).splitlines()[-1]))


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model of each method, by name."""
    folder = tmp_path_factory.mktemp("models")
    labels = ["grain"] * 4 + ["money"] * 4
    made = {}
    several = [("grain",)] * 3 + [("grain", "money")] + [("money",)] * 4
    for name, method in METHODS.items():
        made[name] = TextCategorizer(name, cross_validate=False).fit(GRAIN + MONEY, labels, check=False)
        if method.several:
            made[f"{name} several"] = TextCategorizer(name).fit(GRAIN + MONEY, several, check=False)
    for model in made:
        made[model].save(folder / model)
    return folder, made


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search") / "index"
    index_texts(folder, GRAIN + MONEY, [f"{k}" for k in range(8)])
    return folder


@pytest.mark.parametrize("method", ["svm", "semantic-svm", "semantic-stm", "centroid"])
def test_predicting_and_explaining_a_text_imports_little(models, method):
    model = models[0] / method
    assert _loaded("predict", model, "--text", "wheat and a bank") == set()
    assert _loaded("explain", model, "wheat and a bank", "--json") == set()


def test_predicting_a_small_file_imports_little(models, tmp_path):
    (tmp_path / "new.csv").write_text("text\nwheat and a bank\nrates\n")
    assert _loaded("predict", models[0] / "svm", tmp_path / "new.csv") == set()


def test_showing_and_searching_import_little(models, index):
    assert _loaded("show", models[0] / "svm", "--json") == set()
    assert _loaded("search", index, "wheat and rye", "--json") == set()


@pytest.mark.parametrize(
    "command", [("predict", "no.model", "--text", "x"), ("explain", "no.model", "x"), ("show", "no.model")]
)
def test_a_missing_model_is_found_before_anything_is_imported(command):
    code = f"import sys; sys.argv[1:] = {list(command)!r}\nfrom textensor.cli import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    pass\nprint('numpy' in sys.modules)"
    assert _run(code).strip() == "False"


SCORES = """
import json, sys
from textensor.files import open_model
folder, names, texts = json.loads(sys.argv[1])
found = {}
for name in names:
    model, _ = open_model(f"{folder}/{name}", to_score=True)
    scores = model.predict_scores(texts)
    parts = [[r.parts for r in one] for one in model.explain(texts[:2])]
    found[name] = [[[x.hex() for x in row] for row in scores.tolist()], parts]
assert not {"sklearn", "pandas", "scipy.stats", "numba"} & set(sys.modules)
print(json.dumps(found))
"""


def test_scores_without_scikit_learn_and_numba_have_the_same_bits(models):
    folder, made = models
    found = json.loads(_run(SCORES, json.dumps([str(folder), list(made), NEW])))
    for name, model in made.items():
        scores, parts = found[name]
        assert scores == [[x.hex() for x in row] for row in model.predict_scores(NEW).tolist()], name
        own = [[[list(part) for part in r.parts] for r in one] for one in model.explain(NEW[:2])]
        assert parts == own, name


ROWS = """
import json, sys
import numpy as np
from textensor.files import open_model
folder, n, texts = json.loads(sys.argv[1])
found = {}
for k in range(n):
    model, _ = open_model(f"{folder}/{k}", to_score=True)
    X = model.transform(texts)
    found |= {f"{k} indptr": X.indptr, f"{k} indices": X.indices, f"{k} data": X.data}
assert "sklearn" not in sys.modules and "numba" not in sys.modules
np.savez(folder + "/rows.npz", **found)
"""


def test_small_texts_have_the_same_bits_without_compiled_code(tmp_path):
    texts = [
        *(text for pairs in LANGUAGES.values() for text, _ in pairs),
        *NEW,
        "a\u0301" * 40 + " e\u0301te\u0301",
        "x" * 300,
        "to be or not to be " * 9,
        "''\\ 'a",
    ]
    vectorizers = [
        term_vectorizer(kind, language=language, stop_words=words, stem=stem)
        for kind in FEATURES
        for language, words, stem in [
            (None, False, False),
            ("german", True, True),
            (None, ["the", "be"], False),
        ]
        if kind != "characters" or not words
    ]
    vectorizers += [
        TermVectorizer(**{"scripts": True, **options})
        for options in (
            {"dtype": np.float32, "char_ngram_range": (2, 5)},
            {"norm": "l1", "ngram_range": (2, 3), "weighting": "tf"},
            {"norm": None, "binary": True, "scripts": False, "strip_accents": "unicode"},
            {"analyzer": "char", "ngram_range": (1, 4), "scripts": False, "strip_accents": "ascii"},
            {"token_pattern": r"(?u)\b\w+\b", "lowercase": False},
            {"token_pattern": r"[a-z]+", "scripts": False},
        )
    ]
    for k, vectorizer in enumerate(vectorizers):
        vectorizer.set_params(scripts=vectorizer.scripts and vectorizer.analyzer == "word")
        save(vectorizer.fit(texts[::2] + texts[::2]), tmp_path / str(k))
    _run(ROWS, json.dumps([str(tmp_path), len(vectorizers), texts]))
    found = np.load(tmp_path / "rows.npz")
    for k, vectorizer in enumerate(vectorizers):
        X = vectorizer.transform(texts)
        for name in ("indptr", "indices", "data"):
            ours = found[f"{k} {name}"]
            assert ours.dtype == getattr(X, name).dtype
            assert ours.tobytes() == getattr(X, name).tobytes(), (vectorizer.get_params(), name)


def test_a_model_with_parts_of_scikit_learn_is_scored_with_it(tmp_path):
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    save(
        make_pipeline(TermVectorizer(), MultinomialNB()).fit(GRAIN + MONEY, [0] * 4 + [1] * 4),
        tmp_path / "nb",
    )
    code = (
        "import sys\nfrom textensor.files import open_model\n"
        "model = open_model(sys.argv[1], to_score=True)[0]\n"
        "print(type(model).__module__, model.predict(['wheat']))"
    )
    assert _run(code, tmp_path / "nb").strip() == "sklearn.pipeline [0]"
