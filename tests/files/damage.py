"""Files to be refused, and how."""

import pytest

from tests.files.zoo import fitted
from textensor.files import ModelFileError, load, save


def saved(path, name="srda"):
    save(fitted(name), path)
    return path.read_bytes()


def refused(path, match="."):
    """Check that a file is refused as it should be."""
    with pytest.raises(ModelFileError, match=match) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path} cannot be read as a model: ")
    assert message.endswith(".")
    assert message.isprintable()
    assert len(message) < 600


def refused_bytes(path, content, match="."):
    path.write_bytes(content)
    refused(path, match)
