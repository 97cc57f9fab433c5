import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textensor.space.text import table as module
from textensor.space.text.table import Terms, TermTable, join_terms

# Terms that share beginnings, with zeros, line ends, surrogates and characters of one to four bytes.
letters = st.one_of(st.sampled_from("ab\0\n é語𝔘"), st.characters(), st.characters(categories=["Cs"]))
terms = st.one_of(st.text(letters, max_size=6), st.text(st.sampled_from("a\0"), max_size=60))


@settings(max_examples=100, deadline=None)
@given(st.lists(terms, max_size=30))
@example(["a", "a\0", "", "\0", "a" * 8, "a" * 9, "a" * 8 + "\0", "b"])
@example(["x" * 100 + end for end in "cab"])
def test_terms_are_the_strings_they_were_made_of(names):
    made = Terms.of(names)
    assert len(made) == len(names)
    assert made.names() == names
    assert made.wrapped(b"<", b">>").names() == [f"<{name}>>" for name in names]
    different = Terms.of(sorted(set(names), key=names.index))
    assert different.take(different.order()).names() == sorted(set(names))


@settings(max_examples=100, deadline=None)
@given(st.lists(terms, max_size=30), st.lists(terms, max_size=30), st.sampled_from([None, 1]))
def test_a_table_numbers_terms_as_a_dict_does(first, second, seed):
    table = TermTable()
    if seed is not None:  # all terms of one length fall into one place
        table._seed = np.uint64(seed)
    known = {}
    for names in (first, second):
        expected = [known.setdefault(name, len(known)) for name in names]
        assert table.add(Terms.of(names)).tolist() == expected
    assert len(table) == len(known)
    assert table.terms.names() == list(known)
    asked = [*second, "not there, or hardly ever"]
    expected = [known.get(name, -1) for name in asked]
    assert table.find(Terms.of(asked)).tolist() == expected
    assert pickle.loads(pickle.dumps(table)).find(Terms.of(asked)).tolist() == expected


def test_a_table_grows():
    names = [f"{k}" for k in range(30_000)] + ["long" * 20_000] + [f"{k} and more" for k in range(30_000)]
    table = TermTable()
    halves = [table.add(Terms.of(names[:40_000])), table.add(Terms.of(names[40_000:]))]
    assert np.concatenate(halves).tolist() == list(range(len(names)))
    assert table.terms.names() == names
    assert table.find(Terms.of(reversed(names))).tolist() == list(range(len(names)))[::-1]


def test_terms_for_which_a_fixed_hash_is_bad_are_spread():
    # Multiples of a high power of two: the keys differ in their first bytes only.
    names = [chr(0x100 + k) + "abcd" for k in range(4096)]
    table = TermTable()
    table.add(Terms.of(names))
    slots = np.flatnonzero(table._entries[::2])
    ideal = (table._entries[2 * slots] * table._seed) >> np.uint64(64 - table._bits)
    distance = (slots - ideal.astype(np.int64)) % (1 << table._bits)
    assert distance.mean() < 50


def test_compact_terms_have_no_other_letters(monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", 2)
    made = Terms.of(["aa", "b", "cccc", "d", "ee", "ffffffff"])
    some = made.take(np.array([4, 0, 1]))
    assert some.compact().names() == ["ee", "aa", "b"]
    assert some.compact().letters.tobytes() == b"eeaab"
    assert made.take(np.array([5, 2])).compact().letters.base is made.letters.base
    assert made.names() == ["aa", "b", "cccc", "d", "ee", "ffffffff"]
    assert made.take(np.array([], dtype=int)).compact().names() == []


def test_joined_terms_follow_each_other():
    made = join_terms([Terms.of(["a", "bc"]), Terms.of([]), Terms.of(["é"])])
    assert made.names() == ["a", "bc", "é"]


def test_a_term_that_is_no_string_is_refused():
    with pytest.raises(ValueError, match="A term is of type int"):
        Terms.of(["a", 1])
