from __future__ import annotations

import numpy as np

from tacita.tables.protect.leaning import Leaning


def test_levels_are_found_by_the_cells_they_lean_on():
    leaning = Leaning([np.array([0, 2]), np.array([2]), np.array([1])], 4)
    assert leaning.on([2]) == [0, 1]
    assert leaning.on([0, 1]) == [0, 2]
    assert leaning.on([3]) == []
    assert leaning.on([]) == []


def test_a_level_that_leans_on_others_leaves_those_before():
    leaning = Leaning([np.array([0, 2]), np.array([2])], 4)
    leaning.lean(0, np.array([3]))
    assert leaning.on([0, 2]) == [1]
    assert leaning.on([3]) == [0]
    assert leaning.leans_on[0].tolist() == [3]


def test_cells_on_which_no_other_level_leans():
    leaning = Leaning([np.array([3, 0, 2]), np.array([2]), np.array([1])], 4)
    assert leaning.only([0]).tolist() == [0, 3]
    assert leaning.only([0, 1]).tolist() == [0, 2, 3]
    assert leaning.only([]).tolist() == []
