"""One HTML file that holds all it needs and loads nothing.

Other people's text passes three gates: every value that a template prints is made plain, then escaped, and
the page's own policy lets no script or style run but the two whose checksums it names.
"""

import base64
import hashlib
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

from textensor.base.disk import reason, replace_file
from textensor.base.plain import clean
from textensor.report import views
from textensor.report.data import Comparison, Evaluation

_TEMPLATES = resources.files("textensor.report") / "templates"
#: Characters of a document that are shown.
EXCERPT = 600


def write_report(path: str | PathLike[str], evaluation: Evaluation, *, texts: bool = True) -> None:
    """Write the report of an evaluation, whole or not at all.

    Parameters
    ----------
    path : str or path
        The file, replaced where there is one.
    evaluation : Evaluation
        From :func:`~textensor.report.evaluate_model`.
    texts : bool, default=True
        False leaves out what the documents say, and the terms behind the mistakes. The most telling terms
        of labels stay: they are part of the model.
    """
    write_template(
        path,
        "evaluation.html.j2",
        evaluation=evaluation,
        texts=texts,
        protocols=views.PROTOCOLS,
        confusion=views.confusion_view(evaluation),
        curves=views.drawn_curves(evaluation),
        coverage_plot=views.automation_plot(evaluation),
        size_plot=views.size_plot(evaluation),
        n_told=views.N_TOLD,
    )


def write_comparison(path: str | PathLike[str], comparison: Comparison) -> None:
    """Write the report of a comparison, whole or not at all.

    Parameters
    ----------
    path : str or path
        The file, replaced where there is one.
    comparison : Comparison
        From :func:`~textensor.report.compare_results`.
    """
    tables = views.comparison_tables(comparison)
    write_template(path, "comparison.html.j2", comparison=comparison, tables=tables)


def write_template(path: str | PathLike[str], template: str | Path, **values: Any) -> None:
    """Write a page from a template, whole or not at all.

    A template of another folder, given by its path, may extend those here. The policy of its page lets in
    drawings as ``data:`` images.
    """
    target = Path(path)
    environment = _environment()
    if isinstance(template, Path):
        environment.loader.loaders.append(_from_folder(template.parent))
        environment.globals["policy"] += "; img-src data:"
    page = environment.get_template(Path(template).name).render(**values)
    try:
        replace_file(target, [page.encode("utf-8")])
    except OSError as error:
        raise OSError(f"{target}: the report cannot be written ({reason(error)}).") from error


def _environment() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise ImportError('A report needs Jinja2; run: pip install "textensor[report]"') from error
    from markupsafe import Markup

    def plain(value: Any) -> Any:
        """Make everything plain that is neither a number nor made by a template."""
        return value if isinstance(value, Markup | int | float) else clean(str(value))

    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([_from_folder(_TEMPLATES)]),
        autoescape=True,
        finalize=plain,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"name": _name, "excerpt": _excerpt}
    environment.filters |= {"count": "{:,}".format, "f2": "{:.2f}".format, "f3": "{:.3f}".format}
    environment.globals["policy"] = _policy()
    return environment


def _from_folder(folder: Any) -> Any:
    """Return a loader of templates from a folder, which may be in a package that is a zip file."""
    import jinja2

    def load(name: str) -> str | None:
        place = folder / name
        return place.read_text(encoding="utf-8") if place.is_file() else None

    return jinja2.FunctionLoader(load)


def _policy() -> str:
    """Return the content security policy that allows our style and our script and nothing else."""
    sums = [
        # As the templates include them: without the last line's end.
        base64.b64encode(
            hashlib.sha256((_TEMPLATES / name).read_bytes().removesuffix(b"\n")).digest()
        ).decode()
        for name in ("style.css", "sort.js")
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{sums[0]}'; script-src 'sha256-{sums[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _name(value: Any, limit: int = 60) -> str:
    """Return a label or term in one short line; nothing visible gets a name, too."""
    return _excerpt(str(value), limit) or "(no visible name)"


def _excerpt(text: str, limit: int = EXCERPT) -> str:
    # What may be removed is a small part of a text; the rest of a long one is never looked at.
    shown = clean(text[: 4 * limit], limit)
    return shown + "…" if len(text) > 4 * limit and not shown.endswith("…") else shown
