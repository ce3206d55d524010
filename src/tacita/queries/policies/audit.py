"""Exact auditing of counts, sums and means over all that was ever answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.queries.auditing.histories import Exact, History, InAtoms
from tacita.queries.auditing.unknowns import (
    Unknowns,
    What,
    blank_in,
    counted,
    refuse_bounded,
    tells_presence,
    unknowns_of,
)
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher

ADDED = frozenset({Statistic.SUM, Statistic.AVG})
PAIR = 2  # no sum of fewer records follows: no single value does


class Audit(Method):
    """Refuse an answer from which, with all earlier ones, a confidential value would follow.

    A sum over a query set is an equation in the values of its records. Over all users, the answered
    sets are the rows of a matrix with one column an atom (records that no answered set tells
    apart), kept in reduced row echelon form modulo two primes. A value can be computed from
    the answers just if its unit vector is in the row space.

    - k = 2: an answer is refused just if with it the value of one more record could be computed.
    - k > 2: answers are unions of atoms of at least k records. That is enough for no sum of fewer
      than k records to follow, and stricter than it need be.

    Every attribute has such a matrix; so have the weights and the records themselves, by which
    counts of records and all that is asked of public attributes are judged (who is in a query set
    is public, and a sum with its mean tells how many). `avg(x)` counts as `sum(x)`. With k = 2,
    what follows from earlier answers is always answered. Records that an insider knows protect
    nobody.

    Where an attribute has blanks, a mean also tells how many values there are. They are 0 or 1 a
    record, and equations in such numbers tell more than a matrix shows: a count that is as large as
    its set tells that all of it have values, and a sum with one blank and one value tells the
    value. Sums, means and counts of such an attribute are therefore answered together, for unions
    of atoms of k records or more also with k = 2, and only where at least k records of each atom
    have a value, or none: whoever knows whose values are blank can leave them out, and of two
    records with a value still cannot tell whose is whose. Weighted means and counts of it are
    refused, because their weights could tell whose values there are.

    Decisions depend on query sets and on whose values are blank, which counts as known; never on
    values, so that a refusal tells nothing about them. All else
    (variances, quantiles, extremes, correlations, query sets named by confidential attributes) is
    refused; `statistics` narrows what the policy has a say about, for other policies to answer the
    rest of public query sets, which is then not audited. The weighted and the plain sums of an
    attribute could be combined, so that only the form answered first is answered again.

    A sum at its bound tells every value, so that data are refused at the start in which a number is
    0 more than once and otherwise of one sign, or has few values that occur often. `unbounded`
    names attributes of which nobody knows that.

    When not to use it: for values known to lie within bounds (see `AuditIntervals`); for attributes
    that are sums of others by definition, because every attribute is audited by itself; where
    anybody may ask without end, because after as many answers as there are records all else is
    refused, to everybody.

    >>> import tacita as ta
    >>> from tacita.queries.cells import QuerySet
    >>> from tacita.queries.statistic import Asked
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> watcher = Audit().watch(data)
    >>> def total(classes):
    ...     return Cell(Asked(Statistic.SUM, "income"), QuerySet(data, classes))
    >>> everybody = data.sizes > 0
    >>> watcher.learn(total(everybody))
    >>> one = everybody & (data.sizes.cumsum() == 1)
    >>> watcher.allows(total(one)), watcher.allows(total(everybody & ~one))
    (False, False)
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Chin, F. Y. and Ozsoyoglu, G. (1982). Auditing and inference control in statistical "
        "databases. IEEE Transactions on Software Engineering 8(6), 574-582."
    )
    missing: ClassVar[str] = (
        "A blank adds nothing to a sum and hides nobody. Answers do not tell whose values are "
        "blank, but a refusal where few have a value, and a mean that a set does not have, may."
    )

    k: Annotated[
        int,
        Field(description="The fewest records that a sum which follows may be of.", ge=PAIR),
    ] = PAIR
    _: KW_ONLY
    statistics: Annotated[
        tuple[Statistic, ...] | None,
        Field(description="The statistics it has a say about; by default all.", min_length=1),
    ] = None
    unbounded: Annotated[
        AttributeNames | None,
        Field(description="Attributes with zeros or few values of which nobody knows the bounds."),
    ] = None
    most_atoms: Annotated[
        int,
        Field(description="How many atoms there may be with k = 2, for time and memory.", ge=1),
    ] = 10_000

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin a history without answers."""
        if self.statistics is None or not ADDED.isdisjoint(self.statistics):
            refuse_bounded(self.name, data, data.hidden, self.unbounded)
        return AuditWatcher(self, data)


class AuditWatcher:
    """The audit of one database: a history of each kind of numbers that answers are sums of."""

    simulatable = True

    def __init__(self, policy: Audit, data: PublicClasses) -> None:
        self._policy = policy
        self._data = data
        self._histories: dict[Unknowns, History] = {}
        self._forms: dict[str | None, set[bool]] = {}  # of each attribute whether it was weighted
        self._blank = blank_in(data)
        self._sums_only: frozenset[str] = frozenset()  # of which blanks came after answers
        self.guarantee = _guarantee(policy.k)

    def covers(self, cell: Cell) -> bool:
        """Tell whether the statistic is one of those it has a say about."""
        return self._policy.statistics is None or cell.asked.statistic in self._policy.statistics

    def allows(self, cell: Cell) -> bool:
        """Tell whether nothing follows that is protected."""
        asked, unknowns = cell.asked, self._unknowns(cell)
        if not unknowns or not self._forms.get(asked.attribute, set()) <= {asked.weighted}:
            return False
        if tells_presence(asked) and self._hides_presence(asked.attribute, asked.weighted):
            return False
        return all(self._history(one).allows(cell.members.places) for one in unknowns)

    def learn(self, cell: Cell) -> None:
        """Remember the set, with all numbers that the answer is a sum of."""
        for one in self._unknowns(cell):
            self._history(one).learn(cell.members.places)
            if one.attribute is not None:
                self._forms.setdefault(one.attribute, set()).add(cell.asked.weighted)

    def learn_all(self, cells: Sequence[Cell]) -> None:
        """Remember many sets, each once."""
        sets: dict[Unknowns, dict[bytes, Ints]] = {}
        for cell in cells:
            for one in self._unknowns(cell):
                places = cell.members.places
                sets.setdefault(one, {})[places.tobytes()] = places
                if one.attribute is not None:
                    self._forms.setdefault(one.attribute, set()).add(cell.asked.weighted)
        for one, chosen in sets.items():
            self._history(one).learn_all(list(chosen.values()))

    def move(self, update: Update) -> None:
        """Go on after the data changed.

        Sums with old and with new weights could be combined: there are no weighted sums any more of
        attributes that had some. Where blanks come in after answers that took none into account,
        only sums are answered from then on. A history that only refused is none: it begins with
        the new data, as it does for who takes up the answers alone.
        """
        self._data = update.data
        self._histories = {one: was for one, was in self._histories.items() if not was.is_empty}
        new = blank_in(update.data) - self._blank
        self._sums_only |= {name for name in new if Unknowns(What.VALUES, name) in self._histories}
        self._blank |= new
        for unknowns, history in self._histories.items():
            history.move(unknowns.origin(update), self._counted(unknowns))
        for forms in self._forms.values():
            if update.reweighed and True in forms:
                forms.add(False)

    def _unknowns(self, cell: Cell) -> list[Unknowns]:
        return unknowns_of(cell, self._data, self._blank)

    def _hides_presence(self, attribute: str | None, weighted: bool) -> bool:
        """Tell whether nothing may be answered that depends on how many values there are."""
        return attribute in self._sums_only or (weighted and attribute in self._blank)

    def _history(self, unknowns: Unknowns) -> History:
        if unknowns not in self._histories:
            self._histories[unknowns] = self._begun(unknowns)
        return self._histories[unknowns]

    def _begun(self, unknowns: Unknowns) -> History:
        sizes, k = self._counted(unknowns), self._policy.k
        if k > PAIR or unknowns.attribute in self._blank:
            return InAtoms(sizes, k)
        return Exact(sizes, self._policy.most_atoms)

    def _counted(self, unknowns: Unknowns) -> Ints:
        of = unknowns.attribute if unknowns.what is What.VALUES else None
        return counted(self._data, of)


def _guarantee(k: int) -> str:
    if k == PAIR:
        return (
            "From all sums, means and counts ever answered, taken together, the confidential value "
            "of no single record can be computed."
        )
    return (
        f"Every sum or mean of a confidential attribute that follows from all answers ever given "
        f"is of {k} records or more."
    )
