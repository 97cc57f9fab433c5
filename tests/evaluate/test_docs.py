"""The examples of the guide run."""

import doctest
from pathlib import Path


def test_examples_of_the_guide():
    guide = Path(__file__).parents[2] / "docs" / "evaluate.md"
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0
