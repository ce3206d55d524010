"""Sampled: weights say how many each record stands for, or numbers of records are left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from tacita.attacks.clues.guess import Guess
from tacita.data.attribute import Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError

ENOUGH = 20
MOST_LEFT_OUT = 20  # times as many


def look(data: Dataset) -> Iterator[Guess]:
    """Find that the file is a part of a larger one; what weights say is a deduction."""
    yield from _by_weights(data)
    for name in data.with_role(Role.IDENTIFIER):
        yield from _by_numbers(data, name)


def _by_weights(data: Dataset) -> Iterator[Guess]:
    try:
        weights = data.weight
    except InputError:  # an end user's weights may be anything; then they say nothing
        return
    if weights is None or not len(weights) or weights.sum() <= len(weights):
        return
    fraction, alike = len(weights) / float(weights.sum()), float(np.ptp(weights)) == 0
    yield Guess(
        "sample",
        tuple(data.with_role(Role.WEIGHT)),
        {"fraction": float(f"{fraction:.6g}"), "design": "simple" if alike else "stratified"},
        f"the weights of {len(data):,} records add up to {weights.sum():,.0f}",
        0,
        narrows=f"somebody is in the file with a chance of about {fraction:.2g}",
    )


def _by_numbers(data: Dataset, name: str) -> Iterator[Guess]:
    numbers = serial_numbers(data, name)
    if numbers is None:
        return
    span = int(numbers.max() - numbers.min()) + 1
    if not len(numbers) < span <= MOST_LEFT_OUT * len(numbers):
        return
    yield Guess(
        "sample",
        (name,),
        {"fraction": float(f"{len(numbers) / span:.3g}")},
        f"{name} runs over {span:,} numbers, of which {span - len(numbers):,} are left out",
        None,
    )


def serial_numbers(data: Dataset, name: str) -> Ints | None:
    """Return the numbers at the end of identifiers such as `P0017`; None if they have none."""
    words = data.column(name).cast("string")
    if len(words) < ENOUGH or words.null_count:
        return None
    found = pc.struct_field(pc.extract_regex(words, r"^(?P<word>\D*)(?P<number>\d{1,15})$"), [1])
    if found.null_count:
        return None
    numbers = np.asarray(found.cast("int64"))
    return numbers if len(np.unique(numbers)) == len(numbers) else None
