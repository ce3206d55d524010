from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.microdata.synthesis.measuring_marginals.drawing import systematic

row = st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any)


@settings(max_examples=50, deadline=None)
@given(st.lists(row, min_size=1, max_size=5), st.integers(0, 60), st.integers(0, 99))
def test_every_cell_gets_its_share_rounded_up_or_down(table, records, seed):
    rng = np.random.default_rng(seed)
    shares = np.array([share for row in table for share in row], np.float64)
    rows = np.repeat(np.arange(len(table)), [len(row) for row in table])
    groups = rng.integers(0, len(table), records)
    drawn = systematic(shares, rows, groups, rng)
    assert (rows[drawn] == groups).all()
    got = np.bincount(drawn, minlength=len(shares))
    whole = np.bincount(rows, shares)[rows]
    wanted = np.bincount(groups, minlength=len(table))[rows] * shares / whole
    assert (np.abs(got - wanted) < 1 + 1e-6).all()
    assert not got[shares == 0].any()


def test_which_record_gets_which_cell_is_random():
    rng = np.random.default_rng(0)
    drawn = [
        systematic(np.ones(2), np.zeros(2, np.int64), np.zeros(4, np.int64), rng)[0]
        for _ in range(200)
    ]
    assert 60 < sum(drawn) < 140
