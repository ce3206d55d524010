"""How much of a table its suppressions take away, whatever a cell counts for."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.data.decimals import decimals_of, in_units
from tacita.method import Method
from tacita.results import Measurement, Number, percent, show
from tacita.tables.pairing import Pair
from tacita.tables.status import Status

Which = Annotated[
    Literal["secondary", "all"],
    Field(
        description="Which suppressions to count: those that protect others, or the sensitive "
        "cells as well."
    ),
]


def measured_loss(method: Method, pair: Pair, weight: Floats, which: str, what: str) -> Measurement:
    """Measure what suppressed cells come to, as a share of what all cells come to.

    Args:
        method: the measure.
        pair: the table and what was published of it.
        weight: what each cell counts for, 0 or more; a cell whose weight nobody knows counts 0.
        which: `secondary` or `all` suppressions.
        what: what is added up, in words.
    """
    known = np.nan_to_num(weight)
    sums = {
        "secondary": _sum(known, pair.secondary),
        "primary": _sum(known, pair.primary),
        "total": _sum(known, np.ones(len(known), bool)),
    }
    lost = sums["secondary"] + (sums["primary"] if which == "all" else 0)
    share = Fraction(lost) / Fraction(sums["total"]) if sums["total"] else Fraction(0)
    kind = "suppressions" if which == "all" else "secondary suppressions"
    return Measurement(
        method.name,
        method.family,
        share,
        f"{kind} take away {show(lost)} of {show(sums['total'])} {what} ({percent(share)})",
        parameters=method.parameters(),
        figures={**sums, "suppressed": sums["secondary"] + sums["primary"]},
        details=_details(pair, known),
    )


def _sum(weight: Floats, chosen: Mask) -> Number:
    """Add up weights: exactly where they are decimals, else by an order-independent sum."""
    decimals = decimals_of(weight)
    if decimals is None:
        return math.fsum(weight[chosen])
    return Fraction(sum(in_units(weight[chosen], decimals).tolist()), 10**decimals)


def _details(pair: Pair, weight: Floats) -> pa.Table:
    rows = np.flatnonzero(pair.hidden)
    status = np.where(pair.truth.sensitive, Status.SENSITIVE.word, Status.SECONDARY.word)
    return pair.details(rows, {"status": status[rows].tolist(), "weight": weight[rows]})
