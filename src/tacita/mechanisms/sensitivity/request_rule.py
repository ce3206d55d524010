"""The request rule: large contributors who ask for it are protected."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.data.classes import Mask
from tacita.mechanisms.sensitivity.contributions import (
    Contributions,
    Judgement,
    Margin,
    decimal,
    is_below,
    refuse_unknown,
    share_of_value,
)
from tacita.method import Method, TableKind
from tacita.results import exactly

Percent = Annotated[
    float,
    Field(gt=0, lt=100, description="How much one who asked may contribute, in percent."),
]


class RequestRule(Method):
    """Call a cell sensitive if one who asked for protection contributes too much of it.

    In foreign trade, firms are protected only if they ask for it. One may ask at two levels, each
    with its own bound: a cell with the total X is sensitive if a contribution x of one who asked
    at a level exceeds the bound p of that level,

        x > p/100 * X.

    A sensitive cell must be possible up to a margin of its value above and below.

    >>> import numpy as np
    >>> cells = Contributions(
    ...     value=np.array([100.0, 100.0]), total=np.array([100.0, 100.0]),
    ...     frequency=np.array([3.0, 3.0]), contributors=np.array([3.0, 3.0]),
    ...     largest=np.array([[80.0], [80.0]]), asked=np.array([[80.0, 0.0], [10.0, 0.0]]))
    >>> RequestRule(70).judge(cells).sensitive
    array([ True, False])
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.MAGNITUDE})
    reference: ClassVar[str] = (
        "de Wolf, P.-P., Hundepool, A., Giessing, S., Salazar, J.-J. and Castro, J. (2014). "
        "tau-ARGUS user's manual, version 4.1. Statistics Netherlands."
    )
    missing: ClassVar[str] = "A cell whose contributions are not known is not judged."
    example: ClassVar[dict[str, float]] = {"first": 70}

    first: Percent
    second: Annotated[
        Percent | None,
        Field(description="The same for those who ask at the second level; by default as `first`."),
    ] = None
    margin: Margin = 30

    def judge(self, cells: Contributions) -> Judgement:
        """Judge every cell."""
        asking = "contributions of those who ask for protection (`request`)"
        refuse_unknown(self.name, asking, cells.total, cells.asked)
        second = self.first if self.second is None else self.second
        sensitive = self._exceeds(cells, 0, self.first) | self._exceeds(cells, 1, second)
        return Judgement.of(sensitive, share_of_value(cells, self.margin))

    def _exceeds(self, cells: Contributions, level: int, percent: float) -> Mask:
        share, asked = exactly(percent) / 100, cells.asked[:, level]

        def exact(row: int) -> tuple[Fraction, Fraction]:
            return share * decimal(cells.total[row]), decimal(asked[row])

        return is_below(float(share) * cells.total, asked, exact)
