"""alpha-protection: no group is decided about much more often than others in its context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from math import inf, isfinite
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.classes import EquivalenceClasses, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import some_of
from tacita.errors import InputError, ParameterError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.discrimination import (
    BLANKS_ARE_VALUES,
    Alpha,
    Cells,
    Decision,
    LiftName,
    Rules,
    Support,
    lifts,
    reach,
    rules_of,
)
from tacita.microdata.models.class_table import ClassTable, Domain, Histogram
from tacita.microdata.models.references import values_of
from tacita.microdata.models.verdicts import Confidential, Keys, confidential_attributes
from tacita.results import Verdict, counted, listed, show
from tacita.validity import ANY_CHANGE


class _Worst(NamedTuple):
    """The rule with the highest lift: its lift, exactly, and where it is found."""

    level: Fraction | float
    attribute: str
    value: Any
    rules: Rules
    rule: int
    classes: EquivalenceClasses

    def items(self, protected: Sequence[str]) -> dict[str, Any]:
        """Return the values of the group and of the context."""
        others = [key for key in self.classes.keys if key not in protected]
        names = [protected[place] for place in self.rules.group]
        names += [others[place] for place in self.rules.context]
        record = int(self.classes.first[self.rules.first[self.rule]])
        return {name: self.classes.data.column(name)[record].as_py() for name in names}

    def told(self, protected: Sequence[str]) -> str:
        """Name the group and its context."""
        items = self.items(protected)
        group = [f"{k} = {v}" for k, v in items.items() if k in protected]
        context = [f"{k} = {v}" for k, v in items.items() if k not in protected]
        return listed(group) + (f" where {listed(context)}" if context else "")


class AlphaProtection(Method):
    """No rule of the file decides about a protected group alpha times as often as about others.

    Of every rule A, B -> C, with values A of the `protected` keys (a group), values B of other keys
    (a context) and a `decision` C of the confidential attribute, the lift is below alpha. With conf
    the share of records that have C, the lift is

        elift = conf(A, B -> C) / conf(B -> C), or slift = conf(A, B -> C) / conf(not A, B -> C).

    All groups and contexts count, as their values stand in the release, those of several attributes
    too, where `support` x n records or more have A, B and C, and where somebody in B is not in A.
    The decision is exact: quotients of whole numbers against alpha as it was written.

    Then no one can mine a rule from the file that discriminates directly; and as a rule D, B -> C
    bounds the elift of A, B -> C from below, no redlining through other keys proves more of the
    groups that the release tells. Together with k-anonymity in `lattice` the release is both, at
    the least loss there is: merging classes can raise a lift, so that all nodes are looked at.
    Where records may be left out, those of the group in the context of a rule that reaches alpha
    are: prefer a `suppression_limit` of 0.

    When not to use it: for groups that are generalized away (`*`), of which the release tells
    nothing while others may know who is in them; `indirect_discrimination` measures what is left.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> credit = ["no", "no", "no", "yes", "yes", "yes", "yes", "yes"]
    >>> loans = pa.table({"sex": list("ffffmmmm"), "credit": credit})
    >>> data = ta.read(loans, roles={"sex": "key", "credit": "confidential"})
    >>> verdict = ta.AlphaProtection(1.5, "sex", decision="no").check(data)
    >>> verdict.holds, verdict.value
    (False, Fraction(2, 1))
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = (
        "Hajian, Domingo-Ferrer & Farras, Data Mining and Knowledge Discovery 28(5-6), 2014; "
        "Pedreschi, Ruggieri & Turini, Proc. ACM KDD 2008; SIAM SDM 2009"
    )
    missing: ClassVar = BLANKS_ARE_VALUES
    example: ClassVar = {"alpha": 1.5, "protected": ["region"], "attribute": ["disease"]}
    public: ClassVar = frozenset(
        {"alpha", "protected", "attribute", "decision", "lift", "support", "length", "keys"}
    )
    looks_at_keys: ClassVar = True

    alpha: Alpha
    protected: Annotated[
        AttributeNames,
        Field(description="The keys whose values are the groups that are protected."),
    ]
    attribute: Confidential = None
    _: KW_ONLY
    decision: Decision = None
    lift: LiftName = "elift"
    support: Support = 0.01
    length: Annotated[
        int | None,
        Field(description="The most values in a context (0 or more); any number if none.", ge=0),
    ] = None
    keys: Keys = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether every lift is below alpha, and which rule has the highest."""
        worst = None
        reached = 0
        for name in confidential_attributes(data, self.attribute):
            classes = data.classes(self.keys)
            others = tuple(key for key in classes.keys if key != name)
            if others != classes.keys:
                classes = data.classes(others)
            self.refuse_unfit(data, name)
            table = ClassTable.of(classes, [name], with_keys=True)
            for value, rules in self._rules(table, table.values[name]):
                reached += int(np.count_nonzero(self._reaching(rules)))
                highest = self._highest(rules)
                if highest is not None and (worst is None or highest[0] > worst.level):
                    decision = table.values[name].domain.values[value].as_py()
                    worst = _Worst(highest[0], name, decision, rules, highest[1], classes)
        return self._verdict(worst, reached)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell the classes of groups in contexts whose lift is alpha or more."""
        broken = np.zeros(len(classes), np.bool_)
        for name in self.attribute or tuple(classes.values):
            for _, rules in self._rules(classes, classes.values[name]):
                broken |= self._reaching(rules)[rules.of_cell]
        return broken

    def _rules(self, table: ClassTable, values: Histogram) -> Iterator[tuple[int, Rules]]:
        """Give the rules of every decision, by the place of its value in the domain."""
        if table.keys is None:
            raise ParameterError(
                f"`{self.name}` compares the keys of classes, of which this algorithm tells "
                "nothing; reach it with `lattice` or `datafly`."
            )
        for name in self.protected:
            if name not in table.keys:
                raise InputError(
                    f"`protected` of `{self.name}` names `{name}`, which is not among the keys "
                    f"{listed(list(table.keys))}; give it the role `key`, or name it in `keys`."
                ).about(name)
        groups = tuple(table.keys[name] for name in self.protected)
        others = tuple(codes for name, codes in table.keys.items() if name not in self.protected)
        least = Cells(groups, others, table.sizes, ()).least(self.support)
        found = self._decisions(values.domain)
        decisions = [value for value in found if values.whole[value] >= least]
        decided = tuple(_having(values, value) for value in decisions)
        cells = Cells(groups, others, table.sizes, decided)
        for rules in rules_of(cells, self.length, self.support):
            yield decisions[rules.decision], rules

    def _decisions(self, domain: Domain) -> list[int]:
        if self.decision is None:
            return list(range(len(domain)))
        chosen = values_of(domain.attribute, [self.decision], domain.values.type)
        held = pc.is_in(domain.values, chosen)
        return np.flatnonzero(np.asarray(held)).tolist()

    def refuse_unfit(self, data: Dataset, name: str) -> None:
        """Refuse a decision that no record has: of a misspelt one there would be no rule.

        A key that holds decisions may have been generalized, so that it is another value by now.
        """
        if self.decision is None or name in data.keys:
            return
        domain, _ = Domain.of(data, name)
        if len(domain) and not self._decisions(domain):
            known = some_of(domain.values.to_pylist())
            raise InputError(
                f"`decision` of `{self.name}` should be a value of `{name}`, such as {known}; no "
                f"record has {self.decision!r}."
            ).about(name)

    def _reaching(self, rules: Rules) -> Mask:
        """Tell which rules reach alpha."""
        return rules.counts & reach(*rules.quotients(self.lift), self.alpha)

    def _highest(self, rules: Rules) -> tuple[Fraction | float, int] | None:
        """Return the highest lift and its rule, if any rule counts."""
        if not rules.counts.any():
            return None
        tops, bottoms = rules.quotients(self.lift)
        rule = int(np.argmax(np.where(rules.counts, lifts(tops, bottoms), -1.0)))
        bottom = int(bottoms[rule])
        return (Fraction(int(tops[rule]), bottom) if bottom else inf), rule

    def _verdict(self, worst: _Worst | None, reached: int) -> Verdict:
        """Tell of the rule with the highest lift."""
        if worst is None:
            told = "no group that can be compared with others has enough records with a decision"
            return Verdict(self.to_plan(), True, None, told)
        level = worst.level if isfinite(worst.level) else None
        others = "all" if self.lift == "elift" else "all others"
        told = "infinitely more often than" if level is None else f"{show(level)} times as often as"
        rule = {**worst.items(self.protected), "count": int(worst.rules.records[worst.rule])}
        what = f"{worst.attribute} = {worst.value}"
        sentence = (
            f"{counted(reached, 'rule')} {'reaches' if reached == 1 else 'reach'} a lift of "
            f"{self.alpha:g}; the worst group, {worst.told(self.protected)}, has {what} {told} "
            f"{others} there"
        )
        found = {**rule, "attribute": worst.attribute, "decision": worst.value}
        return Verdict(
            self.to_plan(),
            not reached,
            level,
            sentence,
            {**found, "level": None if level is None else float(level)},
        )


def _having(values: Histogram, value: int) -> Ints:
    """Count the records of every class that have a value of the domain."""
    counts = np.zeros(values.size, np.int64)
    chosen = values.codes == value
    counts[values.classes[chosen]] = values.counts[chosen]
    return counts
