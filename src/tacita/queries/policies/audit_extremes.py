"""Simulatable auditing of maxima, or of minima."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.method import AttributeNames, Method
from tacita.queries.auditing.extremes import MaximumHistory
from tacita.queries.auditing.unknowns import counted, refuse_bounded, refuse_other_than_numbers
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher


class AuditExtremes(Method):
    """Answer maxima (or minima) from which, taken together, no record's value follows.

    From max(Q) = a follows x <= a for all of Q, and x = a for one of them: the records of Q that no
    other answer bounds below a. If that is one record only, its value is disclosed. A set is
    refused if there is any answer, fitting the earlier ones, that would leave an answer with fewer
    than k such records; the true answer is not looked at, so that a refusal tells nothing. (An
    audit that looks at it gives away that c = 9 when it refuses max(a, b) after max(a, b, c) = 9.)

    It is refused in either case: if values can be equal, and if everybody knows that they cannot.

    Maxima with sums, counts or minima of one attribute could be combined in ways that are not
    audited, so that nothing else is answered of these attributes, nor query sets named by
    confidential ones. Narrow the `statistics` of `Audit` to let it leave extremes to this policy.

    An extreme at its bound tells every value of its set, so that data are refused at the start in
    which a number is 0 more than once and otherwise of one sign, or has few values that occur
    often. `unbounded` names attributes of which nobody knows that.

    When not to use it: where few large query sets are asked that lie within each other; after one
    maximum, that of a part of its set is mostly refused.

    >>> import tacita as ta
    >>> from tacita.queries.cells import QuerySet
    >>> from tacita.queries.statistic import Asked
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> watcher = AuditExtremes("max").watch(data)
    >>> def largest(classes):
    ...     return Cell(Asked(Statistic.MAX, "income"), QuerySet(data, classes))
    >>> everybody = data.sizes > 0
    >>> watcher.allows(largest(everybody))
    True
    >>> watcher.learn(largest(everybody))
    >>> watcher.allows(largest(data.sizes.cumsum() > 1))
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Kenthapadi, K., Mishra, N. and Nissim, K. (2013). Denials leak information: simulatable "
        "auditing. Journal of Computer and System Sciences 79(8), 1322-1340."
    )
    missing: ClassVar[str] = (
        "Who has no value counts as known: a blank hides nobody, and decisions depend on whose "
        "values are blank. A set of blanks only has no extreme."
    )

    of: Annotated[
        Literal["max", "min"], Field(description="Which extremes are answered; never both.")
    ] = "max"
    _: KW_ONLY
    k: Annotated[
        int, Field(description="The fewest records that may have an answered extreme.", ge=2)
    ] = 2
    attributes: Annotated[
        AttributeNames | None,
        Field(description="The confidential attributes; by default all that hold numbers."),
    ] = None

    unbounded: Annotated[
        AttributeNames | None,
        Field(description="Attributes with zeros or few values of which nobody knows the bounds."),
    ] = None

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin a history without answers."""
        return ExtremesWatcher(self, data)


class ExtremesWatcher:
    """The audit of one database: a history of each attribute."""

    simulatable = True

    def __init__(self, policy: AuditExtremes, data: PublicClasses) -> None:
        self._policy = policy
        self._data = data
        named = policy.attributes
        if named is not None:
            refuse_other_than_numbers(policy.name, data, named)
        else:
            kinds = {name: data.attributes[name].kind for name in data.hidden}
            named = tuple(name for name, kind in kinds.items() if kind is Kind.CONTINUOUS)
        refuse_bounded(policy.name, data, named, policy.unbounded)
        self._histories = {
            name: MaximumHistory(counted(data, name), policy.k, data.known) for name in named
        }
        extremes = "maxima" if policy.of == "max" else "minima"
        self.guarantee = (
            f"Of every one of the {extremes} ever answered, taken together, {policy.k} records or "
            "more may be the one that has it."
        )

    def covers(self, cell: Cell) -> bool:
        """Tell whether one of the attributes is asked for, or may be what names the query set."""
        named = {cell.asked.attribute, cell.asked.other}
        return not cell.members.is_public or not named.isdisjoint(self._histories)

    def allows(self, cell: Cell) -> bool:
        """Tell whether no answer to the set can tell too much."""
        if not self._is_extreme(cell):
            return False
        return self._histories[cell.asked.attribute or ""].allows(cell.members.places)

    def learn(self, cell: Cell) -> None:
        """Remember the extreme of the set."""
        if self._is_extreme(cell):
            name = cell.asked.attribute or ""
            self._histories[name].learn(cell.members.places, self._answer(cell, name))

    def move(self, update: Update) -> None:
        """Go on after the data changed."""
        self._data = update.data
        for name, history in self._histories.items():
            history.move(update.values[name], counted(update.data, name), update.data.known)

    def _is_extreme(self, cell: Cell) -> bool:
        asked = cell.asked
        one = asked.statistic is Statistic(self._policy.of) and asked.attribute in self._histories
        return one and cell.members.is_public

    def _answer(self, cell: Cell, name: str) -> float:
        """Return the maximum, of the negative values for minima; -inf of blanks."""
        values = self._data.numbers(name)[cell.members.rows]
        sign = 1.0 if self._policy.of == "max" else -1.0
        return float(np.max(sign * values[~np.isnan(values)], initial=-np.inf))
