"""Confidentiality via camouflage: unlimited answers, all of them intervals that hold the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats
from tacita.data.decimals import decimals_of, in_units
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.keyed import secret_key
from tacita.method import AttributeName, AttributeNames, Method
from tacita.queries.answer import Released
from tacita.queries.answering import true_value
from tacita.queries.camouflage.answering import (
    answered,
    confidential,
    has_interval,
    is_exact,
)
from tacita.queries.camouflage.drawing import point_of_simplex, uniforms
from tacita.queries.camouflage.insiders import residual_widths
from tacita.queries.camouflage.protection_set import Needs, ProtectionSet, enclosed
from tacita.queries.camouflage.searching import WORK
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher

LEAST_VERTICES = 3
MOST_INSIDERS = 10  # the least variance takes 2^K small systems
MOST_VALUES = 0.5
ROUNDING = 1e-12  # of the largest value: what rounding can do to one


class Camouflage(Method):
    """Answer with the least and the largest value that a statistic has in a set of data sets.

    Every confidential attribute is hidden in a protection set: the mixtures of K made-up data sets
    P1, ..., PK, of which the true one is a mixture by secret weights. A query f is answered with
    [min f(y), max f(y)] over all y in the set. So the truth is always in the interval, and every y
    is consistent with all answers ever given, to any number of users: no value between the bounds
    of a record can be excluded, whatever is asked, and nothing need be remembered or refused.

    - The bounds of a value are the ends of an interval [l, u] with u - l >= relative * max(|l|,
      |u|), u - l >= least_width, l <= lower and u >= upper where a respondent asked for that. They
      tell nothing about where in it the value lies: with other weights, every mixture would have
      been drawn the same set.
    - Values that are known to be whole units could be found as the only mixture that is. So values
      of the set may differ by half a unit from a mixture, which the answers take into account:
      every mixture, rounded, is a data set that they allow. By default the unit is the largest
      power of ten that half of the values, or more, are multiples of.
    - SUM, AVG, COVAR and REGR_SLOPE with a public attribute (the regressor) are linear: exact at
      the vertices. STDDEV and VAR take a quadratic program of K variables, MIN and MAX a linear
      one, QUANTILE and COUNT with conditions like x > c a search with proof. What a query may cost
      is limited: large sets and many groups get intervals that are wider than need be, and safe.
    - A query is about one confidential attribute; others are refused, and so is what is weighted,
      since weights are not camouflaged. What names no confidential attribute is public here, and
      answered exactly; let `QuerySetSize` have a say, too, if counts are to be kept.

    When not to use it: where K - 1 records or more tell each other their values, because they find
    the weights (`insiders` raises K, and widens the intervals); for attributes that follow from one
    another, or from public ones, since every attribute has a set of its own; for counts of a few
    whole units, which have no room within 30 %; beside exact answers about the same attribute,
    each of which tells as much about the weights as an insider does. A value of zero has no
    relative width: say `least_width`.

    >>> import tacita as ta
    >>> from tacita.queries.guard import Guard
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> guard = Guard(data, [Camouflage(0.3)])
    >>> lower, upper = guard.ask("SELECT avg(income) FROM toy", user="ana").interval
    >>> exact = Guard(data, [ta.Unprotected()])
    >>> lower < exact.ask("SELECT avg(income) FROM toy", user="ana").value < upper
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Gopal, R., Garfinkel, R. and Goes, P. (2002). Confidentiality via camouflage: the CVC "
        "approach to disclosure limitation when answering queries to databases. Operations "
        "Research 50(3), 501-516."
    )
    missing: ClassVar[str] = (
        "A blank takes no part, and that a value is blank is taken to be known to everybody."
    )

    relative: Annotated[
        float,
        Field(description="The width of a value's bounds, as a share of the value.", gt=0, lt=1),
    ] = 0.3
    _: KW_ONLY
    attributes: Annotated[
        AttributeNames | None,
        Field(description="What is camouflaged; by default every confidential number."),
    ] = None
    least_width: Annotated[
        float, Field(description="The least width of a value's bounds.", ge=0)
    ] = 0.0
    lower: Annotated[
        AttributeName | None,
        Field(description="The attribute with lower bounds that respondents asked for."),
    ] = None
    upper: Annotated[
        AttributeName | None,
        Field(description="The attribute with upper bounds that respondents asked for."),
    ] = None
    unit: Annotated[
        float | None,
        Field(description="What values are known, or likely, to be multiples of.", ge=0),
    ] = None
    insiders: Annotated[
        int,
        Field(description="How many may tell each other values.", ge=0, le=MOST_INSIDERS),
    ] = 1
    key_from: Annotated[
        str | None,
        Field(description="The environment variable with the secret that the set is drawn by."),
    ] = None
    statistics: Annotated[
        tuple[Statistic, ...] | None,
        Field(description="The statistics it has a say about; by default all.", min_length=1),
    ] = None

    def watch(self, data: PublicClasses) -> Watcher:
        """Draw the protection sets."""
        return CamouflageWatcher(self, data)

    @property
    def vertices(self) -> int:
        """The number K of made-up data sets."""
        return max(LEAST_VERTICES, self.insiders + 2)

    def camouflaged(self, data: PublicClasses) -> tuple[str, ...]:
        """Return the attributes that are camouflaged.

        Raises:
            ParameterError: there are none, or one of them is no confidential number.
        """
        numbers = [one for one in data.hidden if data.attributes[one].kind is Kind.CONTINUOUS]
        names = tuple(numbers) if self.attributes is None else self.attributes
        if not names or not set(names) <= set(numbers):
            said = ", ".join(sorted(set(names) - set(numbers))) or "nothing"
            raise ParameterError(
                f"`camouflage` is for confidential numbers, of which there are "
                f"{', '.join(numbers) or 'none'}; found {said}."
            )
        if self.lower or self.upper:
            self._refuse_bounds(data, names)
        return names

    def drawn(self, data: PublicClasses, name: str, key: bytes, version: int = 0) -> ProtectionSet:
        """Draw the protection set of an attribute.

        Args:
            data: the records.
            name: the attribute.
            key: the secret.
            version: how often the data changed.

        Raises:
            InputError: some values cannot be protected.
        """
        values = data.numbers(name)
        self._refuse_unprotected(data, name, values)
        numbers = uniforms(data, name, key, self.vertices + 1, version)
        weights = point_of_simplex(name, key, self.vertices)
        unit = _unit(values) if self.unit is None else self.unit
        centres = values + (numbers[:, -1] - 0.5) * unit
        asked = [self._asked_for(data, one) for one in (self.lower, self.upper)]
        needs = Needs(self.relative, self.least_width, *asked)
        vertices = enclosed(centres, numbers[:, :-1], weights, needs)
        size = np.abs(np.nan_to_num(vertices)).max(initial=0.0)
        return ProtectionSet(data, name, vertices, float(unit / 2 + ROUNDING * size))

    def _asked_for(self, data: PublicClasses, name: str | None) -> Floats:
        return np.full(data.records, np.nan) if name is None else data.numbers(name)

    def _refuse_bounds(self, data: PublicClasses, names: Sequence[str]) -> None:
        if len(names) > 1:
            raise ParameterError(
                "`lower` and `upper` of `camouflage` are bounds of one attribute; say which one "
                f"in `attributes`; there are {len(names)}."
            )
        for name in (self.lower, self.upper):
            if name is not None and name not in data.attributes:
                raise ParameterError(
                    f"`camouflage` takes bounds from `{name}`, which the view does not have; it "
                    f"has {', '.join(data.attributes)}."
                )

    def _refuse_unprotected(self, data: PublicClasses, name: str, values: Floats) -> None:
        if np.isinf(values).any():
            raise InputError(f"`{name}` has values that are not finite; set them blank.").about(
                name
            )
        if not self.least_width and (zeros := np.count_nonzero(values == 0)):
            raise InputError(
                f"`{name}` has {zeros:,} values of 0, which a width relative to the value does not "
                "protect; say `least_width` of `camouflage`."
            ).about(name)
        known = int(data.sizes[data.known].sum()) if data.known.any() else 0
        if known > self.insiders:
            raise InputError(
                f"An insider is taken to know {known:,} records, and `insiders` of `camouflage` is "
                f"{self.insiders}; it must be as many, {MOST_INSIDERS} at most."
            )


class CamouflageWatcher:
    """The protection sets of one database, drawn once; it remembers no answers."""

    simulatable = True

    def __init__(self, policy: Camouflage, data: PublicClasses) -> None:
        self._policy = policy
        self._names = policy.camouflaged(data)
        self._key = secret_key(policy.name, policy.key_from, np.random.default_rng())
        self._sets = {data: {one: policy.drawn(data, one, self._key) for one in self._names}}
        self._version = 0
        self._left: dict[str, float] = {}
        self.guarantee = _guarantee(policy, self._names)

    @property
    def sets(self) -> Mapping[str, ProtectionSet]:
        """The protection sets of the data as they are now, by attribute."""
        return next(reversed(self._sets.values()))

    def covers(self, cell: Cell) -> bool:
        """Tell whether a cell is about what it camouflages, or about nothing confidential."""
        chosen = self._policy.statistics
        if chosen is not None and cell.asked.statistic not in chosen:
            return False
        if not cell.members.is_public and cell.members.condition is None:
            return False
        named = confidential(cell)
        return not named or bool(named & set(self._names))

    def allows(self, cell: Cell) -> bool:
        """Tell whether there is an interval, which depends on the question alone."""
        named = confidential(cell)
        if is_exact(cell):
            return not cell.asked.weighted
        return len(named) == 1 and has_interval(cell, *named)

    def learn(self, cell: Cell) -> None:
        """Remember nothing."""

    def move(self, update: Update) -> None:
        """Go on after the data changed: what did not change keeps its vertices.

        The set before stays at hand for questions that were decided before and are answered after.
        """
        self._version += 1
        data, before = next(reversed(self._sets.items()))
        after = {}
        for name, old in before.items():
            new = self._policy.drawn(update.data, name, self._key, self._version)
            after[name] = new.keep(old, update.values[name])
        self._sets = {data: before, update.data: after}
        self._left.clear()

    def debit(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any]:  # noqa: ARG002
        """Take nothing."""
        return {}

    def charge(self, cost: Mapping[str, Any], user: str) -> None:
        """Take nothing."""

    def release(self, cells: Sequence[Cell]) -> list[Released]:
        """Answer cells by intervals; what is public, exactly."""
        return [self._released(cell, WORK / len(cells)) for cell in cells]

    def explain(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any]:  # noqa: ARG002
        """Tell what kind of answers there are, and what they leave against insiders."""
        told = {"answers": "intervals", "vertices": self._policy.vertices}
        named = frozenset().union(*map(confidential, cells))
        about = f"width left against {self._policy.insiders} insiders, median share"
        left = {name: self._against_insiders(name) for name in self._names if name in named}
        return told | {f"{name}: {about}": round(share, 3) for name, share in left.items()}

    def left(self, user: str) -> Mapping[str, float]:  # noqa: ARG002
        """Return nothing: there is no budget."""
        return {}

    def _released(self, cell: Cell, work: float) -> Released:
        if is_exact(cell):
            return Released(true_value(cell))
        (name,) = confidential(cell)
        interval, form = answered(cell, self._sets[cell.members.data][name], work)
        lower, upper = interval or (None, None)
        by = self._policy.name
        return Released(None, lower, upper, by, is_certain=True, of=name, linear=form)

    def _against_insiders(self, name: str) -> float:
        if name not in self._left:
            widths = residual_widths(self.sets[name].vertices, self._policy.insiders)
            self._left[name] = float(np.median(widths)) if widths.size else 0.0
        return self._left[name]


def _unit(values: Floats) -> float:
    """Return the power of ten that most values are multiples of; 0 where they are no decimals."""
    decimals = decimals_of(values)
    if decimals is None:
        return 0.0
    whole = in_units(values[np.nan_to_num(values) != 0], decimals)
    unit = 1
    while whole.size and np.mean(whole % (10 * unit) == 0) >= MOST_VALUES:
        unit *= 10
    return unit * 10.0**-decimals


def _guarantee(policy: Camouflage, names: Sequence[str]) -> str:
    drawn = (
        "The set is drawn by a secret, the same at every start."
        if policy.key_from is not None
        else "The set is drawn anew at every start, and answers of two starts tell more than these."
    )
    return (
        f"Every interval contains the true value. From no number of answers can a value of "
        f"{' or '.join(names)} be excluded that lies between the bounds of a record, which are "
        f"{policy.relative:.0%} of it apart or more; where {policy.insiders} of the respondents "
        f"tell each other their values they narrow the bounds of others, but not to one value. "
        f"Intervals of counts, quantiles and extremes may be wider than they need. {drawn}"
    )
