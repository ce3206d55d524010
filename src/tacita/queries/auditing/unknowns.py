"""What an answer is a sum of: numbers of the records that nobody is to work out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.errors import ParameterError, did_you_mean
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import LINEAR, Statistic
from tacita.queries.updating import Update


class What(StrEnum):
    """The kinds of numbers that are added up."""

    RECORDS = "records"  # 1 for each: everybody knows who is in the data
    WEIGHTS = "weights"
    VALUES = "values"
    PRESENCE = "presence"  # 1 where there is a value


@dataclass(frozen=True)
class Unknowns:
    """One number of every record.

    Args:
        what: which.
        attribute: the attribute of values and of presence.
    """

    what: What
    attribute: str | None = None

    def origin(self, update: Update) -> Ints:
        """Return of every new class the old one with the same numbers."""
        if self.attribute is None:
            return update.records if self.what is What.RECORDS else update.weights
        numbers = update.values if self.what is What.VALUES else update.presence
        return numbers[self.attribute]


def unknowns_of(cell: Cell, data: PublicClasses) -> list[Unknowns]:
    """Return the numbers that an answer tells sums of; none where it tells anything else.

    What is asked of public attributes tells of the records no more than a count.
    """
    asked = cell.asked
    named = [name for name in (asked.attribute, asked.other) if name is not None]
    if not cell.members.is_public:
        return []
    if all(map(data.is_public, named)):
        return _of_public(asked.weighted, bool(named))
    if asked.statistic not in LINEAR or asked.attribute is None:
        return []
    values, presence = (Unknowns(what, asked.attribute) for what in (What.VALUES, What.PRESENCE))
    told = {Statistic.SUM: [values], Statistic.COUNT: [presence]}
    found = told.get(asked.statistic, [values, presence])
    # A weighted count of values is the sum of weights unless there are blanks.
    return [*found, Unknowns(What.WEIGHTS)] if asked.weighted and presence in found else found


def _of_public(weighted: bool, named: bool) -> list[Unknowns]:
    """Return what a statistic of public attributes tells; weighted, it multiplies the unknowns."""
    if not weighted:
        return [Unknowns(What.RECORDS)]
    return [] if named else [Unknowns(What.WEIGHTS)]


def counted(data: PublicClasses) -> Ints:
    """Return of every class the number of records that an insider does not know."""
    return np.where(data.known, 0, data.sizes)


def refuse_other_than_numbers(policy: str, data: PublicClasses, names: Sequence[str]) -> None:
    """Refuse attributes that are not confidential numbers of the view."""
    for name in names:
        if name not in data.hidden:
            raise ParameterError(
                f"`{policy}` needs a confidential attribute of the view; found `{name}`."
                f"{did_you_mean(name, data.hidden)}"
            )
        kind = data.attributes[name].kind
        if kind is not Kind.CONTINUOUS:
            raise ParameterError(
                f"`{policy}` applies to continuous attributes; `{name}` is {kind.value}."
            )
