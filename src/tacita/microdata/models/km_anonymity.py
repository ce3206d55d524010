"""k^m-anonymity: whoever knows a few items of a set does not find whose it is."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames, Method
from tacita.microdata.models.item_sets import ItemSets
from tacita.results import Verdict, counted
from tacita.validity import ANY_CHANGE


class KmAnonymity(Method):
    """Every combination of up to m items of a set is held by at least k records, or by none.

    For sets (baskets, diagnoses, places visited) any few items may be known to an intruder, and the
    whole set identifies nearly everybody. With D the sets of the attribute, for each S with
    |S| <= m: |{d in D : S is a part of d}| is 0 or at least k. Whoever knows up to m items of a
    respondent finds k candidates at least. Each attribute must keep the promise by itself.

    When not to use it: where an intruder may know that an item is missing in a set, or more than m
    items.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> baskets = pa.table({"basket": [["milk", "beer"], ["milk", "beer"], ["milk"], ["wine"]]})
    >>> print(ta.KmAnonymity(2, 2, "basket").check(ta.read(baskets)))
    FAILS: wine of basket is held by 1 record; every combination of up to 2 items must be by 2
    """

    applies_to: ClassVar = frozenset({Kind.SET_VALUED})
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = "Terrovitis, Mamoulis & Kalnis, Proc. VLDB Endowment 1(1):115-125, 2008"
    missing: ClassVar = "Missing and suppressed sets, and missing items in them, tell nothing."
    example: ClassVar = {"k": 2, "m": 2, "attribute": "languages"}
    public: ClassVar = frozenset({"k", "m", "attribute"})

    k: Annotated[
        int, Field(description="The least number of records with a combination (2 or more).", ge=2)
    ]
    m: Annotated[int, Field(description="The most items an intruder knows (1 or more).", ge=1)]
    attribute: Annotated[
        AttributeNames, Field(description="The set-valued attribute to protect, or several.")
    ]

    def check(self, data: Dataset) -> Verdict:
        """Tell whether every combination is frequent enough, and which is the rarest."""
        found = [worst for name in self.attribute if (worst := self._rarest(data, name))]
        if not found:
            return Verdict(self.to_plan(), True, None, "there are no items")
        worst = min(found, key=lambda one: one["count"])
        held = f"held by {counted(worst['count'], 'record')}"
        if worst["count"] >= self.k:
            rule = f"every combination of up to {counted(self.m, 'item')}"
            sentence = f"{rule} is held by at least {worst['count']:,} records, or by none"
            return Verdict(self.to_plan(), True, worst["count"], sentence, worst)
        sentence = (
            f"{' + '.join(worst['items'])} of {worst['attribute']} is {held}; every combination of "
            f"up to {counted(self.m, 'item')} must be by {self.k}"
        )
        return Verdict(self.to_plan(), False, worst["count"], sentence, worst)

    def _rarest(self, data: Dataset, name: str) -> dict[str, Any] | None:
        """Return the combination that the fewest records hold; None if there are no items."""
        from tacita.kernels.itemsets import NO_ITEM, rarest_itemset

        sets = ItemSets.of(data, name)
        found = rarest_itemset(sets.starts, sets.code, self.m)
        if not len(found.support):
            return None
        (items,), (count,) = found
        words = sets.named(items[items != NO_ITEM])
        return {"attribute": name, "items": words, "count": int(count)}
