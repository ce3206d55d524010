"""The keys of the cells of a system, and which cells are perturbed."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Mask
from tacita.errors import InputError
from tacita.tables.status import Status
from tacita.tables.system import System

NOT_ADDITIVE = (
    "Published totals are not the sums of their parts: the noise of a cell belongs to its records, "
    "and is the same in every table."
)


def perturbed_cells(system: System) -> Mask:
    """Tell which cells get noise: all that are not 0, but those that must be published as they are.

    Raises:
        InputError: the value or the key of such a cell is not known.
    """
    cells = system.cells
    moved: Mask = (cells.value != 0) & (cells.status != Status.PUBLISHED)
    for place in np.flatnonzero(moved & ~np.isfinite(cells.value))[:1].tolist():
        raise InputError(
            f"The cell {system.name_of(place)} has no value; noise is added to a table whose "
            "values are all known."
        )
    lacking = np.isnan(cells.cell_key)
    for place in np.flatnonzero(moved & lacking)[:1].tolist():
        every = "no cell has one" if lacking.all() else f"{system.name_of(place)} has none"
        raise InputError(
            f"The cell-key method needs the key of every cell; {every}. Tabulate microdata with "
            "`keys`: an attribute that holds record keys, or a secret."
        )
    return moved


def shifted_keys(keys: Floats, digits: int) -> Floats:
    """Return keys in which the first digit after the point was put behind the last.

    >>> shifted_keys(np.array([0.1234, 0.9]), 4)
    array([0.2341, 0.0009])

    Args:
        keys: from 0 on and below 1.
        digits: how many digits keys have.
    """
    one, tenth = 10**digits, 10 ** (digits - 1)
    units = np.minimum(np.rint(keys * one).astype(np.int64), one - 1)
    first, rest = np.divmod(units, tenth)
    shifted: Floats = (rest * 10 + first) / one
    return shifted
