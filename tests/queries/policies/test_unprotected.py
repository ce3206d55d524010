from __future__ import annotations

import pytest

import tacita as ta
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses


@pytest.fixture(scope="module")
def guard():
    return Guard(PublicClasses.of(ta.example("toy", 30), "toy"), [ta.Unprotected()])


@pytest.mark.parametrize(
    "asked", ["count(*)", "sum(income)", "var_samp(income)", "max(income)", "median(income)"]
)
def test_every_statistic_is_answered(guard, asked):
    sql = f"SELECT {asked} FROM toy WHERE income > 0"  # noqa: S608
    assert guard.ask(sql, user="ana").value is not None


def test_it_says_that_it_guarantees_nothing(guard):
    told = guard.ask("SELECT count(*) FROM toy", user="ana").guarantees
    assert told["unprotected"].startswith("None: ")
