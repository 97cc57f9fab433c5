"""The walk-throughs: every block of the pages, in its order, in a real shell."""

import re
import shlex
from pathlib import Path

from tests.cli.conftest import shell
from textensor.workbench.methods import METHODS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "first-steps.md").read_text(encoding="utf-8")


def statements():
    """Yield the statements of the page's blocks: a line each, or a heredoc."""
    for block in re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL):
        yield from re.findall(r"^cat > \S+ <<'END'\n.*?^END$|^[^\n]+$", block, flags=re.DOTALL | re.MULTILINE)


def test_the_walk_through_runs(tmp_path, monkeypatch, textensor):
    """Lines that only run the command run in this process, for speed; all others in a shell."""
    monkeypatch.chdir(tmp_path)
    out, err = "", ""
    for statement in statements():
        if statement.startswith("textensor "):
            done = textensor(*shlex.split(statement)[1:])
        else:
            done = shell(statement, tmp_path)
        assert done.code == 0, (statement, done.err)
        out, err = out + done.out, err + done.err
    assert "Chosen: " in err
    assert "warning" not in err
    assert {
        "labelled.csv",
        "evaluation.html",
        "comparison.html",
        "tags.model",
        "mail.index",
        "clustered.csv",
    } <= {path.name for path in tmp_path.iterdir()}
    assert '"label": "meeting"' in out


def test_the_front_page_runs_in_a_shell(tmp_path):
    """One shell runs the block as it stands, so that every command is started as users start it."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = [b for b in re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL) if "textensor fit" in b]
    commands = re.findall(r"^textensor (\w+)", block, flags=re.MULTILINE)
    assert len(set(commands)) == 10
    done = shell(f"set -e\n{block}", tmp_path)
    assert done.code == 0, done.err
    assert "Chosen: " in done.err
    assert (tmp_path / "labelled.csv").read_text().count("\n") == 10
    made = {"mail.model", "report.html", "comparison.html", "mail.index", "clustered.csv"}
    assert made <= {path.name for path in tmp_path.iterdir()}


def test_the_python_on_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names = {}
    exec(block, names)
    assert (names["again"].predict(["an array"]) == names["model"].predict(["an array"])).all()
    assert "0." in capsys.readouterr().out


def test_every_method_has_its_page():
    page = (ROOT / "docs" / "choosing-a-method.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"## Where each is described\n(.*?)\n## ", page, flags=re.DOTALL)
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    assert {name for names, _ in rows for name in re.findall(r"`([\w-]+)`", names)} == set(METHODS)
    for _, link in rows:
        (target,) = re.findall(r"\]\(([\w-]+\.md)", link)
        assert "imit" in (ROOT / "docs" / target).read_text(encoding="utf-8")
