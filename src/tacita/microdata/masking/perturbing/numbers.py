"""Numeric attributes as a matrix, and back into the data after they were perturbed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.arithmetic import eigh
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.method import AttributeNames

MOST = 1e6  # of noise, in units of what it is added to
NUMERIC = frozenset({Kind.CONTINUOUS})
BLANKS_STAY = "Missing and suppressed values stay as they are."
BY_PATTERN = (
    "Records that are blank in the same attributes are masked by themselves, with moments of their "
    "own, so that what is kept is kept of all known values, whatever blanks depend on. Rare "
    "patterns (fewer than three records more than attributes, or an attribute that hardly varies) "
    "are masked as one, with the smallest others where these are too few: there each attribute "
    "keeps its mean and variance, and covariances of the records known in both are kept only in "
    "expectation, as far as numbers with all of them exist."
)
EXCHANGED_BY_PATTERN = (
    "Values are exchanged between records that are blank in the same attributes, so that relations "
    "stay whatever blanks depend on; patterns with fewer than 30 values of an attribute, or with "
    "hardly different ones, are masked as one, with the smallest others where these are too few: "
    "there relations come out weaker."
)
Perturbed = Annotated[AttributeNames, Field(description="The attributes to perturb: numbers.")]
Weighted = Annotated[
    bool, Field(description="Whether means and covariances use the sampling weights.")
]
Alpha = Annotated[
    float, Field(description="The variance of the noise, in variances of the data.", gt=0, le=MOST)
]
TellVariance = Annotated[
    bool,
    Field(
        description="Whether the variance of the noise is told beside the data: analysts can then "
        "correct for it, and intruders know it."
    ),
]
NEGLIGIBLE = 1e-12  # of a correlation matrix, eigenvalues that are rounding


def numbers_of(data: Dataset, names: Sequence[str]) -> Floats:
    """Return the values of numeric attributes, one column each; a blank is NaN."""
    return np.array([data.numbers(name) for name in names]).T  # each column lies in one piece


def with_numbers(data: Dataset, names: Sequence[str], values: Floats) -> Dataset:
    """Return the data with new numbers, as doubles; what was blank stays blank."""
    for name, column in zip(names, values.T, strict=True):
        held = data.column(name)
        blank = np.asarray(held.is_null()) if held.null_count else None
        data = data.with_column(data.attribute(name), pa.array(column, pa.float64(), mask=blank))
    return data


def refuse_rounding(data: Dataset, *names: str) -> None:
    """Refuse whole numbers that are no doubles, where values are to stay as they are.

    Raises:
        InputError: an attribute holds some.
    """
    for name in names:
        try:
            data.column(name).cast(pa.float64())
        except pa.ArrowInvalid as error:
            raise InputError(
                f"`{name}` holds whole numbers beyond 2^53, of which doubles would change the last "
                "digits; divide them by a power of ten."
            ).about(name) from error


def weights_of(data: Dataset, method: str, weighted: bool) -> Floats | None:
    """Return the sampling weights if a method is to use them.

    Raises:
        ParameterError: it is, and there are none.
    """
    if not weighted:
        return None
    if data.weight is None:
        raise ParameterError(
            f"`weighted` of `{method}` needs sampling weights; give an attribute the role `weight`."
        )
    return data.weight


def complete(values: Floats) -> Mask:
    """Tell the records without a blank."""
    return np.asarray(~np.isnan(values).any(axis=1))


def covariance(values: Floats, weights: Floats | None = None) -> Floats:
    """Return the covariances (dividing by n - 1) over the records without a blank.

    Raises:
        ProtectionError: fewer than two records are complete.
        InputError: the numbers are so large that their squares have no double.
    """
    return means_and_covariance(values, weights)[1]


def means_and_covariance(values: Floats, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the means and the covariances over the records without a blank; see `covariance`."""
    from tacita.kernels.moments import moments

    known = complete(values)
    count = np.count_nonzero(known)
    if count < 2:  # noqa: PLR2004 - a variance needs two
        raise ProtectionError(
            f"A covariance needs at least two records without blanks; found {count}."
        )
    chosen = values if count == len(values) else values[known]
    scaled = None if weights is None else weights[known] * (count / weights[known].sum())
    with np.errstate(all="ignore"):
        found = moments(chosen, scaled)
    return refuse_overflow(found.means), refuse_overflow(found.covariance)


def refuse_overflow(found: Floats) -> Floats:
    """Return what was computed of the values, if it is numbers.

    Raises:
        InputError: some are not, as the values are too large.
    """
    if not np.isfinite(found).all():
        raise InputError(
            "The attributes hold numbers so large that their squares or sums have no double; "
            "divide them by a power of ten."
        )
    return found


def square_root(matrix: Floats) -> Floats:
    """Return a matrix R with R R' = the given covariance matrix, which may be singular.

    It is computed of the correlations, so that an attribute in large units does not drown another.

    >>> root = square_root(np.array([[4.0, 2.0], [2.0, 1.0]]))
    >>> np.allclose(root @ root.T, [[4, 2], [2, 1]])
    True
    """
    units = units_of(matrix)
    values, vectors = eigh(matrix / np.outer(units, units))
    varies = np.diag(matrix)[:, None] > 0
    root: Floats = (
        varies * units[:, None] * vectors * np.sqrt(np.where(values > NEGLIGIBLE, values, 0.0))
    )
    return root


def units_of(matrix: Floats) -> Floats:
    """Return the standard deviations of a covariance matrix; 1 for what does not vary."""
    variances = np.diag(matrix)
    return np.sqrt(np.where(variances > 0, variances, 1.0))
