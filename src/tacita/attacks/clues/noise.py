"""Perturbed by noise: numbers have more digits than anybody records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.attacks.clues.guess import Guess
from tacita.attacks.clues.values import Counted, counted, numeric
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset

RECORDED = 6  # digits after the point, at most
ALONE = 0.9  # of the values with more digits, how many occur once
MANY = 0.02  # the least share of them
BY_CHANCE = 0.005  # the share that may have few digits all the same
NEAR = 1e-15  # of a number, what adding a few recorded ones may lose
ADDITIVE = ("kim_noise", "sullivan_noise", "romm", "regenerate", "compress", "displace_places")


def look(data: Dataset) -> Iterator[Guess]:
    """Find attributes whose numbers were computed and not recorded; a hint, not a test.

    Zeros that stay among them show factors, as an added noise moves zeros too. Other short numbers
    among them are those of records that the noise left out.
    """
    for name in numeric(data):
        values, counts = counted(data, name)
        drawn = np.abs(values - np.round(values, RECORDED)) > NEAR * np.abs(values)
        records = int(counts[drawn].sum())
        if not drawn.any() or records < MANY * counts.sum():
            continue
        if np.mean(counts[drawn] == 1) >= ALONE and not _are_averages(values[drawn]):
            yield _guess(name, Counted(values, counts), counts * ~drawn, records)


def _are_averages(values: Floats) -> bool:
    """Tell whether numbers are whole numbers of cents or so, divided by one number."""
    from tacita.attacks.clues.resampling import divisor

    return divisor(values) is not None


def _guess(name: str, seen: Counted, kept: Ints, records: int) -> Guess:
    values, counts = seen
    short = kept.sum()
    zeros = int(kept[values == 0].sum())
    method, told = "add_noise", ""
    others: tuple[str, ...] = ("multiply_noise", *ADDITIVE)
    if short and short == zeros:
        method, others = "multiply_noise", ()
        told = f"; {zeros:,} are 0 still, as they are after a multiplication only"
    elif short > BY_CHANCE * counts.sum():
        method, others = "noise_outliers", ("mask_uniques", "microaggregate")
        told = f"; the other {int(short):,} have few, so that only some records were changed"
    elif (values < 0).any() and (values > 0).any():
        told = f"; {int(np.count_nonzero(values < 0)):,} are below 0"
    return Guess(
        method,
        (name,),
        {},
        f"{records:,} values have more than {RECORDED} digits after the point{told}",
        None,
        alternatives=others,
    )
