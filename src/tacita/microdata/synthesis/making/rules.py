"""Logical rules that records keep: `age < 16 -> marital != "married"`, bounds, structural zeros.

    rule       = condition [ "->" condition ]
    condition  = part { "or" part }
    part       = fact { "and" fact }
    fact       = "not" fact | "(" condition ")" | attribute "is" [ "not" ] "blank"
               | attribute "in" "[" value { "," value } "]" | side sign side { sign side }
    sign       = "<" | "<=" | ">" | ">=" | "=" | "!="
    side       = attribute | value

A value is a number or stands in quotes, as does the name of an attribute that is no word (in
backticks). A rule without an arrow holds for every record: `0 <= age <= 120` bounds, and
`not (sex = "male" and pregnant = "yes")` is a structural zero. What compares with a blank is
neither true nor false, and a rule is broken only where it is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import AfterValidator, BeforeValidator, Field

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError, did_you_mean
from tacita.method import Method
from tacita.microdata.synthesis.making.conditions import (
    Columns,
    Condition,
    Truth,
    all_of,
    any_of,
    blank_in,
    denied,
    implied,
)

TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"]*"|'[^']*')|(?P<quoted>`[^`]+`)|(?P<number>-?\d+\.?\d*(?:[eE][+-]?\d+)?)
    |(?P<word>[^\W\d]\w*)|(?P<sign>->|<=|>=|!=|<|>|=|\(|\)|\[|\]|,))""",
    re.VERBOSE,
)
SIGNS = {
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "=": pc.equal,
    "!=": pc.not_equal,
}
ORDERED = (Kind.CONTINUOUS, Kind.DATE, Kind.ORDINAL)
KEYWORDS = ("and", "or", "not", "in", "is", "blank")


class Token(NamedTuple):
    """A word of a rule: what sort of word, and what it says."""

    sort: str
    said: str


COMPARING = [[Token("sign", sign)] for sign in SIGNS]


class Name(str):
    """The name of an attribute in a rule, as opposed to a text."""

    __slots__ = ()


class Rule(NamedTuple):
    """A rule as it was written, the attributes it names, and what it says of columns of them."""

    text: str
    names: tuple[str, ...]
    says: Condition


@dataclass(frozen=True)
class Rules:
    """Rules about the attributes of a data set, ready to be checked.

    >>> import tacita as ta
    >>> people = ta.read(pa.table({"age": [12, 30], "marital": ["married", "single"]}))
    >>> Rules.about(people, ['age < 16 -> marital != "married"']).broken(people.table).tolist()
    [True, False]
    """

    rules: tuple[Rule, ...]

    @classmethod
    def about(cls, data: Dataset, texts: Sequence[str]) -> Rules:
        """Read rules about a data set.

        Raises:
            ParameterError: one cannot be read, compares what cannot be compared, or names a
                category that no record has.
            InputError: one names an attribute that the data do not have.
        """
        return cls(tuple(_Reader(text, data).rule() for text in texts))

    def broken(self, columns: Columns | pa.Table) -> Mask:
        """Tell for every record whether it breaks a rule.

        Rules about attributes that are not among the columns are left out.
        """
        held = {name: _one(columns[name]) for name in _names(columns)}
        found = np.zeros(len(next(iter(held.values()), ())), np.bool_)
        for rule in self.rules:
            if all(name in held for name in rule.names):
                found |= rule.says(held).no
        return found

    def __len__(self) -> int:
        return len(self.rules)

    def refuse_others(self, names: Sequence[str]) -> None:
        """Refuse rules about attributes that are not among some: nothing would keep them.

        Raises:
            ParameterError: there is one.
        """
        for rule in self.rules:
            for name in rule.names:
                if name not in names:
                    raise ParameterError(
                        f"The rule `{rule.text}` is about `{name}`, which is not synthesized."
                    )


def _names(columns: Columns | pa.Table) -> list[str]:
    return columns.column_names if isinstance(columns, pa.Table) else list(columns)


def _one(column: Any) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _readable(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        try:
            _Reader(text, None).rule()
        except ParameterError as error:
            raise ValueError(str(error)) from error
    return texts


RuleTexts = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    BeforeValidator(lambda said: [said] if isinstance(said, str) else said),
    AfterValidator(_readable),
    Field(
        description="The rules that every record keeps, as `age < 16 -> marital != 'married'`; "
        "records that break one are drawn again."
    ),
]


def refuse_rules(method: Method, rules: Sequence[str]) -> None:
    """Refuse rules where a method keeps statistics exactly, which drawing again would change.

    Raises:
        ParameterError: there are some; the message names the method that keeps them.
    """
    if rules:
        raise ParameterError(
            f"`{method.name}` keeps statistics exactly and cannot keep rules as well; use "
            f"{method.instead}, or leave `rules` out."
        )


class _Reader:
    """Reads one rule, from left to right; without data it only checks how it is written."""

    def __init__(self, text: str, data: Dataset | None) -> None:
        self.text, self.data, self.place = text, data, 0
        self.tokens = self._tokens()
        self.names: dict[str, None] = {}

    def rule(self) -> Rule:
        """Read the whole text."""
        says = self._condition()
        if self._took("->"):
            says = implied(says, self._condition())
        if self.place < len(self.tokens):
            raise self._wrong(f"`{self.tokens[self.place].said}` is not expected there")
        return Rule(self.text, tuple(self.names), says)

    def _tokens(self) -> list[Token]:
        found, place = [], 0
        while self.text[place:].strip():
            match = TOKEN.match(self.text, place)
            if match is None:
                raise self._wrong(f"`{self.text[place:].split()[0]}` cannot be read")
            sort = str(match.lastgroup)
            said = match.group(sort)
            found.append(Token(sort, said[1:-1] if sort in ("text", "quoted") else said))
            place = match.end()
        return found

    def _condition(self) -> Condition:
        parts = [self._part()]
        while self._took("or"):
            parts.append(self._part())
        return any_of(parts) if len(parts) > 1 else parts[0]

    def _part(self) -> Condition:
        facts = [self._fact()]
        while self._took("and"):
            facts.append(self._fact())
        return all_of(facts) if len(facts) > 1 else facts[0]

    def _fact(self) -> Condition:
        if self._took("not"):
            return denied(self._fact())
        if self._took("("):
            inner = self._condition()
            self._need(")")
            return inner
        side = self._side()
        if isinstance(side, Name) and self._took("is"):
            return self._blank(side)
        if isinstance(side, Name) and self._took("in"):
            return self._among(side)
        return self._compared(side)

    def _blank(self, name: Name) -> Condition:
        is_denied = self._took("not")
        self._need("blank")
        return denied(blank_in(name)) if is_denied else blank_in(name)

    def _among(self, name: Name) -> Condition:
        self._need("[")
        listed = [self._comparison(name, "=", self._side())]
        while self._took(","):
            listed.append(self._comparison(name, "=", self._side()))
        self._need("]")
        return any_of(listed)

    def _compared(self, side: Any) -> Condition:
        facts = []
        while self.tokens[self.place : self.place + 1] in COMPARING:
            sign = self._next().said
            other = self._side()
            facts.append(self._comparison(side, sign, other))
            side = other
        if not facts:
            raise self._wrong(f"`{side}` is compared with nothing")
        return all_of(facts)

    def _side(self) -> Any:
        token = self._next()
        if token.sort == "number":
            return float(token.said)
        if token.sort == "text":
            return token.said
        if token.sort == "quoted" or (token.sort == "word" and token.said not in KEYWORDS):
            self.names[token.said] = None
            if self.data is not None:
                self.data.attribute(token.said)
            return Name(token.said)
        raise self._wrong(f"`{token.said}` stands where an attribute or a value should be")

    def _comparison(self, one: Any, sign: str, other: Any) -> Condition:
        if not isinstance(one, Name) and not isinstance(other, Name):
            raise self._wrong(f"{one!r} {sign} {other!r} compares no attribute")
        if self.data is None:
            return _unread
        sides = [self.data.attribute(side) for side in (one, other) if isinstance(side, Name)]
        self._refuse_unlike(sides, sign)
        left, right = (self._reading(self.data, side, sides[0]) for side in (one, other))
        return lambda columns: Truth.of(SIGNS[sign](left(columns), right(columns)))

    def _refuse_unlike(self, sides: Sequence[Attribute], sign: str) -> None:
        for one in sides:
            is_ordered = one.kind in ORDERED
            if one.kind is Kind.SET_VALUED or (sign not in ("=", "!=") and not is_ordered):
                raise self._wrong(f"`{one.name}` is {one.kind.value} and has no `{sign}`")
        if len({(one.kind, one.order) for one in sides}) > 1:
            both = " and ".join(f"`{one.name}`" for one in sides)
            raise self._wrong(f"{both} are of other kinds or orders and cannot be compared")

    def _reading(self, data: Dataset, side: Any, like: Attribute) -> Callable[[Columns], Any]:
        """Return how one side of a comparison is read; a value is one of an attribute."""
        if isinstance(side, Name):
            attribute = data.attribute(side)
            return lambda columns: _ranked(attribute, columns[side])
        value = _value(data, like, side)
        if value is None:
            known = map(str, data.column(like.name).unique().to_pylist())
            hint = did_you_mean(_spelled(side), known)
            raise self._wrong(f"`{_spelled(side)}` is no value of `{like.name}`", hint)
        return lambda _: value

    def _next(self) -> Token:
        if self.place >= len(self.tokens):
            raise self._wrong("it ends too early")
        self.place += 1
        return self.tokens[self.place - 1]

    def _took(self, said: str) -> bool:
        there = self.place < len(self.tokens)
        token = self.tokens[self.place] if there else Token("", "")
        took = token.said == said and token.sort in ("word", "sign")
        self.place += took
        return took

    def _need(self, said: str) -> None:
        if not self._took(said):
            raise self._wrong(f"`{said}` is missing")

    def _wrong(self, why: str, hint: str = "") -> ParameterError:
        return ParameterError(f"The rule `{self.text}` cannot be kept: {why}.{hint}")


def _ranked(attribute: Attribute, column: pa.Array) -> pa.Array:
    """Return what is compared: places in their order of ordinal values, else the values."""
    if attribute.kind is Kind.CONTINUOUS:
        return column.cast(pa.float64(), safe=False)
    if attribute.order is None:
        return column
    return pc.index_in(column, value_set=pa.array(attribute.order, column.type), skip_nulls=True)


def _value(data: Dataset, attribute: Attribute, said: Any) -> pa.Scalar | None:
    """Return a value as it is compared; None if the attribute cannot have it."""
    column = data.column(attribute.name)
    try:
        if attribute.kind is Kind.CONTINUOUS:
            return pa.scalar(float(said))
        value = pa.scalar(_spelled(said)).cast(column.type)
    except (ValueError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if attribute.kind is Kind.DATE:
        return value
    if attribute.order is not None:
        place = _ranked(attribute, pa.array([value.as_py()], column.type))[0]
        return place if place.is_valid else None
    held = pc.index_in(value, value_set=column.unique())
    return value if held.is_valid else None


def _spelled(said: Any) -> str:
    return f"{said:g}" if isinstance(said, float) else str(said)


def _unread(columns: Columns) -> Truth:
    """Stand for a comparison of a rule that is only checked for how it is written."""
    raise InputError(f"The rule was read without data and says nothing of {list(columns)}.")
