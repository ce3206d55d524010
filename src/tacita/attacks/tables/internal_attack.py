"""The internal attack: contributors subtract what they know of themselves from the cell."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.attacks.tables.knowledge.views import (
    Finding,
    Tables,
    View,
    details_of,
    in_percent,
    share,
    views_of,
)
from tacita.data.classes import Floats, Mask
from tacita.mechanisms.sensitivity.contributions import decimal, is_below
from tacita.method import Method, TableKind
from tacita.results import Measurement, counted, exactly

KINDS = {
    "contributors": pa.float64(),
    "who": pa.string(),
    "learns": pa.string(),
    "estimate": pa.float64(),
    "error_percent": pa.float64(),
}
PAIR = 2  # contributors, of whom each knows the other


class InternalAttack(Method):
    """The share of published cells that disclose a contribution to the other contributors.

    A contributor who subtracts the own contribution from the cell total X bounds what any other one
    has contributed. Nobody is nearer to the truth than a coalition of the c next largest, who
    estimate the largest contribution by X - x2 - ... - x(c+1) and miss it by the share

        (X - x1 - x2 - ... - x(c+1)) / x1

    of it: by nothing in a cell with c + 1 contributors or fewer. The largest is disclosed if that
    is at most `within` percent. Contributors are holdings where the table was made so. Attacked are
    all published cells of amounts with two contributors or more. Of values below 0 the sizes are
    added up, and the error is at most the one told.

    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.ready import ready_table
    >>> town = Dimension.flat("town", ["t1", "t2"])
    >>> table = ready_table("pressure", [town], {"town": ["Total", "t1", "t2"]},
    ...     {"value": [400, 130, 270], "frequency": [3, 1, 2],
    ...      "largest": [[140, 130], [130, 0], [140, 130]]}, variable="pressure")
    >>> InternalAttack().measure(table, table.published())
    internal_attack: 0.5 - 1 of 2 published cells discloses its largest contribution to an insider
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.MAGNITUDE})
    reference: ClassVar[str] = (
        "Domingo-Ferrer, Sanchez & Hajian, Database privacy, in: Privacy in a digital, networked "
        "world, Springer 2015, section 2.2.1"
    )
    missing: ClassVar[str] = (
        "A cell whose contributions are not known is attacked only if it has so few contributors "
        "that they learn all."
    )

    coalition: Annotated[
        int, Field(ge=1, description="How many contributors pool what they know.")
    ] = 1
    within: Annotated[
        float,
        Field(ge=0, description="How far off a disclosed contribution may be, in percent of it."),
    ] = 0.0

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Let the best insiders of every published cell estimate its largest contribution."""
        views = views_of(original, published)
        inside = [_Insiders(view, self.coalition) for view in views if not view.is_count]
        attacked = sum(int(one.is_attacked.sum()) for one in inside)
        findings = [finding for one in inside for finding in self._found_by(one)]
        exact = sum(one.told["error_percent"] == 0 for one in findings)
        verb = "discloses its" if len(findings) == 1 else "disclose their"
        whom = "an insider" if self.coalition == 1 else f"{self.coalition} insiders"
        return Measurement(
            self.name,
            self.family,
            share(len(findings), attacked),
            f"{len(findings):,} of {counted(attacked, 'published cell')} {verb} largest "
            f"contribution to {whom}",
            parameters=self.parameters(),
            figures={
                "cells_attacked": attacked,
                "cells_not_known": sum(int(one.is_unknown.sum()) for one in inside),
                "disclosed_exactly": exact,
                "disclosed_nearly": len(findings) - exact,
            },
            details=details_of(published, findings, KINDS),
        )

    def _found_by(self, inside: _Insiders) -> Iterator[Finding]:
        near = inside.is_near(exactly(self.within) / 100)
        for row in np.flatnonzero(inside.is_attacked & near).tolist():
            yield Finding(inside.view.published, row, inside.told(row))


class _Insiders:
    """What the best coalition of every cell makes of the published value."""

    def __init__(self, view: View, coalition: int) -> None:
        self.view = view
        self.coalition = coalition
        self.seen, self.true = view.cells.value, view.true_value
        self.known = _padded(view.truth.largest, coalition + 1)
        # Whoever knows all contributions but one knows that one, even if we do not.
        self.complete = view.contributors <= coalition + 1
        self.total = np.where(self.complete, np.nansum(self.known, axis=1), view.truth.total)

    @cached_property
    def _has_insiders(self) -> Mask:
        """Which cells have insiders; what a median of more than two tells them is not exact."""
        few = self.view.contributors <= (np.inf if self.view.published.is_additive else PAIR)
        inside: Mask = self.view.visible & (self.view.contributors >= PAIR) & few
        return inside

    @cached_property
    def is_unknown(self) -> Mask:
        """Which cells have insiders of whom we do not know what they contribute."""
        lacking = np.isnan(self.known).any(axis=1) | np.isnan(self.total)
        unknown: Mask = self._has_insiders & (np.isnan(self.true) | (~self.complete & lacking))
        return unknown

    @property
    def is_attacked(self) -> Mask:
        """Which cells are attacked."""
        return self._has_insiders & ~self.is_unknown

    def is_near(self, within: Fraction) -> Mask:
        """Tell in which cells the estimate is off by at most a share of the largest."""
        room = float(within) * np.nan_to_num(self.known[:, 0])
        known = np.where(self.complete, self.total, self.known.sum(axis=1))
        estimate = self.total + (self.seen - self.true)
        too_high = is_below(known + room, estimate, lambda row: self._sides(row, within))
        too_low = is_below(estimate, known - room, lambda row: self._sides(row, -within)[::-1])
        near: Mask = ~too_high & ~too_low
        return near

    def _sides(self, row: int, room: Fraction) -> tuple[Fraction, Fraction]:
        """Return how much the estimate may be, and the estimate, each with what insiders hold."""
        largest = _exact(self.known[row, 0])
        return self._insiders(row) + largest * (1 + room), self._insiders(row) + self._guess(row)

    def _insiders(self, row: int) -> Fraction:
        return sum((_exact(part) for part in self.known[row, 1:]), Fraction(0))

    def _guess(self, row: int) -> Fraction:
        """Return the estimate of the largest contribution."""
        changed = decimal(self.seen[row]) - decimal(self.true[row])
        if self.complete[row]:
            return _exact(self.known[row, 0]) + changed
        return decimal(self.total[row]) + changed - self._insiders(row)

    def told(self, row: int) -> dict[str, Any]:
        """Say who learns what."""
        largest = self.known[row, 0]
        guess = self._guess(row)
        gap = abs(guess - _exact(largest))
        last = int(min(self.view.contributors[row], self.coalition + 1))
        return {
            "contributors": self.view.contributors[row],
            "who": "contributor 2" if last == PAIR else f"contributors 2 to {last}",
            "learns": "the contribution of contributor 1",
            "estimate": None if np.isnan(largest) else float(guess),
            "error_percent": in_percent(gap / _exact(largest) if gap else gap),
        }


def _padded(largest: Floats, count: int) -> Floats:
    """Return the largest contributions, NaN where they were not kept."""
    kept = largest[:, :count]
    return np.pad(kept, ((0, 0), (0, count - kept.shape[1])), constant_values=np.nan)


def _exact(contribution: float) -> Fraction:
    """Return a contribution as it was written; one that is not known cancels out of the error."""
    return Fraction(0) if np.isnan(contribution) else decimal(contribution)
