"""The external attack: whoever knows that a cell has one contributor reads its value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.attacks.tables.knowledge.views import (
    Finding,
    Tables,
    View,
    details_of,
    error_of,
    in_percent,
    share,
    views_of,
)
from tacita.data.classes import Ints
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted, exactly
from tacita.tables.table import RESPONDENTS

KINDS = {"learns": pa.string(), "estimate": pa.float64(), "error_percent": pa.float64()}
VALUE = "the value of the only contributor"
IDENTIFIED = {"learns": "who the only respondent is", "estimate": None, "error_percent": None}


class ExternalAttack(Method):
    """The share of published cells whose only contributor is disclosed to everybody.

    A cell with one contributor shows that contributor's value, be it as a sum, a mean or a median.
    That there is one is read off the published frequency; where it is not published, the intruder
    is taken to know it. In a table of counts a cell of 1 tells who the respondent is, and so does a
    weighted count of one respondent to whoever knows who took part. Attacked are
    all published cells that somebody contributes to; values that were changed before they were
    published count as disclosed if they lie within a few percent of the truth.

    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.ready import ready_table
    >>> town = Dimension.flat("town", ["t1", "t2"])
    >>> table = ready_table("pressure", [town], {"town": ["Total", "t1", "t2"]},
    ...     {"value": [400, 130, 270], "shown": [133.3, 130, 135], "frequency": [3, 1, 2]},
    ...     variable="pressure", statistic="mean")
    >>> ExternalAttack().measure(table, table.published())
    external_attack: 0.3333 - 1 of 3 published cells shows the value of a single contributor
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Domingo-Ferrer, Sanchez & Hajian, Database privacy, in: Privacy in a digital, networked "
        "world, Springer 2015, section 2.2.1"
    )
    missing: ClassVar[str] = "A cell whose number of contributors nobody knows is not attacked."

    within: Annotated[
        float, Field(ge=0, description="How far off a disclosed value may be, in percent of it.")
    ] = 0.0

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Look for published cells with one contributor."""
        views = views_of(original, published)
        attacked = sum(int((view.visible & (view.contributors > 0)).sum()) for view in views)
        findings = [one for view in views for one in self._found_in(view)]
        values = sum(one.told["learns"] == VALUE for one in findings)
        verb = "shows" if len(findings) == 1 else "show"
        what = "the value of a single contributor" if values else "a single respondent"
        return Measurement(
            self.name,
            self.family,
            share(len(findings), attacked),
            f"{len(findings):,} of {counted(attacked, 'published cell')} {verb} {what}",
            parameters=self.parameters(),
            figures={
                "cells_attacked": attacked,
                "values_disclosed": values,
                "respondents_identified": len(findings) - values,
            },
            details=details_of(published, findings, KINDS),
        )

    def _found_in(self, view: View) -> Iterator[Finding]:
        for row in _single(view).tolist():
            if view.is_count:
                yield Finding(view.published, row, IDENTIFIED)
                continue
            estimate = view.cells.shown[row]
            error = error_of(estimate, view.truth.shown[row])
            if error is not None and 100 * error <= exactly(self.within):
                told = {"learns": VALUE, "estimate": estimate, "error_percent": in_percent(error)}
                yield Finding(view.published, row, told)


def _single(view: View) -> Ints:
    """Return the visible cells with one contributor; what a changed count claims is checked."""
    single = view.visible & (view.contributors == 1)
    if view.is_count:
        weighted = view.published.weighting == RESPONDENTS
        single &= (view.truth.contributors if weighted else view.true_value) == 1
    return np.flatnonzero(single)
