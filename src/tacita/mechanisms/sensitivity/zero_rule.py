"""The zero rule: a total of 0 tells what everybody in the cell contributes."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from tacita.mechanisms.sensitivity.contributions import Contributions, Judgement, refuse_unknown
from tacita.method import Method, TableKind


class ZeroRule(Method):
    """Call a cell sensitive if somebody contributes to it and all contributions are 0.

    If nobody can contribute less than 0, a published 0 tells the contribution of every respondent
    of the cell. A percentage of 0 would protect nothing, so the level is an amount.

    >>> import numpy as np
    >>> cells = Contributions(
    ...     value=np.zeros(2), total=np.zeros(2), frequency=np.array([4.0, 0.0]),
    ...     contributors=np.array([4.0, 0.0]), largest=np.zeros((2, 1)), asked=np.zeros((2, 2)))
    >>> judged = ZeroRule(10).judge(cells)
    >>> judged.sensitive, judged.upper_level
    (array([ True, False]), array([10.,  0.]))
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.MAGNITUDE})
    reference: ClassVar[str] = (
        "de Wolf, P.-P., Hundepool, A., Giessing, S., Salazar, J.-J. and Castro, J. (2014). "
        "tau-ARGUS user's manual, version 4.1. Statistics Netherlands."
    )
    missing: ClassVar[str] = "A cell whose contributions or frequency are not known is not judged."
    example: ClassVar[dict[str, float]] = {"level": 1}

    level: Annotated[
        float,
        Field(gt=0, description="How far from 0 the cell must be possible, in units of the value."),
    ]

    def judge(self, cells: Contributions) -> Judgement:
        """Judge every cell."""
        refuse_unknown(self.name, "contributions", cells.total, cells.contributors)
        return Judgement.of((cells.total == 0) & (cells.contributors > 0), self.level)
