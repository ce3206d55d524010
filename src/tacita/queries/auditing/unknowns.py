"""What an answer is a sum of: numbers of the records that nobody is to work out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.errors import ParameterError, did_you_mean
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import LINEAR, Asked, Statistic
from tacita.queries.updating import Update
from tacita.results import counted as number_of

FEW_VALUES = 10  # so many are the codes of something, which everybody knows
OFTEN = 5  # times that each of them occurs


class What(StrEnum):
    """The kinds of numbers that are added up."""

    RECORDS = "records"  # 1 for each: everybody knows who is in the data
    WEIGHTS = "weights"
    VALUES = "values"  # of the records that have one
    RESPONSES = "responses"  # 1 for each that has a value, 0 where it is blank


@dataclass(frozen=True)
class Unknowns:
    """One number of every record.

    Args:
        what: which.
        attribute: the attribute of values.
    """

    what: What
    attribute: str | None = None

    def origin(self, update: Update) -> Ints:
        """Return of every new class the old one with the same numbers."""
        if self.attribute is not None:
            return update.values[self.attribute]
        return update.records if self.what is What.RECORDS else update.weights


def unknowns_of(cell: Cell, data: PublicClasses, blank: Collection[str]) -> list[Unknowns]:
    """Return the numbers that an answer tells sums of; none where it tells anything else.

    What is asked of public attributes tells of the records no more than a count; neither does how
    many values there are of an attribute without blanks.

    Args:
        cell: what is answered.
        data: the data it is about.
        blank: the confidential attributes that may be blank.
    """
    asked = cell.asked
    named = [name for name in (asked.attribute, asked.other) if name is not None]
    if not cell.members.is_public:
        return []
    if all(map(data.is_public, named)):
        return _of_public(asked.weighted, bool(named))
    if asked.statistic not in LINEAR or asked.attribute is None:
        return []
    counts = [Unknowns(What.WEIGHTS if asked.weighted else What.RECORDS)]
    if asked.statistic is Statistic.COUNT and asked.attribute not in blank:
        return counts
    values = [Unknowns(What.VALUES, asked.attribute)]
    if asked.attribute in blank:
        values.append(Unknowns(What.RESPONSES, asked.attribute))
    return values + counts if asked.weighted and tells_presence(asked) else values


def tells_presence(asked: Asked) -> bool:
    """Tell whether an answer depends on how many values there are, and not on their sum alone."""
    return asked.statistic in {Statistic.COUNT, Statistic.AVG}


def blank_in(data: PublicClasses) -> frozenset[str]:
    """Return the confidential attributes with blanks, which is taken to be known to everybody."""
    return frozenset(name for name, column in data.hidden.items() if column.null_count)


def _of_public(weighted: bool, named: bool) -> list[Unknowns]:
    """Return what a statistic of public attributes tells; weighted, it multiplies the unknowns."""
    if not weighted:
        return [Unknowns(What.RECORDS)]
    return [] if named else [Unknowns(What.WEIGHTS)]


def counted(data: PublicClasses, attribute: str | None = None) -> Ints:
    """Return of every class the number of records that an insider does not know.

    Args:
        data: the data.
        attribute: count only those that have a value of it: who has none counts as known, too, and
            hides nobody.
    """
    sizes = data.sizes if attribute is None else data.known_values((attribute,))
    return np.where(data.known, 0, sizes)


def refuse_bounded(
    policy: str, data: PublicClasses, names: Iterable[str], but: Collection[str] | None
) -> None:
    """Refuse numbers that everybody knows to be bounded, and that reach their bound.

    An answer at its bound tells every value of the set: who is told that the bonuses of five people
    add up to 0, or that 0 is the largest, knows all five, whatever was audited.

    Args:
        policy: the policy that promises nothing of them.
        data: the data.
        names: the confidential attributes that it would answer.
        but: those whose bounds nobody knows, as the curator says.
    """
    told = [
        f"`{name}` {bounded}"
        for name in names
        if name not in (but or ()) and data.attributes[name].kind is Kind.CONTINUOUS
        if (bounded := _bounded(data.numbers(name)))
    ]
    if told:
        raise ParameterError(
            f"`{policy}` promises nothing of numbers that everybody knows to be bounded, because "
            f"an answer at its bound tells all of its values; {'; '.join(told)}. Guard them by "
            "`audit_intervals` with their bounds, by `private_answers` or by noise, or name in "
            "`unbounded` those whose bounds nobody knows."
        )


def _bounded(numbers: Floats) -> str:
    """Say how numbers are bounded, if anybody can tell by what they are."""
    values = numbers[~np.isnan(numbers)]
    records, distinct = values.size, len(np.unique(values))
    if records >= OFTEN * distinct and 0 < distinct <= FEW_VALUES:
        return f"has {number_of(distinct, 'value')} in {number_of(records, 'record')}"
    zeros = int((values == 0).sum())
    if zeros > 1 and not ((values < 0).any() and (values > 0).any()):
        never = "less" if (values > 0).any() else "more"
        return f"is 0 in {zeros:,} of {number_of(records, 'record')} and never {never}"
    return ""


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
