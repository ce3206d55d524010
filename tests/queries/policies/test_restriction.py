"""Size, overlap and cell rules: what each refuses, and what it lets through."""

# ruff: noqa: S608 - the texts are the tests' own

from __future__ import annotations

import numpy as np
import pytest

import tacita as ta
from tacita.errors import ParameterError
from tacita.queries.expanding import expand
from tacita.queries.guard import Guard
from tacita.queries.language.parse import parse
from tacita.queries.updating import updated


def answered(guard: Guard, sql: str) -> bool:
    return not guard.ask(sql, user="ana").is_refused


@pytest.mark.parametrize(
    ("condition", "size", "allowed"),
    [
        ("sector = 'Fin' AND region = 'TGN'", 1, False),
        ("sector = 'Fin'", 3, True),
        ("sector <> 'Fin'", 12, True),
        ("NOT (sector = 'Fin' AND region = 'BCN')", 13, False),
        ("sector = 'Law'", 0, False),
        ("1 = 1", 15, True),
        ("salary > 100000", 5, True),
        ("salary > 400000", 1, False),
    ],
)
def test_sizes_on_both_sides(condition, size, allowed, salaries) -> None:
    guard = Guard(salaries, [ta.QuerySetSize(3)])
    sql = f"SELECT count(*) FROM salaries WHERE {condition}"
    assert expand(parse(sql, salaries), salaries)[0].members.size == size
    assert answered(guard, sql) == allowed


def test_size_control_of_some_statistics_leaves_the_rest_to_others(salaries) -> None:
    guard = Guard(salaries, [ta.QuerySetSize(3, statistics=["count"])])
    one = "salaries WHERE sector = 'Fin' AND region = 'TGN'"
    assert not answered(guard, f"SELECT count(*) FROM {one}")
    assert answered(guard, "SELECT count(*) FROM salaries WHERE sector = 'Fin'")
    whole = "SELECT sum(salary) FROM salaries"
    assert not answered(guard, whole)  # nobody has a say about it
    both = Guard(salaries, [ta.QuerySetSize(3, statistics=["count"]), ta.Audit(statistics=["sum"])])
    assert answered(both, whole)
    assert answered(both, "SELECT sum(salary) FROM salaries WHERE NOT (sector = 'Fin')")
    with pytest.raises(ParameterError, match="statistics"):
        ta.QuerySetSize(3, statistics=[])


def test_size_control_is_broken_by_two_answers(salaries) -> None:
    """What the docstring warns of: the refused sum is the difference of two that are answered."""
    guard = Guard(salaries, [ta.QuerySetSize(2)])
    one = "SELECT sum(salary) FROM salaries WHERE sector = 'Fin' AND region = 'TGN'"
    assert not answered(guard, one)
    wide = guard.ask("SELECT sum(salary) FROM salaries WHERE sector = 'Fin'", user="ana").value
    without = "SELECT sum(salary) FROM salaries WHERE sector = 'Fin' AND region = 'BCN'"
    assert wide - guard.ask(without, user="ben").value == 150000


def test_overlap_counts_shared_records_over_all_users(salaries) -> None:
    guard = Guard(salaries, [ta.QuerySetOverlap(3, 2)])
    in_it = "SELECT sum(salary) FROM salaries WHERE sector = 'IT'"
    assert answered(guard, in_it)
    assert not guard.ask("SELECT avg(salary) FROM salaries WHERE region = 'BCN'", user="b").rows[0][
        0
    ]
    assert answered(guard, "SELECT sum(salary) FROM salaries WHERE sector = 'HC'")
    assert answered(guard, in_it.replace("sum", "avg"))
    assert not answered(guard, "SELECT count(*) FROM salaries WHERE salary > 30000")


def test_overlap_follows_records_that_stay(employees, salaries) -> None:
    watcher = ta.QuerySetOverlap(2, 1).watch(salaries)
    asked = expand(parse("SELECT count(*) FROM salaries WHERE sector = 'IT'", salaries), salaries)
    watcher.learn(asked[0])
    after = employees.take(np.arange(3, 15))  # three of the six are gone
    update = updated(salaries, employees, after, "id")
    watcher.move(update)
    rest = "SELECT count(*) FROM salaries WHERE sector <> 'HC'"
    assert not watcher.allows(expand(parse(rest, update.data), update.data)[0])
    others = "SELECT count(*) FROM salaries WHERE sector = 'HC'"
    assert watcher.allows(expand(parse(others, update.data), update.data)[0])


def test_overlap_refuses_an_answered_set_that_lost_a_record(employees, salaries) -> None:
    """The old and the new answer differ by the value that is gone."""
    watcher = ta.QuerySetOverlap(2, 1).watch(salaries)
    sql = "SELECT sum(salary) FROM salaries WHERE sector = 'IT'"
    watcher.learn(expand(parse(sql, salaries), salaries)[0])
    before, old = employees, salaries
    for _ in range(2):  # also after a second change
        after = before.take(np.arange(1, len(before)))
        update = updated(old, before, after, "id")
        watcher.move(update)
        assert not watcher.allows(expand(parse(sql, update.data), update.data)[0])
        before, old = after, update.data


@pytest.mark.parametrize(
    ("k", "r", "enough"),
    [(3, 1, "3 answers or more"), (4, 2, "3 answers or more"), (3, 0, "no more than each")],
)
def test_overlap_says_how_many_answers_can_tell_a_value(salaries, k, r, enough) -> None:
    """1 + (k - 1) / r answers, rounded up; sets that share nothing tell nothing together."""
    assert enough in ta.QuerySetOverlap(k, r).watch(salaries).guarantee


def test_cell_rules_refuse_the_three_sensitive_cells(salaries) -> None:
    """By p percent with p = 10, as the marks of the printed table have it."""
    guard = Guard(salaries, [ta.SensitiveCells({"p_percent": 10})])
    sql = "SELECT sector, region, sum(salary) AS s FROM salaries GROUP BY sector, region"
    found = {row[:2] for row in guard.ask(sql, user="ana").rows if row[2] is None}
    assert found == {("IT", "BCN"), ("Fin", "BCN"), ("Fin", "TGN")}


def test_minimum_frequency_judges_counts_and_sums(salaries) -> None:
    guard = Guard(salaries, [ta.SensitiveCells([{"minimum_frequency": 3}])])
    for statistic in ("count(*)", "sum(salary)", "avg(salary)"):
        sql = f"SELECT {statistic} FROM salaries WHERE sector = 'Fin' AND region = "
        assert not answered(guard, f"{sql}'BCN'")
        assert answered(guard, f"SELECT {statistic} FROM salaries WHERE sector = 'Fin'")
    assert not answered(guard, "SELECT max(salary) FROM salaries")


def test_rules_of_whole_tables_are_refused() -> None:
    with pytest.raises(ParameterError, match="looks at more than one cell"):
        ta.SensitiveCells([{"group_disclosure": {}}])
