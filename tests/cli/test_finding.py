"""Documents by their likeness."""

import csv
import io
import json

import pytest


def test_index_and_search(textensor, mail, tmp_path):
    place = tmp_path / "mail.index"
    done = textensor("index", mail, "--text", "body", "--id", "id", "-o", place)
    assert done.code == 0, done.err
    assert "24 documents" in done.out
    found = json.loads(textensor("search", place, "the ship lay in the harbour", "-k", 3, "--json").out)
    assert len(found) == 3
    assert {one["id"] for one in found} <= {"8", "9", "10", "11", "20", "21", "22", "23"}
    assert "ship" in found[0]["text"]
    assert "similarity" in textensor("search", place, "wheat").out
    again = textensor("index", mail, "--text", "body", "-o", place)
    assert (again.code, "there already" in again.err) == (1, True)
    assert not list(tmp_path.glob(".*"))


def test_what_is_not_like_the_text_is_not_found(textensor, mail, tmp_path):
    place = tmp_path / "mail.index"
    textensor("index", mail, "--text", "body", "-o", place)
    done = textensor("search", place, "zzz qqq")
    assert (done.code, done.out) == (0, "")
    assert "No match: none of these words is in the index" in done.err
    assert json.loads(textensor("search", place, "zzz qqq", "--json").out) == []
    found = json.loads(textensor("search", place, "wheat", "-k", 24, "--json").out)
    assert 0 < len(found) < 24
    assert all(one["similarity"] > 0 for one in found)


def test_an_index_without_texts(textensor, mail, tmp_path):
    place = tmp_path / "mail.index"
    textensor("index", mail, "--text", "body", "-o", place, "--no-texts", "--dimensions", 5)
    found = json.loads(textensor("search", place, "wheat", "-k", 1, "--json").out)
    assert found[0]["text"] is None
    assert int(found[0]["id"]) in range(2, 26)  # the line of the file


def test_a_changed_bit_is_found_only_on_request(textensor, mail, tmp_path):
    place = tmp_path / "mail.index"
    textensor("index", mail, "--text", "body", "-o", place, "--dimensions", 5)
    assert textensor("search", place, "wheat", "--verify").code == 0
    array = max((place / "vectors").glob("*.npy"), key=lambda path: path.stat().st_size)
    content = bytearray(array.read_bytes())
    content[-4] ^= 1  # the lowest bit of the last number
    array.write_bytes(content)
    assert textensor("search", place, "wheat").code == 0


def test_cluster(textensor, mail):
    done = textensor("cluster", mail, "--text", "body", "-k", 3)
    assert done.code == 0, done.err
    rows = list(csv.DictReader(io.StringIO(done.out)))
    by_kind = {kind: {row["cluster"] for row in rows if row["kind"] == kind} for kind in ("money", "sea")}
    assert all(len(found) == 1 for found in by_kind.values())
    assert by_kind["money"] != by_kind["sea"]
    assert "cluster 0: " in done.err
    lines = textensor("cluster", mail, "--text", "body", "-k", 2, "--json").out.splitlines()
    assert {json.loads(line)["cluster"] for line in lines} == {0, 1}


def test_only_terms_of_a_cluster_set_it_apart(textensor, tmp_path):
    data = tmp_path / "few.csv"
    data.write_text("body\nwheat maize\nwheat maize corn\nbank rates\nrates bank\n.\n.\n.\n.\n.\n")
    done = textensor("cluster", data, "--text", "body", "-k", 3)
    said = dict(line.split("; ") for line in done.err.splitlines() if line.startswith("cluster "))
    assert said["cluster 0: 5 documents"] == "no term sets it apart"
    apart = {frozenset(terms.split(", ")) for terms in said.values()}
    assert {frozenset({"bank", "rates"}), frozenset({"wheat", "maize", "corn"})} < apart


@pytest.mark.parametrize("command", ["index", "search", "cluster"])
def test_help_has_an_example(textensor, command):
    assert f"Example: textensor {command}" in textensor(command, "--help").out
