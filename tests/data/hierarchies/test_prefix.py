from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.prefix import Prefix


@given(st.lists(st.text("01*é漢", min_size=4, max_size=4), min_size=1))
def test_prefixes_nest(codes):
    levels = [Prefix(4).labels(pa.array(codes), level).to_pylist() for level in range(5)]
    assert levels[0] == codes
    assert set(levels[4]) == {"****"}
    for fine, coarse in pairwise(levels):
        above: dict[str, str] = {}
        assert all(above.setdefault(a, b) == b for a, b in zip(fine, coarse, strict=True))
