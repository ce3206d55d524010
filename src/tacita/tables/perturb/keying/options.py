"""Parameters that the ways of the cell-key method share, and the tables of noise they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from tacita.errors import ParameterError
from tacita.mechanisms.cell_keys import PerturbationTable, refuse_variance
from tacita.tables.formats import p_table

LargestNoise = Annotated[int, Field(description="The largest noise.", ge=1, le=1000)]
Variance = Annotated[float, Field(description="The variance of the noise.", gt=0)]
PTable = Annotated[
    str | None,
    Field(
        description="A file with a perturbation table, as tau-ARGUS reads it, instead of one that "
        "is made of a largest noise and a variance.",
        min_length=1,
    ),
]


def refuse_noise(largest: int, variance: float, smallest: int = 0, *, parts: int = 1) -> None:
    """Raise a `ValueError`, as validators must, unless there is noise of a variance."""
    try:
        refuse_variance(largest, variance, smallest, parts=parts)
    except ParameterError as error:
        raise ValueError(str(error)) from error


def refuse_said_twice(method: Any, *names: str) -> None:
    """Raise unless what a file says is left at its default."""
    for name in names:
        default = type(method).__dataclass_fields__[name].default
        if getattr(method, name) != default:
            raise ValueError(
                f"`{name}` of `{method.name}` is said by the perturbation table in the file; leave "
                "it out."
            )


def table_of_counts(path: str) -> PerturbationTable:
    """Read a perturbation table for counts.

    Raises:
        ParameterError: it is for magnitudes.
    """
    found = p_table.read(Path(path))
    if set(found) != {p_table.ALL} or (found[p_table.ALL].values % 1 != 0).any():
        raise ParameterError(
            f"{path} holds a perturbation table for magnitudes; counts need one with whole noise, "
            "for all cells."
        )
    return found[p_table.ALL]
