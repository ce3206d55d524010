"""Numeric attributes as columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.method import AttributeNames
from tacita.microdata.masking.perturbing.matching import FEWEST
from tacita.microdata.synthesis.making.weights import model_weights

ToSynthesize = Annotated[
    AttributeNames, Field(description="The attributes that get synthetic values: numbers.")
]


def known_in_all(data: Dataset, names: Sequence[str]) -> Mask | None:
    """Tell the records without a blank in some attributes; None where there is no blank at all."""
    columns = [data.column(name) for name in names if data.column(name).null_count]
    if not columns:
        return None
    return np.asarray(np.all([column.is_valid() for column in columns], axis=0))


def some_of(columns: Sequence[Floats], rows: Mask | None) -> list[Floats]:
    """Return columns with some of their records; all of them, and no copy, if none are named."""
    return list(columns) if rows is None else [column[rows] for column in columns]


def weights_among(
    method: str, data: Dataset, weighted: bool | None, rows: Mask | None
) -> Floats | None:
    """Return the sampling weights of some records, if a model counts them (see `model_weights`).

    Raises:
        ParameterError: it is to, and there are none.
    """
    weights = model_weights(data, method, weighted)
    return weights if weights is None else some_of([weights], rows)[0]


def refuse_few(method: str, records: int) -> None:
    """Refuse so few records that others with the same moments could only be the same.

    Raises:
        ProtectionError: there are fewer than three.
    """
    if records < FEWEST:
        raise ProtectionError(
            f"`{method}` needs at least {FEWEST} records to learn from; found {records}."
        )
