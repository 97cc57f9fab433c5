"""The figures of tensorlsi as printed, typed in."""

__all__ = [
    "AVERAGE5",
    "AVERAGE7",
    "KEYWORDS",
    "KEYWORD_SECONDS",
    "TABLE5",
    "TABLE6",
    "TABLE7",
    "THREE",
    "Printed",
    "by_method",
    "figures_of",
]

Figures = tuple[float | None, ...]
Row = tuple[Figures, Figures, Figures]
Typed = dict[str, Row]
#: By part and method: accuracy, seconds of the reduction, of what follows and of both, the rest, dimension.
Printed = dict[tuple[str, str], Figures]

# fmt: off
#: Keyword: documents (Table 3); precision of the baseline, what LSI and TensorLSI add (Figure 2).
KEYWORDS = {
    "agreement": (802, 64.8, 4.9, 2.4), "bank": (823, 35.7, 9.7, 8.3), "computer": (134, 70.4, 5.6, 5.5),
    "control": (235, 78.6, 0.1, 0.6), "country": (178, 45.0, 0.7, 3.7), "domestic": (278, 50.5, 3.6, 3.1),
    "economy": (201, 42.7, 0.8, 4.1), "energy": (232, 58.3, 0.0, 5.7), "exploration": (99, 56.9, 17.9, 8.3),
    "export": (307, 61.7, 2.3, 4.3), "exports": (343, 43.4, 2.9, 3.6), "foreign": (505, 40.9, 8.7, 7.9),
    "formed": (103, 72.8, 0.0, 1.9), "germany": (152, 54.3, 0.0, 2.9), "home": (121, 50.7, 5.5, 3.4),
    "industry": (428, 42.8, 5.1, 2.8), "investment": (546, 67.4, 0.7, 2.8), "levels": (217, 51.0, 0.0, 1.5),
    "natural": (110, 55.2, 5.8, 2.7), "petroleum": (228, 54.1, 0.3, 4.5), "prices": (657, 45.5, 5.3, 4.1),
    "production": (426, 47.7, 2.4, 3.8), "rates": (329, 52.5, 0.0, 0.8), "security": (108, 51.4, 0.2, 7.7),
    "services": (255, 52.7, 5.7, 5.2), "systems": (215, 70.7, 3.3, 4.1), "talks": (294, 68.5, 3.6, 1.6),
    "trade": (636, 55.9, 0.0, 2.2), "washington": (137, 83.3, 0.0, 1.9), "world": (388, 55.3, 4.3, 3.6),
}
#: Keyword: seconds of LSI and of TensorLSI (Figure 2).
KEYWORD_SECONDS = {
    "agreement": (8.798, 0.981), "bank": (8.608, 0.848), "computer": (0.076, 0.024),
    "control": (0.390, 0.066), "country": (0.236, 0.060), "domestic": (0.781, 0.137),
    "economy": (0.359, 0.091), "energy": (0.373, 0.064), "exploration": (0.041, 0.015),
    "export": (0.917, 0.125), "exports": (1.220, 0.150), "foreign": (3.097, 0.593),
    "formed": (0.047, 0.013), "germany": (0.128, 0.042), "home": (0.059, 0.024), "industry": (2.242, 0.291),
    "investment": (3.184, 0.288), "levels": (0.408, 0.082), "natural": (0.053, 0.020),
    "petroleum": (0.344, 0.060), "prices": (5.776, 0.845), "production": (2.022, 0.224),
    "rates": (0.942, 0.118), "security": (0.053, 0.024), "services": (0.461, 0.069),
    "systems": (0.201, 0.029), "talks": (0.808, 0.115), "trade": (5.305, 0.741),
    "washington": (0.088, 0.036), "world": (1.818, 0.254),
}
# fmt: on
#: Clusters: accuracy of the baseline and seconds of k-means; dimension, accuracy, seconds of the reduction,
#: of k-means and of both for LSI and for TensorLSI (Table 5).
TABLE5: Typed = {
    "2": ((87.1, 1.262), (4, 94.6, 0.229, 0.011, 0.240), (5, 94.3, 0.031, 0.010, 0.041)),
    "3": ((77.5, 6.070), (8, 83.3, 0.421, 0.013, 0.434), (10, 83.5, 0.051, 0.015, 0.066)),
    "4": ((73.2, 12.24), (12, 79.0, 0.810, 0.025, 0.835), (30, 78.5, 0.077, 0.026, 0.103)),
    "5": ((67.1, 37.15), (15, 71.6, 1.990, 0.026, 2.016), (30, 71.1, 0.174, 0.051, 0.225)),
    "6": ((65.5, 54.72), (18, 69.3, 3.684, 0.039, 3.723), (26, 68.7, 0.310, 0.059, 0.369)),
    "7": ((62.3, 83.42), (28, 67.7, 5.017, 0.076, 5.092), (40, 66.1, 0.440, 0.110, 0.550)),
    "8": ((58.2, 118.6), (22, 62.3, 6.301, 0.084, 6.386), (50, 61.0, 0.528, 0.165, 0.693)),
    "9": ((55.3, 249.6), (24, 59.5, 8.621, 0.113, 8.735), (50, 57.4, 0.812, 0.239, 1.051)),
    "10": ((54.5, 236.2), (28, 58.7, 10.98, 0.158, 11.13), (50, 56.4, 0.995, 0.425, 1.420)),
}
#: TensorLSI against LSI by accuracy; all other marks of Table 6 are the same for every k.
TABLE6 = dict(zip(TABLE5, ("~", "~", "~", "~", "~", "<<", "<", "<<", "<<"), strict=True))
#: The means over all numbers of clusters, as printed below Table 5.
AVERAGE5: Row = ((66.7, 88.82), (None, 71.8, 4.228, 0.061, 4.288), (None, 70.8, 0.380, 0.122, 0.502))
#: Training part: the same of nearest neighbours, and the megabytes stored (Table 7).
TABLE7: Typed = {
    "5%": ((81.1, 123.6), (400, 82.5, 1.069, 4.570, 5.638, 7.620), (1900, 82.6, 0.073, 11.219, 11.29, 0.122)),
    "10%": ((84.3, 139.9), (800, 85.1, 6.324, 14.10, 20.43, 23.98), (2000, 85.3, 0.241, 16.37, 16.61, 0.299)),
    "30%": (
        (87.7, 177.2),
        (800, 88.3, 115.1, 27.76, 142.8, 53.47),
        (2000, 88.2, 8.719, 36.824, 45.54, 1.467),
    ),
    "50%": (
        (89.1, 177.2),
        (900, 89.5, 455.1, 31.66, 486.7, 83.13),
        (2000, 89.4, 30.75, 33.473, 64.22, 2.805),
    ),
    "ModApte": (
        *((88.1, 142.3), (800, 89.6, 884.9, 26.43, 911.3, 93.91)),
        (1500, 89.2, 75.62, 26.824, 102.4, 4.527),
    ),
}
#: The means over all training parts, as printed below Table 7.
AVERAGE7: Row = (
    *((86.1, 152.0), (None, 87.0, 292.5, 20.90, 313.4, 52.42)),
    (None, 86.9, 23.08, 24.942, 48.02, 1.844),
)
THREE = ("Baseline", "LSI", "TensorLSI")


def by_method(typed: Typed) -> Printed:
    """Return a table's figures by part and method."""
    return {(part, name): figures for part, row in typed.items() for name, figures in figures_of(row).items()}


def figures_of(row: Row) -> dict[str, Figures]:
    """Return a row's figures by method; the baseline's seconds in all are those of k-means or the search."""
    base, *reductions = row
    n_more = len(reductions[0]) - 5
    found: dict[str, Figures] = {THREE[0]: (_share(base[0]), None, base[1], base[1], *[None] * n_more, None)}
    for name, (dimension, accuracy, *others) in zip(THREE[1:], reductions, strict=True):
        found[name] = (_share(accuracy), *others, dimension)
    return found


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100
