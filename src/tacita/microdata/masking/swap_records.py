"""Targeted record swapping: households that stand out exchange their places with others."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.masking.swapping.exchange import pairs_for, refuse_none
from tacita.microdata.masking.swapping.households import Homes
from tacita.microdata.masking.swapping.moving import Moves
from tacita.preserved import Statistic, always
from tacita.validity import Change


class SwapRecords(Method):
    """Swap the areas of households that are at risk, and of some others, with alike households.

    A record is at risk in an area if fewer than k records of the area share its `keys`; so is its
    household. From the coarsest level of `areas` to the finest, each household at risk there
    exchanges its areas (all levels, and what `carry` names) with one that lives in another area of
    that level, if possible inside the same area of the level above. Then households are drawn at
    random, until a share `rate` of all has been swapped. No household is swapped twice. Both
    households of a pair have as many members, who agree on `similar` as a whole: the combinations
    of their values are the same, in whatever order. So every area keeps its numbers of households
    and of persons, and of persons of each combination of `similar`. A record without household is
    one of its own. Where no alike household lives elsewhere, one at risk stays: the evidence tells
    how many.

    When not to use it: where flows between areas, or tables by area of other attributes than
    `similar`, must be exact. Weighted totals stay if the weight is among `similar`.

    >>> import tacita as ta
    >>> survey = ta.example("survey", 1000)
    >>> method = ta.SwapRecords("region", keys=["sex", "education", "occupation"], rate=0.1)
    >>> swapped = survey.apply(method, seed=1)
    >>> counts = [data.column("region").value_counts().to_pylist() for data in (survey, swapped)]
    >>> {row["values"]: row["counts"] for row in counts[0]} == {
    ...     row["values"]: row["counts"] for row in counts[1]}
    True
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(
            Statistic.JOINT_DISTRIBUTION,
            of="areas, `carry` and `similar`",
            about=("areas", "carry", "similar"),
            simulated={"similar": ["region"], "keys": ["education"], "carry": ["stratum"]},
        ),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Shlomo, Tudor & Groom, Data swapping for protecting census tables, PSD 2010, LNCS "
        "6344:41-51"
    )
    missing: ClassVar = (
        "Blank areas stay blank. A household of which no member's area is known stays; where some "
        "members' is, it changes places with one whose members are blank in as many and as alike. "
        "In `keys` and `similar` a blank agrees with a blank."
    )
    example: ClassVar = {"areas": ["zip"], "keys": ["education", "disease"], "rate": 0.2}
    public: ClassVar = frozenset({"areas", "carry", "similar"})
    draws: ClassVar = True

    areas: Annotated[
        AttributeNames,
        Field(description="The areas that households live in, from the coarsest to the finest."),
    ]
    _: KW_ONLY
    keys: Annotated[
        AttributeNames | None,
        Field(description="What makes a record stand out; by default the keys, without the areas."),
    ] = None
    k: Annotated[
        int,
        Field(description="The records that must share the keys in an area (1 or more).", ge=1),
    ] = 3
    rate: Annotated[
        float,
        Field(
            description="The share of households that are swapped at least (0 to 1); those at "
            "risk are whatever it says.",
            ge=0,
            le=1,
        ),
    ] = 0.05
    similar: Annotated[
        AttributeNames | None,
        Field(description="What the members of swapped households agree on, besides their number."),
    ] = None
    carry: Annotated[
        AttributeNames | None,
        Field(description="What belongs to the areas and is swapped with them."),
    ] = None

    @model_validator(mode="after")
    def _apart(self) -> Self:
        both = set(self._moved()) & {*(self.keys or ()), *(self.similar or ())}
        both |= set(self.areas) & set(self.carry or ())
        if both:
            raise ValueError(
                f"`swap_records` moves `{min(both)}` with the areas; name it once, and not among "
                "`keys` or `similar`."
            )
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with households swapped."""
        if not len(data):
            return data
        homes = Homes.of(data, self._moved())
        at_risk = [homes.any_member(self._at_risk(data, level)) for level in range(len(self.areas))]
        moves = self._moves(homes, at_risk, rng)
        risky = np.logical_or.reduce(at_risk)
        if risky.any() or self.rate:
            why = "no two households as alike as asked for live in different areas"
            refuse_none(self.name, moves.swapped, f"{why}; ask for less in `similar`")
        told = {"households": moves.swapped, "at_risk": int(np.count_nonzero(risky))}
        left = int(np.count_nonzero(risky & moves.stays))
        return homes.moved(moves.partner).noting(swapped=told, at_risk_without_partner=left)

    def _moved(self) -> list[str]:
        return [*self.areas, *(self.carry or ())]

    def _moves(self, homes: Homes, at_risk: list[Mask], rng: np.random.Generator) -> Moves:
        moves = Moves.of(homes, len(self.areas), self.similar or (), rng)
        for level, risky in enumerate(at_risk):
            moves.away(level, risky)
        if self.rate:
            moves.some(pairs_for(self.rate, len(homes)))
        return moves

    def _at_risk(self, data: Dataset, level: int) -> Mask:
        """Tell which records stand out in their area of a level."""
        keys = [key for key in self.keys or data.keys if key not in self._moved()]
        if not keys:
            raise InputError(
                "`swap_records` needs to know what makes a record stand out: name `keys`, or give "
                "attributes the role."
            )
        sizes = data.classes([*self.areas[: level + 1], *keys]).size_of_record
        return np.asarray(sizes < self.k)
