"""The p%-rule: nobody inside the cell may learn the largest contribution too well."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.mechanisms.sensitivity.contributions import (
    Contributions,
    Judgement,
    decimal,
    is_below,
    needed,
    refuse_unknown,
)
from tacita.method import Method, TableKind
from tacita.results import exactly


class PPercent(Method):
    """Call a cell sensitive if an insider can estimate its largest contribution within p percent.

    The n next largest contributors pool what they know and subtract it from the total X. They miss
    the largest contribution x1 by the rest, X - x1 - x2 - ... - x(n+1), so the cell is sensitive if

        X - x1 - ... - x(n+1) < p/100 * x1,

    and it is protected if nobody can tell it from values up to

        p/100 * x1 - (X - x1 - ... - x(n+1))

    above or below. A cell without contributions is not sensitive. The rule needs contributions
    that are kept in size: of values below 0 it looks at the absolute ones.

    >>> import numpy as np
    >>> cells = Contributions(
    ...     value=np.array([100.0, 100.0]), total=np.array([100.0, 100.0]),
    ...     frequency=np.array([3.0, 9.0]), contributors=np.array([3.0, 9.0]),
    ...     largest=np.array([[60.0, 35.0], [30.0, 20.0]]), asked=np.zeros((2, 2)))
    >>> judged = PPercent(10).judge(cells)
    >>> judged.sensitive, judged.upper_level
    (array([ True, False]), array([1., 0.]))
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.MAGNITUDE})
    reference: ClassVar[str] = (
        "Federal Committee on Statistical Methodology (2005). Report on statistical disclosure "
        "limitation methodology. Statistical Policy Working Paper 22."
    )
    missing: ClassVar[str] = "A cell whose contributions are not known is not judged."
    example: ClassVar[dict[str, float]] = {"p": 15}

    p: Annotated[
        float, Field(gt=0, description="How well the largest may be estimated, in percent of it.")
    ]
    n: Annotated[
        int, Field(ge=1, description="How many of the next largest pool what they know.")
    ] = 1

    def judge(self, cells: Contributions) -> Judgement:
        """Judge every cell."""
        return remainder_rule(self.name, cells, exactly(self.p) / 100, self.n)


def remainder_rule(rule: str, cells: Contributions, share: Fraction, coalition: int) -> Judgement:
    """Judge cells by whether what the insiders do not know is below a share of the largest.

    Args:
        rule: what the rule is called.
        cells: the contributions.
        share: of the largest contribution that the rest must reach.
        coalition: how many of the next largest pool what they know.
    """
    known = needed(cells, coalition + 1)
    refuse_unknown(rule, "largest contributions", cells.total, known[:, 0])
    rest = cells.total - known.sum(axis=1)
    wanted = float(share) * known[:, 0]

    def exact(row: int) -> tuple[Fraction, Fraction]:
        parts = [decimal(part) for part in known[row]]
        return decimal(cells.total[row]) - sum(parts), share * parts[0]

    sensitive = is_below(rest, wanted, exact)
    return Judgement.of(sensitive, np.maximum(wanted - rest, 0.0))
