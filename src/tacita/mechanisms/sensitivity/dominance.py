"""The dominance rule: few contributors may not make up nearly all of a cell."""

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


class Dominance(Method):
    """Call a cell sensitive if its n largest contributions exceed k percent of its total.

    Of a cell with the total X and the contributions x1 >= x2 >= ..., it is sensitive if

        x1 + ... + xn > k/100 * X,

    and it is protected if nobody can tell it from values up to

        100/k * (x1 + ... + xn) - X

    above or below. Exactly k percent is not sensitive. Of values below 0 the rule looks at the
    sizes. Two such rules at once, such as (1, 70) and (2, 85), are two rules in a row.

    >>> import numpy as np
    >>> cells = Contributions(
    ...     value=np.array([100.0, 100.0]), total=np.array([100.0, 100.0]),
    ...     frequency=np.array([3.0, 9.0]), contributors=np.array([3.0, 9.0]),
    ...     largest=np.array([[60.0, 35.0], [30.0, 20.0]]), asked=np.zeros((2, 2)))
    >>> judged = Dominance(2, 76).judge(cells)
    >>> judged.sensitive, judged.upper_level
    (array([ True, False]), array([25.,  0.]))
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.MAGNITUDE})
    reference: ClassVar[str] = (
        "Cox, L. H. (1981). Linear sensitivity measures in statistical disclosure control. Journal "
        "of Statistical Planning and Inference 5(2), 153-164."
    )
    missing: ClassVar[str] = "A cell whose contributions are not known is not judged."
    example: ClassVar[dict[str, float]] = {"n": 2, "k": 85}

    n: Annotated[
        int, Field(ge=1, description="How many of the largest contributors are looked at.")
    ]
    k: Annotated[
        float, Field(gt=0, lt=100, description="How much they may contribute, in percent.")
    ]

    def judge(self, cells: Contributions) -> Judgement:
        """Judge every cell."""
        largest = needed(cells, self.n)
        refuse_unknown(self.name, "largest contributions", cells.total, largest[:, 0])
        share = exactly(self.k) / 100
        joint = largest.sum(axis=1)

        def exact(row: int) -> tuple[Fraction, Fraction]:
            return share * decimal(cells.total[row]), sum(map(decimal, largest[row]), Fraction(0))

        sensitive = is_below(float(share) * cells.total, joint, exact)
        return Judgement.of(sensitive, np.maximum(joint / float(share) - cells.total, 0.0))
