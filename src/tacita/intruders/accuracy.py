"""Accuracy: how exactly an intruder's source holds an attribute."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import Field, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass as checked_dataclass

from tacita.data.attribute import Attribute, Kind
from tacita.errors import ParameterError, shown
from tacita.method import CONFIG, sentence
from tacita.results import show

Unit = Literal["year", "quarter", "month", "week"]
Share = Annotated[float, Field(ge=0, le=1, strict=True)]
Positive = Annotated[float, Field(gt=0, strict=True)]
T = TypeVar("T", bound=type)

COARSE = ("rounded", "classes", "level", "prefix", "unit")
ERRORS = ("relative_error", "absolute_error")
ON_NUMBERS = frozenset({"rounded", "classes", *ERRORS})


def explained(cls: T) -> T:
    """Let a class refuse its parameters in one sentence, as methods do."""
    init: Callable[..., None] = cls.__init__  # type: ignore[misc]

    @functools.wraps(init)
    def telling(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            init(self, *args, **kwargs)
        except ValidationError as error:
            raise ParameterError(sentence(cls, error)) from error

    cls.__init__ = telling  # type: ignore[misc]
    return cls


@explained
@checked_dataclass(frozen=True, config=CONFIG)
class Accuracy:
    """How exactly an intruder's source holds an attribute; without anything said, exactly.

    Values may be held coarsely, in one of the ways that `rounded` to `unit` say; numbers may be
    held with a normal error; any value may be wrong (somebody else's) or missing.

    >>> print(Accuracy(rounded=5, missing=0.1))
    rounded to 5, missing for 10 %

    Args:
        rounded: numbers are held as the nearest multiple of this one.
        classes: numbers are held in classes, which begin at these ones.
        level: values are held at this level of the attribute's hierarchy.
        prefix: only so many first letters or digits of a code are held.
        unit: dates are held by the year, quarter, month or week.
        relative_error: the standard deviation of a normal error, as a share of the number.
        absolute_error: the standard deviation of a normal error, in the units of the number.
        wrong: the probability that the value held is that of somebody else.
        missing: the share of respondents whose value is not held.
    """

    name: ClassVar = "accuracy"

    rounded: Positive | None = None
    classes: Annotated[tuple[float, ...], Field(min_length=1)] | None = None
    level: Annotated[int, Field(ge=1, strict=True)] | None = None
    prefix: Annotated[int, Field(ge=0, strict=True)] | None = None
    unit: Unit | None = None
    relative_error: Positive | None = None
    absolute_error: Positive | None = None
    wrong: Share = 0.0
    missing: Share = 0.0

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        for words in (COARSE, ERRORS):
            given = [word for word in words if getattr(self, word) is not None]
            if len(given) > 1:
                raise ValueError(
                    f"An accuracy has one of {', '.join(words)}; found {' and '.join(given)}."
                )
        cuts = self.classes or ()
        if any(low >= high for low, high in pairwise(cuts)):
            raise ValueError(f"`classes` begin at ascending numbers; found {list(cuts)}.")
        return self

    @classmethod
    def of(cls, said: Accuracy | Mapping[str, Any] | str) -> Accuracy:
        """Make an accuracy from what a plan file says: `exact`, or `{rounded: 5}`."""
        if isinstance(said, Accuracy):
            return said
        if said == "exact":
            return cls()
        if not isinstance(said, Mapping):
            raise ParameterError(
                f"An accuracy is `exact` or like `{{rounded: 5}}`; found {shown(said)}."
            )
        return cls(**{str(word): given for word, given in said.items()})

    def to_plan(self) -> dict[str, Any]:
        """Return the accuracy as a plan file says it; nothing where all is exact."""
        dumped: dict[str, Any] = TypeAdapter(Accuracy).dump_python(
            self, mode="json", exclude_defaults=True
        )
        return dumped

    @property
    def said(self) -> list[str]:
        """The parameters that make values less than exact."""
        return list(self.to_plan())

    @property
    def coarse(self) -> bool:
        """Whether different values are held as one."""
        return any(getattr(self, word) is not None for word in COARSE)

    @property
    def error(self) -> float | None:
        """The standard deviation of the normal error, absolute or relative; None without one."""
        return self.relative_error if self.absolute_error is None else self.absolute_error

    def misfit(self, attribute: Attribute) -> str:
        """Say why values of an attribute cannot be held so; nothing when they can."""
        numbers = [word for word in self.said if word in ON_NUMBERS]
        if numbers and attribute.kind is not Kind.CONTINUOUS:
            return f"`{numbers[0]}` is for numbers, and it is {attribute.kind.value}"
        if self.unit is not None and attribute.kind is not Kind.DATE:
            return f"`unit` is for dates, and it is {attribute.kind.value}"
        if self.prefix is not None and attribute.kind in (Kind.DATE, Kind.SET_VALUED):
            return f"`prefix` is for codes, and it is {attribute.kind.value}"
        height = 0 if attribute.hierarchy is None else attribute.hierarchy.height
        if self.level is not None and self.level > height:
            return f"its hierarchy has {height} levels" if height else "it has no hierarchy"
        return ""

    def __str__(self) -> str:
        return ", ".join(WORDS[word](getattr(self, word)) for word in self.said) or "exact"


WORDS: Mapping[str, Callable[[Any], str]] = {
    "rounded": lambda base: f"rounded to {show(base)}",
    "classes": lambda cuts: f"in classes from {', '.join(show(cut) for cut in cuts)}",
    "level": lambda level: f"at level {level} of its hierarchy",
    "prefix": lambda letters: f"its first {letters} letters",
    "unit": lambda unit: f"by the {unit}",
    "relative_error": lambda share: f"with an error of {share:.3g} of its size",
    "absolute_error": lambda size: f"with an error of {show(size)}",
    "wrong": lambda share: f"wrong for {100 * share:.3g} %",
    "missing": lambda share: f"missing for {100 * share:.3g} %",
}
