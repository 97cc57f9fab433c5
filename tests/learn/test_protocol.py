"""All learners are called alike."""

import inspect

import pytest

from textensor.learn import Foreign, Hinge, Learner, SquaredHinge, SquaredLoss


@pytest.mark.parametrize("learner", [Foreign, Hinge, SquaredHinge, SquaredLoss])
def test_solve_takes_the_parameters_of_the_protocol(learner):
    expected, found = (inspect.signature(kind.solve).parameters for kind in (Learner, learner))
    assert list(found) == list(expected)
    assert [one.default for one in found.values()] == [one.default for one in expected.values()]
