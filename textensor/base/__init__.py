"""What every other room stands on: labels, files on disk, compiled code."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def later(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that imports its public names when they are first used.

    Parameters
    ----------
    package : str
        The package.
    names : mapping
        The module within the package that has each name.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{names[name]}"), name)

    return get
