from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.queries.auditing.atoms import Atoms

pytestmark = pytest.mark.numeric

SIZES = st.lists(st.integers(0, 3), min_size=1, max_size=6)


def masks(size: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.booleans(), min_size=size, max_size=size).map(np.array)


@given(SIZES, st.data())
def test_atoms_are_the_records_with_equal_pasts(sizes, data):
    sets = data.draw(st.lists(masks(len(sizes)), max_size=6))
    atoms = Atoms(np.array(sizes))
    for one in sets:
        atoms.split(one)
    pasts: dict[tuple, int] = {}
    for number, size in enumerate(sizes):
        past = tuple(bool(one[number]) for one in sets)
        pasts[past] = pasts.get(past, 0) + size
    counted = [size for size in atoms.sizes.tolist() if size]
    assert sorted(counted) == sorted(size for size in pasts.values() if size)
    for a in range(len(sizes)):
        for b in range(len(sizes)):
            same = all(one[a] == one[b] for one in sets)
            if sizes[a] and sizes[b]:
                assert (atoms.of_class[a] == atoms.of_class[b]) == same


@given(SIZES, st.data())
def test_a_set_that_was_asked_cuts_no_atom(sizes, data):
    atoms = Atoms(np.array(sizes))
    for one in data.draw(st.lists(masks(len(sizes)), max_size=4)):
        atoms.split(one)
        cut = atoms.cut(one)
        assert not len(cut.split)
        assert cut.sizes[cut.whole].sum() == np.array(sizes)[one].sum()


def test_cutting_changes_nothing():
    atoms = Atoms(np.array([2, 2]))
    assert atoms.cut(np.array([True, False])).split.tolist() == [0]
    assert len(atoms) == 1


def test_new_atoms_say_what_they_were_part_of():
    atoms = Atoms(np.array([2, 3, 4]))
    assert atoms.split(np.array([True, True, False])).tolist() == [0]
    assert atoms.split(np.array([True, False, False])).tolist() == [1]
    assert atoms.sizes.tolist() == [4, 3, 2]
    assert atoms.of_class.tolist() == [2, 1, 0]


def test_what_is_deleted_stays_in_its_atom_and_what_is_new_makes_another():
    atoms = Atoms(np.array([2, 3]))
    atoms.split(np.array([True, False]))
    # One of the second class is gone, one of the first became a class of its own, two are new.
    atoms.move(np.array([0, 0, 1, -1]), np.array([1, 1, 2, 2]))
    assert atoms.sizes.tolist() == [3, 2, 2]
    assert atoms.of_class.tolist() == [1, 1, 0, 2]
    # All that is left of the second class is only a part of its atom.
    assert atoms.cut(np.array([False, False, True, False])).split.tolist() == [0]


@given(SIZES, st.data())
def test_many_sets_at_once_split_as_one_after_the_other(sizes, data):
    """Also after values were deleted, which stay in their atoms and in no set any more."""
    one_by_one, at_once = Atoms(np.array(sizes)), Atoms(np.array(sizes))
    for _ in range(data.draw(st.integers(1, 3))):
        sets = data.draw(st.lists(masks(len(sizes)), max_size=4))
        before = at_once.of_class.copy()
        for one in sets:
            one_by_one.split(one)
        parents = at_once.split_all(sets)
        counted = at_once._of_classes > 0
        pairs = set(zip(one_by_one.of_class[counted], at_once.of_class[counted], strict=True))
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        assert sorted(one_by_one.sizes) == sorted(at_once.sizes)
        assert all(one_by_one.sizes[a] == at_once.sizes[b] for a, b in pairs)
        new = at_once.of_class >= len(at_once) - len(parents)
        origin = parents[at_once.of_class[new] - len(at_once) + len(parents)]
        assert (origin == before[new]).all()
        assert (at_once.of_class[~new] == before[~new]).all()
        kept = data.draw(masks(len(sizes)))
        came_from = np.where(kept, np.arange(len(sizes)), -1)
        for atoms in (one_by_one, at_once):
            atoms.move(came_from, np.array(sizes))


def test_more_sets_than_a_number_has_bits():
    rng = np.random.default_rng(3)
    sets = [rng.random(40) < 0.03 for _ in range(200)]
    one_by_one, at_once = Atoms(np.ones(40, np.int64)), Atoms(np.ones(40, np.int64))
    for one in sets:
        one_by_one.split(one)
    at_once.split_all(sets)
    assert 20 < len(at_once) == len(one_by_one)
    for one in sets:
        assert not len(at_once.cut(one).split)
