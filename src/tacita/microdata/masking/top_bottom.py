"""Top and bottom coding: the far ends of an attribute become one category."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BeforeValidator, Field

from tacita.data.attribute import Attribute, Kind
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import AttributeName, Method
from tacita.microdata.masking.perturbing.numbers import BLANKS_STAY, refuse_rounding
from tacita.preserved import Statistic, always
from tacita.validity import Change


def _no_yes(said: Any) -> Any:
    if isinstance(said, bool):  # Python would take it for 1 or 0
        word = "yes" if said else "no"
        raise ValueError(f"A limit is a number, a date or a text; found {word}.")  # noqa: TRY004 - told as such
    return said


Limit = Annotated[int | float | dt.datetime | dt.date | str, BeforeValidator(_no_yes)]
Side = Literal["above", "below"]
SIDES = ("below", "above")
RANKED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE})
HANDBOOK = "Hundepool et al., Statistical Disclosure Control, Wiley 2012"


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
    keeps: ClassVar = (always(Statistic.ORDER, given={"label": None}),)
    changes: ClassVar = frozenset({Change.RECODING})
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
        str | None,
        Field(description="What to write instead, `>30` for instance.", min_length=1),
    ] = None

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attribute top coded."""
        return _coded(data, self.name, self.attribute, [End("above", self.above, self.label)])


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
    keeps: ClassVar = (always(Statistic.ORDER, given={"label": None}),)
    changes: ClassVar = frozenset({Change.RECODING})
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
        str | None,
        Field(description="What to write instead, `<195` for instance.", min_length=1),
    ] = None

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attribute bottom coded."""
        return _coded(data, self.name, self.attribute, [End("below", self.below, self.label)])


class TopBottomCode(Method):
    """Replace values beyond the limits of several attributes, at both ends.

    x' = min(max(x, below), above) for every attribute and the limits that are said of it. With
    `labelled` what lies beyond becomes `>above` and `<below`, and the attributes become ordinal
    text with these labels at their ends.

    When not to use it: where totals or means of skewed attributes must be kept, or where records
    stand out by a combination of ordinary values; see `code_outliers` for numbers that do.

    >>> import tacita as ta
    >>> limits = {"DH": {"above": 30}, "Chol": {"below": 195, "above": 290}}
    >>> coded = ta.example("medical").apply(ta.TopBottomCode(limits, labelled=True), seed=0)
    >>> coded.table.select(["DH", "Chol"]).to_pylist()[1:3]
    [{'DH': '1', 'Chol': '<195'}, {'DH': '>30', 'Chol': '200'}]
    """

    applies_to: ClassVar = RANKED
    keeps: ClassVar = (always(Statistic.ORDER, given={"labelled": False}),)
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = HANDBOOK
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"limits": {"age": {"below": 16, "above": 85}, "income": {"above": 60000}}}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"limits", "labelled"})

    limits: Annotated[
        Mapping[AttributeName, Annotated[Mapping[Side, Limit], Field(min_length=1)]],
        Field(
            description="The limits of each attribute, `above`, `below` or both: `{age: {above: "
            "85}}`. The limits themselves are kept.",
            min_length=1,
        ),
    ]
    _: KW_ONLY
    labelled: Annotated[
        bool, Field(description="Whether to write `>85` and `<16` instead of the limits.")
    ] = False

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attributes top and bottom coded."""
        for name, limits in self.limits.items():
            ends = [End(side, limit, self._label(side, limit)) for side, limit in limits.items()]
            data = _coded(data, self.name, name, ends)
        return data

    def _label(self, side: Side, limit: Limit) -> str | None:
        return f"{'>' if side == 'above' else '<'}{_as_text(limit)}" if self.labelled else None


class End(NamedTuple):
    """What lies beyond a limit, and the label it becomes; without one, it becomes the limit."""

    side: Side
    limit: Limit
    label: str | None


def _coded(data: Dataset, method: str, name: str, ends: Sequence[End]) -> Dataset:
    """Return the data with the values of an attribute beyond limits coded.

    Either all ends have a label or none has.
    """
    attribute, column = data.attribute(name), data.column(name)
    if attribute.order is not None:
        return _coded_ranks(data, method, attribute, ends)
    column, bounds = _of_one_type(data, name, [_bound(method, column, end.limit) for end in ends])
    _refuse_crossed(method, name, ends, [bound.as_py() for bound in bounds])
    compare = {"above": pc.greater, "below": pc.less}
    beyond = [compare[end.side](column, bound) for end, bound in zip(ends, bounds, strict=True)]
    if ends[0].label is not None:
        return _labelled(data, method, attribute, column, ends, beyond)
    for far, bound in zip(beyond, bounds, strict=True):
        column = pc.if_else(far, bound, column)
    return data.with_column(attribute, column)


def _labelled(
    data: Dataset,
    method: str,
    attribute: Attribute,
    column: pa.Array,
    ends: Sequence[End],
    beyond: Sequence[pa.Array],
) -> Dataset:
    inside = pc.invert(functools.reduce(pc.or_, beyond))
    kept = pc.unique(pc.drop_null(column.filter(inside)))
    order = kept.take(pc.sort_indices(kept)).cast(pa.string()).to_pylist()
    words = column.cast(pa.string())
    for far, end in zip(beyond, ends, strict=True):
        if end.label in order:
            raise ParameterError(
                f"The label {end.label!r} of `{method}` is a value of `{attribute.name}` already."
            )
        words = pc.if_else(far, end.label, words)
    return data.with_column(attribute.recoded(Kind.ORDINAL, _with_labels(order, ends)), words)


def _of_one_type(
    data: Dataset, name: str, bounds: list[pa.Scalar]
) -> tuple[pa.Array, list[pa.Scalar]]:
    """Bring a column and the limits to the narrowest type that holds them all."""
    column, types = data.column(name), [bound.type for bound in bounds]
    widest = next((one for one in (pa.float64(), pa.int64()) if one in types), column.type)
    if widest == column.type:
        return column, bounds
    if widest == pa.float64():
        refuse_rounding(data, name)
    return column.cast(widest, safe=False), [bound.cast(widest) for bound in bounds]


def _refuse_crossed(method: str, name: str, ends: Sequence[End], places: Sequence[Any]) -> None:
    """Refuse limits of which the lower lies above the upper one."""
    at = {end.side: place for end, place in zip(ends, places, strict=True)}
    if len(at) == len(SIDES) and at["below"] > at["above"]:
        said = {end.side: end.limit for end in ends}
        raise ParameterError(
            f"`below` of `{method}` must not be greater than `above`; found {said['below']} and "
            f"{said['above']} for `{name}`."
        )


def _bound(method: str, column: pa.Array, limit: Limit) -> pa.Scalar:
    """Say the limit in the column's type, or in the narrowest that also holds the column."""
    kind = column.type
    text = _as_text(limit)
    wider = [] if pa.types.is_temporal(kind) else [pa.int64(), pa.float64()]
    for wanted in (kind, *wider):
        try:
            bound = _scalar(text, wanted)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
        if not pa.types.is_floating(wanted) or pc.is_finite(bound).as_py():
            return bound
    what = "a date like 1930-01-01" if pa.types.is_temporal(kind) else "a number"
    raise ParameterError(f"The limit of `{method}` must be {what}; found {limit!r}.")


def _scalar(text: str, wanted: pa.DataType) -> pa.Scalar:
    """Read a limit; one without a time zone is meant in the column's."""
    if not pa.types.is_timestamp(wanted) or wanted.tz is None:
        return pa.scalar(text).cast(wanted)
    naive = pa.scalar(text).cast(pa.timestamp(wanted.unit))
    return pc.assume_timezone(naive, wanted.tz)


def _coded_ranks(data: Dataset, method: str, attribute: Attribute, ends: Sequence[End]) -> Dataset:
    order = [str(category) for category in attribute.order or ()]
    ranks = [_rank(method, attribute, order, end) for end in ends]
    _refuse_crossed(method, attribute.name, ends, ranks)
    of = {end.side: rank for end, rank in zip(ends, ranks, strict=True)}
    kept = slice(of.get("below", 0), of.get("above", len(order)) + 1)
    column = data.column(attribute.name)
    words = column.cast(pa.string())
    for end in ends:
        beyond = order[kept.stop :] if end.side == "above" else order[: kept.start]
        new = _as_text(end.limit) if end.label is None else end.label
        words = pc.if_else(pc.is_in(words, value_set=pa.array(beyond, pa.string())), new, words)
    if ends[0].label is None:
        typed = (attribute.order or ())[kept]
        return data.with_column(attribute.recoded(Kind.ORDINAL, typed), words.cast(column.type))
    new_order = _with_labels(order[kept], ends)
    return data.with_column(attribute.recoded(Kind.ORDINAL, new_order), words)


def _rank(method: str, attribute: Attribute, order: Sequence[str], end: End) -> int:
    """Return the place of a limit among the categories."""
    if end.label in order:
        raise ParameterError(
            f"The label {end.label!r} of `{method}` is a category of `{attribute.name}` already."
        )
    if _as_text(end.limit) not in order:
        raise ParameterError(
            f"The limit of `{method}` must be a category of `{attribute.name}` "
            f"({', '.join(order[:8])}); found {end.limit!r}."
        )
    return order.index(_as_text(end.limit))


def _as_text(limit: Limit) -> str:
    """Say a limit as columns say their values."""
    if isinstance(limit, float) and limit.is_integer():
        return str(int(limit))
    return limit.isoformat() if isinstance(limit, dt.date) else str(limit)


def _with_labels(kept: Sequence[str], ends: Sequence[End]) -> tuple[str, ...]:
    """Put the labels to the ends of an order."""
    labels = {end.side: end.label for end in ends if end.label is not None}
    first, last = ([labels[side]] if side in labels else [] for side in SIDES)
    return (*first, *kept, *last)
