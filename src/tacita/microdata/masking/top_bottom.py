"""Top and bottom coding: the far ends of an attribute become one category."""

from __future__ import annotations

import datetime as dt
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Attribute, Kind
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import AttributeName, Method

Limit = int | float | dt.datetime | dt.date | str
RANKED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE})
HANDBOOK = "Hundepool et al., Statistical Disclosure Control, Wiley 2012"
BLANKS_STAY = "Missing and suppressed values stay as they are."


class TopCode(Method):
    """Replace values above a limit by the limit, or by a label such as `>30`.

    x' = min(x, above). With a label the attribute becomes ordinal text, the label last.

    When not to use it: where totals or means of a skewed attribute must be kept.

    >>> import tacita as ta
    >>> stays = ta.example("medical").apply(ta.TopCode("DH", 30, label=">30"), seed=0)
    >>> stays.column("DH").to_pylist()[:4]
    ['3', '1', '>30', '7']
    """

    applies_to: ClassVar = RANKED
    reference: ClassVar = HANDBOOK
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attribute": "age", "above": 85}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attribute", "above", "label"})

    attribute: Annotated[AttributeName, Field(description="The attribute to top code.")]
    above: Annotated[
        Limit, Field(description="The limit, in the attribute's unit; itself it is kept.")
    ]
    _: KW_ONLY
    label: Annotated[
        str | None, Field(description="What to write instead, `>30` for instance.")
    ] = None

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attribute top coded."""
        return _code(data, self.name, self.attribute, self.above, self.label, "top")


class BottomCode(Method):
    """Replace values below a limit by the limit, or by a label such as `<195`.

    x' = max(x, below). With a label the attribute becomes ordinal text, the label first.

    When not to use it: where totals or means of a skewed attribute must be kept.

    >>> import tacita as ta
    >>> blood = ta.example("medical").apply(ta.BottomCode("Chol", 195, label="<195"), seed=0)
    >>> blood.column("Chol").to_pylist()[:3]
    ['260', '<195', '200']
    """

    applies_to: ClassVar = RANKED
    reference: ClassVar = HANDBOOK
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attribute": "age", "below": 16}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attribute", "below", "label"})

    attribute: Annotated[AttributeName, Field(description="The attribute to bottom code.")]
    below: Annotated[
        Limit, Field(description="The limit, in the attribute's unit; itself it is kept.")
    ]
    _: KW_ONLY
    label: Annotated[
        str | None, Field(description="What to write instead, `<195` for instance.")
    ] = None

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attribute bottom coded."""
        return _code(data, self.name, self.attribute, self.below, self.label, "bottom")


End = Literal["top", "bottom"]


def _code(
    data: Dataset, method: str, name: str, limit: Limit, label: str | None, end: End
) -> Dataset:
    attribute = data.attribute(name)
    column = data.column(name)
    if attribute.order is not None:
        return _code_ranks(data, method, attribute, limit, label, end)
    bound = _bound(method, column, limit)
    if not bound.type.equals(column.type):
        column = column.cast(bound.type, safe=False)
    beyond = pc.greater(column, bound) if end == "top" else pc.less(column, bound)
    if label is None:
        return data.with_column(attribute, pc.if_else(beyond, bound, column))
    inside = pc.sort_indices(kept := pc.unique(pc.drop_null(column.filter(pc.invert(beyond)))))
    order = kept.take(inside).cast(pa.string()).to_pylist()
    if label in order:
        raise ParameterError(f"The label {label!r} of `{method}` is a value of `{name}` already.")
    values = pc.if_else(beyond, label, column.cast(pa.string()))
    return data.with_column(attribute.recoded(Kind.ORDINAL, _with_label(order, label, end)), values)


def _bound(method: str, column: pa.Array, limit: Limit) -> pa.Scalar:
    """Say the limit in the column's type, or in the narrowest that also holds the column."""
    kind = column.type
    text = limit.isoformat() if isinstance(limit, dt.date) else str(limit)
    if isinstance(limit, float) and limit.is_integer():
        text = str(int(limit))
    wider = [] if pa.types.is_temporal(kind) else [pa.int64(), pa.float64()]
    for wanted in (kind, *wider):
        try:
            return _scalar(text, wanted)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    what = "a date like 1930-01-01" if pa.types.is_temporal(kind) else "a number"
    raise ParameterError(f"The limit of `{method}` must be {what}; found {limit!r}.")


def _scalar(text: str, wanted: pa.DataType) -> pa.Scalar:
    """Read a limit; one without a time zone is meant in the column's."""
    if not pa.types.is_timestamp(wanted) or wanted.tz is None:
        return pa.scalar(text).cast(wanted)
    naive = pa.scalar(text).cast(pa.timestamp(wanted.unit))
    return pc.assume_timezone(naive, wanted.tz)


def _code_ranks(
    data: Dataset, method: str, attribute: Attribute, limit: Limit, label: str | None, end: End
) -> Dataset:
    order = [str(category) for category in attribute.order or ()]
    limit = int(limit) if isinstance(limit, float) and limit.is_integer() else limit
    if label in order:
        raise ParameterError(
            f"The label {label!r} of `{method}` is a category of `{attribute.name}` already."
        )
    if str(limit) not in order:
        raise ParameterError(
            f"The limit of `{method}` must be a category of `{attribute.name}` "
            f"({', '.join(order[:8])}); found {limit!r}."
        )
    place = order.index(str(limit))
    beyond = order[place + 1 :] if end == "top" else order[:place]
    column = data.column(attribute.name)
    new = str(limit) if label is None else label
    kept = [category for category in order if category not in beyond]
    words = column.cast(pa.string())
    values = pc.if_else(pc.is_in(words, value_set=pa.array(beyond, pa.string())), new, words)
    if label is None:
        typed: Any = attribute.order[: place + 1] if end == "top" else attribute.order[place:]  # type: ignore[index]
        return data.with_column(attribute.recoded(Kind.ORDINAL, typed), values.cast(column.type))
    return data.with_column(attribute.recoded(Kind.ORDINAL, _with_label(kept, label, end)), values)


def _with_label(kept: list[str], label: str, end: End) -> tuple[str, ...]:
    others = [category for category in kept if category != label]
    return (*others, label) if end == "top" else (label, *others)
