"""Chance copies: synthetic records that happen to be a real respondent's.

A record is a copy when it agrees in every synthetic attribute with a respondent who is alone in
that combination of values. A combination that several respondents share is a copy of nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Ints, Mask, comparable
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.representation import alike

Copies = Annotated[
    Literal["redraw", "remove", "report"],
    Field(
        description="What becomes of records that are a copy of one respondent's: drawn again, "
        "removed, or only counted in the notes."
    ),
]


def copies(data: Dataset, columns: Mapping[str, pa.Array]) -> Mask:
    """Tell for every synthetic record whether it is a copy of one respondent's.

    >>> import tacita as ta
    >>> people = ta.read(pa.table({"age": [31, 31, 45], "sex": ["f", "f", "m"]}))
    >>> copies(people, {"age": pa.array([31, 45]), "sex": pa.array(["f", "m"])}).tolist()
    [False, True]

    Args:
        data: the original data.
        columns: the synthetic values by attribute, one a record.
    """
    records = len(next(iter(columns.values()), ()))
    found = np.zeros(records, np.bool_)
    held, made = np.arange(len(data)), np.arange(records)
    groups = np.zeros(len(held) + len(made), np.int64)
    for name in _telling_first(data, list(columns)):
        # Records that agree with nobody so far are left out: of numbers, nearly all at once.
        codes = _codes(data.column(name).take(pa.array(held)), columns[name].take(pa.array(made)))
        groups = _numbered(groups, codes)
        stay = _in_both(groups, len(held))
        held, made, groups = held[stay[: len(held)]], made[stay[len(held) :]], groups[stay]
        if not len(made):
            return found
    alone = np.bincount(groups[: len(held)], minlength=int(groups.max(initial=-1)) + 1) == 1
    found[made] = alone[groups[len(held) :]]
    return found


def _telling_first(data: Dataset, names: Sequence[str]) -> list[str]:
    """Order attributes so that numbers come first: they tell most records apart."""
    return sorted(names, key=lambda name: not pa.types.is_floating(data.column(name).type))


def _codes(known: pa.Array, made: pa.Array) -> Ints:
    from tacita.kernels.grouping import factorize

    parts = (known, made) if known.type == made.type else alike(known, made)
    joined = pa.concat_arrays(list(parts))
    codes: Ints = factorize(*comparable(joined))[0] + 1
    return codes


def _numbered(groups: Ints, codes: Ints) -> Ints:
    pairs = groups * (int(codes.max(initial=0)) + 1) + codes
    return np.asarray(np.unique(pairs, return_inverse=True)[1], np.int64)


def _in_both(groups: Ints, held: int) -> Mask:
    size = int(groups.max(initial=-1)) + 1
    both = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    both[0][groups[:held]] = True
    both[1][groups[held:]] = True
    shared: Mask = (both[0] & both[1])[groups]
    return shared
