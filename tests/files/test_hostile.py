"""Files that accidents and attackers make: refused with one sentence, or harmless."""

import copy
import io
import json
import os
import re
import struct
import subprocess
import sys
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.files.mutate import mutate_arrays, mutate_tree
from tests.files.zoo import ZOO, fitted, given, outputs, same
from textensor.files import ModelFileError, container, describe, load, save
from textensor.files.container import read_file, write_file

SMALL = ["srda", "pipe-stm", "kda"]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Thousands of files need not reach the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "my.model"


def saved(path, name="srda"):
    save(fitted(name), path)
    return path.read_bytes()


def refused(path, match="."):
    """Check that a file is refused as it should be."""
    with pytest.raises(ModelFileError, match=match) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path} holds no model that can be read: ")
    assert message.endswith(".")
    assert message.isprintable()
    assert len(message) < 600


def refused_bytes(path, content, match="."):
    path.write_bytes(content)
    refused(path, match)


# What accidents do


@pytest.mark.parametrize("name", SMALL)
def test_every_truncation_is_refused(name, path):
    content = saved(path, name)
    cuts = range(len(content)) if len(content) < 2000 else range(0, len(content), len(content) // 500)
    for length in cuts:
        refused_bytes(path, content[:length])


@pytest.mark.parametrize("name", SMALL)
def test_every_flipped_bit_is_noticed(name, path):
    content = saved(path, name)
    rng = np.random.default_rng(0)
    for _ in range(600):
        changed = bytearray(content)
        changed[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        refused_bytes(path, bytes(changed))


def test_bytes_put_in_left_out_or_exchanged_are_noticed(path):
    content = saved(path)
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, b = sorted(rng.integers(len(content), size=2))
        junk = rng.bytes(int(rng.integers(1, 9)))
        refused_bytes(path, content[:a] + junk + content[a:])
        if a < b:
            refused_bytes(path, content[:a] + content[b:])
            middle = content[a:b][::-1]
            if middle != content[a:b]:
                refused_bytes(path, content[:a] + middle + content[b:])
    for junk in (b"\0", b"PK", b"#!/bin/sh\n", content):
        refused_bytes(path, junk + content)
        refused_bytes(path, content + junk)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04N.", b"label,text\n", bytes(1000)])
def test_other_files_are_refused(content, path):
    refused_bytes(path, content, "it is no model file, or it is cut short|not where it should be")
    with pytest.raises(ModelFileError, match="holds no model that can be read"):
        describe(path)


def test_a_file_that_is_not_there_is_said_to_be_missing(path):
    for read in (load, describe):
        with pytest.raises(FileNotFoundError, match=r"There is no model file .*my\.model\."):
            read(path)


# What attackers do: the file


def rezip(content, change=None, **options):
    """Write the members of a model once more with Python's own zipfile."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", **options) as new:
        for info in old.infolist():
            entry = zipfile.ZipInfo(info.filename)
            entry.compress_type = options.get("compression", zipfile.ZIP_STORED)
            if change is not None:
                change(entry)
            new.writestr(entry, old.read(info))
    return out.getvalue()


def named(old, new):
    def change(entry):
        if entry.filename == old:
            entry.filename = new

    return change


def linked(entry):
    entry.external_attr = 0o120777 << 16


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (None, {"compression": zipfile.ZIP_DEFLATED}),
        (None, {"compression": zipfile.ZIP_BZIP2}),
        (None, {"compression": zipfile.ZIP_LZMA}),
        (named("0.npy", "../0.npy"), {}),
        (named("0.npy", "/etc/0.npy"), {}),
        (named("0.npy", "0.NPY"), {}),
        (named("0.npy", "C:0.npy"), {}),
        (named("0.npy", "1.npy"), {}),
        (named("header.json", "header.JSON"), {}),
        (linked, {}),
        (lambda entry: setattr(entry, "comment", b"hello"), {}),
        (lambda entry: setattr(entry, "extra", b"ab\x00\x00"), {}),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_other_zips_of_the_same_members_are_refused(change, options, path):
    refused_bytes(
        path,
        rezip(saved(path), change, **options),
        "stored as it should be|is not that of a model|its header describes",
    )


def test_a_member_more_or_twice_is_refused(path):
    content = saved(path)
    for name in ("more.npy", "0.npy", "__init__.py"):
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with zipfile.ZipFile(path, "a") as archive:
                archive.writestr(name, b"x")
        refused(path)


def test_a_bomb_is_refused_before_it_goes_off(path):
    """The size of the file is compared with what the header leads to before any array is made."""
    content = saved(path)
    for shape in ([2**40], [2**20, 2**20], [2**40] * 3, [0, 2**40, 2**40]):
        header = copy.deepcopy(read_header_json(content))
        header["arrays"][0]["shape"] = shape
        refused_bytes(path, with_header(content, header))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * 10**7)
    refused_bytes(path, out.getvalue(), "stored as it should be")


def read_header_json(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read("header.json"))


def with_header(content, header):
    """Put another header into a file, with all sums and sizes of the zip in order."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        rest = [(info.filename, archive.read(info)) for info in archive.infolist()][1:]
    contents = [("header.json", text), *rest]
    members = [container.Member(name, len(data), zlib.crc32(data)) for name, data in contents]
    parts = [member.before() + data for member, (_, data) in zip(members, contents, strict=True)]
    return b"".join(parts) + container._directory(members)


def test_the_helper_that_changes_headers_makes_sound_files(path):
    content = saved(path)
    path.write_bytes(with_header(content, read_header_json(content)))
    assert same(outputs(load(path), given("srda")), outputs(fitted("srda"), given("srda")))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "textensor-model-2"}, "its format 2 is newer than this version of textensor: install"),
        ({"format": "textensor-model-0"}, "does not say that the format is"),
        ({"format": "textensor-index-1"}, "does not say that the format is"),
        ({"format": 1}, "does not say that the format is"),
        ({"more": 1}, "must have the keys"),
        ({"arrays": {}}, "no list of arrays"),
        ({"arrays": []}, "bytes, and its header describes"),
        ({"metadata": []}, "its metadata is no object"),
        ({"versions": {"numpy": 1}}, "its versions are not texts"),
        ({"model": None}, "holds no model"),
        ({"model": {"class": "textensor.learn.Hinge"}}, "holds no model"),
    ],
)
def test_a_header_that_says_something_else_is_refused(change, message, path):
    content = saved(path)
    header = {**read_header_json(content), **change}
    refused_bytes(path, with_header(content, header), message)
    with pytest.raises(ModelFileError, match=message):
        describe(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dtype": "|O"}, "the dtype '|O', which is not one of numbers"),
        ({"dtype": "<U5"}, "not one of numbers"),
        ({"dtype": ">f8"}, "not one of numbers"),
        ({"dtype": ["<f8"]}, "not one of numbers"),
        ({"dtype": "|V8"}, "not one of numbers"),
        ({"shape": [-1]}, "a shape that cannot be"),
        ({"shape": [True, 3]}, "a shape that cannot be"),
        ({"shape": [1] * 40}, "no shape"),
        ({"shape": "3"}, "no shape"),
        ({"fortran": 1}, "a layout that cannot be"),
        ({"sha256": "0" * 64}, "its sum differs"),
        ({"sha256": "g" * 64}, "not 64 hexadecimal digits"),
        ({"sha256": None}, "not 64 hexadecimal digits"),
        ({"more": 1}, "must have the keys"),
    ],
)
def test_an_array_described_otherwise_is_refused(change, message, path):
    content = saved(path)
    header = read_header_json(content)
    header["arrays"][0].update(change)
    refused_bytes(path, with_header(content, header), re.escape(message))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe{}",
        b'{"format": "textensor-model-1", "format": "textensor-model-1"}',
        b'{"format": NaN}',
        b'{"format": 1e999}',
        b'{"format": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        "{'é'}".encode(),
    ],
)
def test_a_header_that_is_no_json_of_ours_is_refused(text, path):
    content = saved(path)
    refused_bytes(path, with_header(content, text))
    with pytest.raises(ModelFileError):
        describe(path)


def test_truth_values_are_true_or_false(path):
    content = saved(path, "stm")
    header = read_header_json(content)
    where = next(i for i, array in enumerate(header["arrays"]) if array["dtype"] == "|b1")
    header["arrays"][where]["shape"] = [1]
    old, arrays = read_file(path)
    arrays[where] = np.array([2], dtype=np.uint8).view(bool)
    write_file(path, {key: old[key] for key in ("versions", "metadata", "model")}, arrays)
    refused(path, "neither true nor false")


# What attackers do: the contents


def rewrite(path, change):
    """Change the model in a file, with all sums in order."""
    header, arrays = read_file(path)
    header = {key: header[key] for key in ("versions", "metadata", "model")}
    change(header["model"], arrays)
    write_file(path, header, arrays)


def set_state(key, value):
    return lambda model, arrays: model["state"].__setitem__(key, value)


def set_array(key, change):
    def apply(model, arrays):
        number = model["state"][key]["array"]
        arrays[number] = change(arrays[number].copy())

    return apply


def put(index, value):
    def change(array):
        array[index] = value
        return array

    return change


def in_solution(key, change):
    return lambda model, arrays: set_array(key, change)(model["state"]["_solved"], arrays)


def in_arrangement(key, change):
    return lambda model, arrays: set_array(key, change)(model["state"]["arrangement_"], arrays)


def in_documents(number, change):
    def apply(model, arrays):
        at = model["state"]["X_fit_"]["arrays"][number]["array"]
        arrays[at] = change(arrays[at].copy())

    return apply


def many_modes(model, arrays):
    """Make a small file whose documents have 2 ** 25 coordinates."""
    placed, solved = model["state"]["arrangement_"], model["state"]["_solved"]
    placed["state"]["shape_"] = {"tuple": [2] * 25}
    order = arrays[placed["state"]["permutation_"]["array"]]
    placed["state"]["permutation_"] = {"array": 0}
    solved["state"]["factors"] = [{"array": 1 + i} for i in range(25)]
    solved["state"]["eigenvalues"] = []
    arrays[:] = [order]
    arrays.extend(np.eye(2) for _ in range(25))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("srda", set_array("components_", put((0, 0), np.nan)), r"SRDA\.components_: it is not finite"),
        ("srda", set_array("components_", lambda a: a[:, :-1]), r"it has 56 terms where there are 57"),
        ("srda", set_array("components_", lambda a: a[None]), r"it has 3 dimensions, not 2"),
        ("srda", set_array("components_", lambda a: a.astype(int)), r"not an array of such numbers"),
        ("srda", set_array("intercept_", lambda a: a[:-1]), r"it has 1 axes where there are 2"),
        ("srda", set_state("classes_", {"strings": ["a", "a", "b"], "width": 1}), r"a label is there twice"),
        ("srda", set_state("classes_", {"strings": ["a"] * 3, "width": 2**30}), r"not such a whole number"),
        ("srda", set_state("n_features_in_", True), r"True is not such a whole number"),
        ("srda", set_state("secret_", 1), r"SRDA: it has no attribute 'secret_'"),
        ("srda", lambda model, arrays: model["state"].pop("n_iter_"), r"its attribute n_iter_ is missing"),
        ("srda", lambda model, arrays: model["parameters"].update(x=1), r"it has no parameter 'x'"),
        (
            "srda",
            lambda model, arrays: model["parameters"].update(n_jobs=10**9),
            r"n_jobs: 1000000000 is not",
        ),
        ("srda", lambda model, arrays: arrays.append(np.zeros(1)), r"an array that nothing uses"),
        ("srda", lambda model, arrays: model.update({"class": "os.system"}), r"'os.system' is no class"),
        ("srda", lambda model, arrays: model.update({"class": ["a"]}), r"is no class"),
        ("srda", lambda model, arrays: model.update(state=None), r"its model is not fitted"),
        ("kda", in_documents(1, put(0, 10**6)), r"X_fit_: it is not a sparse matrix"),
        ("kda", in_documents(1, put(0, -1)), r"X_fit_: it has an index below 0"),
        ("kda", in_documents(2, put(1, 10**6)), r"X_fit_: it is not a sparse matrix: .* fall"),
        ("kda", in_documents(2, lambda a: np.zeros_like(a)), r"X_fit_: it has values that are in no row"),
        ("kda", in_documents(0, lambda a: a[:-1]), r"X_fit_: it has not a value each index"),
        (
            "kda",
            lambda model, arrays: model["parameters"].update(kernel="precomputed"),
            r"its documents are not",
        ),
        (
            "kda",
            lambda model, arrays: model["parameters"].update(gamma="1"),
            r"KDA\.gamma: '1' is not a number",
        ),
        ("tensorlsi", in_solution("pairs", put((0, 0), 10**6)), r"its pairs are of vectors it has not"),
        ("tensorlsi", in_solution("pairs", put((0, 0), -1)), r"pairs: it holds a number out of range"),
        ("tensorlsi", in_solution("pairs", lambda a: a[:, :1]), r"its pairs are of vectors it has not"),
        (
            "tensorlsi",
            in_arrangement("permutation_", lambda a: np.append(a[:-1], a[0])),
            r"permutation_: it is not a permutation",
        ),
        (
            "tensorlsi",
            in_arrangement("permutation_", lambda a: np.sort(a)[:-1]),
            r"56 terms where there are 57",
        ),
        ("stm", in_arrangement("_positions", put(0, 10**6)), r"its terms have no cells"),
        ("stm", set_array("intercept_", lambda a: a[:-1]), r"it has 3 questions where there are 2"),
        ("stm", lambda model, arrays: model["state"]["factors_"].pop(), r"its factors do not fit"),
        ("stm", set_state("arrangement_", []), r"it has not one arrangement for each label"),
        ("coem", set_state("views_", {"tuple": []}), r"it has 0 parts, not 2"),
        ("terms", set_state("_vocabulary", {"vocabulary": ["a", "a"]}), r"a term is there twice"),
        ("terms", set_state("_vocabulary", {"vocabulary": ["a", "b"]}), r"57 terms where there are 2"),
        (
            "terms",
            lambda model, arrays: model["parameters"].update(input="filename"),
            r"'filename' is not one",
        ),
        (
            "terms",
            lambda model, arrays: model["parameters"].update(ngram_range={"tuple": [1, 10**9]}),
            r"ngram",
        ),
        ("terms", lambda model, arrays: model["parameters"].update(token_pattern="(a+)+$"), r"take for ever"),
        (
            "terms",
            lambda model, arrays: model["parameters"].update(token_pattern="(a"),
            r"no regular expression",
        ),
        (
            "terms",
            lambda model, arrays: model["parameters"].update(stemmer="klingon"),
            r"The 'stemmer' parameter",
        ),
        ("terms", lambda model, arrays: model["parameters"].update(stop_words=[[]]), r"\[\] is not a string"),
        ("terms", lambda model, arrays: model["parameters"].update(stop_words="\x1b[31m\n"), r"not a list"),
        ("hosvd", many_modes, r"it has 33554432 coordinates, over the limit"),
        ("neighbours", set_array("_y", put(0, 3)), r"_y: it holds a number out of range"),
        ("svc", set_array("coef_", lambda a: a[:2]), r"it has 3 questions where there are 2"),
        (
            "pipe-stm",
            lambda model, arrays: model["parameters"].update(memory="/tmp/x"),
            r"no parameter 'memory'",
        ),
        ("pipe-stm", lambda model, arrays: model["parameters"].update(steps=[]), r"it has no steps"),
    ],
)
def test_contents_that_would_mislead_a_kernel_are_refused(name, change, message, path):
    saved(path, name)
    rewrite(path, change)
    refused(path, message)


@pytest.mark.parametrize("name", ZOO)
def test_thousands_of_well_formed_lies_are_refused_or_do_no_harm(name, path):
    """Every sum is right and every size agrees; what is loaded is asked, so that every kernel runs on it."""
    saved(path, name)
    header, arrays = read_file(path)
    kept = {key: header[key] for key in ("versions", "metadata", "model")}
    rng = np.random.default_rng(list(name.encode()))
    n_refused = 0
    for _ in range(40):
        changed, numbers = copy.deepcopy(kept), list(arrays)
        for _ in range(rng.integers(1, 4)):
            if rng.integers(2):
                mutate_arrays(numbers, rng)
            else:
                mutate_tree(changed, rng)
        write_file(path, changed, numbers)
        try:
            model = load(path)
        except ModelFileError:
            n_refused += 1
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                outputs(model, given(name))
            except ValueError:  # such as: the pipeline's parts do not fit each other
                continue
    assert n_refused > 10


# Writing


@pytest.mark.parametrize("step", ["open", "write", "fsync", "replace", "full"])
def test_an_interruption_leaves_the_old_file_and_no_other(step, path, monkeypatch):
    content = saved(path)
    error = OSError(28, "No space left on device") if step == "full" else KeyboardInterrupt()

    class Full(io.FileIO):
        def write(self, piece):
            super().write(bytes(piece)[:10])
            raise error

    def fail(*args, **options):
        raise error

    with monkeypatch.context() as patch:
        if step == "fsync":
            patch.setattr(os, "fsync", fail)
        elif step == "replace":
            patch.setattr(Path, "replace", fail)
        else:
            opened = fail if step == "open" else lambda self, mode: Full(self, mode)
            patch.setattr(Path, "open", opened)
        with pytest.raises(type(error)) as caught:
            save(fitted("kda"), path)
    if step == "full":
        assert str(caught.value) == (
            f"{path} was not written (No space left on device); what was there before is as it was."
        )
    assert [found.name for found in path.parent.iterdir()] == ["my.model"]
    assert path.read_bytes() == content


def test_a_killed_writer_leaves_the_old_file(path):
    content = saved(path)
    code = (
        "import os, signal, sys\n"
        "from textensor.files import save\n"
        "from textensor.reduce import CentroidProjection\n"
        "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)\n"
        "save(CentroidProjection().fit([[1.0, 0.0], [0.0, 2.0]], [0, 1]), sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=False)
    assert done.returncode == -9
    assert path.read_bytes() == content


def test_nothing_but_a_model_is_replaced(path):
    saved(path)
    link = path.with_name("link.model")
    link.symlink_to(path)
    folder = path.with_name("folder.model")
    folder.mkdir()
    text = path.with_name("data.csv")
    text.write_text("label,text\n")
    for place in (link, folder, text):
        with pytest.raises(
            FileExistsError, match=r"is not replaced \(.*\): remove it or choose another place"
        ):
            save(fitted("srda"), place)
    assert text.read_text() == "label,text\n"
    assert link.is_symlink()
    save(fitted("kda"), path)
    path.with_name("empty.model").touch()
    save(fitted("kda"), path.with_name("empty.model"))


def test_links_folders_and_pipes_are_not_read(path):
    saved(path)
    link = path.with_name("link.model")
    link.symlink_to(path)
    refused(link, "link.model is a link")
    refused(path.parent, "is not a regular file")
    pipe = path.with_name("pipe.model")
    os.mkfifo(pipe)
    refused(pipe, "is not a regular file")


def test_new_files_have_usual_permissions_and_folders_are_made(tmp_path):
    place = tmp_path / "deep" / "er" / "my.model"
    mask = os.umask(0o022)
    try:
        save(fitted("srda"), str(place))
    finally:
        os.umask(mask)
    assert place.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(("limit", "value"), [("MAX_HEADER", 100), ("MAX_BYTES", 5000), ("MAX_MEMBERS", 2)])
def test_a_model_over_the_cap_is_neither_saved_nor_loaded(limit, value, path, monkeypatch):
    content = saved(path, "pipe-stm")
    monkeypatch.setattr(container, limit, value)
    with pytest.raises(ModelFileError, match=r"This Pipeline cannot be saved: its? (terms|takes)"):
        save(fitted("pipe-stm"), path)
    assert path.read_bytes() == content
    refused(path, "larger than|no list of arrays")


def test_a_size_in_the_zip_that_lies_is_refused(path):
    content = bytearray(saved(path))
    content[18:26] = struct.pack("<2L", 2**32 - 1, 2**32 - 1)
    refused_bytes(path, bytes(content), "its header is larger than the file or the limit")
