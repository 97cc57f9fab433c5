import lzma
import subprocess
import sys

import pytest

from textensor.datasets import catalogue, get, load, registry
from textensor.datasets import places as storage
from textensor.datasets.corpora import wordnet


def test_unknown_name_lists_those_there_are():
    for ask in (load, get):
        with pytest.raises(
            ValueError, match=r"no set 'reuters'; there are .*docstrings, reuters21578, 20newsgroups"
        ):
            ask("reuters")


def test_unknown_option_lists_those_there_are():
    with pytest.raises(ValueError, match="'reuters21578' has no option 'split'; it has subset, matrix"):
        load("reuters21578", split="train")
    with pytest.raises(ValueError, match="'tdt2' has no option 'subset'; it has none"):
        load("tdt2", subset="30")


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("reuters21578", {"subset": "r90"}, "'r90'; there are modapte41, modlewis52, r52, r8, modapte90"),
        ("reuters21578", {"matrix": "tf"}, "matrix='cai' of 'modapte41'"),
        ("reuters21578", {"matrix": "cai", "subset": "r8"}, "matrix='cai' of 'modapte41'"),
        (
            "uci",
            {"subset": "iris"},
            "'iris'; there are adult, breast-cancer, diabetes, ionosphere, mushrooms, sonar",
        ),
        ("20newsgroups", {"remove": ("header",)}, "'header' to remove; there are headers, footers, quotes"),
        ("20newsgroups", {"remove": "header"}, "'header' to remove; there are headers, footers, quotes"),
    ],
)
def test_unknown_values_list_those_there_are(name, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        load(name, **options)


def test_catalogue_on_a_bare_machine(bare_machine):
    rows = {info.name: info for info in catalogue()}
    assert rows["docstrings"].here
    assert not any(info.here for name, info in rows.items() if registry._SETS[name].files)
    assert all(info.terms and info.documents and info.labels for info in rows.values())
    assert "matrix=cai" in rows["reuters21578"].options
    assert not bare_machine.exists()  # looking makes nothing


def test_a_set_is_here_when_all_its_files_are(bare_machine):
    files = registry._SETS["uci"].files
    assert len(files) == 6
    for file in files:
        assert "uci" not in [info.name for info in catalogue() if info.here]
        storage.store(file.path, [b""])
    assert "uci" in [info.name for info in catalogue() if info.here]
    assert get("uci") == [bare_machine / file.path for file in files]


def test_get_needs_no_files_for_docstrings(bare_machine):
    assert get("docstrings") == []


def test_get_tells_of_progress(bare_machine, serve, monkeypatch):
    body = b"1 1:1\n"
    file = storage.DataFile("a/b.xz", (f"{serve(it=body)}/it",), lambda stream: stream)
    entry = registry.DatasetInfo("tiny", load, "1", "1", "free", files=(file,))
    monkeypatch.setitem(registry._SETS, "tiny", entry)
    steps = []
    [path] = get("tiny", progress=lambda *step: steps.append(step))
    assert [step[1:] for step in steps] == [(6, 6)]
    assert lzma.decompress(path.read_bytes()) == body


def test_real_addresses_are_secure():
    files = [file for entry in registry._SETS.values() for file in entry.files]
    assert len(files) == 2 + 1 + 1 + 1 + 1 + 6
    assert all(address.startswith("https://") for file in files for address in file.addresses)
    assert [file.path for file in files if not file.addresses] == [wordnet.FILE.path]
    assert all(file.sha256 is None or len(file.sha256) == 64 for file in files)
    assert len({file.path for file in files}) == len(files)


def test_listing_needs_neither_scikit_learn_nor_numba():
    program = (
        "import sys; from textensor.datasets import catalogue; catalogue(); "
        "sys.exit(sum(name in sys.modules for name in ('sklearn', 'numba', 'pandas', 'pyarrow')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
