"""What checks and measures give back: small typed objects that print well and become frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.errors import did_you_mean, load_extra

Number = Fraction | float
UNBOUNDED = {"lower": None, "upper": None}


@dataclass(frozen=True)
class Interval:
    """The bounds between which a number lies with a stated confidence.

    >>> Interval(0.1, 0.25)
    0.1 to 0.25 (95 %)
    """

    lower: float
    upper: float
    confidence: float = 0.95

    def __repr__(self) -> str:
        return f"{show(self.lower)} to {show(self.upper)} ({100 * self.confidence:g} %)"


@dataclass(frozen=True, eq=False, repr=False)
class Measurement:
    """One number about a release, with what it is made of.

    Args:
        name: the measure, as plan files say it.
        family: risk, utility or attack.
        value: the number; a `Fraction` where it is exact, None where it is not defined.
        sentence: what the number says, in words.
        parts: the number for each attribute, where it is made of such numbers.
        per_record: the number for each released record, where that has a meaning.
        parameters: the measure's parameters that differ from their defaults.
        figures: further numbers that the measure gives, by their names.
        interval: where the number lies, when it was estimated.
        details: what the number was found from, row by row: links, combinations, models.
    """

    name: str
    family: str
    value: Number | None
    sentence: str
    parts: Mapping[str, float | None] = field(default_factory=dict)
    per_record: np.ndarray[Any, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Number | None] = field(default_factory=dict)
    interval: Interval | None = None
    details: pa.Table | None = None

    def __repr__(self) -> str:
        within = "" if self.interval is None else f", {self.interval}"
        return f"{self.name}: {show(self.value)}{within} - {self.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement in plain types, without the numbers of single records."""
        return {
            "name": self.name,
            "family": self.family,
            "parameters": dict(self.parameters),
            "value": None if self.value is None else float(self.value),
            "exact": str(self.value) if isinstance(self.value, Fraction) else None,
            "sentence": self.sentence,
            "parts": dict(self.parts),
            "figures": {n: None if v is None else float(v) for n, v in self.figures.items()},
            "interval": None if self.interval is None else asdict(self.interval),
        }


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether something that was required holds, and how far from it the data are.

    Args:
        requirement: what was required, as a plan file says it.
        holds: whether it does.
        value: the level reached (the k of k-anonymity, the measured risk).
        worst: what breaks it most: a class of records, an attribute.
        sentence: the verdict in words.
    """

    requirement: Mapping[str, Any]
    holds: bool
    value: Number | None
    sentence: str
    worst: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict in plain types."""
        return {
            "requirement": dict(self.requirement),
            "holds": self.holds,
            "value": None if self.value is None else float(self.value),
            "sentence": self.sentence,
        }


class Measures(Sequence[Measurement]):
    """A table of measurements that prints well and becomes a frame.

    Args:
        rows: the measurements.
        skipped: what could not be measured, and why.
    """

    def __init__(
        self, rows: Iterable[Measurement], skipped: Iterable[tuple[str, str]] = ()
    ) -> None:
        self.rows = tuple(rows)
        self.skipped = tuple(skipped)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, str):
            return self.rows[place]
        for row in self.rows:
            if row.name == place:
                return row
        for name, why in self.skipped:
            if name == place:
                raise KeyError(f"{place} was not measured: {why}")
        names = [row.name for row in self.rows]
        raise KeyError(f"{place} was not measured.{did_you_mean(place, names)}")

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self.rows)

    def __repr__(self) -> str:
        names = [*(row.name for row in self.rows), *(name for name, _ in self.skipped)]
        width = max(map(len, names), default=0)
        lines = [(row.name, show(row.value), row.sentence) for row in self.rows]
        lines += [(name, "-", f"not measured: {why}") for name, why in self.skipped]
        return "\n".join(f"{name:<{width}}  {value:>10}  {told}" for name, value, told in lines)

    def to_arrow(self) -> pa.Table:
        """Return the table in Arrow: name, family, value, bounds of its interval, sentence."""
        rows = [{**(made := row.to_dict()), **(made["interval"] or UNBOUNDED)} for row in self.rows]
        kinds = {
            "name": pa.string(),
            "family": pa.string(),
            "value": pa.float64(),
            "lower": pa.float64(),
            "upper": pa.float64(),
            "sentence": pa.string(),
        }
        return pa.table(
            {name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()}
        )

    def to_polars(self) -> Any:
        """Return the table as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()


def show(value: Number | None) -> str:
    """Return a number as a person reads it.

    >>> show(Fraction(1, 20)), show(12345.678), show(None)
    ('0.05', '12,346', 'undefined')
    """
    if value is None:
        return "undefined"
    number = float(value)
    if number == int(number) and abs(number) < 1e15:  # noqa: PLR2004 - integers are exact there
        return f"{int(number):,}"
    return f"{number:,.0f}" if abs(number) >= 1e4 else f"{number:.4g}"  # noqa: PLR2004


def exactly(bound: float | str | int) -> Fraction:
    """Return a bound as the decimal number that was written, not as its nearest double.

    >>> exactly(0.05) == Fraction(1, 20)
    True
    """
    return Fraction(str(bound))


def brief(said: Mapping[str, Any]) -> str:
    """Return a method and its parameters as a person names them.

    >>> brief({"k_anonymity": {"k": 5}}), brief({"uniqueness": {}})
    ('k_anonymity (k 5)', 'uniqueness')
    """
    name, given = next(iter(said.items()))
    if not isinstance(given, Mapping):
        return f"{name} ({given})"
    told = ", ".join(f"{key} {value}" for key, value in given.items())
    return f"{name} ({told})" if told else str(name)


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names in a row, the last of very many left out.

    >>> listed(["age", "sex"]), listed(["a", "b", "c", "d", "e", "f"])
    ('age, sex', 'a, b, c, d and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def counted(number: int, what: str) -> str:
    """Return a number of things in words that agree.

    >>> counted(1, "attribute"), counted(1200, "pair")
    ('1 attribute', '1,200 pairs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def percent(number: Fraction) -> str:
    """Return a share as a person reads it; only none is 0 % and only all is 100 %.

    >>> percent(Fraction(1, 3)), percent(Fraction(1, 10**6)), percent(Fraction(1))
    ('33 %', '<1 %', '100 %')
    """
    shown = round(100 * number)
    if number and not shown:
        return "<1 %"
    return f"{min(shown, 99) if number < 1 else shown} %"
