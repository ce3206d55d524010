"""Camouflage behind the guard: the truth within, nobody excluded, the set never redrawn."""

# ruff: noqa: S608 - the texts are the tests' own

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.queries.answering import true_value
from tacita.queries.camouflage.answering import interval_of
from tacita.queries.expanding import expand
from tacita.queries.guard import Guard
from tacita.queries.language.parse import parse
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.opening import Followed, Guarding
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import updated
from tacita.queries.versions import Versions

SECRET = "a secret of the curator"  # noqa: S105 - of the tests
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True)
def secret(monkeypatch) -> None:
    monkeypatch.setenv("CVC_KEY", SECRET)


def keyed(**more) -> ta.Camouflage:
    return ta.Camouflage(**{"key_from": "CVC_KEY", **more})


def interval(guard: Guard, sql: str) -> tuple[float, float]:
    found = guard.ask(sql, user="ana").interval
    assert found is not None, sql
    return found


def test_five_queries_of_the_course(salaries) -> None:
    guard = Guard(salaries, [keyed()])
    count = "SELECT count(*) FROM salaries WHERE "
    lower, upper = interval(guard, count + "salary > 100000")
    assert 4 <= lower <= 5 <= upper <= 5  # nobody but the one with 150000 has bounds near 100000
    lower, upper = interval(guard, "SELECT sum(salary) FROM salaries WHERE sector = 'HC'")
    assert lower < 482000 < upper
    assert upper - lower > 6 * 1000  # at least the half units on both sides
    assert guard.ask(count + "sector = 'IT' AND region = 'TGN'", user="ana").value == 3
    assert guard.ask(count + "sector = 'Fin' AND region = 'TGN'", user="ana").value == 1
    one = "SELECT avg(salary) FROM salaries WHERE sector = 'Fin' AND region = 'TGN'"
    lower, upper = interval(guard, one)
    assert lower < 150000 < upper
    assert upper - lower >= 0.3 * 150000


STATISTICS = (
    "sum(salary)",
    "avg(salary)",
    "var_samp(salary)",
    "var_pop(salary)",
    "stddev_samp(salary)",
    "min(salary)",
    "max(salary)",
    "median(salary)",
    "quantile_cont(salary, 0.9)",
    "regr_slope(salary, age)",
    "covar_samp(salary, age)",
    "covar_pop(age, salary)",
)
WHERE = ("1 = 1", "sector = 'a' AND age < 30", "sector = 'none'")


def drawn(seed: int, size: int = 30, **more) -> PublicClasses:
    """Make records with ties, negative salaries and blanks."""
    rng = np.random.default_rng(seed)
    salary = rng.lognormal(10, 0.7, size).round(-2) * rng.choice([1, 1, 1, -1], size)
    table = pa.table(
        {
            "id": range(size),
            "sector": rng.choice(["a", "b"], size),
            "age": pa.array(rng.integers(20, 70, size), mask=rng.random(size) < 0.1),
            "salary": pa.array(salary, mask=rng.random(size) < 0.1),
            **more,
        }
    )
    roles = {"id": "identifier", "sector": "key", "age": "key", "salary": "confidential"}
    roles |= dict.fromkeys(more, "confidential")
    return PublicClasses.of(ta.read(table, roles=roles), "firms")


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 2))
def test_truth_is_within_every_interval(seed, insiders) -> None:
    data = drawn(seed)
    watcher = keyed(insiders=insiders, least_width=10).watch(data)
    for where in WHERE:
        for sql in (
            f"SELECT {', '.join(STATISTICS)} FROM firms WHERE {where}",
            f"SELECT count(*), count(age) FROM firms WHERE salary >= 20000 AND {where}",
            f"SELECT count(salary) FROM firms WHERE salary IN (20000, -15000) AND {where}",
        ):
            cells = expand(parse(sql, data), data)
            assert all(watcher.covers(cell) and watcher.allows(cell) for cell in cells)
            for cell in cells:
                true, found = true_value(cell), interval_of(cell, watcher.sets["salary"], 1e5)
                assert (true is None) == (found is None)
                if found is not None:
                    assert found[0] <= true <= found[1], cell.asked


def asked_and_told(guard: Guard, rng: np.random.Generator) -> list[tuple]:
    """Ask about sets of one and of many: each statistic with the set and the interval."""
    sets = [rng.choice(12, size, replace=False) for size in (1, 1, 1, 2, 3, 5, 6, 9, 12)]
    told = []
    for chosen in sets:
        where = f"WHERE id IN ({', '.join(map(str, chosen))})"
        sql = f"SELECT sum(salary), avg(salary), min(salary), max(salary) FROM firms {where}"
        found = guard.ask(sql, user="ana").intervals[0]
        told += [(what, chosen, 0, one) for what, one in zip(VALUES, found, strict=False)]
        cut = int(rng.lognormal(10, 0.7))
        sql = f"SELECT count(*) FROM firms {where} AND salary > {cut}"
        told.append(("count", chosen, cut, interval(guard, sql)))
    return told


VALUES = {
    "sum": lambda y, _: y.sum(),
    "avg": lambda y, _: y.mean(),
    "min": lambda y, _: y.min(),
    "max": lambda y, _: y.max(),
    "count": lambda y, cut: (y > cut).sum(),
}


def linear_rows(told: list[tuple], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Write what follows linearly from the answers as rows of A y <= b."""
    rows, sides = [], []
    for what, chosen, _, (lower, upper) in told:
        units = np.eye(size)[chosen]
        if what in ("sum", "avg"):
            row = units.sum(axis=0) if what == "sum" else units.mean(axis=0)
            rows += [row, -row]
            sides += [upper, -lower]
        elif what in ("min", "max"):
            rows += list(units if what == "max" else -units)
            sides += [upper if what == "max" else -lower] * len(chosen)
    return np.array(rows), np.array(sides)


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_adversary_with_all_answers_excludes_nothing(seed) -> None:
    """Everybody is a class of their own, so that any set, also of one, can be asked about."""
    rng = np.random.default_rng(seed)
    table = pa.table({"id": range(12), "salary": rng.lognormal(10, 0.7, 12).round()})
    data = PublicClasses.of(ta.read(table, roles={"id": "key", "salary": "confidential"}), "firms")
    watcher = keyed().watch(data)
    guard = Guard(data, [SimpleNamespace(watch=lambda _: watcher, name="camouflage")])
    vertices = watcher.sets["salary"].vertices
    told = asked_and_told(guard, rng)
    rows, sides = linear_rows(told, 12)
    for record, ends in enumerate(vertices):
        # A linear program with all answers does not narrow the bounds of anybody.
        cost = np.eye(12)[record]
        programs = [linprog(sign * cost, rows, sides, bounds=(0, 1e7)) for sign in (1, -1)]
        assert programs[0].fun <= ends.min() + 1e-3
        assert -programs[1].fun >= ends.max() - 1e-3
        # Whole salaries anywhere between the bounds agree with every answer.
        for part in rng.random(5):
            weights = np.zeros(3)
            weights[[ends.argmin(), ends.argmax()]] = 1 - part, part
            y = (vertices @ weights).round()
            for what, chosen, cut, (lower, upper) in told:
                assert lower <= VALUES[what](y[chosen], cut) <= upper, what


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(salary) FROM firms WHERE bonus > 3",
        "SELECT sum(salary) FROM firms WHERE salary > 3",
        "SELECT count(*) FROM firms WHERE salary > 3 AND bonus > 3",
        "SELECT count(*) FROM firms WHERE salary * 2 > 3",
        "SELECT corr(salary, age) FROM firms",
        "SELECT regr_slope(age, salary) FROM firms",
        "SELECT covar_samp(salary, bonus) FROM firms",
    ],
)
def test_what_is_not_of_one_attribute_alone_is_refused(sql) -> None:
    data = drawn(3, bonus=np.arange(1.0, 31.0))
    guard = Guard(data, [ta.Camouflage(attributes="salary")])
    assert guard.ask(sql, user="ana").is_refused
    assert guard.explain(sql, user="ana")["camouflage"]["vertices"] == 3


def test_attributes_and_statistics_narrow_what_it_covers() -> None:
    data = drawn(3, bonus=np.arange(1.0, 31.0))
    guard = Guard(data, [ta.Camouflage(attributes=["bonus"], statistics=["sum", "count"])])
    assert guard.ask("SELECT sum(bonus) FROM firms", user="ana").interval
    assert guard.ask("SELECT count(*) FROM firms", user="ana").value == 30
    assert guard.ask("SELECT avg(bonus) FROM firms", user="ana").is_refused
    assert guard.ask("SELECT sum(salary) FROM firms", user="ana").is_refused


def test_restriction_may_have_a_say_too(salaries) -> None:
    guard = Guard(salaries, [ta.QuerySetSize(3), ta.Camouflage()])
    few = "SELECT avg(salary) FROM salaries WHERE sector = 'Fin' AND region = 'TGN'"
    assert guard.ask(few, user="ana").is_refused
    answer = guard.ask("SELECT sum(salary) FROM salaries WHERE sector = 'Fin'", user="ana")
    assert answer.interval
    assert set(answer.guarantees) == {"query_set_size", "camouflage"}


def test_same_secret_same_set(salaries, monkeypatch) -> None:
    sql = "SELECT sector, sum(salary), max(salary) FROM salaries GROUP BY sector"
    first = Guard(salaries, [keyed()]).ask(sql, user="ana").intervals
    assert Guard(salaries, [keyed()]).ask(sql, user="ben").intervals == first
    monkeypatch.setenv("CVC_KEY", SECRET[::-1])
    assert Guard(salaries, [keyed()]).ask(sql, user="ana").intervals != first


def test_update_leaves_answers_about_others_as_they_were(employees, salaries) -> None:
    watcher = keyed().watch(salaries)
    sql = "SELECT sector, sum(salary) FROM salaries GROUP BY sector"
    cells = expand(parse(sql, salaries), salaries)
    before = {cell.group: one for cell, one in zip(cells, watcher.release(cells), strict=True)}
    after = employees.take(np.arange(2, 15))  # two of IT are gone
    update = updated(salaries, employees, after, "id")
    watcher.move(update)
    late = dict(zip((cell.group for cell in cells), watcher.release(cells), strict=True))
    assert late == before  # questions that were decided before the change
    now = expand(parse(sql, update.data), update.data)
    told = dict(zip((cell.group for cell in now), watcher.release(now), strict=True))
    assert told["HC",] == before["HC",]
    assert told["Fin",] == before["Fin",]
    assert told["IT",] != before["IT",]


def test_restart_after_a_change_draws_nothing_anew(employees, tmp_path) -> None:
    """Who moved to another region has the bounds from before, also if the guard starts again."""
    guarding = Guarding("salaries", [keyed()], record="id", versions=Versions(tmp_path / "old"))
    regions = employees.column("region").to_pylist()
    table = employees.to_arrow()
    moved = pa.array([*regions[:14], "BCN"])  # the only one of Fin in TGN
    table = table.set_column(table.column_names.index("region"), "region", moved)
    roles = {"id": "identifier", "salary": "confidential", "sector": "key", "region": "key"}
    after = ta.read(table, roles=roles)
    sql = "SELECT sum(salary), max(salary), stddev(salary) FROM salaries WHERE sector = 'Fin'"
    told = []
    for data in (employees, after, after):
        with open_ledger(tmp_path / "ledger.db", b"k" * 32) as ledger:
            guard = Followed(data, guarding, ledger).guard
            told.append(guard.ask(sql, user="ana").intervals)
    assert told[0] == told[1] == told[2]


def test_respondents_get_the_bounds_they_ask_for() -> None:
    table = pa.table(
        {
            "id": [1, 2, 3],
            "salary": [100.0, 200.0, 300.0],
            "least": [10.0, None, 299.0],
            "most": [None, 900.0, 301.0],
        }
    )
    roles = {"id": "key", "salary": "confidential", "least": "confidential", "most": "confidential"}
    data = PublicClasses.of(ta.read(table, roles=roles), "firms")
    policy = keyed(attributes="salary", lower="least", upper="most")
    guard = Guard(data, [policy])
    bounds = [
        interval(guard, f"SELECT sum(salary) FROM firms WHERE id = {one}") for one in (1, 2, 3)
    ]
    assert bounds[0][0] <= 10
    assert bounds[0][1] > 100
    assert bounds[1][0] < 200
    assert bounds[1][1] >= 900
    assert bounds[2][1] - bounds[2][0] >= 0.3 * 300
    with pytest.raises(ParameterError, match="bounds of one attribute"):
        Guard(data, [keyed(lower="least")])
    with pytest.raises(ParameterError, match="`lowest`, which the view does not have"):
        Guard(data, [keyed(attributes="salary", lower="lowest")])


@pytest.mark.parametrize(
    ("values", "unit"),
    [([12.5, 3.5, 4], 0.1), ([1500, 2500, 7], 100), ([1500, 27, 7], 1), ([1 / 3, 2.0], 0)],
)
def test_values_that_most_are_round_differ_by_half_a_unit(values, unit) -> None:
    roles = {"id": "key", "salary": "confidential"}
    table = pa.table({"id": range(len(values)), "salary": np.array(values, float)})
    data = PublicClasses.of(ta.read(table, roles=roles), "firms")
    assert keyed().watch(data).sets["salary"].slack == pytest.approx(unit / 2, abs=1e-6)
    assert keyed(unit=50).watch(data).sets["salary"].slack == pytest.approx(25)


def test_more_insiders_more_vertices() -> None:
    assert [ta.Camouflage(insiders=n).vertices for n in (0, 1, 2, 5)] == [3, 3, 4, 7]
    data = drawn(1)
    told = Guard(data, [ta.Camouflage(insiders=4, least_width=9)]).explain(
        "SELECT sum(salary) FROM firms", user="ana"
    )["camouflage"]
    left = told["salary: width left against 4 insiders, median share"]
    assert told["vertices"] == 6
    assert 0 < left < 1


def test_ten_insiders_take_twelve_vertices() -> None:
    data = drawn(2)
    hidden, exact = (
        Guard(data, [keyed(insiders=10, least_width=9)]),
        Guard(data, [ta.Unprotected()]),
    )
    for what in ("sum(salary)", "stddev(salary)", "regr_slope(salary, age)"):
        sql = f"SELECT {what} FROM firms"
        lower, upper = interval(hidden, sql)
        assert lower < exact.ask(sql, user="ana").value < upper
    with pytest.raises(ParameterError, match="insiders"):
        ta.Camouflage(insiders=11)


def test_what_cannot_be_protected_is_told_at_the_start(employees, monkeypatch) -> None:
    table = pa.table({"id": [1, 2], "salary": [0.0, 5.0], "name": ["x", "y"]})
    roles = {"id": "key", "salary": "confidential", "name": "confidential"}
    data = PublicClasses.of(ta.read(table, roles=roles), "firms")
    with pytest.raises(InputError, match=r"1 values of 0.*least_width"):
        keyed().watch(data)
    with pytest.raises(ParameterError, match="there are salary; found name"):
        keyed(attributes="name").watch(data)
    known = PublicClasses.of(employees, "salaries", known=np.arange(15) < 2)
    with pytest.raises(InputError, match="know 2 records"):
        keyed().watch(known)
    assert keyed(insiders=2).watch(known).simulatable
    monkeypatch.delenv("CVC_KEY")
    with pytest.raises(ParameterError, match="CVC_KEY, which is not set"):
        keyed().watch(known)


@pytest.mark.parametrize("values", [[], [None, None]])
def test_data_without_values(values) -> None:
    table = pa.table({"id": range(len(values)), "salary": pa.array(values, pa.float64())})
    roles = {"id": "key", "salary": "confidential"}
    data = PublicClasses.of(ta.read(table, roles=roles, kinds={"salary": "continuous"}), "firms")
    guard = Guard(data, [ta.Camouflage()])
    sql = "SELECT avg(salary), max(salary), median(salary), stddev(salary) FROM firms"
    answer = guard.ask(sql, user="ana")
    assert answer.rows == ((None,) * 4,)
    assert answer.intervals == ((None,) * 4,)
    assert guard.ask("SELECT count(*) FROM firms WHERE salary > 3", user="ana").interval == (0, 0)
    assert guard.explain(sql, user="ana")["camouflage"]["answers"] == "intervals"
