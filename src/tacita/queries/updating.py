"""Inserts, deletes and corrections: which values of the new data are values of the old."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Floats, Ints, Mask, joined_sets
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.queries.public_classes import PublicClasses

FRESH = -1  # where a new value comes from


@dataclass(frozen=True, eq=False)
class Update:
    """New data behind a guard that goes on with its history.

    Which records came, went or were corrected, in which attribute, is taken to be known to
    everybody; what the values are is not. A value that did not change is still the same unknown,
    also if the public attributes beside it changed; a changed one is another unknown, and the old
    one stays protected, because old answers are about it. A value that was deleted or corrected and
    comes back counts as another unknown: it is not the place to undo corrections.

    Args:
        data: the classes of the new data; records of one class share their past.
        records: of every class the old class that its records were in; FRESH for new records.
        values: of each confidential attribute and every class the old class whose values it has;
            FRESH for new or changed values.
        weights: the same of the weights.
    """

    data: PublicClasses
    records: Ints
    values: Mapping[str, Ints]
    weights: Ints

    @property
    def reweighed(self) -> bool:
        """Whether records that stayed have other weights."""
        return bool((self.weights != self.records).any())


def updated(
    old: PublicClasses, before: Dataset, after: Dataset, by: str, known: Mask | None = None
) -> Update:
    """Find the values of the old data in the new.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> roles = {"id": "identifier", "sector": "key", "salary": "confidential"}
    >>> old = {"id": [1, 2, 3], "sector": ["IT", "IT", "IT"], "salary": [5, 6, 7]}
    >>> new = {"id": [1, 3, 4], "sector": ["IT", "IT", "IT"], "salary": [5, 9, 2]}
    >>> before, after = (ta.read(pa.table(values), roles=roles) for values in (old, new))
    >>> update = updated(PublicClasses.of(before, "firms"), before, after, by="id")
    >>> update.records, update.values["salary"]
    (array([ 0,  0, -1]), array([ 0, -1, -1]))

    Args:
        old: the classes of the old data.
        before: the old data, as the classes were made from them.
        after: the new data, with the same attributes.
        by: the attribute that names the records, each once.
        known: the records of the new data that an insider is taken to know.
    """
    from tacita.kernels.grouping import group

    _refuse_other_attributes(before, after)
    place = _places(before, after, by)
    stayed = place != FRESH
    class_of = np.empty(len(before), np.int64)
    class_of[old.order] = old.of_record
    records = np.where(stayed, class_of[place] if len(before) else FRESH, FRESH)
    _refuse_other_knowledge(old, records, known)
    values = {name: _same(before, after, name, place) for name in old.hidden}
    weights = _same_weights(before.weight, after.weight, place)
    apart = group([records, weights, *values.values()]).ids
    data = PublicClasses.of(after, old.view, known, apart)
    first = data.order[data.starts[:-1]]
    return Update(
        data,
        records[first],
        {name: np.where(same, records, FRESH)[first] for name, same in values.items()},
        np.where(weights, records, FRESH)[first],
    )


def _places(before: Dataset, after: Dataset, by: str) -> Ints:
    """Return of every new record its place in the old data; FRESH where it has none."""
    for data in (before, after):
        refuse_unnamed(data, by)
    old, new = _alike(before, after, by)
    found = pc.index_in(new, old)
    return np.asarray(found.fill_null(FRESH)).astype(np.int64)


def refuse_unnamed(data: Dataset, by: str) -> None:
    """Refuse data in which an attribute does not name every record once."""
    names = data.column(by)
    if names.null_count or len(pc.unique(names)) < len(names):
        raise InputError(
            f"`{by}` must name every record once, or nobody can tell what changed; "
            "some of its values are blank or stand more than once."
        ).about(by)


def _same(before: Dataset, after: Dataset, name: str, place: Ints) -> Mask:
    """Tell which values of an attribute are what they were; a blank is what a blank was."""
    old, new = _alike(before, after, name)
    was = _found(old, place)
    equal = np.asarray(pc.equal(was, new).fill_null(False))
    blank = np.asarray(was.is_null()) & np.asarray(new.is_null())
    same: Mask = equal | ((place != FRESH) & blank)
    return same


def _found(old: pa.Array, place: Ints) -> pa.Array:
    """Return what every record of the new data had; blank where it was not there."""
    return old.take(pa.array(place, mask=place == FRESH))


def _alike(before: Dataset, after: Dataset, name: str) -> tuple[pa.Array, pa.Array]:
    """Return the old and the new values of an attribute, so that they can be compared."""
    old, new = before.column(name), after.column(name)
    if pa.types.is_list(old.type) and pa.types.is_list(new.type):
        return joined_sets(old), joined_sets(new)
    if old.type == new.type:
        return old, new
    if all(_is_number(column.type) for column in (old, new)):
        return old.cast(pa.float64(), safe=False), new.cast(pa.float64(), safe=False)
    raise InputError(
        f"The values of `{name}` must stay comparable; they were {old.type} and are {new.type} now."
    ).about(name)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _same_weights(before: Floats | None, after: Floats | None, place: Ints) -> Mask:
    if before is None or after is None or not len(before):
        return np.full(len(place), before is after)
    same: Mask = before[np.maximum(place, 0)] == after
    return same


def _refuse_other_attributes(before: Dataset, after: Dataset) -> None:
    if set(before.names) != set(after.names):
        other = sorted(set(before.names) ^ set(after.names))
        raise InputError(
            f"The new data must have the attributes of the old; {', '.join(other)} "
            "stands in one of them only."
        )


def _refuse_other_knowledge(old: PublicClasses, records: Ints, known: Mask | None) -> None:
    """Refuse that an insider learns or forgets values that were answered about."""
    now = np.zeros(len(records), bool) if known is None else known
    stayed = records != FRESH
    if (old.known[records[stayed]] != now[stayed]).any():
        raise InputError(
            "The records that an insider knows must stay known, and no others of the old data may "
            "join them; start a new history if they change."
        )
