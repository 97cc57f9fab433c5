"""Which sources a result depends on: those that its protocol imports, and what these import in turn."""

import ast
import hashlib
from functools import cache
from pathlib import Path

__all__ = ["PACKAGE", "code", "sources"]

PACKAGE = Path(__file__).parents[1]
#: What it holds of a cell is in the cell's description; the papers' tables and claims change no result.
APART = PACKAGE / "papers" / "declare.py"


@cache
def code(protocol: str) -> str:
    """Return the hash of the sources that results of a protocol's module depend on."""
    total = hashlib.sha256()
    for path in sources(protocol):
        text = path.read_bytes().replace(b"\r\n", b"\n")  # as git may have it on Windows
        total.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + text)
    return total.hexdigest()


def sources(protocol: str) -> list[Path]:
    """Return the files of this package that a protocol's module needs, itself among them.

    An import inside a function counts. A name that a package only hands on (``from textensor.reduce import
    LSI``) leads to the file that defines it, not to all that the package has.
    """
    found: set[Path] = set()
    waiting = [PACKAGE / "papers" / "protocols" / f"{protocol}.py"]
    while waiting:
        path = waiting.pop()
        if path not in found and path != APART:
            found.add(path)
            waiting += _needed(path)
    return sorted(found)


@cache
def _needed(path: Path) -> list[Path]:
    needed: list[Path] = []
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
            needed += [file for name in modules if (file := _file(name)) is not None]
        elif isinstance(node, ast.ImportFrom) and node.module and _file(node.module) is not None:
            needed += [_definition(node.module, alias.name) for alias in node.names]
    return needed


def _definition(module: str, name: str) -> Path:
    """Return the file that defines a name of a module: it may be handed on, or a module itself."""
    inner, own = _file(f"{module}.{name}"), _file(module)
    if inner is not None or own is None:
        return inner or PACKAGE / "__init__.py"
    if own.name == "__init__.py":
        for node in _tree(own).body:
            if isinstance(node, ast.ImportFrom) and node.module and _file(node.module) is not None:
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return _definition(node.module, alias.name)
    return own


def _file(module: str) -> Path | None:
    """Return the file of a module of this package, None for others."""
    first, *rest = module.split(".")
    if first != PACKAGE.name:
        return None
    path = PACKAGE.joinpath(*rest)
    package, file = path / "__init__.py", path.with_suffix(".py")
    return package if package.is_file() else file if file.is_file() else None


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
