"""Changed at random: a rule that one attribute gives for another is broken by some records."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np

from tacita.attacks.clues.guess import Guess
from tacita.attacks.clues.values import CATEGORIES
from tacita.data.attribute import Role
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.confidence import share_interval

MOST = 10**7  # pairs of categories
ENOUGH = 5  # records of a category that tell what the rule says of it
RECORDS, EXCEPTIONS = 150, 5
GIVEN = 4  # categories; of fewer, one exception looks like another
GIVES = 0.5  # of the errors without the rule, the least share that it takes away
FITS = 0.01  # the chance below which exceptions are not at random

Table = Ints  # how many records have each pair of categories


class Rule(NamedTuple):
    """How many records keep to what one attribute says of another."""

    kept: int
    records: int


def look(data: Dataset) -> Iterator[Guess]:
    """Find rules between categories that a random change has broken.

    A rule gives for every category of one attribute one of another, and not the same for all. By
    assumption nature knows it without exceptions, or with exceptions of their own in every
    category; exceptions at one rate and of the same kind everywhere are those of a masking. That is
    a hint, not a test.
    """
    names = [name for name in data.names if _is_category(data, name)]
    for giving, given in permutations(names, 2):
        table = _table(data, giving, given)
        if table is not None and _is_rule(table):
            kept = table.max(axis=1).sum()
            yield _guess(giving, given, Rule(int(kept), int(table.sum())))


def _is_category(data: Dataset, name: str) -> bool:
    attribute = data.attribute(name)
    return attribute.kind in CATEGORIES and not attribute.is_a(Role.IDENTIFIER)


def _table(data: Dataset, giving: str, given: str) -> Table | None:
    """Count the pairs of categories without a blank, where the first is frequent enough."""
    rows, columns = (data.classes([name]) for name in (giving, given))
    if not 0 < len(columns) <= len(rows) <= MOST // len(columns):
        return None
    known = [np.asarray(data.column(name).is_valid()) for name in (giving, given)]
    pairs = (rows.of_record * len(columns) + columns.of_record)[known[0] & known[1]]
    table = np.bincount(pairs, minlength=len(rows) * len(columns)).reshape(len(rows), -1)
    table = table[table.sum(axis=1) >= ENOUGH]
    held: Table = table[:, table.sum(axis=0) > 0]
    return held


def _is_rule(table: Table) -> bool:
    """Tell whether rows give columns, with exceptions at random."""
    kept, records = table.max(axis=1, initial=0), table.sum(axis=1)
    broken = records.sum() - kept.sum()
    if table.shape[1] < GIVEN or records.sum() < RECORDS or broken < EXCEPTIONS:
        return False
    usual = records.sum() - table.sum(axis=0).max()  # errors without the rule
    few = broken <= (1 - GIVES) * usual
    return bool(few) and _evenness(kept, records) >= FITS and _spread(table) >= FITS


def _evenness(kept: Ints, records: Ints) -> float:
    """Return the probability that shares differ so much that are all the same (chi square)."""
    from scipy.special import chdtrc

    share = kept.sum() / records.sum()
    expected: Floats = records * share
    distance = ((kept - expected) ** 2 / (expected * (1 - share))).sum()
    return float(chdtrc(len(kept) - 1, distance))


def _spread(table: Table) -> float:
    """Return the probability that as many exceptions of one row agree, were they at random."""
    from scipy.special import pdtrc

    exceptions = table.copy()
    exceptions[np.arange(len(table)), table.argmax(axis=1)] = 0
    shares = exceptions.sum(axis=0) / exceptions.sum()
    of_row = exceptions.sum(axis=1)
    agreeing = int((exceptions * (exceptions - 1)).sum() // 2)
    expected = float((of_row * (of_row - 1)).sum() / 2 * (shares**2).sum())
    return float(pdtrc(agreeing - 1, expected)) if agreeing and expected else 1.0


def _guess(giving: str, given: str, rule: Rule) -> Guess:
    share = rule.kept / rule.records
    return Guess(
        "pram",
        (giving, given),
        {"minimum_diagonal": round(share, 3)},
        f"{giving} gives {given} in {rule.kept:,} of {rule.records:,} records (a share of "
        f"{share_interval(rule.kept, rule.records)}); exceptions come at one rate and at random",
        None,
        narrows=f"in {rule.records - rule.kept:,} records one of the two is not the original one",
        alternatives=("swap_data", "swap_records", "randomized_response", "rank_swap"),
    )
