from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.guard import Guard
from tacita.queries.policies.audit import Audit
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic
from tacita.queries.updating import updated

SECTORS = ["IT"] * 6 + ["HC"] * 6 + ["Fin"] * 3
REGIONS = ["BCN"] * 3 + ["TGN"] * 3 + ["BCN"] * 3 + ["TGN"] * 3 + ["BCN"] * 2 + ["TGN"]
SALARIES = [500, 320, 32, 35, 34, 28, 300, 45, 34, 45, 34, 24, 300, 35, 150]
ROLES = {
    "id": "identifier",
    "number": "key",
    "sector": "key",
    "salary": "confidential",
    "bonus": "confidential",
    "weight": "weight",
}


def table(salaries, numbers=None, sectors=None) -> Dataset:
    size = len(salaries)
    columns = {
        "id": np.arange(size),
        "number": np.arange(size) if numbers is None else numbers,
        "sector": ["all"] * size if sectors is None else sectors,
        "salary": pa.array(salaries, pa.float64()),
        "bonus": np.arange(size) * 1.0,
        "weight": np.arange(1, size + 1) * 1.0,
    }
    return ta.read(pa.table(columns), roles=ROLES)


def records(size: int) -> PublicClasses:
    """Return classes of one record each, in the order of the records."""
    return PublicClasses.of(table(np.arange(size) * 1.0), "firms")


def cell(data: PublicClasses, members, statistic="sum", attribute="salary", **more) -> Cell:
    classes = np.zeros(len(data), bool)
    classes[np.asarray(members, np.int64)] = True
    asked = Asked(Statistic(statistic), attribute, **more)
    return Cell(asked, QuerySet(data, classes))


def answered(watcher, *cells: Cell) -> list[bool]:
    """Ask one cell after the other, as the guard does; return which are answered."""
    decisions = []
    for one in cells:
        decisions.append(watcher.covers(one) and watcher.allows(one))
        if decisions[-1]:
            watcher.learn(one)
    return decisions


def is_determined(sets: list[list[int]], record: int, size: int) -> bool:
    """Tell by ranks whether sums determine a value."""
    rows = np.array([[i in one for i in range(size)] for one in sets], float)
    unit = np.eye(size)[record]
    return np.linalg.matrix_rank(rows) == np.linalg.matrix_rank(np.vstack([rows, unit]))


class TestTrackers:
    """Each finds the value of record 0 out of query sets that are all large enough."""

    N, C = 20, {0}
    ALL = frozenset(range(20))

    def attack(self, *sets) -> None:
        """Ask all; without the audit they determine the value, with it they do not."""
        plain = [sorted(one) for one in sets]
        assert all(4 <= len(one) <= self.N - 4 for one in plain)
        assert is_determined(plain, 0, self.N)
        for seed in range(6):  # in whatever order
            order = np.random.default_rng(seed).permutation(len(plain))
            data = records(self.N)
            got = answered(Audit().watch(data), *(cell(data, plain[place]) for place in order))
            given = [plain[place] for place, told in zip(order, got, strict=True) if told]
            assert not all(got)
            assert not any(is_determined(given, record, self.N) for record in range(self.N))

    def test_individual(self):
        whole = set(range(8))
        self.attack(whole, whole - self.C)

    def test_general(self):
        tracker = set(range(3, 13))
        other = self.ALL - tracker
        self.attack(tracker, other, tracker | self.C, other | self.C)

    @pytest.mark.parametrize("inner", [range(5), range(5, 10)])
    def test_double(self, inner):
        inner, outer = set(inner), set(range(12))
        self.attack(outer, self.C | inner, inner, (self.ALL - (self.C & inner)) & outer)

    def test_union(self):
        parts = [set(range(1, 7)), set(range(7, 13)), set(range(13, 20)) | {0}]
        self.attack(*parts, *(part | self.C for part in parts))


class TestDecisions:
    def test_of_the_salary_table(self):
        data = PublicClasses.of(
            table(
                SALARIES,
                numbers=[0] * 15,
                sectors=[f"{s}/{r}" for s, r in zip(SECTORS, REGIONS, strict=True)],
            ),
            "firms",
        )
        names = data.columns["sector"].of_classes().to_pylist()

        def of(*sectors):
            return [names.index(one) for one in names if any(one.startswith(s) for s in sectors)]

        watcher = Audit().watch(data)
        sums = (of("HC"), of("Fin"), of("Fin/TGN"), of("Fin/BCN"), of("IT", "HC", "Fin"))
        assert answered(watcher, *(cell(data, one) for one in sums)) == [
            True,
            True,
            False,  # one record
            False,  # the rest of Fin is one record
            True,
        ]
        assert not watcher.allows(cell(data, of("Fin/TGN"), "avg"))
        assert not watcher.allows(cell(data, of("Fin/TGN"), "count", None))
        assert watcher.allows(cell(data, of("IT/TGN"), "count", None))

    def test_attributes_do_not_bear_on_each_other(self):
        data = records(6)
        watcher = Audit().watch(data)
        watcher.learn(cell(data, range(6)))
        assert not watcher.allows(cell(data, range(5)))
        assert watcher.allows(cell(data, range(5), attribute="bonus"))

    def test_a_mean_counts_as_a_sum(self):
        data = records(6)
        watcher = Audit().watch(data)
        watcher.learn(cell(data, range(6), "avg"))
        assert not watcher.allows(cell(data, range(5), "sum"))
        assert watcher.allows(cell(data, range(5), "count"))  # there are no blanks
        assert not watcher.allows(cell(data, [5], "count"))

    def test_what_follows_is_answered(self):
        data = records(6)
        watcher = Audit().watch(data)
        sets = ([0, 1, 2], [3, 4, 5], range(6), [0, 1, 2])
        assert all(answered(watcher, *(cell(data, one) for one in sets)))

    def test_other_statistics_and_confidential_predicates_are_refused(self):
        data = records(6)
        watcher = Audit().watch(data)
        for statistic in set(Statistic) - {"sum", "count", "avg"}:
            one = cell(data, range(6), statistic)
            assert watcher.covers(one)
            assert not watcher.allows(one)
            watcher.learn(one)  # which other policies answered, leaves no trace
        assert not watcher.allows(cell(data, range(6), "corr", "number", other="salary"))
        among = np.arange(6) < 4
        hidden = Cell(Asked(Statistic.COUNT), QuerySet(data, np.ones(6, bool), among))
        assert watcher.covers(hidden)
        assert not watcher.allows(hidden)
        assert watcher.allows(cell(data, range(6)))

    def test_what_is_asked_of_public_attributes_is_judged_like_a_count(self):
        data = records(6)
        watcher = Audit().watch(data)
        assert watcher.allows(cell(data, range(6), "var", "number"))
        assert watcher.allows(cell(data, range(6), "count_distinct", "sector"))
        assert not watcher.allows(cell(data, [0], "max", "number"))
        assert not watcher.allows(cell(data, range(6), "sum", "number", weighted=True))

    def test_statistics_narrow_what_it_has_a_say_about(self):
        data = records(6)
        watcher = Audit(statistics=["sum", "avg"]).watch(data)
        assert watcher.covers(cell(data, range(6), "avg"))
        assert not watcher.covers(cell(data, range(6), "max"))

    def test_sets_named_by_confidential_values_stay_with_it(self, salaries):
        guard = Guard(salaries, [Audit(statistics=["sum", "avg"]), ta.QuerySetSize(3)])
        assert not guard.ask("SELECT count(*) FROM salaries", user="ana").is_refused
        halved = "SELECT count(*) FROM salaries WHERE salary > 100000"
        assert guard.ask(halved, user="ana").is_refused

    def test_known_records_protect_nobody(self):
        known = np.arange(6) < 2
        data = PublicClasses.of(table(np.arange(6.0)), "firms", known)
        watcher = Audit().watch(data)
        first = np.flatnonzero(data.known).tolist()
        other = np.flatnonzero(~data.known).tolist()
        assert watcher.allows(cell(data, first))
        assert watcher.allows(cell(data, other[:2]))
        assert not watcher.allows(cell(data, [*first, other[0]]))


class TestWeights:
    def test_only_the_form_answered_first_is_answered_again(self):
        for weighted in (False, True):
            data = records(6)
            watcher = Audit().watch(data)
            watcher.learn(cell(data, range(6), weighted=weighted))
            for statistic in ("sum", "avg", "count"):
                assert watcher.allows(cell(data, range(6), statistic, weighted=weighted))
                assert not watcher.allows(cell(data, range(6), statistic, weighted=not weighted))
            other = cell(data, range(6), attribute="bonus", weighted=not weighted)
            assert watcher.allows(other)

    def test_both_forms_published_end_it(self):
        data = records(6)
        watcher = Audit().watch(data)
        for weighted in (False, True):
            watcher.learn(cell(data, range(6), weighted=weighted))
        assert not any(watcher.allows(cell(data, range(6), weighted=w)) for w in (False, True))

    def test_weights_are_protected_over_all_attributes(self):
        data = records(6)
        watcher = Audit().watch(data)
        watcher.learn(cell(data, range(6), "avg", "salary", weighted=True))
        assert not watcher.allows(cell(data, range(5), "avg", "bonus", weighted=True))
        assert not watcher.allows(cell(data, range(5), "count", None, weighted=True))
        assert watcher.allows(cell(data, range(5), "sum", "bonus", weighted=True))


def known_values(blank_or_value, sums, counts) -> list[int]:
    """Return the records whose value all worlds share that fit the answers, by trying them all.

    Args:
        blank_or_value: the values, None where blank.
        sums: the sets whose sums are known.
        counts: the sets of which it is known how many values they have.
    """
    size = len(blank_or_value)
    truth = np.array([0.0 if one is None else one for one in blank_or_value])
    there = np.array([one is not None for one in blank_or_value])
    shared = np.ones(size, bool)
    rows = np.array([np.isin(np.arange(size), one) for one in sums], bool).reshape(-1, size)
    for pattern in product([False, True], repeat=size):
        present = np.array(pattern)
        if any(present[one].sum() != there[one].sum() for one in counts):
            continue
        matrix = (rows & present).astype(float)
        rank = np.linalg.matrix_rank(matrix)
        if np.linalg.matrix_rank(np.column_stack([matrix, rows @ truth])) > rank:
            continue  # no values fit
        units = [np.linalg.matrix_rank(np.vstack([matrix, row])) == rank for row in np.eye(size)]
        shared &= present & np.array(units)
    return np.flatnonzero(shared).tolist()


class TestBlanks:
    def test_a_count_as_large_as_its_set_tells_who_is_blank(self):
        """a + b = 5 of one value, and both a and c have one: so a = 5."""
        assert known_values([5, None, 7], [[0, 1]], [[0, 1], [0, 2]]) == [0]
        data = PublicClasses.of(table([5.0, None, 7.0, 9.0]), "firms")
        asked = cell(data, [0, 1]), cell(data, [0, 1], "count"), cell(data, [0, 2], "count")
        assert answered(Audit().watch(data), *asked) == [False, False, True]

    def test_blanks_hide_nobody(self):
        """Of three who are alike two have no value: the sum is the value of the third."""
        values = [52000.0, None, None, 40000.0, 41000.0, 43000.0]
        data = PublicClasses.of(table(values, [0, 0, 0, 1, 1, 1]), "firms")
        for statistic in ("sum", "avg", "count"):
            asked = cell(data, [0], statistic), cell(data, [1], statistic)
            assert answered(Audit(3).watch(data), *asked) == [False, True]

    def test_sets_with_values_and_without_are_told_apart(self):
        data = PublicClasses.of(table([5.0, 6.0, None, None, 7.0, 8.0]), "firms")
        asked = cell(data, range(4)), cell(data, [0, 1, 4, 5], "count"), cell(data, [2, 3], "sum")
        assert answered(Audit().watch(data), *asked) == [True, True, True]

    def test_a_mean_of_blanks_tells_what_is_added_to_them(self):
        assert known_values([None, None, 7, 9], [[0, 1], [0, 2]], [[0, 1]]) == [2]
        data = PublicClasses.of(table([None, None, 7.0, 9.0]), "firms")
        asked = cell(data, [0, 1], "avg"), cell(data, [0, 2])
        assert answered(Audit().watch(data), *asked) == [True, False]

    @given(st.data())
    @settings(max_examples=60, deadline=None)
    def test_no_value_follows_in_all_worlds(self, data):
        value = st.none() | st.integers(1, 10**4)
        values = data.draw(st.lists(value, min_size=3, max_size=6))
        classes = PublicClasses.of(table(values), "firms")
        watcher = Audit().watch(classes)
        sums, counts = [], []
        for _ in range(8):
            statistic = data.draw(st.sampled_from(["sum", "avg", "count"]))
            members = sorted(data.draw(st.sets(st.integers(0, len(values) - 1), min_size=1)))
            if answered(watcher, cell(classes, members, statistic)) == [True]:
                sums += [members] * (statistic != "count")
                counts += [members] * (statistic != "sum")
        # The intruder knows of everybody whether there is a value.
        counts += [[one] for one in range(len(values))]
        assert known_values(values, sums, counts) == []

    def test_weighted_means_are_refused_and_weighted_sums_are_not(self):
        data = PublicClasses.of(table([None, 1.0, 2.0, 3.0]), "firms")
        watcher = Audit().watch(data)
        assert not watcher.allows(cell(data, range(4), "avg", weighted=True))
        assert watcher.allows(cell(data, range(4), "sum", weighted=True))
        assert watcher.allows(cell(data, range(4), "avg", "bonus", weighted=True))

    def test_blanks_that_come_after_answers_leave_sums_only(self):
        before = table([1.0, 2.0, 3.0, 4.0])
        old = PublicClasses.of(before, "firms")
        blanked = before.to_arrow().set_column(3, "salary", pa.array([None, 2.0, 3.0, 4.0]))
        update = updated(old, before, ta.read(blanked, roles=ROLES), "id")
        for asked in (True, False):
            watcher = Audit().watch(old)
            if asked:
                watcher.learn(cell(old, range(4), "avg"))
            watcher.move(update)
            assert watcher.allows(cell(update.data, range(4), "avg")) != asked
            assert watcher.allows(cell(update.data, [2, 3], "sum"))
            assert watcher.allows(cell(update.data, [2, 3], "count")) != asked


class TestBounds:
    """With non-negative numbers a sum of 0 tells all of them, and with 0 and 1 so does a count."""

    def test_zeros_are_refused_at_the_start(self):
        data = PublicClasses.of(table([0.0, 0.0, 12.0, 40.0]), "firms")
        with pytest.raises(ParameterError, match="`salary` is 0 in 2 of 4 records and never less"):
            Audit().watch(data)
        assert Audit(unbounded="salary").watch(data).allows(cell(data, range(4)))
        Audit().watch(PublicClasses.of(table([0.0, 0.0, -12.0, 40.0]), "firms"))
        Audit().watch(PublicClasses.of(table([0.0, None, 12.0, 40.0]), "firms"))

    def test_few_values_are_refused_at_the_start(self):
        data = PublicClasses.of(table([1.0, 2.0] * 5), "firms")
        with pytest.raises(ParameterError, match="`salary` has 2 values in 10 records"):
            Audit().watch(data)

    def test_maxima_at_their_bound_are_refused_too(self):
        data = PublicClasses.of(table([0.0, 0.0, 12.0, 40.0]), "firms")
        with pytest.raises(ParameterError, match="`audit_extremes` promises nothing"):
            ta.AuditExtremes("max", attributes="salary").watch(data)
        ta.AuditExtremes("max", attributes="bonus").watch(data)


class TestSimulatable:
    @given(st.integers(2, 3), st.data())
    @settings(max_examples=50)
    def test_values_have_no_say(self, k, data):
        """Two data sets with the same public columns and the same blanks: the same decisions."""
        size = data.draw(st.integers(2, 7))
        numbers = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
        there = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
        values = st.lists(st.floats(-1e6, 1e6), min_size=size, max_size=size)
        drawn = [
            [
                value if known else None
                for value, known in zip(data.draw(values), there, strict=True)
            ]
            for _ in range(2)
        ]
        both = [PublicClasses.of(table(one, numbers), "firms") for one in drawn]
        watchers = [Audit(k).watch(one) for one in both]
        for _ in range(6):
            statistic = data.draw(st.sampled_from(["sum", "avg", "count"]))
            members = data.draw(st.sets(st.integers(0, len(both[0]) - 1)))
            cells = [cell(one, sorted(members), statistic) for one in both]
            first, second = (answered(w, c) for w, c in zip(watchers, cells, strict=True))
            assert first == second

    def test_says_so(self):
        watcher = Audit().watch(records(3))
        assert watcher.simulatable
        assert "no single record" in watcher.guarantee
        assert "of 5 records or more" in Audit(5).watch(records(3)).guarantee


class TestGroups:
    def test_no_answer_separates_fewer_than_k(self):
        data = records(12)
        watcher = Audit(3).watch(data)
        sets = (range(12), range(6), range(5), range(3), [0, 1, 2, 6, 7, 8], range(10))
        expected = [True, True, False, True, True, False]
        assert answered(watcher, *(cell(data, one) for one in sets)) == expected

    def test_pairs_are_separated_by_default(self):
        data = records(12)
        assert answered(Audit().watch(data), cell(data, range(12)), cell(data, range(10))) == [
            True,
            True,
        ]

    def test_one_record_is_no_group(self):
        with pytest.raises(ParameterError, match="greater than or equal to 2"):
            Audit(1)


class TestUpdates:
    def test_the_history_goes_on(self):
        before = table([1.0, 2.0, 3.0, 4.0], numbers=[0] * 4)
        after = before.take(np.arange(3))
        old = PublicClasses.of(before, "firms")
        for k in (2, 3):
            watcher = Audit(k).watch(old)
            watcher.learn(cell(old, [0]))
            update = updated(old, before, after, "id")
            watcher.move(update)
            assert not watcher.allows(cell(update.data, [0]))
            assert watcher.allows(cell(update.data, [0], attribute="bonus"))

    def test_an_unchanged_value_is_the_same_unknown_beside_a_changed_one(self):
        """Sums of a + g, b + g and a + b tell all three: g stays g if another value changes."""
        before = table([1.0, 2.0, 3.0])
        old = PublicClasses.of(before, "firms")
        raised = before.to_arrow().set_column(3, "salary", pa.array([9.0, 2.0, 3.0]))
        after = ta.read(raised, roles=ROLES)
        decisions = {}
        for attribute in ("salary", "bonus"):
            watcher = Audit().watch(old)
            watcher.learn(cell(old, [0, 1], attribute=attribute))
            update = updated(old, before, after, "id")
            watcher.move(update)
            at = [int(np.flatnonzero(update.data.order == record)[0]) for record in range(3)]
            watcher.learn(cell(update.data, [at[0], at[2]], attribute=attribute))
            decisions[attribute] = watcher.allows(cell(update.data, at[1:], attribute=attribute))
        assert decisions == {"salary": True, "bonus": False}

    def test_other_weights_end_weighted_sums(self):
        before = table([1.0, 2.0, 3.0, 4.0])
        old = PublicClasses.of(before, "firms")
        heavier = before.to_arrow().set_column(5, "weight", pa.array([2.0, 2.0, 3.0, 4.0]))
        watcher = Audit().watch(old)
        watcher.learn(cell(old, range(4), weighted=True))
        watcher.learn(cell(old, range(4), attribute="bonus"))
        update = updated(old, before, ta.read(heavier, roles=ROLES), "id")
        watcher.move(update)
        assert not watcher.allows(cell(update.data, range(4), weighted=True))
        assert not watcher.allows(cell(update.data, range(4)))
        assert watcher.allows(cell(update.data, range(4), attribute="bonus"))
