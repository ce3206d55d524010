"""Masking of unique records: one value after the other, until the record is no longer alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import AfterValidator, Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import generalize
from tacita.errors import HierarchyError, ParameterError
from tacita.method import ANY_KIND, AttributeNames, Method, refuse_kind
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.masking.coarsen import intervals
from tacita.microdata.masking.ranges.line import Line
from tacita.microdata.models.verdicts import K
from tacita.validity import Change

HOW = re.compile(r"suppress|(?!0+ bands)(\d{1,5}) (bands|digits)|level (\d{1,5})")
SUPPRESSED = -1


def _understood(how: str) -> str:
    if not HOW.fullmatch(how):
        raise ValueError(
            "A step of `mask_uniques` is `suppress`, or a number of bands, digits or levels "
            f"(`20 bands`, `3 digits`, `level 1`); found {how!r}."
        )
    return how


Step = tuple[str, Annotated[str, AfterValidator(_understood)]]


class MaskUniques(Method):
    """Mask the values of unique records in a given order until they are no longer unique.

    Each step names an attribute and what to do: `suppress` blanks it, `20 bands` leaves the one of
    20 intervals of equal length that the value lies in, `3 digits` leaves the first digits of a
    code and stars, `level 1` leaves the ancestor in the attribute's hierarchy. Step by step, only
    the records are masked that fewer than k records agree with in all `attributes`, as they are by
    then; every other record keeps its values. A masked value agrees with what is masked alike.

    The masking order of California's patient discharges (Table S3) is `ta.MaskUniques([("age_yrs",
    "20 bands"), ("ethncty", "suppress"), ("race", "suppress"), ("sex", "suppress"), ("age_yrs",
    "5 bands"), ("age_yrs", "suppress"), ("adm_qtr", "suppress"), ("patzip", "3 digits"),
    ("patcnty", "suppress"), ("patzip", "suppress")])`.

    When not to use it: to promise k-anonymity; records may stay rare after the last step (the
    notes tell how many). `local_suppression` keeps the promise and blanks as little as it can.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> data = ta.read(pa.table({"age": [30, 30, 41, 44], "sex": list("ffmm")}),
    ...                roles={"age": "key", "sex": "key"})
    >>> safe = data.apply(ta.MaskUniques([("age", "2 bands"), ("sex", "suppress")]), seed=0)
    >>> safe.column("age").to_pylist()
    ['30', '30', '[37;44]', '[37;44]']
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, Table S3"
    )
    missing: ClassVar = "Missing values stay missing; blanks agree with one another."
    example: ClassVar = {"steps": [["age", "10 bands"], ["zip", "3 digits"], ["age", "suppress"]]}
    public: ClassVar = frozenset({"steps", "attributes", "k"})

    steps: Annotated[
        tuple[Step, ...],
        Field(description="What is masked, in this order: attribute and how.", min_length=1),
    ]
    attributes: Annotated[
        AttributeNames | None,
        Field(description="What records are unique in; by default the attributes of the steps."),
    ] = None
    _: KW_ONLY
    k: K = 2

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the values of unique records masked."""
        names = list(dict.fromkeys(name for name, _ in self.steps))
        for name in names:
            refuse_kind(self, data, name)
        compared = names if self.attributes is None else list(self.attributes)
        shown = {name: _Shown.of(data, name) for name in dict.fromkeys([*compared, *names])}
        masked = []
        for name, how in self.steps:
            rare = _rare([shown[one] for one in compared], self.k)
            masked.append(int(np.count_nonzero(rare)))
            shown[name] = shown[name].masked(rare, how)
        left = int(np.count_nonzero(_rare([shown[one] for one in compared], self.k)))
        for name in names:
            data = shown[name].put_into(data)
        return data.noting(masked_by_step=masked, still_rare=left)


@dataclass(frozen=True, eq=False)
class _Shown:
    """What is shown of an attribute: of every record, one of the values or of their maskings.

    Args:
        line: the values.
        shown: what is shown of every record, as a place in `texts`; -1 for nothing.
        texts: the values, then the maskings, as text.
    """

    line: Line
    shown: Ints
    texts: pa.Array

    @classmethod
    def of(cls, data: Dataset, name: str) -> _Shown:
        line = Line.of(data, name)
        return cls(line, line.place.astype(np.int64), line.values)

    def masked(self, rare: Mask, how: str) -> _Shown:
        """Mask the values of some records."""
        if how == "suppress":
            return _Shown(self.line, np.where(rare, SUPPRESSED, self.shown), self.texts)
        # A blank has the place -1, and stays what it is. What is suppressed is not shown again.
        coarse = pc.dictionary_encode(_maskings(self.line, how))
        codes = np.append(np.asarray(coarse.indices, np.int64) + len(self.texts), SUPPRESSED)
        changed = rare & (self.shown != SUPPRESSED)
        shown = np.where(changed, codes[self.line.place], self.shown)
        return _Shown(self.line, shown, pa.concat_arrays([self.texts, coarse.dictionary]))

    def put_into(self, data: Dataset) -> Dataset:
        """Put what is shown in the place of the values."""
        name, hidden = self.line.attribute.name, self.shown == SUPPRESSED
        newly = hidden & (self.line.place >= 0)
        suppressed = data.suppressed_in(name) | newly
        if (self.shown < len(self.line.at)).all():  # values and blanks only: the type stays
            if not newly.any():
                return data
            column = pc.if_else(pa.array(hidden), None, data.column(name))
            return data.with_column(self.line.attribute, column, suppressed)
        texts = self.texts.take(pa.array(self.shown, mask=hidden))
        return data.with_column(self.line.attribute.recoded(), texts, suppressed)


def _rare(shown: Sequence[_Shown], k: int) -> Mask:
    """Tell the records that fewer than k agree with."""
    from tacita.kernels.grouping import group

    groups = group([one.shown for one in shown])
    return np.asarray((groups.counts < k)[groups.ids])


def _maskings(line: Line, how: str) -> pa.Array:
    """Return what is left of every distinct value."""
    found = HOW.fullmatch(how)
    number, what, level = found.groups() if found else (None, None, None)
    masked = {"bands": _bands, "digits": _digits}.get(what or "", _ancestors)
    return masked(line, int(number or level or 0))


def _bands(line: Line, number: int) -> pa.Array:
    place, texts = intervals(line, number)
    return texts.take(pa.array(place))


def _digits(line: Line, number: int) -> pa.Array:
    lengths = pc.utf8_length(line.values)
    kept = pc.utf8_slice_codeunits(line.values, 0, number)
    hidden = pc.max_element_wise(pc.subtract(lengths, number), 0)
    return pc.binary_join_element_wise(kept, pc.binary_repeat("*", hidden), "")


def _ancestors(line: Line, level: int) -> pa.Array:
    if line.attribute.hierarchy is None:
        raise ParameterError(
            f"`mask_uniques` finds no hierarchy of `{line.attribute.name}` for `level {level}`; "
            "declare one."
        )
    try:
        return as_text(generalize(line.examples, line.attribute.hierarchy, level))
    except HierarchyError as error:
        raise HierarchyError(f"Attribute `{line.attribute.name}`: {error}") from error
