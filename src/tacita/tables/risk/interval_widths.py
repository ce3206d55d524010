"""How closely suppressed cells can be told."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.mechanisms.sensitivity.contributions import decimal, is_below
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted, exactly, percent
from tacita.tables.pairing import Tables
from tacita.tables.risk.exposure import Exposure, exposed

QUANTILES = {"smallest": 0.0, "lower_quarter": 0.25, "median": 0.5, "upper_quarter": 0.75}


class IntervalWidths(Method):
    """Count the suppressed cells that can be told closely, as a share of those suppressed.

    A cell can be told closely if its feasibility interval is at most `within` percent of its value
    wide. The figures are quantiles of the width over the value and, of sensitive cells that have
    protection levels, over the level (lower and upper together, or the sliding one if it is more).
    An interval without an end has no width; it counts as wider than all others. In a perturbed
    table the interval of a cell is what its method is known to leave for the true value.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 3, 4], status=[0, 1, 2])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> IntervalWidths().measure(table, table.published())
    interval_widths: 0 - 0 of 2 suppressed cells (0 %) can be told within 10 percent
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Gopal, Goes & Garfinkel (1998). Interval protection of confidential information in a "
        "database. INFORMS Journal on Computing 10(3), 309-322."
    )
    missing: ClassVar[str] = "A cell whose value is not known is not looked at."

    within: Annotated[
        float, Field(gt=0, description="How narrow an interval tells too much, in percent.")
    ] = 10.0

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Compare the width of every interval with the value and with the level."""
        found = exposed(original, published)
        cells = found.pair.truth
        known = found.pair.hidden & ~np.isnan(cells.value)
        width, size = found.width[known], np.abs(cells.value[known])
        close = int(self._is_close(width, size).sum())
        share = Fraction(close, max(len(width), 1))
        return Measurement(
            self.name,
            self.family,
            share,
            f"{close:,} of {counted(len(width), f'{found.hidden_by} cell')} ({percent(share)}) can "
            f"be told within {self.within:g} percent",
            parameters=self.parameters(),
            figures=_figures(found, width, size),
            details=_details(found),
        )

    def _is_close(self, width: Floats, size: Floats) -> Mask:
        """Tell which widths are at most the share of the value; decimals decide as written."""
        ends = np.isfinite(width)
        share, wide, large = exactly(self.within) / 100, width[ends], size[ends]
        close = ends.copy()
        close[ends] = ~is_below(
            float(share) * large,
            wide,
            lambda row: (share * decimal(large[row]), decimal(wide[row])),
        )
        return close


def _figures(found: Exposure, width: Floats, size: Floats) -> dict[str, float | None]:
    cells = found.pair.truth
    level = np.maximum(cells.lower_level + cells.upper_level, cells.sliding_level)
    asked = found.pair.primary & (level > 0)
    told = {"of_value": _ratio(width, size), "of_level": _ratio(found.width[asked], level[asked])}
    return {
        f"{name}_{word}": _quantile(ratios, share)
        for word, ratios in told.items()
        for name, share in QUANTILES.items()
    }


def _ratio(width: Floats, of: Floats) -> Floats:
    """Divide; nothing over nothing is 0 and something over nothing has no end."""
    endless = np.where(width > 0, np.inf, 0.0)
    return np.divide(width, of, out=endless, where=of > 0)


def _quantile(ratios: Floats, share: float) -> float | None:
    if not len(ratios):
        return None
    found = float(np.quantile(ratios, share, method="inverted_cdf"))
    return found if np.isfinite(found) else None


def _details(found: Exposure) -> pa.Table:
    rows = np.flatnonzero(found.pair.hidden)
    told = {"value": found.pair.truth.value, "lower": found.lower, "upper": found.upper}
    columns = {name: column[rows] for name, column in told.items()}
    return found.pair.details(rows, columns)
