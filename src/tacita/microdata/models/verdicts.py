"""What models of classes share: what they are about, and how they tell what they found."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import Field

from tacita.data.classes import EquivalenceClasses, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import AttributeNames, Method
from tacita.microdata.models.class_table import ClassTable
from tacita.results import Number, Verdict, listed

Keys = Annotated[
    AttributeNames | None,
    Field(description="The attributes an intruder knows; by default those with the role key."),
]
Confidential = Annotated[
    AttributeNames | None,
    Field(
        description="The attribute to protect, or several, each of which must keep the promise; by "
        "default those with the role confidential."
    ),
]
K = Annotated[int, Field(description="The least number of records in a class (2 or more).", ge=2)]


class ClassModel(Protocol):
    """A promise that classes keep or break, whatever records they are made of.

    A model of a whole file (an average over classes) breaks in those classes, the smallest first,
    that must be left out so that the rest keeps it. A model that compares classes with the whole
    file compares with all classes of the table: after some were left out, it is asked again.
    """

    keys: AttributeNames | None

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise."""


class Judged(NamedTuple):
    """What a model found of one confidential attribute, or of the classes as such.

    Args:
        broken: for every class, whether it breaks the promise.
        worst: the class that is nearest to breaking it, or breaks it most.
        value: the level that this class reaches.
        attribute: the confidential attribute it is about, if it is about one.
        times: how many classes each class stands for; None where each stands for itself alone.
    """

    broken: Mask
    worst: int
    value: Number
    attribute: str | None = None
    times: Ints | None = None


def confidential_attributes(data: Dataset, said: Sequence[str] | None) -> list[str]:
    """Return the attributes that a model protects.

    Raises:
        InputError: nobody said which, and none has the role confidential.
    """
    names = data.confidential if said is None else list(said)
    if not names:
        raise InputError(
            "No attribute has the role `confidential`; say which `attribute` to protect."
        )
    return names


def verdict_of(
    model: Method,
    found: Sequence[tuple[EquivalenceClasses, Judged]],
    kept: str,
    missed: str,
    *,
    lowest: bool,
) -> Verdict:
    """Put what was found of every attribute into one verdict with its worst class.

    Args:
        model: the model.
        found: for every attribute, the classes that were looked at and what was found of them.
        kept: what every class does if the promise holds: "has at least 3 values".
        missed: what the others do: "have fewer than 3 values".
        lowest: whether the lowest level is the worst one.
    """
    if not any(len(classes) for classes, _ in found):
        return Verdict(model.to_plan(), True, None, "there are no records")
    broken = [pair for pair in found if pair[1].broken.any()]
    pick = min if lowest else max
    classes, judged = pick(broken or found, key=lambda pair: pair[1].value)
    named = [judged] if broken else [one for _, one in found]
    names = [one.attribute for one in named if one.attribute is not None]
    keys = listed(classes.keys) or "all records"
    if broken:
        sizes = classes.counts if judged.times is None else classes.counts * judged.times
        records, all_records = int(sizes.sum(where=judged.broken)), int(sizes.sum())
        told = f"{records:,} of {all_records:,} records are in classes of {keys} that {missed}"
    else:
        told = f"every class of {keys} {kept}"
    of = f" of {listed(names)}" if names else ""
    level = judged.value if isfinite(judged.value) else None
    return Verdict(model.to_plan(), not broken, level, told + of, _worst(classes, judged))


def _worst(classes: EquivalenceClasses, judged: Judged) -> dict[str, Any]:
    """Return the key values of the worst class, its size and the level, if it has a bound."""
    told = class_told(classes, judged.worst)
    if judged.attribute is not None:
        told |= {"attribute": judged.attribute}
    return told | {"level": float(judged.value) if isfinite(judged.value) else None}


def class_told(classes: EquivalenceClasses, number: int) -> dict[str, Any]:
    """Return the key values of a class and its size."""
    first = int(classes.first[number])
    told = {name: classes.data.column(name)[first].as_py() for name in classes.keys}
    return {**told, "count": int(classes.counts[number])}
