"""The closed table of classes: nothing else is ever made from a model file.

A class is named by where users import it from, so that moving a module leaves files readable, and is imported
when a file holds one. ``docs/model-files.md`` shows how to add one.
"""

from functools import cache
from math import prod
from typing import Any

from textensor.files.classify import ARRANGEMENTS, CLASSIFY
from textensor.files.entries import Entry, class_of, part
from textensor.files.rules import (
    LARGEST,
    anything,
    columns,
    dtype,
    each,
    either,
    flag,
    floats,
    integers,
    labels,
    matrix,
    number,
    one_of,
    permutation,
    require,
    text,
    whole,
)
from textensor.files.scikit import NONE, SCIKIT, TERMS, VECTORIZER
from textensor.files.text import TEXT

__all__ = ["TABLE", "name_of"]

#: Of a document in the core of an HOSVD; trigrams have 19,683.
MAX_COORDINATES = 1 << 24


def _arrangement(model: Any) -> None:
    """See that the grid has a cell for each term."""
    shape = model.shape_
    require(type(shape) is tuple and 1 <= len(shape) <= 31, "its shape is not one of 1 to 31 modes")
    for length in shape:
        whole(1)(length, {})
    require(len(model.permutation_) <= prod(shape) < LARGEST, "its shape does not hold its terms")


def _plain_arrangement(model: Any) -> None:
    _arrangement(model)
    require(len(model.permutation_) == model.n_features_in_, "its permutation is not one of its terms")


def _semantic_arrangement(model: Any) -> None:
    _arrangement(model)
    require(len(model.shape_) == 2, "it is not of order 2")
    n_columns = model.n_features_in_ + model.components_.shape[1]
    require(len(model.permutation_) == n_columns, "its permutation is not one of its terms and coordinates")
    positions = model._positions[model.permutation_]
    rising = bool((positions[1:] > positions[:-1]).all())
    require(rising and positions[0] >= 0 and positions[-1] < prod(model.shape_), "its terms have no cells")


def _random_features(model: Any) -> None:
    _on_grid(model, (model.row_directions_, model.column_directions_))
    require(model._n_features_out == model.offsets_.size, "its features are not those of its offsets")


def _on_grid(model: Any, factors: Any) -> None:
    """See that there is a factor for each mode of the arrangement, as long as that."""
    require(model.arrangement_.n_features_in_ == model.n_features_in_, "its arrangement is of other terms")
    lengths = tuple(len(factor) for factor in factors)
    require(model.arrangement_.shape_ == lengths, "its factors do not fit its arrangement")


def _tensor_lsi(model: Any) -> None:
    _on_grid(model, model._solved.factors)
    pairs, widths = model._solved.pairs, [factor.shape[1] for factor in model._solved.factors]
    require(pairs.shape[1] == len(widths) and (pairs < widths).all(), "its pairs are of vectors it has not")
    one_for_each = model._solved.turn is not None or len(pairs) == len(model._solved.importance)
    require(one_for_each, "it has not one pair for each component")


def _core(model: Any, factors: Any) -> None:
    _on_grid(model, factors)
    # Many short modes: a small file, and more coordinates than fit into memory.
    n_coordinates = prod(factor.shape[1] for factor in factors)
    require(n_coordinates <= MAX_COORDINATES, f"it has {n_coordinates} coordinates, over the limit")


def _hosvd(model: Any) -> None:
    _core(model, model._solved.factors)


def _tensor_lrwmmc(model: Any) -> None:
    _core(model, model.factors_)


def _kernel_projection(model: Any) -> None:
    if model.kernel == "precomputed":
        fits = model.X_fit_ is None and len(model.coefficients_) == model.n_features_in_
    else:
        fits = model.X_fit_ is not None
    require(fits, "its documents are not those of its kernel")


LINEAR = {**TERMS, "components_": floats("axes", "terms")}
KERNEL = {
    **TERMS,
    "coefficients_": floats("documents", "axes"),
    "X_fit_": either(NONE, matrix("documents", "terms")),
}
KERNELS = {
    "kernel": one_of("rbf", "poly", "linear", "cosine", "precomputed"),
    "gamma": number(),
    "degree": number(),
    "coef0": number(),
}
GRAPH_EMBEDDING = Entry({**LINEAR, "classes_": labels(), "eigenvalues_": floats("axes")})
STREAM = ("_moments", "_sample")
SUBSPACES = {"factors": each(floats("*", "*")), "eigenvalues": each(floats("*"))}

TABLE: dict[str, Entry] = {
    # space
    "textensor.space.TermVectorizer": Entry(
        {
            "_vocabulary": columns("terms"),
            "_idf": floats("terms"),
            "_stale": one_of(False),
            "fixed_vocabulary_": flag,
        },
        parameters=VECTORIZER,
        dropped=("counts_",),
        settle=lambda model: model.vocabulary_,
    ),
    "textensor.space.CharTrigramVectorizer": Entry(
        {}, parameters={"norm": one_of("l1", "l2", None), "dtype": dtype}
    ),
    "textensor.space.Arrangement": Entry(
        {**TERMS, "permutation_": permutation("terms"), "shape_": anything},
        complete=_plain_arrangement,
    ),
    "textensor.space.SemanticArrangement": Entry(
        {
            **TERMS,
            "components_": floats("terms", "axes"),
            "idf_": floats("terms"),
            "permutation_": permutation("positions"),
            "_positions": integers("positions"),
            "shape_": anything,
        },
        parameters={"latent_weight": number(least=0)},
        complete=_semantic_arrangement,
    ),
    "textensor.space.RandomTensorFeatures": Entry(
        {
            **TERMS,
            "row_directions_": floats("*", "rows"),
            "column_directions_": floats("*", "columns"),
            "offsets_": floats("rows", "columns"),
            "arrangement_": part(*ARRANGEMENTS),
            "_n_features_out": whole(1),
        },
        parameters={"gamma": number(above=0)},
        complete=_random_features,
    ),
    # learn: nothing is fitted in a learner
    "textensor.learn.Hinge": Entry({}),
    "textensor.learn.SquaredHinge": Entry({}),
    "textensor.learn.Logistic": Entry({}),
    "textensor.learn.SquaredLoss": Entry({}),
    **CLASSIFY,
    # reduce
    "textensor.reduce.TensorLSI": Entry(
        {
            **TERMS,
            "arrangement_": part(*ARRANGEMENTS),
            "_solved": part("textensor.reduce.latent.tensorlsi.Decomposition"),
        },
        dropped=STREAM,
        settle=lambda model: model._solution(),
        complete=_tensor_lsi,
    ),
    "textensor.reduce.HOSVD": Entry(
        {
            **TERMS,
            "arrangement_": part(*ARRANGEMENTS),
            "_solved": part("textensor.reduce.latent.hosvd.Subspaces"),
        },
        dropped=STREAM,
        settle=lambda model: model._solution(),
        complete=_hosvd,
    ),
    "textensor.reduce.latent.tensorlsi.Decomposition": Entry(
        {
            **SUBSPACES,
            "pairs": integers("pairs", "modes"),
            "turn": either(NONE, floats("pairs", "axes")),
            "importance": floats("axes"),
            "energy": number(least=0),
            "source": text,
        },
        record=True,
    ),
    "textensor.reduce.latent.hosvd.Subspaces": Entry(SUBSPACES, record=True),
    "textensor.reduce.SRDA": Entry(
        {**LINEAR, "intercept_": floats("axes"), "classes_": labels(), "n_iter_": whole()}
    ),
    "textensor.reduce.SDA": Entry(
        {
            **LINEAR,
            "intercept_": floats("axes"),
            "eigenvalues_": floats("axes"),
            "classes_": labels(),
            "n_iter_": whole(),
        }
    ),
    "textensor.reduce.LSI": Entry({**LINEAR, "singular_values_": floats("axes")}),
    "textensor.reduce.CLSI": Entry({**LINEAR, "classes_": labels(), "n_vectors_": integers("classes")}),
    "textensor.reduce.CentroidProjection": Entry({**LINEAR, "classes_": labels()}),
    "textensor.reduce.MMC": GRAPH_EMBEDDING,
    "textensor.reduce.DNE": GRAPH_EMBEDDING,
    "textensor.reduce.LRWMMC": GRAPH_EMBEDDING,
    "textensor.reduce.SemiSupervisedLRWMMC": GRAPH_EMBEDDING,
    "textensor.reduce.TensorLRWMMC": Entry(
        {
            **TERMS,
            "classes_": labels(),
            "arrangement_": part(*ARRANGEMENTS),
            "factors_": each(floats("*", "*")),
            "objective_history_": anything,
            "n_iter_": whole(),
        },
        complete=_tensor_lrwmmc,
    ),
    "textensor.reduce.KernelLRWMMC": Entry(
        {**KERNEL, "classes_": labels(), "eigenvalues_": floats("axes")},
        parameters=KERNELS,
        complete=_kernel_projection,
    ),
    "textensor.reduce.KDA": Entry(
        {**KERNEL, "classes_": labels()}, parameters=KERNELS, complete=_kernel_projection
    ),
    "textensor.reduce.LatentSemanticKernel": Entry(
        {**KERNEL, "eigenvalues_": floats("axes")}, parameters=KERNELS, complete=_kernel_projection
    ),
    **TEXT,
    **SCIKIT,
}


def name_of(value: Any) -> str | None:
    """Return the name of an object's class, None where it is not in the table."""
    kind: Any = type(value)
    return _name_of(kind)


@cache
def _name_of(kind: Any) -> str | None:
    # Only a class of that name is imported to be compared.
    candidates = [name for name in TABLE if name.rpartition(".")[2] == kind.__name__]
    return next((name for name in candidates if class_of(name) is kind), None)
