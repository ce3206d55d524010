"""Top or bottom coded: values pile up at an end of an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tacita.attacks.clues.guess import LEAST, REPORTED, Guess
from tacita.attacks.clues.values import Counted, counted, numeric
from tacita.data.dataset import Dataset

NEIGHBOURS = 5
DIFFERENT = 20  # an attribute of fewer values has ends of its own
NEAREST = 3
TIMES = 2  # as many as at the nearest neighbours, and as these let expect
NATURAL = (0, 1)  # where amounts and counts begin by themselves


class End(NamedTuple):
    """An end of an attribute, and how many records it has beside its neighbours."""

    limit: float
    there: int
    beside: int  # at the next values, all together
    most: float  # at the nearest of them, or at the end if it rises as between the next two

    @property
    def chance(self) -> float:
        """The probability of so many if the end and its neighbours were equally likely."""
        from scipy.special import bdtrc

        tail = bdtrc(self.there - 1, self.there + self.beside, 1 / (NEIGHBOURS + 1))
        return max(float(tail), LEAST)


def look(data: Dataset) -> Iterator[Guess]:
    """Find top and bottom coded attributes.

    Towards its ends an unmasked attribute has ever fewer records: by assumption its last value is
    no likelier than the five next to it. A pile at 0 or 1 is no clue, as many attributes begin so.
    """
    for name in numeric(data):
        values = counted(data, name)
        if len(values.values) >= DIFFERENT:
            yield from _guesses(name, values)


def _guesses(name: str, values: Counted) -> Iterator[Guess]:
    top, bottom = _end(Counted(values.values[::-1], values.counts[::-1])), _end(values)
    if _is_pile(top):
        yield _guess("top_code", name, {"above": _plain(top.limit)}, top, "or more")
    if _is_pile(bottom) and bottom.limit not in NATURAL:
        yield _guess("bottom_code", name, {"below": _plain(bottom.limit)}, bottom, "or less")


def _end(values: Counted) -> End:
    """Return the first of some values beside the next."""
    beside = values.counts[1 : NEIGHBOURS + 1]
    rising = float(beside[0] ** 2 / beside[1])
    most = max(float(beside[:NEAREST].max()), rising)
    return End(float(values.values[0]), int(values.counts[0]), int(beside.sum()), most)


def _is_pile(end: End) -> bool:
    return end.there > TIMES * end.most and end.chance <= REPORTED / 2  # there are two ends


def _guess(method: str, name: str, parameters: dict[str, float], end: End, beyond: str) -> Guess:
    limit = next(iter(parameters.values()))
    return Guess(
        method,
        (name,),
        parameters,
        f"{end.there:,} records have {limit}, the {'last' if beyond == 'or more' else 'first'} "
        f"value, and {end.beside:,} the {NEIGHBOURS} values next to it together",
        end.chance,
        narrows=f"{end.there:,} values are {limit} {beyond}",
    )


def _plain(number: float) -> float:
    return int(number) if np.isfinite(number) and number == int(number) else number
