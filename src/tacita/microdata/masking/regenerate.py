"""Regeneration: masked values are filled in again, as often as each was masked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError, ParameterError, did_you_mean
from tacita.method import ANY_KIND, AttributeNames, Method, refuse_kind
from tacita.microdata.comparing.representation import as_text
from tacita.validity import Change

# What is left of a value that was masked: stars, a code with stars, a range.
LEFT = r"^[^*]*\*+$|^\[[^;]*;[^;]*[\])]$"


class Regenerate(Method):
    """Fill masked values with plausible ones, so that every value is as frequent as it was.

    v[a][e] is how many of the masked values of attribute a were originally e. For each attribute,
    v[a][e] of its masked values, chosen at random, become e: if v is true, the margins of the
    original data are preserved exactly, and correlations as far as values were not masked. A value
    is masked if it is suppressed, a range `[a;b]`, a code with stars, or one of `masked`. Without
    `counts`, v follows the values that were not masked (rounded by largest remainders); where all
    are masked, nothing is filled.

    When not to use it: as protection. It is a stand-in for originals that nobody has, to study what
    masking achieved. The counts tell of the original data, so that they stay internal.

    >>> import numpy as np
    >>> import tacita as ta
    >>> data = ta.example("patients", 500)
    >>> masked = data.apply(ta.MaskUniques([("race", "suppress")], attributes=["race", "patzip"]))
    >>> counts = masked_counts(data, masked, ["race"])
    >>> filled = masked.apply(ta.Regenerate(["race"], counts=counts), seed=1)
    >>> bool((np.bincount(filled.column("race")) == np.bincount(data.column("race"))).all())
    True
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, Algorithm S1"
    )
    missing: ClassVar = "Missing values stay missing; suppressed ones are filled."
    example: ClassVar = {"attributes": ["region"], "masked": ["Hills"]}
    public: ClassVar = frozenset({"attributes", "masked"})
    draws: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes whose masked values are filled; by default the keys."),
    ] = None
    counts: Annotated[
        Mapping[str, Mapping[str, Annotated[int, Field(ge=0)]]] | None,
        Field(description="For each attribute, how many of its masked values were each value."),
    ] = None
    masked: Annotated[
        tuple[str, ...],
        Field(description="Further values that stand for a masked one, as text."),
    ] = ()

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with masked values filled."""
        filled = {}
        for name in self._names(data):
            refuse_kind(self, data, name)
            hidden = masked_cells(data, name, self.masked)
            values, times = self._distribution(data, name, hidden)
            filled[name] = len(times)
            if len(values):
                data = _filled(data, name, hidden, values, rng.permutation(times))
        return data.noting(filled=filled)

    def _names(self, data: Dataset) -> Sequence[str]:
        """Return the attributes whose values are filled.

        Raises:
            ParameterError: `counts` has others, which would be of no use.
        """
        names = data.keys if self.attributes is None else self.attributes
        for name in self.counts or ():
            if name not in names:
                raise ParameterError(
                    f"`counts` of `regenerate` has `{name}`, which is not among the attributes to "
                    f"fill ({', '.join(names)}).{did_you_mean(name, names)}"
                )
        return names

    def _distribution(self, data: Dataset, name: str, hidden: Mask) -> tuple[pa.Array, Ints]:
        """Return the values, and for every masked one which of them it becomes, in any order."""
        column = as_text(data.column(name))
        number = int(np.count_nonzero(hidden))
        if self.counts is None:
            known = pc.value_counts(column.filter(pa.array(~hidden)).drop_null())
            shares = np.asarray(known.field("counts"))
            times = apportioned(shares, number) if len(shares) else shares
            return known.field("values"), np.repeat(np.arange(len(times)), times)
        given = self.counts.get(name, {})
        if sum(given.values()) != number:
            raise InputError(
                f"`counts` of `regenerate` must add up to the masked values of `{name}`, of which "
                f"there are {number:,}; found {sum(given.values()):,}."
            ).about(name)
        values = pa.array(list(given), pa.string())
        return values, np.repeat(np.arange(len(given)), list(given.values())).astype(np.int64)


def masked_cells(data: Dataset, name: str, others: Sequence[str] = ()) -> Mask:
    """Tell which values of an attribute are masked: suppressed, ranges, with stars, or others."""
    hidden = data.suppressed_in(name).copy()
    column = data.column(name)
    if not pa.types.is_string(column.type) and not others:
        return hidden
    coded = pc.dictionary_encode(as_text(column))
    words = coded.dictionary
    left = pc.or_(
        pc.match_substring_regex(words, LEFT), pc.is_in(words, pa.array(others, pa.string()))
    )
    return np.asarray(hidden | np.asarray(left.take(coded.indices).fill_null(False)))


def masked_counts(
    original: Dataset, protected: Dataset, names: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Count the original values of what was masked: the v of Algorithm S1.

    A value that is missing in the original data is not counted.
    """
    rows = pa.array(paired_rows(original, protected))
    found = {}
    for name in names:
        hidden = pa.array(masked_cells(protected, name))
        values = as_text(original.column(name)).take(rows).filter(hidden)
        counts = pc.value_counts(values.drop_null())
        pairs = zip(counts.field("values").to_pylist(), counts.field("counts"), strict=True)
        found[name] = {value: number.as_py() for value, number in pairs}
    return found


def apportioned(shares: Ints, total: int) -> Ints:
    """Share a number out in proportion, rounding by largest remainders; ties to the first.

    >>> apportioned(np.array([1, 1, 2]), 5)
    array([1, 1, 3])
    """
    whole, rest = np.divmod(shares.astype(np.int64) * total, shares.sum())
    whole[np.argsort(-rest, kind="stable")[: total - whole.sum()]] += 1
    return np.asarray(whole)


def _filled(data: Dataset, name: str, hidden: Mask, values: pa.Array, chosen: Ints) -> Dataset:
    """Put values in the places of masked ones."""
    column, attribute = data.column(name), data.attribute(name)
    try:
        typed = values.cast(column.type)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"`counts` of `regenerate` has values of `{name}` that are no {column.type}."
        ).about(name) from error
    filled = pc.replace_with_mask(column, pa.array(hidden), typed.take(pa.array(chosen)))
    suppressed = data.suppressed_in(name) & ~hidden
    if attribute.order is not None and not set(typed.to_pylist()) <= set(attribute.order):
        attribute = attribute.recoded()
    return data.with_column(attribute, filled, suppressed)
