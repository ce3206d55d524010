"""Numeric attributes as columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError
from tacita.method import AttributeNames, Method
from tacita.microdata.masking.perturbing.matching import FEWEST
from tacita.microdata.masking.perturbing.numbers import weights_of
from tacita.microdata.synthesis.making.records import modelled

Modelled = Annotated[
    AttributeNames | None,
    Field(
        description="The attributes of the synthetic records; by default all but identifiers, "
        "households and weights."
    ),
]
ToSynthesize = Annotated[
    AttributeNames, Field(description="The attributes that get synthetic values: numbers.")
]


def numeric(method: Method, data: Dataset, names: Sequence[str] | None, instead: str) -> list[str]:
    """Return the attributes to model, all of which must be numbers.

    Raises:
        ParameterError: one is not; the message names the method to use instead.
    """
    try:
        return modelled(method, data, names)
    except ParameterError as error:
        raise ParameterError(
            f"{error} Name numbers in `attributes`, or use `{instead}`."
        ) from error


def known_in_all(data: Dataset, names: Sequence[str]) -> Mask | None:
    """Tell the records without a blank in some attributes; None where there is no blank at all."""
    columns = [data.column(name) for name in names if data.column(name).null_count]
    if not columns:
        return None
    return np.asarray(np.all([column.is_valid() for column in columns], axis=0))


def some_of(columns: Sequence[Floats], rows: Mask | None) -> list[Floats]:
    """Return columns with some of their records; all of them, and no copy, if none are named."""
    return list(columns) if rows is None else [column[rows] for column in columns]


def weights_among(method: str, data: Dataset, weighted: bool, rows: Mask | None) -> Floats | None:
    """Return the sampling weights of some records, if a method is to use them.

    Raises:
        ParameterError: it is, and there are none.
    """
    weights = weights_of(data, method, weighted)
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
