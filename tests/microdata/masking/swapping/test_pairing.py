from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.swapping.pairing import paired_apart, partners

UNITS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=60)


def drawn(units, seed):
    cells, parts, urgent = (
        (np.array(part) for part in zip(*units, strict=True))
        if units
        else (np.zeros(0, int), np.zeros(0, int), np.zeros(0, bool))
    )
    return cells, parts, urgent, paired_apart(cells, parts, urgent, np.random.default_rng(seed))


@given(UNITS, st.integers(0, 1000))
def test_pairs_share_the_cell_but_not_the_part(units, seed):
    cells, parts, _, (ones, twos) = drawn(units, seed)
    assert (cells[ones] == cells[twos]).all()
    assert (parts[ones] != parts[twos]).all()
    both = [*ones.tolist(), *twos.tolist()]
    assert len(set(both)) == len(both)


@given(UNITS, st.integers(0, 1000))
def test_there_are_as_many_pairs_as_there_can_be(units, seed):
    """A cell of s units of which the largest part has d allows min(s // 2, s - d) pairs."""
    cells, parts, _, (ones, _) = drawn(units, seed)
    for cell in set(cells.tolist()):
        here = parts[cells == cell]
        most = min(len(here) // 2, len(here) - np.bincount(here).max())
        assert np.count_nonzero(cells[ones] == cell) == most


@given(UNITS, st.integers(0, 1000))
def test_the_urgent_are_paired_before_the_others(units, seed):
    cells, parts, urgent, (ones, twos) = drawn(units, seed)
    paired = np.isin(np.arange(len(cells)), [*ones, *twos])
    for cell in set(cells.tolist()):
        here = cells == cell
        sizes = np.bincount(parts[here])
        if 2 * sizes.max() > here.sum():  # one part is more than all the others
            crowd = here & (parts == sizes.argmax())
            assert paired[here & ~crowd].all()
            expected = min((urgent & crowd).sum(), (here & ~crowd).sum())
            assert (paired & urgent & crowd).sum() == expected
        else:
            patient = [
                (~urgent & here & (parts != part)).any()
                for part in np.flatnonzero(sizes == sizes.max())
            ]
            assert (urgent & here & ~paired).sum() <= (here.sum() % 2 and not any(patient))


def test_each_partner_is_equally_likely():
    met = np.zeros(5)
    for seed in range(3000):
        ones, twos = paired_apart(
            np.zeros(6, int), np.arange(6), np.zeros(6, bool), np.random.default_rng(seed)
        )
        met[partners(6, (ones, twos))[0] - 1] += 1
    assert np.all(np.abs(met / 3000 - 0.2) < 3 * np.sqrt(0.16 / 3000))
