"""Synthetic records as a data set: of nobody, or of respondents whose values were replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Role
from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.errors import InputError
from tacita.method import AttributeNames, Method, refuse_kind

Modelled = Annotated[
    AttributeNames | None,
    Field(
        description="The attributes of the synthetic records; by default all but identifiers, "
        "households and weights."
    ),
]
Records = Annotated[
    int | None,
    Field(description="The number of synthetic records; by default as many as there are.", ge=1),
]
BLANKS_ARE_MODELLED = (
    "A blank is a value like others: it is modelled, predicts, and synthetic records have some."
)
NOT_MODELLED = (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD)


def modelled(method: Method, data: Dataset, names: Sequence[str] | None = None) -> list[str]:
    """Return the attributes that a fully synthetic data set is to have, in column order.

    Identifiers, households and weights are no part of a model of respondents: nobody is behind a
    synthetic record, and it stands for as many as any other (see `synthetic`).

    >>> import tacita as ta
    >>> modelled(ta.GaussianCopula(), ta.example("toy", 10))[:3]
    ['age', 'zip', 'education']

    Args:
        method: the generator.
        data: the original data.
        names: the attributes that were asked for; all but those above when left out.

    Raises:
        InputError: none is left, or one that was asked for is an identifier, household or weight.
        ParameterError: one is of a kind that the method does not apply to.
    """
    for name in names or ():
        role = next((role for role in NOT_MODELLED if data.attribute(name).is_a(role)), None)
        if role is not None:
            raise InputError(
                f"`{method.name}` makes records of nobody, and `{name}` is the {role.value} of "
                "respondents; leave it out."
            ).about(name)
    gone = {name for role in NOT_MODELLED for name in data.with_role(role)}
    chosen = [name for name in data.names if name not in gone and (not names or name in names)]
    if not chosen:
        raise InputError(
            f"`{method.name}` needs an attribute that is no identifier, household or weight."
        )
    for name in chosen:
        refuse_kind(method, data, name)
    return chosen


def synthetic(data: Dataset, columns: Mapping[str, pa.Array], records: int) -> Dataset:
    """Return a data set of fully synthetic records, which come from nobody.

    It has the attributes of `columns` and, where the data have sampling weights, the weight
    attribute: every record stands for the same part of what all original records stand for.

    >>> import tacita as ta
    >>> made = synthetic(ta.example("toy", 10), {"age": pa.array([31, 45])}, 2)
    >>> made.names, made.source_rows.tolist()
    (['age', 'weight'], [-1, -1])

    Args:
        data: the original data.
        columns: the new values of every attribute, one a record.
        records: how many records there are.
    """
    columns = {**columns, **_equal_weights(data, records)}
    kept = [name for name in data.names if name in columns]
    return replace(
        data,
        table=pa.table({name: columns[name] for name in kept}),
        attributes={name: data.attributes[name] for name in kept},
        suppressed_cells={},
        missing_reasons={},
        rows=np.full(records, FROM_NOBODY),
        origin=replace(data.origin, index=None),
    )


def _equal_weights(data: Dataset, records: int) -> dict[str, pa.Array]:
    if data.weight is None:
        return {}
    share = float(data.weight.sum()) / max(records, 1)
    return {data.with_role(Role.WEIGHT)[0]: pa.array(np.full(records, share))}


def with_synthetic(data: Dataset, columns: Mapping[str, pa.Array]) -> Dataset:
    """Return partially synthetic data: the same respondents, with new values of some attributes.

    What was blank stays blank.

    >>> import tacita as ta
    >>> toy = ta.example("toy", 2)
    >>> with_synthetic(toy, {"age": pa.array([31, 45])}).column("age").to_pylist()
    [31, 45]

    Args:
        data: the original data.
        columns: the new values of the synthetic attributes, one a record.
    """
    for name, values in columns.items():
        held = data.column(name)
        blank = pa.scalar(None, values.type)
        kept = pc.if_else(held.is_valid(), values, blank) if held.null_count else values
        data = data.with_column(data.attribute(name), kept)
    return data
