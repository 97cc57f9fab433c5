"""``textensor methods``: the methods that ``fit`` and ``compare`` know."""

from textensor.cli.options import JSON


def methods(as_json: bool = JSON) -> None:
    """List the methods that `fit` and `compare` know.

    Example: textensor methods
    """
    from textensor.cli.screen import print_json, print_table
    from textensor.workbench.methods import METHODS

    if as_json:
        print_json({name: vars(method) for name, method in METHODS.items()})
        return
    print_table(
        ["name", "several labels", "reads unlabelled", "what it is"],
        [
            (m.name, "yes" if m.several else "", "yes" if m.unlabelled else "", m.about)
            for m in METHODS.values()
        ],
    )
