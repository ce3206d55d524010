"""Groups of one record, of which the first with each code stands in for all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.grouping import group
from tacita.kernels.standing_in import Grouped, stand_in

pytestmark = pytest.mark.numeric

RECORDS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=30)


@given(RECORDS)
def test_first_of_each_code_stands_for_all(records: list[tuple[int, int]]) -> None:
    keys, codes = np.array(records).T
    grouped = Grouped(*group([keys]))
    found = stand_in(grouped, codes, 4)
    kept: list[int] = []
    times: dict[int, int] = {}
    opener: dict[int, int] = {}
    for number, (first, count) in enumerate(zip(grouped.first, grouped.counts, strict=True)):
        stands = opener.setdefault(codes[first], number) if count == 1 else number
        times[stands] = times.get(stands, 0) + 1
        kept += [number] if stands == number else []
    assert found.groups.tolist() == kept
    assert found.times.tolist() == [times[number] for number in kept]
    wanted = [(kept.index(g), c) for g, c in zip(grouped.ids, codes, strict=True) if g in kept]
    assert list(zip(found.ids, found.codes, strict=True)) == wanted


def test_codes_that_would_be_written_outside_are_refused() -> None:
    one = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="from 0 to 1"):
        stand_in(Grouped(one, one, one + 1), np.array([2]), 2)
