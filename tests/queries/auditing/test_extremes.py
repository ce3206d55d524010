from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tacita.queries.auditing.extremes import MaximumHistory


class Plain:
    """All data sets of a few records, on a grid with room between the answers."""

    def __init__(self, records: int, distinct: bool) -> None:
        self.records, self.distinct = records, distinct
        self.sets: list[np.ndarray] = []
        self.answers: list[int] = []

    def possible(self, sets: list[np.ndarray], answers: list[int]) -> np.ndarray:
        """Return the data sets that fit: between two answers there are values for all records."""
        gap = self.records + 1
        ranks = {answer: place for place, answer in enumerate(sorted(set(answers)))}
        grid = range((len(ranks) + 1) * gap)
        data = np.array(list(product(grid, repeat=self.records)))
        fits = np.ones(len(data), bool)
        for one, answer in zip(sets, answers, strict=True):
            fits &= data[:, one].max(axis=1) == (ranks[answer] + 1) * gap - 1
        if self.distinct:
            fits &= np.array([len(set(row)) == len(row) for row in data.tolist()])
        return data[fits]

    def disclosed(self, sets: list[np.ndarray], answers: list[int]) -> bool:
        """Tell whether all data sets that fit agree in the value of a record."""
        data = self.possible(sets, answers)
        return bool(len(data)) and bool((data == data[0]).all(axis=0).any())

    def allows(self, asked: np.ndarray) -> bool:
        """Try every answer: past ones are even, so that odd ones lie between."""
        tried = range(min(self.answers, default=0) - 1, max(self.answers, default=0) + 2)
        return not any(self.disclosed([*self.sets, asked], [*self.answers, one]) for one in tried)


def some_set(rng: np.random.Generator, records: int) -> np.ndarray:
    asked = rng.random(records) < 0.65
    asked[rng.integers(records)] = True
    return asked


@pytest.mark.parametrize("seed", range(12))
def test_decides_as_trying_all_data_sets_does(seed):
    rng = np.random.default_rng(seed)
    records = 3 if seed % 3 else 4
    values = 2 * rng.integers(0, 3, records)
    history = MaximumHistory(np.ones(records, int), k=2)
    worlds = [Plain(records, distinct) for distinct in (False, True)]
    for _ in range(4):
        asked = some_set(rng, records)
        allowed = history.allows(asked)
        assert allowed == all(world.allows(asked) for world in worlds)
        if allowed and len(worlds[0].sets) < 2:
            history.learn(asked, float(values[asked].max()))
            for world in worlds:
                world.sets.append(asked)
                world.answers.append(int(values[asked].max()))


@pytest.mark.parametrize("seed", range(40))
def test_every_answer_keeps_k_witnesses(seed):
    """Whatever is answered, each answer has as many possible owners, counted one by one."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, 7)
    of_class = np.repeat(np.arange(7), sizes)
    values = rng.integers(0, 30, len(of_class))
    k = int(rng.integers(2, 5))
    history, answered = MaximumHistory(sizes, k), []
    for _ in range(25):
        rows = (asked := some_set(rng, 7))[of_class]
        if history.allows(asked):
            history.learn(asked, float(values[rows].max()))
            answered.append((rows, values[rows].max()))
    upper = np.full(len(values), np.inf)
    for rows, answer in answered:
        upper[rows] = np.minimum(upper[rows], answer)
    assert answered
    for rows, answer in answered:
        assert (rows & (upper == answer)).sum() >= k


def test_the_textbook_leak_is_closed():
    """Refusing max(a, b) only if it tells of c would tell of c."""
    for c in (9.0, 3.0):
        history = MaximumHistory(np.ones(3, int), k=2)
        history.learn(np.ones(3, bool), max(9.0, c))
        assert not history.allows(np.array([True, True, False]))


def test_disjoint_sets_and_repeated_ones_are_answered():
    history = MaximumHistory(np.ones(4, int), k=2)
    first, second = np.array([True, True, False, False]), np.array([False, False, True, True])
    for asked, answer in ((first, 5.0), (second, 7.0), (first, 5.0)):
        assert history.allows(asked)
        history.learn(asked, answer)
    assert not history.allows(np.array([True, False, True, False]))


def test_known_records_are_no_witnesses():
    sizes = np.array([0, 1, 2])
    history = MaximumHistory(sizes, k=2)
    assert not history.allows(np.array([True, True, False]))
    assert history.allows(np.array([True, False, True]))
    assert history.allows(np.array([True, False, False]))


def test_a_known_record_may_be_what_an_earlier_answer_is_of():
    """The 9 may be the insider's own, so the second set may be below 7, which tells of the last."""
    history = MaximumHistory(np.array([0, 1, 1, 1, 1]), k=2)
    history.learn(np.array([True, True, True, False, False]), 9.0)
    history.learn(np.array([False, False, False, True, True]), 7.0)
    assert not history.allows(np.array([False, True, True, True, False]))


def test_who_is_in_two_sets_with_one_answer_has_it_if_no_values_are_equal():
    records = np.arange(6)
    for first, second, allowed in (
        (records < 3, (records >= 2) & (records < 5), False),
        (records < 4, records >= 2, True),
    ):
        history = MaximumHistory(np.ones(6, int), k=2)
        history.learn(first, 9.0)
        assert history.allows(second) is allowed


def test_goes_on_after_deletes_and_inserts():
    history = MaximumHistory(np.array([3]), k=2)
    history.learn(np.array([True]), 8.0)
    history.move(np.array([0]), np.array([2]))
    assert not history.allows(np.array([True]))  # a lower answer tells of the deleted record
    history = MaximumHistory(np.array([3]), k=2)
    history.learn(np.array([True]), 8.0)
    history.move(np.array([0, -1]), np.array([3, 1]))
    assert not history.allows(np.array([True, True]))  # a higher answer tells of the inserted one
    assert history.allows(np.array([True, False]))
