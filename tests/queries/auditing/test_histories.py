from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.queries.auditing.histories import Exact, InAtoms

pytestmark = pytest.mark.numeric

MANY = 10_000


class Plain:
    """The audit record by record, with fractions; knows nothing of classes and atoms."""

    def __init__(self, determined, sizes: list[int], known: list[bool]) -> None:
        self.determined = determined
        self.of_class = np.repeat(np.arange(len(sizes)), sizes)
        self.width = len(self.of_class)
        self.unknowns = np.arange(self.width)  # of every record
        self.rows = [
            np.eye(self.width, dtype=int)[i].tolist()
            for i in self.unknowns[np.repeat(known, sizes)]
        ]

    def row(self, classes: np.ndarray) -> list[int]:
        row = np.zeros(self.width, int)
        row[self.unknowns] = classes[self.of_class]
        return row.tolist()

    def widen(self, unknowns: np.ndarray, new: int) -> None:
        """Go on with other records, each a class of its own."""
        self.rows = [row + [0] * new for row in self.rows]
        self.width += new
        self.unknowns, self.of_class = unknowns, np.arange(len(unknowns))

    def allows(self, classes: np.ndarray) -> bool:
        return self.determined([*self.rows, self.row(classes)]) == self.determined(self.rows)

    def learn(self, classes: np.ndarray) -> None:
        self.rows.append(self.row(classes))


def draw_set(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw small, large and middling sets, and complements."""
    return rng.random(size) < rng.choice([0.15, 0.5, 0.85])


def ask(history: Exact, plain: Plain, rng: np.random.Generator, size: int, times: int) -> int:
    refused = 0
    for _ in range(times):
        classes = draw_set(rng, size)
        allowed = history.allows(classes)
        assert allowed == plain.allows(classes)
        refused += not allowed
        if allowed or rng.random() < 0.1:  # sometimes it was published elsewhere all the same
            history.learn(classes)
            plain.learn(classes)
    return refused


class TestExact:
    @pytest.mark.parametrize("seed", range(60))
    def test_decides_as_fractions_do(self, determined, seed):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 3, rng.integers(2, 8))
        known = (sizes == 1) & (rng.random(len(sizes)) < 0.2)
        history = Exact(np.where(known, 0, sizes), MANY)
        plain = Plain(determined, sizes.tolist(), known.tolist())
        ask(history, plain, rng, len(sizes), 12)

    def test_the_sequences_above_have_refusals_and_answers(self, determined):
        rng = np.random.default_rng(0)
        refused = 0
        for _ in range(10):
            history, plain = Exact(np.ones(6, int), MANY), Plain(determined, [1] * 6, [False] * 6)
            refused += ask(history, plain, rng, 6, 12)
        assert 20 < refused < 100

    @pytest.mark.parametrize("records", [40, 300])
    def test_random_halves_are_answered_until_their_number_is_that_of_the_records(self, records):
        """With one answer fewer than records nothing is determined, with one more everything is."""
        rng = np.random.default_rng(3)
        history = Exact(np.ones(records, int), MANY)
        answered = 0
        while history.allows(half := rng.permutation(records) < records // 2):
            history.learn(half)
            answered += 1
        assert answered == history.space.rank == records - 1

    def test_a_class_of_two_is_never_determined(self):
        history = Exact(np.array([2, 2]), MANY)
        for classes in ([True, True], [True, False], [False, True]):
            assert history.allows(np.array(classes))
            history.learn(np.array(classes))

    def test_an_insider_who_knows_one_of_two_learns_the_other(self):
        sizes = np.array([1, 1, 1])
        assert Exact(sizes, MANY).allows(np.array([True, True, False]))
        assert not Exact(np.array([0, 1, 1]), MANY).allows(np.array([True, True, False]))
        assert Exact(np.array([0, 1, 1]), MANY).allows(np.array([True, False, False]))

    def test_refuses_what_would_make_more_atoms_than_allowed_and_answers_what_follows(self):
        history = Exact(np.full(4, 5), most=2)
        half = np.array([True, True, False, False])
        assert history.allows(half)
        history.learn(half)
        assert not history.allows(np.array([True, False, False, False]))
        assert history.allows(half)

    def test_judging_is_not_remembered(self):
        history = Exact(np.ones(3, int), MANY)
        history.learn(np.ones(3, bool))
        for _ in range(2):
            assert not history.allows(np.array([True, False, False]))
        assert len(history.atoms) == 1


class TestUpdates:
    @pytest.mark.parametrize("seed", range(40))
    def test_decides_as_fractions_do_after_inserts_deletes_and_changes(self, determined, seed):
        """Every value that ever was is an unknown of its own; records are classes."""
        rng = np.random.default_rng(seed)
        history, plain = Exact(np.ones(5, int), MANY), Plain(determined, [1] * 5, [False] * 5)
        for _ in range(3):
            ask(history, plain, rng, len(plain.of_class), 5)
            stay = np.flatnonzero(rng.random(len(plain.of_class)) < 0.7)
            new = int(rng.integers(0, 3))
            came_from = np.concatenate([stay, np.full(new, -1)])
            history.move(came_from, np.ones(len(came_from), int))
            unknowns = np.concatenate([plain.unknowns[stay], plain.width + np.arange(new)])
            plain.widen(unknowns, new)
        if len(plain.of_class):
            ask(history, plain, rng, len(plain.of_class), 5)

    def test_the_difference_to_a_deleted_record_is_refused(self):
        history = Exact(np.array([3]), MANY)
        history.learn(np.array([True]))
        history.move(np.array([0]), np.array([2]))
        assert not history.allows(np.array([True]))

    def test_the_difference_to_an_inserted_record_is_refused_and_to_two_is_not(self):
        for new, allowed in ((1, False), (2, True)):
            history = Exact(np.array([3]), MANY)
            history.learn(np.array([True]))
            history.move(np.array([0, -1]), np.array([3, new]))
            assert history.allows(np.array([True, True])) is allowed


class TestInAtoms:
    @given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(2, 4), st.data())
    @settings(max_examples=50)
    def test_no_sum_of_fewer_follows(self, follows, sizes, k, data):
        """All sets of fewer than k records are tried."""
        history, of_class = InAtoms(np.array(sizes), k), np.repeat(np.arange(len(sizes)), sizes)
        rows = []
        for _ in range(5):
            drawn = st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes))
            classes = np.array(data.draw(drawn))
            if history.allows(classes):
                history.learn(classes)
                rows.append(classes[of_class].astype(int).tolist())
        for chosen in range(1, 2 ** len(sizes)):
            classes = np.array([bool(chosen >> number & 1) for number in range(len(sizes))])
            if np.array(sizes)[classes].sum() < k:
                assert not follows(rows, classes[of_class].astype(int).tolist())

    def test_what_no_answered_set_contains_may_be_small(self):
        history = InAtoms(np.array([5, 1]), 3)
        assert history.allows(np.array([True, False]))
        history.learn(np.array([True, False]))
        assert not history.allows(np.array([True, True]))

    def test_the_rest_of_an_answered_set_may_not_be_small(self):
        history = InAtoms(np.array([5, 2]), 3)
        history.learn(np.array([True, True]))
        assert not history.allows(np.array([True, False]))
        assert history.allows(np.array([True, True]))

    def test_known_records_do_not_count(self):
        assert InAtoms(np.array([2, 1]), 3).allows(np.array([True, True]))
        assert not InAtoms(np.array([2, 0]), 3).allows(np.array([True, True]))

    def test_new_records_wait_until_they_are_enough(self):
        for new, allowed in ((2, False), (3, True)):
            history = InAtoms(np.array([5]), 3)
            history.learn(np.array([True]))
            history.move(np.array([0, -1]), np.array([5, new]))
            assert history.allows(np.array([True, True])) is allowed
            assert history.allows(np.array([True, False]))


@pytest.mark.parametrize(
    "begin", [lambda sizes: Exact(sizes, MANY), lambda sizes: InAtoms(sizes, 2)]
)
@pytest.mark.parametrize("seed", range(40))
def test_many_sets_at_once_are_remembered_as_one_after_the_other(begin, seed):
    """With classes an insider knows, and values that are deleted and new in between."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 4, 9)
    one_by_one, at_once = begin(sizes), begin(sizes)
    for _ in range(3):
        sets = [draw_set(rng, len(sizes)) for _ in range(rng.integers(0, 5))]
        for one in sets:
            one_by_one.learn(one)
        at_once.learn_all(sets)
        for _ in range(12):
            asked = draw_set(rng, len(sizes))
            assert at_once.allows(asked) == one_by_one.allows(asked)
        came_from = rng.integers(-1, len(sizes), len(sizes))
        came_from = np.where(came_from < 0, -1, np.arange(len(sizes)))
        for history in (one_by_one, at_once):
            history.move(came_from, sizes)
