"""Which values the codes of several tables stand for."""

from __future__ import annotations

import numpy as np

from tacita.attacks.tables.knowledge.coverage import EVERYTHING, AttributeCoverage, Coverage
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.table import Table


def test_codes_of_two_hierarchies_with_the_same_leaves_are_one_set() -> None:
    old = Dimension.from_nested("x", {"All": {"n": ["a", "b"], "s": ["c"]}})
    new = Dimension.from_nested("x", {"Total": {"m": ["b", "a"], "t": ["c"]}})
    covered = AttributeCoverage({0: old, 1: new})
    assert set(covered.sets) == {frozenset(one) for one in ("abc", "ab", "a", "b", "c")}
    assert covered.sets[EVERYTHING] == frozenset("abc")
    number = {values: place for place, values in enumerate(covered.sets)}
    above = covered.above[number[frozenset("a")]]
    assert {covered.sets[place] for place in above} == {frozenset(s) for s in ("a", "ab", "abc")}
    assert covered.less(EVERYTHING, number[frozenset("ab")]) == number[frozenset("c")]
    assert covered.less(EVERYTHING, number[frozenset("a")]) == frozenset("bc")


def test_a_leaf_stands_for_the_parts_that_another_table_knows() -> None:
    coarse = Dimension.flat("x", ["n", "s"])
    fine = Dimension.from_nested("x", {"Total": {"n": ["a", "b"], "s": ["c", "d"]}})
    covered = AttributeCoverage({0: coarse, 1: fine})
    assert frozenset("n") not in covered.sets
    assert frozenset("ab") in covered.sets


def test_a_total_that_is_alone_stands_for_itself_or_for_what_another_table_knows() -> None:
    alone, fine = Dimension("x", ("Total",), (np.array([-1], np.int32),)), ["a", "b"]
    assert AttributeCoverage({0: alone}).above == ((EVERYTHING,),)
    covered = AttributeCoverage({0: alone, 1: Dimension.flat("x", fine)})
    assert covered.sets[EVERYTHING] == frozenset(fine)


def test_codes_that_refine_each_other_in_a_circle_come_to_an_end() -> None:
    one = Dimension.from_nested("x", {"Total": {"p": ["q"], "r": ["s"]}})
    other = Dimension.from_nested("x", {"Total": {"q": ["p"], "r": ["s"]}})
    covered = AttributeCoverage({0: one, 1: other})
    assert all(len(values) <= 3 for values in covered.sets)


def test_an_attribute_that_a_table_lacks_is_at_its_total() -> None:
    one, two = Dimension.flat("x", ["a", "b"]), Dimension.flat("y", ["c"])
    wide = Table("w", (one, two), np.array([[0, 0], [1, 1], [2, 0]]), Cells.of([2, 1, 1]))
    slim = Table("s", (one,), np.array([[0], [1]]), Cells.of([2, 1]))
    coverage = Coverage([wide, slim])
    first, second = list(coverage.keys(0)), list(coverage.keys(1))
    assert second[0] == first[0] == (EVERYTHING, EVERYTHING)
    assert first[1] == second[1], "the only code of y stands for everything"
    assert set(coverage.containing(first[2])) == {first[0]}
    assert coverage.difference(first[0], first[1]) == first[2]
