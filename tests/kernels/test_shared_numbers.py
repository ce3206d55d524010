from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.shared_numbers import count_shared


@given(st.lists(st.sets(st.integers(0, 12)), min_size=1, max_size=8))
def test_as_sets_say(sets):
    starts = np.cumsum([0, *map(len, sets)])
    numbers = np.array([number for one in sets for number in sorted(one)], np.int64)
    ones, others = (grid.ravel() for grid in np.indices((len(sets), len(sets))))
    found = count_shared(starts, numbers, ones, others)
    expected = [len(sets[one] & sets[other]) for one, other in zip(ones, others, strict=True)]
    assert found.tolist() == expected
