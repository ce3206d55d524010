"""The cells of a table as multiples of a base, and what is published of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tacita.mechanisms.rounding import Parted, parted
from tacita.results import counted
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.system import System

Base = Annotated[
    float, Field(gt=0, description="What all published values are multiples of (units of values).")
]


def parted_cells(system: System, base: float) -> Parted:
    """Part the values of all cells into multiples of a base and a rest.

    Raises:
        InputError: the value of a cell is not known.
    """
    system.refuse_unknown("Rounding a table")
    return parted(system.cells.value, base, system.decimals)


def not_adding_up(rounded: Perturbation) -> tuple[str, ...]:
    """Say how many totals are not the sums of their parts, where cells are rounded one by one."""
    off, relations = rounded.not_additive.size, rounded.system.relations.shape[0]
    told = (
        f"Every cell is rounded by itself: {off:,} of {counted(relations, 'total')} "
        f"{'is' if off == 1 else 'are'} not the sum of the published parts."
    )
    return (told,) if off else ()
