"""Groups of confidential values that a CASE writes out: which records are in them is nobody's."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tacita as ta
from tacita.queries.cells import Cell
from tacita.queries.expanding import expand
from tacita.queries.guard import Guard
from tacita.queries.language.parse import parse
from tacita.queries.policies.camouflage import Camouflage
from tacita.queries.policies.cell_key_noise import CellKeyNoise
from tacita.queries.policies.private_answers import PrivateAnswers
from tacita.queries.policies.query_set_size import QuerySetSize
from tacita.queries.policies.record_set_noise import RecordSetNoise
from tacita.queries.public_classes import PublicClasses

ROLES = {"ward": "key", "pay": "confidential"}
BY_WARD = (
    "SELECT ward, CASE WHEN pay > 50 THEN 'rich' ELSE 'poor' END AS how, sum(pay) FROM wards "
    "GROUP BY ward, how"
)
ADDED = (
    "SELECT CASE WHEN pay > 50 THEN 'rich' ELSE 'poor' END AS how, count(*) FROM wards "
    "GROUP BY ROLLUP(how)"
)
APART = [10] * 20 + [99] * 20  # nobody of a ward is rich, and everybody of the other


def wards(pay: list[int]) -> PublicClasses:
    table = pa.table({"ward": ["east"] * 20 + ["west"] * 20, "pay": pay})
    return PublicClasses.of(ta.read(table, roles=ROLES), "wards")


def cells(sql: str) -> tuple[Cell, ...]:
    data = wards(APART)
    return expand(parse(sql, data), data)


def test_the_classes_of_a_written_group_are_those_it_is_chosen_from():
    found = cells(BY_WARD)
    assert [cell.group for cell in found] == [
        ("east", "poor"),
        ("east", "rich"),
        ("west", "poor"),
        ("west", "rich"),
    ]
    assert [cell.members.size for cell in found] == [20, 0, 0, 20]
    assert [cell.members.places.tolist() for cell in found] == [[0], [0], [1], [1]]


def test_a_written_group_tells_which_condition_chooses_it():
    sql = "SELECT CASE WHEN pay > 50 THEN 'rich' END AS how, count(*) FROM wards WHERE pay < 90"
    blank, rich = sorted(cells(f"{sql} GROUP BY how"), key=lambda cell: str(cell.group))
    for cell in (blank, rich):
        condition = cell.members.condition
        assert condition is not None
        assert condition.names == {"pay"}
        assert len(condition.arguments) == 2
    assert blank.members.condition != rich.members.condition


def test_whether_margins_add_up_depends_on_nothing_confidential():
    policy = PrivateAnswers(1.0, share_each=0.001)

    def additions(pay: list[int]) -> int:
        guard = Guard(wards(pay), [policy])
        found = [guard.ask(ADDED, user="ana").rows for _ in range(10)]
        return sum(one[1] + other[1] == total[1] for one, other, total in found)

    # One respondent changed: the groups are those that are written, whoever is in them.
    assert additions(APART) == 10
    assert additions([99, *APART[1:]]) == 10


@pytest.mark.parametrize(
    "policy",
    [
        RecordSetNoise(2.0, confidential_sets=True),
        CellKeyNoise(5, variance=3.0, magnitudes=(0.5,), confidential_sets=True),
    ],
)
def test_the_sum_of_a_group_of_nobody_has_noise_as_that_of_a_condition_does(policy):
    guard = Guard(wards(APART), [policy])
    sums = {row[:2]: row[2] for row in guard.ask(BY_WARD, user="ana").rows}
    assert sums["east", "rich"] is not None
    asked = "SELECT sum(pay) FROM wards WHERE ward = 'east' AND pay > 50"
    assert sums["east", "rich"] == guard.ask(asked, user="ben").value


def test_camouflage_has_a_say_about_groups_of_what_it_camouflages():
    guard = Guard(wards(list(range(10, 50))), [Camouflage(), QuerySetSize(3)])
    told = guard.ask(
        "SELECT CASE WHEN pay > 30 THEN 1 ELSE 0 END AS c, count(*), sum(pay) FROM wards "
        "GROUP BY c",
        user="ana",
    )
    assert told.is_refused
