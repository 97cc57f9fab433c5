import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_python_on_the_page_runs_and_its_pictures_are_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "report.md").read_text(encoding="utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(block, names)
    assert "a ship with flour" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "a ship with flour" not in (tmp_path / "no-texts.html").read_text(encoding="utf-8")
    assert [one.exact for one in names["evaluation"].duplicates] == [True]
    assert "Scored by" in (tmp_path / "comparison.html").read_text(encoding="utf-8")
    pictures = re.findall(r"images/[\w-]+\.png", page)
    assert len(pictures) == 4
    assert all((DOCS / picture).is_file() for picture in pictures)
