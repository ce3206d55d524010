"""The intruder's view: original and release as somebody sees them who holds what a source tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Role
from tacita.data.classes import comparable
from tacita.data.dataset import Dataset, External
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.intruders.accuracy import Accuracy
from tacita.intruders.coarsening import blurred, coarsened
from tacita.intruders.intruder import Intruder
from tacita.intruders.mistakes import mistaken
from tacita.results import exactly
from tacita.validity import Use

NOT_LEARNT = frozenset({Role.CONFIDENTIAL, Role.NON_CONFIDENTIAL})
Change = Callable[[Dataset], Dataset | None]


@dataclass(frozen=True, eq=False)
class View:
    """Original and release as an intruder sees them.

    Args:
        original: what the intruder holds, with the data from outside as they would be held.
        protected: the release, as far as the intruder tells its values apart.
        in_other_terms: attributes that are not released in the terms in which they are held;
            they count as held exactly, which is never below the truth.
    """

    original: Dataset
    protected: Dataset
    in_other_terms: tuple[str, ...] = ()

    def chance_right(self, intruder: Intruder, names: Sequence[str]) -> list[Fraction]:
        """Return the probability that what is held of each attribute is right.

        A wrong value is that of somebody drawn at random, who may have the same one.
        """
        return [self._right(name, intruder.exactness(name)) for name in names]

    def _right(self, name: str, accuracy: Accuracy) -> Fraction:
        if not accuracy.wrong or not len(self.original):
            return Fraction(1)
        counts = self.original.classes([name]).counts
        same = Fraction(int((counts**2).sum()), len(self.original) ** 2)
        return 1 - exactly(accuracy.wrong) * (1 - same)


def chance(use: Use, right: Sequence[Fraction]) -> Fraction:
    """Return by what a count is multiplied because some values held are wrong."""
    if use is Use.COUNTS:
        return prod(right, start=Fraction(1))
    if use in (Use.PARTS, Use.SOME_NEAR) and right:
        return 1 - prod((1 - one for one in right), start=Fraction(1))
    return Fraction(1)


def view_of(intruder: Intruder, view: View, use: Use, names: Iterable[str]) -> View:
    """Return what an intruder sees by some attributes.

    Args:
        intruder: what is held, and how exactly.
        view: original and release as they are.
        use: how they are going to be measured.
        names: the attributes held.
    """
    for name in names:
        view = _by_attribute(intruder, view, use, name)
    return view


def _by_attribute(intruder: Intruder, view: View, use: Use, name: str) -> View:
    accuracy, truth = intruder.exactness(name), view.original
    if not accuracy.said:
        return view
    if use in (Use.VALUES, Use.NEARNESS, Use.SOME_NEAR):
        drawn = replace(accuracy, wrong=0.0) if use is Use.SOME_NEAR else accuracy
        wrong = partial(mistaken, name=name, accuracy=drawn, seed=intruder.seed)
        view = replace(view, original=_with_outside(wrong(view.original), wrong))
    elif accuracy.error is not None:
        view = _alike(view, name, partial(blurred, name=name, accuracy=accuracy), truth)
        truth = view.original
    if not accuracy.coarse:
        return view
    like = view.original.attribute(name)
    coarse = partial(coarsened, name=name, accuracy=accuracy, like=like)
    if use in (Use.NEARNESS, Use.SOME_NEAR):
        held = coarse(view.original)
        return view if held is None else replace(view, original=held)
    return _alike(view, name, coarse, truth)


def _alike(view: View, name: str, change: Change, truth: Dataset) -> View:
    """Change original, release and data from outside alike, if all of them can be.

    What released labels stand for is learnt from the truth, not from what is held wrongly.
    """
    held, true = change(view.original), change(truth)
    outside = [change(data) for data in _outside(view.original).values()]
    released = change(view.protected)
    if true is not None and (released is None or not _is_of(true, released, name)):
        released = _relabelled(true, view.protected, name)
    if held is None or released is None or any(data is None for data in outside):
        return replace(view, in_other_terms=(*view.in_other_terms, name))
    return replace(view, original=_with_outside(held, change), protected=released)


def _is_of(held: Dataset, released: Dataset, name: str) -> bool:
    """Tell whether released text is of the domain that is held, with its last letters or not."""
    columns = [data.column(name) for data in (held, released)]
    if not all(pa.types.is_string(column.type) for column in columns):
        return True
    known, values = (column.unique().drop_null() for column in columns)
    masked = pc.ends_with(values, pattern="*")
    fits = pc.or_(masked, pc.is_in(values, known))
    return 2 * int(pc.sum(fits).as_py() or 0) >= len(values)


def _relabelled(held: Dataset, released: Dataset, name: str) -> Dataset | None:
    """Return the release in the terms of what is held, where each of its labels tells those.

    Labels of a recoding show it: all records that have one are held alike, and there are fewer
    labels than pairs of records, so that this is no chance.
    """
    from tacita.kernels.grouping import factorize

    try:
        own = pa.array(paired_rows(held, released))
    except InputError:  # nobody knows which records belong together
        return None
    known, labels = held.column(name).take(own), released.column(name)
    there = labels.is_valid()
    pairs = [factorize(*comparable(part.filter(there)))[0] for part in (labels, known)]
    many = int(pairs[0].max(initial=-1)) + 1
    if len(np.unique(np.column_stack(pairs), axis=0)) > many or 2 * many > len(pairs[0]):
        return None
    attribute = replace(held.attribute(name), roles=released.attribute(name).roles)
    return released.with_column(attribute, pc.if_else(there, known, pa.scalar(None, known.type)))


def _outside(data: Dataset) -> dict[str, Dataset]:
    given = {part.name: getattr(data.external, part.name) for part in fields(External)}
    return {word: one for word, one in given.items() if isinstance(one, Dataset)}


def _with_outside(data: Dataset, change: Change) -> Dataset:
    """Return data with the data from outside changed."""
    changed: dict[str, Any] = {word: change(one) for word, one in _outside(data).items()}
    return replace(data, external=replace(data.external, **changed)) if changed else data


def with_keys(data: Dataset, names: Sequence[str]) -> Dataset:
    """Return data whose keys are the attributes that an intruder holds, and no others.

    What is held and was no key before is not confidential to the intruder any more.
    """
    if set(data.keys) == set(names):
        return data
    attributes = dict(data.attributes)
    for name, attribute in attributes.items():
        roles = attribute.roles - {Role.KEY}
        if name in names:
            known = roles if attribute.is_a(Role.KEY) else roles - NOT_LEARNT
            roles = known | {Role.KEY}
        attributes[name] = replace(attribute, roles=roles or frozenset({Role.NON_CONFIDENTIAL}))
    return replace(data, attributes=attributes)
