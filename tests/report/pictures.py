"""Take the pictures in the docs: ``python -m tests.report.pictures``. The text is written for the project."""

import tempfile
from pathlib import Path

from tests.report import story
from tests.report.browser import Browser
from textensor.report import write_comparison, write_report

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def main():
    with tempfile.TemporaryDirectory() as name, Browser(f"{name}/profile") as browser:
        report, comparison = Path(name, "report.html"), Path(name, "comparison.html")
        write_report(report, story.evaluation())
        write_comparison(comparison, story.comparison())
        IMAGES.mkdir(exist_ok=True)
        browser.open(report)
        browser.picture(IMAGES / "report-light.png", height=768)
        browser.open(report, dark=True)
        top = browser.run("document.querySelector('#sizes').getBoundingClientRect().y")
        browser.picture(IMAGES / "report-dark.png", top, 826)
        browser.open(report, width=390, dark=True)
        browser.picture(IMAGES / "report-phone.png", height=1060)
        browser.open(comparison)
        browser.picture(IMAGES / "report-comparison.png", height=930)


if __name__ == "__main__":
    main()
