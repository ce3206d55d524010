"""Which attributes together single records out: distinction and separation of combinations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Ints
from tacita.inspection.columns import Column, distinction, separation

SAMPLED = 10_000  # records on which combinations are tried
TRIED = 6_000  # combinations that are tried at most
REPORTED = 20  # combinations that are reported at most
Part = tuple[Column, ...]


class Combination(NamedTuple):
    """What some attributes tell together; the numbers are exact, on all records.

    Args:
        attributes: the names.
        unique: the share of records that are alone with their combination of values.
        distinction: the number of distinct combinations for each record.
        separation: the share of pairs of records that differ.
    """

    attributes: tuple[str, ...]
    unique: Fraction
    distinction: Fraction
    separation: Fraction


def search(candidates: Sequence[Column], largest: int) -> tuple[tuple[Combination, ...], list[str]]:
    """Find the combinations of attributes that separate records most, some of each size.

    Which combinations are worth telling is found on a sample when there are over 10,000 records;
    their numbers are then counted on all of them. A combination is left out when it tells nothing
    more than a part of it: the part is unique already, or has as many distinct values.

    Args:
        candidates: the attributes, those to try first at the beginning.
        largest: the most attributes that are combined.

    Returns:
        The combinations, and what was not tried, in sentences.
    """
    tried = _affordable(len(candidates), largest)
    notes = []
    if tried < len(candidates):
        notes.append(
            f"Only combinations of {tried} of the {len(candidates):,} attributes that may be keys "
            f"were tried, the likeliest ones; fewer attributes at a time would allow more."
        )
    rows = _sample(candidates[0].records) if candidates else None
    best: dict[int, list[tuple[Fraction, Part]]] = {}
    for part, score in _walk(candidates[:tried], rows, largest):
        best.setdefault(len(part), []).append((score, part))
    if rows is not None and best:
        notes.append(
            f"Combinations were chosen on a sample of {SAMPLED:,} records and counted on all."
        )
    return tuple(_reported(best, largest)), notes


def _affordable(number: int, largest: int) -> int:
    """Return of how many attributes all combinations can be tried."""
    while number > 1 and sum(comb(number, size) for size in range(1, largest + 1)) > TRIED:
        number -= 1
    return number


def _sample(records: int) -> Ints | None:
    """Choose records to try combinations on; None for all. The same records give the same ones."""
    if records <= SAMPLED:
        return None
    return np.sort(np.random.default_rng(0).choice(records, SAMPLED, replace=False))


def _walk(
    columns: Sequence[Column], rows: Ints | None, largest: int
) -> Iterator[tuple[Part, Fraction]]:
    """Yield every combination that tells more than the one it extends, with its separation."""
    from tacita.kernels.grouping import group

    codes = [column.codes if rows is None else column.codes[rows] for column in columns]
    open_ones: list[tuple[tuple[int, ...], Ints | None, int]] = [((), None, 1)]
    while open_ones:
        places, ids, classes = open_ones.pop()
        for at in range(places[-1] + 1 if places else 0, len(columns)):
            groups = group([codes[at]] if ids is None else [ids, codes[at]])
            if len(groups.counts) <= classes:
                continue
            longer = (*places, at)
            yield tuple(columns[place] for place in longer), separation(groups.counts)
            if len(longer) < largest and len(groups.counts) < len(groups.ids):
                open_ones.append((longer, groups.ids, len(groups.counts)))


def _reported(best: dict[int, list[tuple[Fraction, Part]]], largest: int) -> Iterator[Combination]:
    """Count the most telling combinations of each size on all records, the smallest sizes first."""
    each = max(1, REPORTED // largest)
    for _, scored in sorted(best.items()):
        chosen = sorted(scored, key=lambda one: -one[0])[:each]
        counted = [_counted(part) for _, part in chosen]
        yield from sorted(counted, key=lambda one: (-one.separation, one.attributes))


def _counted(part: Part) -> Combination:
    from tacita.kernels.grouping import group

    counts = group([column.codes for column in part]).counts
    alone = Fraction(int(np.count_nonzero(counts == 1)), max(part[0].records, 1))
    names = tuple(column.name for column in part)
    return Combination(names, alone, distinction(counts), separation(counts))
