import ast
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textensor
from textensor.base.plain import few_marks

ACUTE, BELOW = "\N{COMBINING ACUTE ACCENT}", "\N{COMBINING DOT BELOW}"
#: Marks that are starters until they are normalized: a vowel sign and a half-width voiced sound mark.
TIBETAN, KANA = "\u0f73", "\uff9e"


def longest_row(text):
    """Return the most marks in a row that normalization has to sort."""
    longest = length = 0
    for sign in unicodedata.normalize("NFKD", text):
        length = length + 1 if unicodedata.combining(sign) else 0
        longest = max(longest, length)
    return longest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain " * 50, "plain " * 50),
        ("caf\u00e9 " * 50, "caf\u00e9 " * 50),
        ("e" + 30 * ACUTE, "e" + 30 * ACUTE),
        ("e" + 31 * ACUTE, "e" + 30 * ACUTE),
        (ACUTE * 100, ACUTE * 30),
        ((ACUTE + BELOW) * 50 + "a" + BELOW * 40, (ACUTE + BELOW) * 15 + "a" + BELOW * 30),
        (TIBETAN * 40, TIBETAN * 30),
        ("\u30ab" + KANA * 40 + "x", "\u30ab" + KANA * 30 + "x"),
    ],
)
def test_marks_beyond_thirty_in_a_row_are_cut(text, expected):
    assert few_marks(text) == expected


@given(
    st.lists(
        st.sampled_from(["a", "\u1fb7", "\u212b", ACUTE * 17, BELOW * 14, TIBETAN, KANA, "\U0001e94a" * 29])
    )
)
def test_no_row_is_long_and_the_letters_stay(pieces):
    text = "".join(pieces)
    kept = few_marks(text)
    assert longest_row(kept) <= 2 * 30 + 3  # one mark is two at most, and a letter brings up to three
    letters = [
        [sign for sign in unicodedata.normalize("NFKD", one) if not unicodedata.combining(sign)]
        for one in (text, kept)
    ]
    assert letters[0] == letters[1]
    if longest_row(text) <= 30:
        assert kept == text


def test_every_mark_of_unicode_is_cut():
    for code in range(0x110000):
        whole = unicodedata.normalize("NFKD", chr(code))
        assert not unicodedata.combining(whole[0]) or len(few_marks(chr(code) * 31)) == 30, hex(code)


def test_nothing_else_normalizes_text():
    """What calls unicodedata itself takes minutes for a text of a hundred thousand marks."""
    folder = Path(textensor.__file__).parent
    calling = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("unicodedata.normalize")
    }
    assert calling == {"base/plain.py"}
