"""The methods that `<SUPPRESS>` names, and their numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tacita.errors import did_you_mean
from tacita.release.tauargus.arguments import (
    LineError,
    called,
    minutes_said,
    table_number,
    told,
)
from tacita.release.tauargus.commands import (
    LINKED,
    Adjustment,
    Command,
    Hypercube,
    Modular,
    Network,
    Optimal,
    Rounding,
    Suppress,
)


def suppress(line: int, rest: str) -> Command:
    """Understand what `<SUPPRESS>` asks for."""
    name, numbers, more = called(rest)
    if name == "CKM":
        raise LineError(
            "CKM is not run in jobs; perturb the table with `cell_key_counts` or "
            "`cell_key_magnitudes` instead."
        )
    if name not in WAYS:
        raise LineError(f"the method {name} is unknown.{did_you_mean(name, WAYS)}")
    if more:
        raise LineError(f"expected nothing after {name}(...); found `{more}`.")
    make, most = WAYS[name]
    if not 1 <= len(numbers) <= most:
        raise LineError(f"{name} takes 1 to {most} numbers; found {told(numbers)}.")
    return make(line, table_number(numbers[0], least=LINKED), numbers[1:])


def _hypercube(line: int, table: int, rest: Sequence[float]) -> Suppress:
    bounds, size, singletons = (*rest, *(100.0, 0.0, 1.0)[len(rest) :])
    return Hypercube(
        line=line, table=table, bounds=bounds, size=int(size), singletons=singletons == 1
    )


def _modular(line: int, table: int, rest: Sequence[float]) -> Suppress:
    minutes, single, multiple, few = (*rest[:4], *(1.0, 1.0, 1.0, 1.0)[len(rest) :])
    return Modular(
        line=line,
        table=table,
        minutes=minutes_said(minutes),
        single_single=single == 1,
        single_multiple=multiple == 1,
        minimum_frequency=few == 1,
        scale=rest[4] if len(rest) > 4 else None,  # noqa: PLR2004 - the fifth
    )


def _optimal(line: int, table: int, rest: Sequence[float]) -> Suppress:
    return Optimal(line=line, table=table, minutes=minutes_said(rest[0]) if rest else 10.0)


def _network(line: int, table: int, _: Sequence[float]) -> Suppress:
    return Network(line=line, table=table)


def _rounding(line: int, table: int, rest: Sequence[float]) -> Suppress:
    if not rest or rest[0] <= 0:
        raise LineError("RND needs a base above 0 after the number of the table, like RND(1,5).")
    base, steps, minutes, partitions, stop, unit = (
        *rest,
        *(0.0, 0.0, 10.0, 0.0, 2.0, 0.0)[len(rest) :],
    )
    return Rounding(
        line=line,
        table=table,
        base=base,
        steps=int(steps),
        minutes=minutes_said(minutes),
        partitions=partitions == 1,
        stop=int(stop),
        unit_cost=unit == 1,
    )


def _adjustment(line: int, table: int, _: Sequence[float]) -> Suppress:
    return Adjustment(line=line, table=table)


WAYS: Mapping[str, tuple[Callable[[int, int, Sequence[float]], Suppress], int]] = {
    "GH": (_hypercube, 4),
    "MOD": (_modular, 6),
    "OPT": (_optimal, 2),
    "NET": (_network, 1),
    "RND": (_rounding, 7),
    "CTA": (_adjustment, 1),
}
