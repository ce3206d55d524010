"""The expectation over targets: what is missing of some, and who is not held at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from tacita.intruders.intruder import Intruder
from tacita.results import Interval, Measurement, Number, exactly, show

PATTERNS = 16  # of what is missing that are measured one by one

Names = tuple[str, ...]


def patterns_of(intruder: Intruder, names: Names) -> list[tuple[Fraction, Names]]:
    """Return what is known of targets, with probabilities; first that nothing is missing.

    More than four attributes with gaps would make more than 16 patterns; 16 are drawn then.
    """
    missing = {name: exactly(intruder.exactness(name).missing) for name in names}
    gaps = [name for name, share in missing.items() if share]
    if 2 ** len(gaps) > PATTERNS:
        return _drawn_patterns(intruder, names, gaps)
    found = []
    for flags in product((False, True), repeat=len(gaps)):
        lost = {name for name, flag in zip(gaps, flags, strict=True) if flag}
        weight = prod(
            (missing[n] if n in lost else 1 - missing[n] for n in gaps), start=Fraction(1)
        )
        found.append((weight, tuple(name for name in names if name not in lost)))
    return [found[0], *(one for one in found[1:] if one[0])]


def _drawn_patterns(
    intruder: Intruder, names: Names, gaps: Sequence[str]
) -> list[tuple[Fraction, Names]]:
    rng = np.random.default_rng(intruder.seed)
    shares = np.array([intruder.exactness(name).missing for name in gaps])
    drawn: Counter[Names] = Counter({names: 0})
    for flags in rng.random((PATTERNS, len(gaps))) < shares:
        lost = {name for name, flag in zip(gaps, flags, strict=True) if flag}
        drawn[tuple(name for name in names if name not in lost)] += 1
    return [(Fraction(often, PATTERNS), known) for known, often in drawn.items()]


def weakened(found: Measurement, factor: Fraction) -> Measurement:
    """Return a measurement of what happens only with a probability."""
    if factor == 1:
        return found
    within = found.interval
    return replace(
        found,
        value=_times(found.value, factor),
        sentence=f"{found.sentence}; this times {show(factor)}, the chance that the intruder "
        "holds a target rightly",
        per_record=_scaled(found.per_record, float(factor)),
        figures={**found.figures, "given_known": found.value, "chance": factor},
        interval=None if within is None else _added([(factor, within)]),
    )


def _times(value: Number | None, factor: Fraction) -> Number | None:
    if value is None:
        return None
    return value * factor if isinstance(value, Fraction | int) else value * float(factor)


def _scaled(per_record: Any, factor: float) -> Any:
    """Return probabilities times a factor; counts of a record are none and stay."""
    if per_record is None or per_record.dtype.kind not in "bf":
        return per_record
    return per_record * factor


def _added(parts: Sequence[tuple[Fraction, Interval]]) -> Interval:
    lower = float(sum(weight * Fraction(one.lower) for weight, one in parts))
    upper = float(sum(weight * Fraction(one.upper) for weight, one in parts))
    return Interval(lower, upper, parts[0][1].confidence)


def mixed(found: Sequence[tuple[Fraction, Measurement | None]]) -> Measurement:
    """Return the expectation over what is missing; who knows nothing usable achieves nothing."""
    there = [(weight, one) for weight, one in found if one is not None]
    whole = there[0][1]
    if len(found) == 1:
        return whole
    within = [(weight, one.interval) for weight, one in there if one.interval is not None]
    return replace(
        whole,
        value=_sum([_times(one.value, weight) for weight, one in there]),
        sentence=f"{whole.sentence}; the value counts that some of it is missing to the intruder",
        per_record=_sum_of_records([_scaled(one.per_record, float(w)) for w, one in there]),
        figures={**whole.figures, "nothing_missing": whole.value},
        interval=_added(within) if len(within) == len(there) else None,
    )


def _sum(values: Sequence[Number | None]) -> Number | None:
    """Return the sum; where something is not defined, it is not defined either."""
    known = [value for value in values if value is not None]
    total: Number = sum(known, Fraction(0))
    return total if len(known) == len(values) else None


def _sum_of_records(parts: Sequence[Any]) -> Any:
    fits = all(part is not None and part.dtype.kind == "f" for part in parts)
    return np.sum(parts, axis=0) if fits else None
