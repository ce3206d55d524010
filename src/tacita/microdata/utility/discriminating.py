"""What discrimination measures share: rules of a file and of its release, and what became of them.

Rules are found in both files and named by their values, so that one of the original is the same in
the release where all its values are released as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, inf, isfinite
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import AttributeNames
from tacita.microdata.comparing.discrimination import Cells, lifts, reach
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.utility.distributions import released_in, same_codes
from tacita.results import Measurement, Number, counted, exactly, listed

Protected = Annotated[
    AttributeNames | None,
    Field(
        description="The attributes whose values are the groups, those of several together too; by "
        "default every key for itself."
    ),
]
Decided = Annotated[
    AttributeNames | None,
    Field(
        description="The attributes that hold decisions; by default those with the role "
        "confidential."
    ),
]
Keys = Annotated[
    AttributeNames | None,
    Field(
        description="The attributes that groups and contexts are values of; by default those with "
        "the role key."
    ),
]
PAPERS = (
    "Pedreschi, Ruggieri & Turini, Proc. ACM KDD 2008; Hajian & Domingo-Ferrer, IEEE Trans. "
    "Knowledge and Data Engineering 25(7), 2013"
)
Columns = Mapping[str, tuple[pa.Array, pa.Array]]  # original and released values
Item = tuple[str, int]  # an attribute and the code of a value
Rule = tuple[tuple[Item, ...], ...]  # the items of its parts


class Lifted(NamedTuple):
    """Rules with values of the same attributes, and their lifts as quotients of whole numbers.

    Args:
        parts: the attributes of every part; of the first, the group, those that are protected.
        decision: the place of the decision.
        first: of every rule a combination of values that is in it.
        tops: the lifts.
        bottoms: what they are divided by.
        counts: which rules count.
    """

    parts: tuple[tuple[str, ...], ...]
    decision: int
    first: Ints
    tops: Ints
    bottoms: Ints
    counts: Mask


Search = Callable[[Cells, Sequence[str], Sequence[str]], Iterator[Lifted]]


@dataclass(frozen=True, eq=False)
class Side:
    """The codes of every record's values in one of two files: as groups, and as anything else."""

    groups: Mapping[str, Ints]
    values: Mapping[str, Ints]


@dataclass
class Found:
    """The rules of a file that count, with their lifts, and which of them reach alpha."""

    rules: dict[Rule, float] = field(default_factory=dict)
    reaching: set[Rule] = field(default_factory=set)
    highest: Fraction | float = Fraction(0)

    def add(self, named: Iterator[Rule], tops: Ints, bottoms: Ints, alpha: float) -> None:
        """Take in some rules that count."""
        levels, reached = lifts(tops, bottoms), reach(tops, bottoms, alpha)
        for rule, level, reaches in zip(named, levels.tolist(), reached.tolist(), strict=True):
            self.rules[rule] = level
            if reaches:
                self.reaching.add(rule)
        if len(tops):
            top = int(np.argmax(levels))
            bottom = int(bottoms[top])
            self.highest = max(self.highest, Fraction(int(tops[top]), bottom) if bottom else inf)

    @property
    def level(self) -> Number | None:
        """The highest lift, None where it has no bound."""
        return self.highest if isfinite(self.highest) else None


@dataclass(frozen=True, eq=False)
class Pair:
    """A file and its release in one code, with the attributes that rules are made of.

    Args:
        groups: the values of protected attributes.
        columns: those of all others, and of the protected ones where they are no group.
        keys: the attributes that rules are made of.
    """

    groups: Columns
    columns: Columns
    keys: tuple[str, ...]

    @classmethod
    def of(
        cls,
        original: Dataset,
        protected: Dataset,
        keys: Sequence[str] | None,
        groups: Sequence[str] | None,
        attributes: Sequence[str],
    ) -> Pair:
        """Put the values of both files beside one another."""
        used = tuple(dict.fromkeys([*(keys or original.keys), *(groups or ())]))
        columns = {
            name: (original.column(name), released_in(original, protected, name))
            for name in dict.fromkeys([*used, *attributes])
        }
        return cls({name: columns[name] for name in groups or used}, columns, used)

    def sides(self) -> tuple[Side, Side]:
        """Return the codes of both files, equal where the values are; a blank is a value."""
        groups, values = (
            {name: same_codes(*pair) for name, pair in part.items()}
            for part in (self.groups, self.columns)
        )
        before, after = (
            Side({n: c[at] for n, c in groups.items()}, {n: c[at] for n, c in values.items()})
            for at in (0, 1)
        )
        return before, after

    def told(self, part: Sequence[Item], side: tuple[Side, Side], *, is_group: bool) -> str:
        """Say values in words."""
        return " and ".join(
            f"{name} = {self._word(name, code, side, is_group=is_group)}" for name, code in part
        )

    def _word(self, name: str, code: int, side: tuple[Side, Side], *, is_group: bool) -> str:
        columns = (self.groups if is_group else self.columns)[name]
        for one, column in zip(side, columns, strict=True):
            codes = (one.groups if is_group else one.values)[name]
            if (codes == code).any():
                word = as_text(column.slice(int(np.argmax(codes == code)), 1))[0].as_py()
                return "(blank)" if word is None else str(word)
        return ""


def decided_attributes(data: Dataset, said: Sequence[str] | None) -> list[str]:
    """Return the attributes that hold decisions.

    Raises:
        InputError: nobody said which, and none has the role confidential.
    """
    names = data.confidential if said is None else list(said)
    if not names:
        raise InputError(
            "No attribute has the role `confidential`; say as `attribute` which holds the decision."
        )
    return names


def rounds(
    keys: Sequence[str], groups: Sequence[str] | None, attribute: str
) -> Iterator[tuple[list[str], list[str]]]:
    """Give the protected attributes and the others that rules about an attribute are made of."""
    able = [key for key in keys if key != attribute]
    for chosen in [[key] for key in able] if groups is None else [list(groups)]:
        yield chosen, [key for key in able if key not in chosen]


def found_in(
    side: Side,
    pair: Pair,
    groups: Sequence[str] | None,
    decisions: Mapping[str, Ints],
    search: Search,
    alpha: float,
) -> Found:
    """Find all rules of a file that count.

    Args:
        side: the file.
        pair: both files.
        groups: the protected attributes; every key for itself where nobody says which.
        decisions: of every attribute that is decided about, the codes of the decisions.
        search: gives the rules of some combinations of values.
        alpha: the lift from which on a rule discriminates.
    """
    found = Found()
    for attribute, codes in decisions.items():
        for protected, others in rounds(pair.keys, groups, attribute):
            columns = [side.groups[n] for n in protected] + [side.values[n] for n in others]
            cells, rows = _cells(columns, len(protected), side.values[attribute], codes)
            for lifted in search(cells, protected, others):
                kept = np.flatnonzero(lifted.counts)
                decision = attribute, int(codes[lifted.decision])
                named = _named(side, lifted.parts, rows[lifted.first[kept]], decision)
                found.add(named, lifted.tops[kept], lifted.bottoms[kept], alpha)
    return found


def _cells(columns: list[Ints], protected: int, decided: Ints, codes: Ints) -> tuple[Cells, Ints]:
    """Count records by their values; return also a record with each combination."""
    from tacita.kernels.grouping import group

    groups = group(columns, records=len(decided))
    size = len(groups.first)
    counts = tuple(
        np.bincount(groups.ids[decided == code], minlength=size) for code in codes.tolist()
    )
    there = [column[groups.first] for column in columns]
    cells = Cells(tuple(there[:protected]), tuple(there[protected:]), groups.counts, counts)
    return cells, groups.first


def _named(
    side: Side, parts: Sequence[Sequence[str]], rows: Ints, decision: Item
) -> Iterator[Rule]:
    """Give rules as the codes of their values."""
    items = []
    for place, names in enumerate(parts):
        codes = side.values if place else side.groups
        columns = [[(name, code) for code in codes[name][rows].tolist()] for name in names]
        items.append(list(zip(*columns, strict=True)) if columns else [()] * len(rows))
    for part in zip(*items, strict=True):
        yield (*part, (decision,))


def decisions_in(
    method: Any, sides: tuple[Side, Side], pair: Pair, attributes: Sequence[str]
) -> dict[str, Ints]:
    """Return the codes of the decisions that are frequent enough in one of the files.

    Raises:
        InputError: a decision was said that no record of the original has.
    """
    said = method.decision
    found = {}
    for name in attributes:
        codes = np.unique(np.concatenate([side.values[name] for side in sides]))
        if said is not None:
            words = as_text(pair.columns[name][0])
            chosen = np.asarray(pc.equal(words, str(said)).fill_null(False))
            if len(chosen) and not chosen.any():
                known = words.drop_null().unique().to_pylist()
                raise InputError(
                    f"`decision` of `{method.name}` should be a value of `{name}`, such as "
                    f"{listed(known, 5)}; no record has {said!r}."
                ).about(name)
            codes = np.unique(sides[0].values[name][chosen])
        often = [
            code
            for code in codes.tolist()
            if any(
                np.count_nonzero(side.values[name] == code)
                >= max(1, ceil(Fraction(exactly(method.support)) * len(side.values[name])))
                for side in sides
            )
        ]
        found[name] = np.array(often, np.int64)
    return found


def measured(
    method: Any,
    what: str,
    titles: Sequence[str],
    pair: Pair,
    attributes: Sequence[str],
    search: Search,
) -> Measurement:
    """Tell what became of the rules of a file that discriminate.

    Args:
        method: the measure, with `alpha`, `protected`, `decision` and `support`.
        what: what the rules are called.
        titles: what their parts are called.
        pair: both files.
        attributes: those that hold decisions.
        search: gives the rules of some combinations of values.
    """
    sides = pair.sides()
    decisions = decisions_in(method, sides, pair, attributes)
    before, after = (
        found_in(side, pair, method.protected, decisions, search, method.alpha) for side in sides
    )
    gone, new = before.reaching - after.reaching, after.reaching - before.reaching
    either, apart = before.reaching | after.reaching, gone | new
    safe = before.rules.keys() - before.reaching
    figures: dict[str, Number | None] = {
        "highest_original": before.level,
        "highest_protected": after.level,
        "rules_original": len(before.rules),
        "rules_protected": len(after.rules),
        "discriminating_original": len(before.reaching),
        "discriminating_protected": len(after.reaching),
        "prevented": _share(len(gone), len(before.reaching)),
        "preserved": _share(len(safe - after.reaching), len(safe)),
    }
    return Measurement(
        method.name,
        method.family,
        _share(len(apart), len(either)) or Fraction(0),
        f"the original data have {counted(len(before.reaching), what)}, the protected data "
        f"{len(after.reaching):,}; {len(before.reaching & after.reaching):,} in common",
        parameters=method.parameters(),
        figures=figures,
        details=_details(titles, pair, sides, before, after),
    )


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def _details(
    titles: Sequence[str], pair: Pair, sides: tuple[Side, Side], before: Found, after: Found
) -> pa.Table:
    """List the rules that discriminate in one of the files, with their lifts in both."""
    every = sorted(before.reaching | after.reaching)
    columns = {
        title: pa.array(
            [pair.told(rule[place], sides, is_group=not place) for rule in every], pa.string()
        )
        for place, title in enumerate((*titles, "decision"))
    }
    for word, found in (("original", before), ("protected", after)):
        levels = [found.rules.get(rule) for rule in every]
        columns[f"lift_{word}"] = pa.array(levels, pa.float64())
    return pa.table(columns)
