"""Attribute disclosure: a confidential value that everybody in a class shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import EquivalenceClasses, Floats, Mask, comparable
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.representation import alike
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.results import Measurement, listed, show
from tacita.validity import NON_PERTURBATIVE, Use

TOP = Fraction(1, 10)  # of the numbers are the range that counts where nobody says which


Row = tuple[str, str, int, int]  # attribute, value, records with it, of which disclosed


@dataclass(frozen=True, eq=False)
class _Disclosed:
    """What is disclosed of one attribute: which records, and how many of every value."""

    records: Mask
    rows: list[Row]

    @property
    def having(self) -> int:
        return sum(row[2] for row in self.rows)

    @property
    def disclosed(self) -> int:
        return sum(row[3] for row in self.rows)

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.disclosed, self.having) if self.having else None


class AttributeDisclosure(Method):
    """The share of records whose confidential value everybody in their equivalence class has.

    Of a value or range z: records in classes in which all records have z / records with z. An
    intruder who knows that a respondent is in such a class learns z without finding the record.
    z is one of `values` or a number `above` and `below` bounds; where none of them is said, every
    category of an attribute in turn (the number is then the total over categories, `details` has
    each) and of numbers the range above their 90th percentile or, where more than a tenth of them
    are the highest number (as after top-coding), that number. A set has a value that is one of its
    members. The number is the highest of all attributes; `worst_value` is the highest of any single
    z with at least one record.

    When not to use it: on perturbed confidential values, which need not be the true ones.

    >>> import tacita as ta
    >>> data = ta.example("conditions_4_anonymous")
    >>> ta.AttributeDisclosure(values=["AIDS"]).measure(data, data).value
    Fraction(4, 5)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, eq. 5"
    missing: ClassVar = (
        "A blank confidential value is never disclosed and makes its class diverse; blank keys "
        "agree with one another and with nothing else."
    )
    public: ClassVar = frozenset({"attributes", "keys", "values", "above", "below"})
    shown_by_release: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes to protect; by default those with the role confidential."
        ),
    ] = None
    values: Annotated[
        tuple[str | int | float, ...] | None,
        Field(description="The categories that together are the value to protect.", min_length=1),
    ] = None
    above: Annotated[
        float | None, Field(description="Numbers above this one are the range to protect.")
    ] = None
    below: Annotated[
        float | None, Field(description="Numbers below this one are the range to protect.")
    ] = None
    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Look for classes in which a confidential value is the same everywhere."""
        classes = protected.classes(self.keys)
        found = {name: self._disclosed(classes, name) for name in self._names(protected)}
        shares = {name: one.share for name, one in found.items()}
        # An attribute of which nobody has a protected value is worst only if there is no other.
        worst = max(found, key=lambda name: (shares[name] is not None, shares[name] or 0))
        single = [row for one in found.values() for row in one.rows]
        disclosed = _any((one.records for one in found.values()), len(protected))
        return Measurement(
            self.name,
            self.family,
            shares[worst],
            f"{found[worst].disclosed:,} of {found[worst].having:,} records with a protected value "
            f"of {worst} are in classes of {listed(classes.keys)} in which everybody has it",
            parts={name: None if share is None else float(share) for name, share in shares.items()},
            per_record=disclosed,
            parameters=self.parameters(),
            figures={
                "worst_value": max((Fraction(r[3], r[2]) for r in single if r[2]), default=None)
            },
            details=_table(single),
        )

    def _names(self, protected: Dataset) -> list[str]:
        """Return the attributes that the release holds and that the values can be values of."""
        asked = protected.confidential if self.attributes is None else self.attributes
        names = [name for name in asked if name in protected.attributes]
        bounded = self.above is not None or self.below is not None
        if bounded and self.values is not None:
            raise ParameterError("Say either `values` or `above` and `below`, not both.")
        if bounded:
            names = [n for n in names if protected.attribute(n).kind is Kind.CONTINUOUS]
        if not names:
            what = "continuous confidential attribute" if bounded else "confidential attribute"
            raise InputError(
                f"The protected data hold no {what}; say which `attributes` to protect."
            )
        return names

    def _disclosed(self, classes: EquivalenceClasses, name: str) -> _Disclosed:
        numeric = classes.data.attribute(name).kind is Kind.CONTINUOUS
        if self.values is not None:
            chosen = _is_among(classes.data.column(name), self.values)
            return _of_one_value(classes, name, chosen, listed([str(one) for one in self.values]))
        if numeric:
            chosen, said = self._in_range(classes.data.numbers(name))
            return _of_one_value(classes, name, chosen, said)
        return _of_every_value(classes, name)

    def _in_range(self, numbers: Floats) -> tuple[Mask, str]:
        """Tell which numbers are in the range to protect, and what range that is."""
        above, below = self.above, self.below
        if above is None and below is None:
            above = _top_from(numbers[~np.isnan(numbers)])
        low, high = (-np.inf if above is None else above), (np.inf if below is None else below)
        said = [f"above {show(above)}"] if above is not None else []
        said += [f"below {show(below)}"] if below is not None else []
        return np.asarray((numbers > low) & (numbers < high)), " and ".join(said) or "any number"


def _top_from(numbers: Floats) -> float | None:
    """Return the number above which lie the highest tenth or, if more are tied, the highest.

    It is None if all are the same.

    >>> _top_from(np.arange(1.0, 11.0)), _top_from(np.array([1.0, 2.0, 3.0, 3.0]))
    (9.0, 2.0)
    """
    ordered = np.sort(numbers)
    lower = ordered[ordered < ordered[-1:]]
    if not len(lower):
        return None
    return float(min(ordered[ceil((1 - TOP) * len(ordered)) - 1], lower[-1]))


def _of_one_value(classes: EquivalenceClasses, name: str, chosen: Mask, said: str) -> _Disclosed:
    """Find the records with a value that shares it with their whole class."""
    having = np.bincount(classes.of_record[chosen], minlength=len(classes))
    disclosed = chosen & (having == classes.counts)[classes.of_record]
    records = int(np.count_nonzero(chosen))
    return _Disclosed(disclosed, [(name, said, records, int(np.count_nonzero(disclosed)))])


def _of_every_value(classes: EquivalenceClasses, name: str) -> _Disclosed:
    """Find the records in classes of one value, whatever it is."""
    from tacita.kernels.grouping import factorize

    column = classes.data.column(name)
    codes, first = factorize(*comparable(column))
    alike = codes == codes[classes.first][classes.of_record]
    having = np.bincount(classes.of_record[alike], minlength=len(classes))
    disclosed = (codes >= 0) & (having == classes.counts)[classes.of_record]
    every = np.bincount(codes[codes >= 0], minlength=len(first))
    some = np.bincount(codes[disclosed], minlength=len(first))
    values = column.take(pa.array(first)).to_pylist()
    rows = zip(values, every.tolist(), some.tolist(), strict=True)
    return _Disclosed(disclosed, [(name, str(value), all_, of) for value, all_, of in rows])


def _is_among(column: pa.Array, values: Sequence[str | float]) -> Mask:
    """Tell which values are among some, however these are spelled; a set by its members."""
    if pa.types.is_list(column.type):
        members = pc.list_parent_indices(column).filter(_is_among(column.flatten(), values))
        return np.bincount(np.asarray(members, np.int64), minlength=len(column)) > 0
    known, wanted = alike(column, pa.array([str(value) for value in values]))
    return np.asarray(pc.is_in(known, wanted))


def _any(masks: Iterable[Mask], records: int) -> Mask:
    return np.asarray(np.logical_or.reduce([np.zeros(records, np.bool_), *masks]))


def _table(rows: Sequence[Row]) -> pa.Table:
    names = ("attribute", "value", "records", "disclosed")
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
