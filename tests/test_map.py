"""The map in CONTRIBUTING.md is true: layers, imports, and every file that it names."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import textensor

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PLACES = [ROOT / name for name in ("textensor", "experiments", "benchmarks")]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for place in PLACES
    for path in sorted(place.rglob("*.py"))
}


#: Names that a package loads when they are first used, and where they are from.
LAZY = {
    "textensor": {"TextCategorizer": "textensor.workbench"},
    **{
        f"textensor.{room}": {
            name: f"textensor.{room}.{module}" for name, module in getattr(textensor, room)._LATER.items()
        }
        for room in textensor._SUBPACKAGES
        if hasattr(getattr(textensor, room), "_LATER")
    },
}
#: Modules that import by name: public faces, what model files and methods name, and the commands of folders.
BY_NAME = {
    *LAZY,
    "textensor.base",
    "textensor.base.kept",
    "textensor.files.known",
    "experiments",
    "experiments.protocols",
    "benchmarks.__main__",
}
#: Rooms with one file for each command, corpus or benchmark may have more files.
MANY = {"textensor/cli/commands", "textensor/datasets/corpora"}


def _layers():
    """Return the places of the table of layers, the lowest first."""
    table = TEXT.split("## The layers")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [re.findall(r"`([^`]+)`", row) for row in rows]


LAYERS = _layers()


def _layer(module):
    """Return the number of a module's layer: of the longest place that it is in."""
    path = MODULES[module].relative_to(ROOT).as_posix()
    fits = [
        (len(place), number)
        for number, places in enumerate(LAYERS)
        for place in places
        if path == place or (place.endswith("/") and path.startswith(place))
    ]
    return max(fits)[1] if fits else None


def _defines(module, name):
    """Return the module that defines a name of a module: itself, one within it, or the one it is from."""
    if f"{module}.{name}" in MODULES:
        return f"{module}.{name}"
    if module in LAZY and name in LAZY[module]:
        return _defines(LAZY[module][name], name)
    if MODULES[module].name == "__init__.py":
        for node in ast.parse(MODULES[module].read_text(encoding="utf-8")).body:
            known = isinstance(node, ast.ImportFrom) and node.module in MODULES
            if known and name in [alias.asname or alias.name for alias in node.names]:
                return _defines(node.module, name)
    return module


def _imports(module):
    """Yield what a module imports of ours, at once, within a function or for types only."""
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield from (_defines(node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_in_a_layer_and_imports_nothing_above_it(module):
    own = _layer(module)
    assert own is not None, f"CONTRIBUTING.md names no layer for {module}."
    above = {name for name in _imports(module) if _layer(name) > own}
    assert not above, f"{module} imports {above}, which are above it."


@pytest.mark.parametrize("module", MODULES)
def test_imports_can_be_read(module):
    """Relative imports, and imports of a name that is computed, would hide what a module needs."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    called = {ast.unparse(node.func).split(".")[-1] for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not called & {"import_module", "__import__"} or module in BY_NAME


def test_no_modules_import_each_other_in_a_circle():
    """Imports within functions and for types count, too: a circle is one module in two files."""
    graph = {module: {*_imports(module)} - {module} for module in MODULES}
    assert len([*TopologicalSorter(graph).static_order()]) == len(MODULES)


def test_every_place_of_the_map_is_there():
    named = re.findall(r"`((?:textensor|experiments|benchmarks|tests|docs)/[^`\s*]*)`", TEXT)
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_rooms_are_small():
    sizes = {
        folder.relative_to(ROOT).as_posix(): len({*folder.glob("*.py")} - {folder / "__init__.py"})
        for place in PLACES[:2]
        for folder in (place, *(path for path in place.rglob("*") if path.is_dir()))
    }
    assert {name: n for name, n in sizes.items() if n > (24 if name in MANY else 12)} == {}
