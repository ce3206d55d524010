"""Which records belong together, and which are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.errors import InputError
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.sampling import drawn


def test_pairs_follow_the_protected_records(toy):
    some = toy.take(np.array([9, 3, 5]))
    assert paired(toy, some).column("id").to_pylist() == some.column("id").to_pylist()
    assert paired(toy, toy) is toy


def test_records_of_other_data_have_no_pairs(toy, patients):
    with pytest.raises(InputError, match="which records belong together"):
        paired(toy, patients)


def test_a_sample_is_drawn_once_for_a_seed_and_holds_nobody_twice():
    one, two, other = drawn(1000, 100, 1), drawn(1000, 100, 1), drawn(1000, 100, 2)
    assert one.tolist() == two.tolist() == sorted(set(one.tolist()))
    assert one.tolist() != other.tolist()
    assert drawn(50, None, 1).tolist() == list(range(50))


def test_the_original_may_itself_be_a_part(toy):
    part = toy.take(np.arange(100, 200))
    some = part.take(np.array([9, 3, 9]))
    assert paired(part, some).column("id").to_pylist() == some.column("id").to_pylist()
    assert paired(part, part) is part
    with pytest.raises(InputError, match="do not come from"):
        paired(part, toy.take(np.array([5])))
    with pytest.raises(InputError, match="do not come from"):
        paired(toy.take(np.arange(0)), some)
