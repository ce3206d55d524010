"""Non-uniform entropy: how surprising the original value still is behind the released one."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.arithmetic import log2
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.utility.generalized import BLANK_LOSES_ALL, Cells, Keys, cells
from tacita.results import Measurement, counted


class NonUniformEntropy(Method):
    """How many bits are missing to get from the released values back to the original ones.

    A cell loses -log2 Pr(x | A) = log2(f(A) / f(x)): f(x) is how many original records have its
    value x, f(A) how many have one that the released value A stands for. A blank, and a value of a
    record that was left out, stands for all; a released value that cannot stand for x counts as
    one. The value is the sum over the cells of all keys over the same sum if all was suppressed.

    ARX adds up the steps of a record that was generalized and then suppressed, the second step with
    the frequencies among suppressed records only; where records are suppressed, its number differs
    a little from this one, which follows the paper.

    When not to use it: on continuous numbers, each of which is as rare as any other.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> coarse = data.apply(ta.Generalize("Nationality", level=1), seed=0)
    >>> round(ta.NonUniformEntropy(["Nationality"]).measure(data, coarse).value, 4)
    0.6961
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = (
        "De Waal & Willenborg, Netherlands Official Statistics 14:17-20, 1999; "
        "Gionis & Tassa, IEEE Trans. Knowledge and Data Engineering 21(2), 2009"
    )
    missing: ClassVar = BLANK_LOSES_ALL
    public: ClassVar = frozenset({"keys"})

    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Add up the bits that every key lost."""
        bits = {n: _bits(one) for n, one in cells(original, protected, self.keys).items()}
        lost, most = (sum(pair[side] for pair in bits.values()) for side in (0, 1))
        return Measurement(
            self.name,
            self.family,
            lost / most if most else 0.0,
            f"share of the information in {counted(len(bits), 'key')} that was lost",
            {name: some / every if every else 0.0 for name, (some, every) in bits.items()},
            parameters=self.parameters(),
            figures={"bits": lost, "bits_if_suppressed": most},
        )


def _bits(one: Cells) -> tuple[float, float]:
    """Return the bits that an attribute lost, and those it would lose if it were suppressed."""
    cover = one.cover
    own, gone = (
        cover.counts[np.searchsorted(cover.leaf, values)]
        for values in (cover.own[one.known], cover.known[one.left_out])
    )
    among = np.where(cover.holds, cover.frequency, one.values)[one.known]
    left_out = float(log2(one.values / gone).sum())
    return (
        float(log2(among / own).sum()) + left_out,
        float(log2(one.values / own).sum()) + left_out,
    )
