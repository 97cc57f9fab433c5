"""Files that earlier versions wrote can be read, and their models say what they said."""

import json

import numpy as np
import pytest

from tests.files import golden
from tests.files.writing import write_file
from textensor.files import describe, load, save
from textensor.files.container import FORMAT, read_file

FILES = sorted(golden.FOLDER.glob("*.model"))


def test_there_are_files_of_every_format():
    numbers = {path.name.split("-")[2] for path in FILES}
    # Numbers 1 and 2 were never released.
    assert numbers == {str(number) for number in range(3, int(FORMAT.rpartition("-")[2]) + 1)}


def test_files_are_never_written_again():
    assert golden.sums() == json.loads(golden.SUMS.read_text(encoding="utf-8"))
    with pytest.raises(SystemExit, match="a change needs a new number"):
        golden.write()


def test_a_parameter_that_came_later_has_its_default(tmp_path):
    path, name = golden.FOLDER / f"{FORMAT}-terms-settings.model", "terms-settings"
    header, arrays, _ = read_file(path)
    header.pop("arrays"), header.pop("format")
    del header["model"]["parameters"]["char_ngram_range"]
    write_file(tmp_path / "old.model", header, arrays)
    found = load(tmp_path / "old.model")
    assert found.char_ngram_range is None
    assert golden.said(found, name) == golden.said(load(path), name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_old_file_is_read_as_it_was_meant(path):
    kind, name = path.stem[: len(FORMAT)], path.stem[len(FORMAT) + 1 :]
    expected = json.loads((golden.FOLDER / f"{kind}.json").read_text(encoding="utf-8"))[name]
    found = golden.said(load(path), name)
    # Another processor may round otherwise in the last digits.
    np.testing.assert_allclose(found["numbers"], expected["numbers"], rtol=1e-9, atol=1e-12)
    assert found.get("labels") == expected.get("labels")
    assert describe(path).metadata["texts"][0] == "wheat in the storm"


@pytest.mark.parametrize("name", golden.NAMES)
def test_the_current_format_is_still_written_alike(name, tmp_path):
    """A change of the format needs a new number, and files of it."""
    old = describe(golden.FOLDER / f"{FORMAT}-{name}.model")
    save(load(golden.FOLDER / f"{FORMAT}-{name}.model"), tmp_path / "new.model", metadata=old.metadata)
    new = describe(tmp_path / "new.model")
    if "n_jobs" in old.model["parameters"]:
        old.model["parameters"]["n_jobs"] = None  # which is forgotten
    assert (new.model, new.metadata, new.format) == (old.model, old.metadata, old.format)
