"""The subtraction attack: what a total lacks is its only suppressed part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.attacks.tables.knowledge.views import (
    Finding,
    Tables,
    View,
    details_of,
    error_of,
    in_percent,
    share,
    tables_of,
    views_of,
)
from tacita.data.classes import Floats, Ints
from tacita.mechanisms.sensitivity.contributions import decimal
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

KINDS = {
    "status": pa.string(),
    "round": pa.int64(),
    "value": pa.float64(),
    "error_percent": pa.float64(),
    "total": pa.string(),
    "relation": pa.string(),
}
TERMS = 6  # of a long relation that are written out


class SubtractionAttack(Method):
    """The share of suppressed cells that follow by one subtraction after the other.

    A relation with one unknown cell gives that cell away: a part is its total less the other parts,
    a total the sum of its parts. What a round finds is known in the next, until nothing more
    follows. Cells that one of several linked tables suppresses and another shows are found in
    round 0. The values come out exactly; no solver is needed, only patience, so this is what the
    most modest intruder achieves. Attacked are all suppressed cells.

    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.ready import ready_table
    >>> region = Dimension.flat("region", ["BCN", "TGN"])
    >>> table = ready_table("salary", [region], {"region": ["Total", "BCN", "TGN"]},
    ...     {"value": [949_000, 852_000, 97_000], "status": [0, 1, 0]}, variable="salary")
    >>> found = SubtractionAttack().measure(table, table.published())
    >>> found
    subtraction_attack: 1 - 1 of 1 suppressed cell follows by subtraction, in 1 round
    >>> found.details["relation"].to_pylist()
    ['852,000 = 949,000 - 97,000']
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Hundepool et al., Statistical disclosure control, Wiley 2012, chapter 4"
    )
    missing: ClassVar[str] = "A cell without a published value is unknown to the intruder."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Subtract until nothing more follows."""
        views = views_of(original, published)
        hidden_by = "suppressed" if published.perturbed_by is None else "perturbed"
        system = published.as_known().system()
        steps = [*_shown_elsewhere(system), *_steps(system)]
        cells = _located(published, len(system))
        truth = _truth(views, published, len(system))
        findings = [Finding(*cells[one.cell], _told(one, system, truth)) for one in steps]
        suppressed = int(system.cells.suppressed.sum())
        rounds = max((one.round for one in steps), default=0)
        return Measurement(
            self.name,
            self.family,
            share(len(steps), suppressed),
            f"{len(steps):,} of {counted(suppressed, f'{hidden_by} cell')} "
            f"{'follows' if len(steps) == 1 else 'follow'} by subtraction, in "
            f"{counted(rounds, 'round')}",
            parameters=self.parameters(),
            figures={
                "cells_suppressed": suppressed,
                "cells_recovered": len(steps),
                "sensitive_recovered": sum(one.told["status"] == SENSITIVE for one in findings),
                "rounds": rounds,
            },
            details=details_of(published, findings, KINDS),
        )


SENSITIVE = Status.SENSITIVE.word


class _Step(NamedTuple):
    """A cell that became known, in which round, and from what."""

    cell: int
    round: int
    value: Fraction
    whole: int | None
    relation: str


def _shown_elsewhere(system: System) -> Iterator[_Step]:
    """Find the cells that one table suppresses and another shows."""
    shown = system.cells.suppressed & ~system.unknown
    for cell in np.flatnonzero(shown).tolist():
        value = decimal(system.cells.value[cell])
        yield _Step(cell, 0, value, None, "published in another table")


def _steps(system: System) -> Iterator[_Step]:
    """Work out one round after the other; every round uses what was known before it."""
    unknown = system.unknown.copy()
    found: dict[int, Fraction] = {}
    pattern = abs(system.relations).sign()
    lengths = np.diff(pattern.indptr)
    number = 0
    while True:
        number += 1
        single = np.flatnonzero(pattern @ unknown.astype(np.int64) == 1)
        shortest_first = single[np.argsort(lengths[single], kind="stable")]
        chosen = _one_relation_each(pattern, unknown, shortest_first)
        made = [_solved(system, cell, row, number, found) for cell, row in chosen.items()]
        if not made:
            return
        yield from made
        found.update({step.cell: step.value for step in made})
        unknown[list(chosen)] = False


def _one_relation_each(pattern: Any, unknown: Any, rows: Ints) -> dict[int, int]:
    """Return the cells that relations with one unknown give away, and the first that does."""
    chosen: dict[int, int] = {}
    for row in rows.tolist():
        cells = pattern.indices[pattern.indptr[row] : pattern.indptr[row + 1]]
        chosen.setdefault(int(cells[unknown[cells]][0]), row)
    return dict(sorted(chosen.items()))


def _solved(
    system: System, cell: int, row: int, number: int, found: Mapping[int, Fraction]
) -> _Step:
    """Solve a relation, which says that parts (1) and their total (-1) balance, for one cell."""
    start, stop = system.relations.indptr[row : row + 2]
    cells = system.relations.indices[start:stop].tolist()
    signs = dict(zip(cells, system.relations.data[start:stop].tolist(), strict=True))
    whole = min(signs, key=lambda other: (signs[other], other))
    side = -signs[cell]
    terms = [
        (side * signs[other], _known(system, other, found))
        for other in sorted(signs, key=lambda other: (other != whole, other))
        if other != cell
    ]
    value = sum((sign * known for sign, known in terms), Fraction(0))
    return _Step(cell, number, value, whole, _written(value, terms))


def _known(system: System, cell: int, found: Mapping[int, Fraction]) -> Fraction:
    return found[cell] if cell in found else decimal(system.cells.value[cell])


def _written(value: Fraction, terms: Sequence[tuple[int, Fraction]]) -> str:
    """Write a relation down, the end of a very long one added up.

    >>> _written(Fraction(2), [(1, Fraction(9)), (-1, Fraction(7))])
    '2 = 9 - 7'
    """
    written = [_term(sign, known) for sign, known in terms[:TERMS]]
    rest = terms[TERMS:]
    if rest:
        sign = rest[0][0]
        added = sum((known for _, known in rest), Fraction(0))
        written.append(f"{_term(sign, added)} ({counted(len(rest), 'more cell')})")
    right = " ".join(written).removeprefix("+ ")
    return f"{_plain(value)} = {right or '0'}"


def _term(sign: int, known: Fraction) -> str:
    shown = f"({_plain(known)})" if known < 0 else _plain(known)
    return f"{'-' if sign < 0 else '+'} {shown}"


def _plain(number: Fraction) -> str:
    """Write a number with all its digits.

    >>> _plain(Fraction(852_000)), _plain(Fraction(25, 2))
    ('852,000', '12.5')
    """
    return f"{int(number):,}" if number.denominator == 1 else f"{float(number):,}"


# -- where joint cells are -------------------------------------------------------------------------


def _places(published: Tables) -> Sequence[Ints]:
    """Return for each table the places of its cells in the joint system."""
    return (np.arange(len(published)),) if isinstance(published, Table) else published.places


def _located(published: Tables, size: int) -> list[tuple[Table, int]]:
    """Return for every joint cell the first table that has it, and its row there."""
    located: dict[int, tuple[Table, int]] = {}
    for table, places in zip(tables_of(published), _places(published), strict=True):
        for row, place in enumerate(places.tolist()):
            located.setdefault(place, (table, row))
    return [located[place] for place in range(size)]


def _truth(views: Sequence[View], published: Tables, size: int) -> Floats:
    truth = np.full(size, np.nan)
    for view, places in zip(views, _places(published), strict=True):
        truth[places] = view.true_value
    return truth


def _told(step: _Step, system: System, truth: Floats) -> dict[str, Any]:
    value = float(step.value)
    return {
        "status": Status(int(system.cells.status[step.cell])).word,
        "round": step.round,
        "value": value,
        "error_percent": in_percent(error_of(value, truth[step.cell])),
        "total": None if step.whole is None else system.name_of(step.whole),
        "relation": step.relation,
    }
