"""Requirements: what must hold before anything is released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isinf
from typing import TYPE_CHECKING, Any

from tacita.errors import NotApplicableError, ParameterError, did_you_mean
from tacita.method import Method
from tacita.registry import from_plan
from tacita.release.measuring import measuring, refusing
from tacita.results import Measurement, Verdict, exactly, show

if TYPE_CHECKING:
    from tacita.intruders.intruder import Intruder

BOUNDS = ("at_most", "at_least")
FAMILIES = ("model", "risk", "utility", "attack")
PERCENT = 100


@dataclass(frozen=True)
class Requirement:
    """A privacy model that must hold, or a measure that must stay within bounds.

    Bounds are compared exactly: as the decimal numbers that were written, against fractions where
    the measure is a count over a count.

    Args:
        method: the model or measure.
        at_most: the largest value allowed (measures only).
        at_least: the smallest value allowed (measures only).
    """

    method: Method
    at_most: Fraction | None = None
    at_least: Fraction | None = None

    @classmethod
    def of(cls, said: Method | Mapping[str, Any] | str) -> Requirement:
        """Make a requirement from a model, or from what a plan file says."""
        return cls(said).complete() if isinstance(said, Method) else cls.from_plan(said)

    @classmethod
    def from_plan(
        cls, said: Mapping[str, Any] | str, families: tuple[str, ...] = FAMILIES
    ) -> Requirement:
        """Read `{k_anonymity: 5}` or `{uniqueness: {at_most: 0.05}}`.

        Args:
            said: the requirement.
            families: the families of methods that may be required here.
        """
        if isinstance(said, Mapping) and len(said) == 1:
            ((name, given),) = said.items()
            if isinstance(given, Mapping):
                bounds = {b: _bound(name, b, given[b]) for b in BOUNDS if b in given}
                others = {key: value for key, value in given.items() if key not in bounds}
                _refuse_unknown_bound(name, others)
                return cls(from_plan({name: others}, families), **bounds).complete()
        return cls(from_plan(said, families)).complete()

    def complete(self) -> Requirement:
        """Return the requirement, or raise when a bound is missing, too many or makes no sense."""
        bounded = self.at_most is not None or self.at_least is not None
        if self.method.family == "model" and bounded:
            raise ParameterError(
                f"`{self.method.name}` is a model; it holds or not and takes no bound."
            )
        if self.method.family != "model" and not bounded:
            raise ParameterError(
                f"`{self.method.name}` is a measure; say `at_most` or `at_least` to require it."
            )
        self._refuse_senseless()
        return self

    def _refuse_senseless(self) -> None:
        """Refuse bounds that no data or all data keep, whatever the measure says of them."""
        for word, bound in (("at_most", self.at_most), ("at_least", self.at_least)):
            if bound is not None:
                _refuse_outside(self.method, word, bound)
        if self.at_most is not None and self.at_least is not None and self.at_least > self.at_most:
            raise ParameterError(
                f"`{self.method.name}` cannot be at least {_written(self.at_least)} and at most "
                f"{_written(self.at_most)}; swap the two, or leave one out."
            )

    def to_plan(self) -> dict[str, Any]:
        """Return the requirement as a plan file says it."""
        bounds = {"at_most": self.at_most, "at_least": self.at_least}
        said = {name: _written(bound) for name, bound in bounds.items() if bound is not None}
        return {self.method.name: {**self.method.parameters(), **said}}

    def check(self, original: Any, protected: Any, intruder: Intruder | None = None) -> Verdict:
        """Tell whether the requirement holds for protected data.

        A model is a promise about the data, whoever attacks them; a measure is taken for the
        intruder, if one is given. A measure that means nothing after what was done to the data
        proves nothing, whatever its number would be.
        """
        try:
            if self.method.family != "model":
                return self._within(measuring(original, protected, intruder)(self.method))
            refusing(original, protected, intruder)(self.method)
        except NotApplicableError as reason:
            return Verdict(self.to_plan(), False, None, f"not proven: {reason}")
        return self.method.check(protected)  # type: ignore[attr-defined,no-any-return]

    def _within(self, found: Measurement) -> Verdict:
        value = None if found.value is None else Fraction(found.value)
        holds = value is not None
        told = f"{found.name} is {show(found.value)}"
        for bound, word, fails in (
            (self.at_most, "at most", value is not None and value > (self.at_most or 0)),
            (self.at_least, "at least", value is not None and value < (self.at_least or 0)),
        ):
            if bound is not None:
                holds &= not fails
                told += f", required {word} {show(bound)}"
        return Verdict(self.to_plan(), holds, found.value, f"{told} ({found.sentence})")


def _refuse_unknown_bound(name: str, given: Mapping[str, Any]) -> None:
    """Catch a misspelt bound, which would otherwise be taken for a parameter of the measure."""
    for word in given:
        near = did_you_mean(str(word), BOUNDS)
        if near and str(word).startswith("at"):
            raise ParameterError(f"`{name}` has no bound `{word}`.{near}")


def _refuse_outside(method: Method, word: str, bound: Fraction) -> None:
    """Refuse a bound where the number of a measure cannot lie; often it is a percentage."""
    least, most = method.lies_between
    if least <= bound <= most:
        return
    where = f"{least:g} or more" if isinf(most) else f"between {least:g} and {most:g}"
    found, is_percentage = _written(bound), most == 1 < bound <= PERCENT
    wish = f" For {found} % say {_written(bound / PERCENT)}." if is_percentage else ""
    raise ParameterError(
        f"`{word}` of `{method.name}` should be {where}, as the measure is; found {found}.{wish}"
    )


def _written(bound: Fraction) -> int | float:
    return int(bound) if bound.denominator == 1 else float(bound)


def _bound(name: str, word: str, value: Any) -> Fraction:
    try:
        bound = exactly(value)
        float(bound)  # what is beyond doubles is compared with nothing
    except (ValueError, TypeError, ZeroDivisionError, OverflowError) as error:
        raise ParameterError(f"`{word}` of `{name}` must be a number; found {value!r}.") from error
    return bound
