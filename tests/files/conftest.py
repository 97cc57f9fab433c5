import os

import pytest


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Let thousands of files not wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "my.model"
