"""What people say of an attribute, and how a column is brought in line with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from math import isinf
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.ontology import Ontology
from tacita.errors import InputError, did_you_mean, shown

Value = str | int | float | bool
WITH_FILES = ("hierarchy", "ontology")  # what may stand in a file of its own
TEXT_KINDS = {Kind.NOMINAL, Kind.ORDINAL, Kind.SET_VALUED}
MEANT = {Kind.NOMINAL, Kind.SET_VALUED}  # kinds whose values an ontology may tell the meaning of


def _listed(said: Any) -> Any:
    """Let one role be said as a word and several as a list; hyphens are as good as underscores."""
    words = [said] if isinstance(said, str) else said
    if isinstance(words, Iterable):
        return [w.replace("-", "_") if isinstance(w, str) else w for w in words]
    return words


class Declaration(BaseModel):
    """What is said of one attribute, in a plan file or in Python.

    Everything may be left out: the kind then follows from the column's type.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    role: Annotated[frozenset[Role], BeforeValidator(_listed)] | None = Field(
        default=None,
        description="What the attribute is to an intruder; one role or a list of roles.",
    )
    kind: Kind | None = Field(default=None, description="What can be computed with its values.")
    order: tuple[Value, ...] | None = Field(
        default=None, description="The categories of an ordinal attribute in ascending order."
    )
    hierarchy: Hierarchy | Mapping[str, Any] | None = Field(
        default=None,
        description="How its values generalize: intervals, cuts, prefix, tree, dates or file; or "
        "how to find out from the data: quantiles, frequencies, prefixes, clustering.",
    )
    ontology: Ontology | Mapping[str, Any] | None = Field(
        default=None,
        description="What its values mean, as concepts that may have several parents: by file or "
        "by concepts. Nominal values are compared by it.",
    )
    missing: tuple[Value, ...] = Field(
        default=(), description="Codes that stand for a missing value."
    )
    suppressed: tuple[Value, ...] = Field(
        default=(), description="Codes that stand for a value suppressed before."
    )
    separator: str = Field(
        default="|",
        min_length=1,
        description="What parts the members of a set-valued attribute in text.",
    )

    def to_plan(self) -> dict[str, Any]:
        """Return the declaration as a plan file says it; what was left out is left out."""
        said = self.model_dump(mode="json", exclude_defaults=True, exclude={*WITH_FILES})
        if "role" in said:
            said["role"] = sorted(said["role"])
        for word in WITH_FILES:
            if isinstance(built := getattr(self, word), Hierarchy | Ontology):
                said[word] = built.specification()
        return said

    def overridden_by(self, other: Declaration) -> Declaration:
        """Return this declaration with everything that another one says in its place."""
        said = {part: getattr(other, part) for part in other.model_fields_set}
        if said.get("kind", Kind.ORDINAL) is not Kind.ORDINAL:
            said.setdefault("order", None)  # which only ordinal attributes have
        return self.model_copy(update=said)

    @property
    def keeps_text(self) -> bool:
        """Tell whether a text file's characters are the value, leading zeros included."""
        is_name = self.role is not None and Role.IDENTIFIER in self.role
        is_coded = self._is_coded or self.ontology is not None
        return self.kind in TEXT_KINDS or (self.kind is None and (is_name or is_coded))

    @property
    def _is_coded(self) -> bool:
        """Tell a hierarchy of codes from one of numbers or dates."""
        from tacita.data.hierarchies.building import of_numbers
        from tacita.data.hierarchies.cuts import Cuts
        from tacita.data.hierarchies.dates import Dates
        from tacita.data.hierarchies.intervals import Intervals

        if isinstance(self.hierarchy, Mapping):
            return not of_numbers(self.hierarchy)
        plain = Intervals | Cuts | Dates
        return self.hierarchy is not None and not isinstance(self.hierarchy, plain)


def declaration_problem(error: ValidationError) -> tuple[str, str]:
    """Return the field that cannot be read, and why, in a sentence."""
    problem = error.errors()[0]
    word, found = str(problem["loc"][0]), problem["input"]
    if problem["type"] == "extra_forbidden":
        known = list(Declaration.model_fields)
        return word, f"`{word}` is unknown; expected {', '.join(known)}.{did_you_mean(word, known)}"
    known = [member.value for member in {"role": Role, "kind": Kind}.get(word, ())]
    wish = "one of " + ", ".join(known) if known else WISHES.get(word, "something else")
    return word, f"`{word}` must be {wish}; found {shown(found)}.{did_you_mean(str(found), known)}"


WISHES = {
    "hierarchy": "said like {prefix: 5}, {intervals: ...}, {tree: ...}, {dates: ...}, {file: ...}",
    "ontology": "said like {file: terms.obo} or {concepts: {...}}",
    "order": "a list of categories",
    "missing": "a list of codes",
    "suppressed": "a list of codes",
    "separator": "a text",
}

Column = tuple[pa.Array, "np.ndarray[Any, np.dtype[np.bool_]] | None"]


def conform(name: str, column: pa.Array, said: Declaration) -> tuple[Column, Kind]:
    """Bring a column in line with its declaration: codes become blanks, text becomes its kind.

    Returns the column with the mask of its suppressed values (None where there are none), and the
    attribute's kind.
    """
    suppressed = _holds(column, said.suppressed)
    blank = _either(suppressed, _holds(column, said.missing))
    if blank is not None:
        column = pc.if_else(blank, pa.scalar(None, column.type), column)
    column = _refuse_infinite(name, _blank_nan(column))
    kind = said.kind or inferred_kind(column.type)
    mask = None if suppressed is None else np.asarray(suppressed)
    return (CASTS[kind](name, column, said), mask), kind


def inferred_kind(column_type: pa.DataType) -> Kind:
    """Return the kind an attribute has when nobody says it.

    >>> inferred_kind(pa.float64())
    <Kind.CONTINUOUS: 'continuous'>
    """
    types = pa.types
    if (
        types.is_integer(column_type)
        or types.is_floating(column_type)
        or types.is_decimal(column_type)
    ):
        return Kind.CONTINUOUS
    if types.is_date(column_type) or types.is_timestamp(column_type):
        return Kind.DATE
    return Kind.SET_VALUED if types.is_list(column_type) else Kind.NOMINAL


def attribute(name: str, column: pa.Array, said: Declaration, kind: Kind) -> Attribute:
    """Return the attribute that a declaration and its column make."""
    roles = said.role or frozenset({Role.NON_CONFIDENTIAL})
    hierarchy = said.hierarchy if isinstance(said.hierarchy, Hierarchy) else None
    ontology = said.ontology if isinstance(said.ontology, Ontology) else None
    order = _order(name, column, said) if kind is Kind.ORDINAL else None
    if said.order is not None and kind is not Kind.ORDINAL:
        raise InputError(
            f"Attribute `{name}` has an order, so its kind must be ordinal; found {kind}."
        )
    if ontology is not None and kind not in MEANT:
        raise InputError(
            f"Attribute `{name}` has an ontology, so its kind must be nominal or set_valued; "
            f"found {kind}."
        )
    said_of = said.role is not None, said.to_plan()
    return Attribute(name, roles, kind, order, hierarchy, *said_of, ontology=ontology)


def declaration_of(attribute: Attribute) -> Declaration:
    """Return what could be said of an attribute as it is now, to read it again."""
    return Declaration(
        role=attribute.roles if attribute.declared else None,
        kind=attribute.kind,
        order=None if attribute.order is None else in_plan(attribute.order),
        hierarchy=attribute.hierarchy,
        ontology=attribute.ontology,
    )


def in_plan(values: Iterable[Any]) -> tuple[Value, ...]:
    """Say values as a plan file can: dates, for one, as text."""
    return tuple(value if isinstance(value, Value) else str(value) for value in values)


def _order(name: str, column: pa.Array, said: Declaration) -> tuple[Any, ...]:
    distinct = pc.drop_null(pc.unique(column))
    if said.order is None:
        if not pa.types.is_integer(column.type):
            raise InputError(
                f"Attribute `{name}` is ordinal; give the order of its categories "
                f"(for instance {distinct[:4].to_pylist()})."
            )
        return tuple(sorted(distinct.to_pylist()))
    order = pa.array(_ordered(said.order, distinct), column.type)
    strange = distinct.filter(pc.is_null(pc.index_in(distinct, order)))
    if len(strange):
        raise InputError(
            f"Attribute `{name}` holds {strange[0].as_py()!r}, which its order does not list; "
            "add it to the order or declare it missing."
        )
    return tuple(order.to_pylist())


def _ordered(order: Sequence[Any], distinct: pa.Array) -> list[Any]:
    """Say an order in the type of the values; text may write 1.0 as 1."""
    said = _as_type(order, distinct.type)
    if not pa.types.is_string(distinct.type):
        return said
    written = set(distinct.to_pylist())
    whole = [value.removesuffix(".0") for value in said]
    return [
        short if value not in written and short in written else value
        for value, short in zip(said, whole, strict=True)
    ]


def _as_type(values: Sequence[Any], column_type: pa.DataType) -> list[Any]:
    """Say the values of a plan file in a column's type; no value can be one that cannot be said."""
    if pa.types.is_string(column_type):
        return [str(value) for value in values]
    said = []
    for value in values:
        whole = isinstance(value, float) and value.is_integer()
        with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
            said.append(pa.scalar(str(int(value) if whole else value)).cast(column_type).as_py())
    return said


def _holds(column: pa.Array, codes: Sequence[Any]) -> pa.Array | None:
    if not codes or pa.types.is_list(column.type):
        return None
    return pc.is_in(column, value_set=pa.array(_as_type(codes, column.type), column.type))


def _either(one: pa.Array | None, other: pa.Array | None) -> pa.Array | None:
    if one is None or other is None:
        return one if other is None else other
    return pc.or_(one, other)


def _blank_nan(column: pa.Array) -> pa.Array:
    if not pa.types.is_floating(column.type) or not pc.any(pc.is_nan(column)).as_py():
        return column
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)


def _refuse_infinite(name: str, column: pa.Array) -> pa.Array:
    if not pa.types.is_floating(column.type):
        return column
    if any(isinf(value or 0.0) for value in pc.min_max(column).as_py().values()):
        infinite = np.flatnonzero(pc.fill_null(pc.is_inf(column), False))
        raise InputError(
            f"Attribute `{name}` must hold finite numbers; {len(infinite)} infinite found, the "
            f"first in record {infinite[0] + 1}. Correct them or declare a missing code."
        )
    return column


def _to_numbers(name: str, column: pa.Array, _: Declaration) -> pa.Array:
    if inferred_kind(column.type) is Kind.CONTINUOUS:
        return column
    return _refuse_infinite(name, _blank_nan(_cast(name, column, pa.float64(), "a number")))


def _to_dates(name: str, column: pa.Array, _: Declaration) -> pa.Array:
    if inferred_kind(column.type) is Kind.DATE:
        return column
    return _cast(name, column, pa.date32(), "a date like 1964-09-27")


def _to_sets(name: str, column: pa.Array, said: Declaration) -> pa.Array:
    if pa.types.is_list(column.type):
        return column
    if not pa.types.is_string(column.type):
        raise InputError(
            f"Attribute `{name}` is set-valued: expected lists or text parted by "
            f"`{said.separator}`, found {column.type}."
        )
    return pc.split_pattern(column, said.separator)


def _to_categories(name: str, column: pa.Array, _: Declaration) -> pa.Array:
    if pa.types.is_list(column.type):
        raise InputError(f"Attribute `{name}` holds lists, so its kind must be set_valued.")
    return column


CASTS = {
    Kind.CONTINUOUS: _to_numbers,
    Kind.ORDINAL: _to_categories,
    Kind.NOMINAL: _to_categories,
    Kind.SET_VALUED: _to_sets,
    Kind.DATE: _to_dates,
}


def _cast(name: str, column: pa.Array, wanted: pa.DataType, what: str) -> pa.Array:
    try:
        return column.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        row, value = _first_failure(column, wanted)
        raise InputError(
            f"Attribute `{name}` should hold {what}; record {row + 1} holds {value!r}. "
            "Correct it, declare it missing or choose another kind."
        ) from error


def _first_failure(column: pa.Array, wanted: pa.DataType) -> tuple[int, Any]:
    """Find the first value that cannot be cast; only called when there is one."""
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            column.slice(low, middle - low).cast(wanted)
            low = middle
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            high = middle
    return low, column[low].as_py()
