"""The five queries of the salary table under every policy, as the guide writes them out."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacita as ta
from tacita.queries.guard import Guard
from tacita.registry import from_plan

GUIDE = Path(__file__).parents[2] / "docs" / "queries.md"
KEY = "FIVE_QUERIES_KEY"
QUERIES = (
    "SELECT count(*) FROM salaries WHERE salary > 100000",
    "SELECT sum(salary) FROM salaries WHERE sector = 'HC'",
    "SELECT count(*) FROM salaries WHERE sector = 'IT' AND region = 'TGN'",
    "SELECT count(*) FROM salaries WHERE sector = 'Fin' AND region = 'TGN'",
    "SELECT avg(salary) FROM salaries WHERE sector = 'Fin' AND region = 'TGN'",
)
POLICIES = (
    "unprotected",
    {"query_set_size": 3},
    {"query_set_overlap": {"k": 3, "r": 3}},
    {"sensitive_cells": [{"minimum_frequency": 3}, {"p_percent": 10}]},
    "audit",
    {"audit_intervals": {"attribute": "salary", "lower": 0, "upper": 600000, "width": 50000}},
    "audit_extremes",
    {"camouflage": {"key_from": KEY}},
    {"record_set_noise": {"scale": 1, "key_from": KEY}},
    {"cell_key_noise": {"largest": 2, "variance": 1, "key_from": KEY}},
    {"random_sample": {"share": 0.5, "key_from": KEY}},
    {"rounded_answers": {"base": 5, "values": {"salary": 10000}, "key_from": KEY}},
)
PRIVATE = ta.PrivateAnswers(10, bounds={"salary": [0, 600000]}, share_each=0.2)


@pytest.fixture(autouse=True)
def key(monkeypatch) -> None:
    monkeypatch.setenv(KEY, "0123456789abcdef")


def told(answer: ta.Answer) -> str:
    """Return an answer as the guide writes it."""
    if answer.is_refused:
        return "refused"
    bounds = answer.interval
    within = "" if bounds is None else f"{bounds[0]:,.0f} to {bounds[1]:,.0f}"
    value = "" if answer.value is None else f"{answer.value:,.0f}"
    return f"{value} ({within})" if value and within else value or within


@pytest.mark.parametrize("said", POLICIES, ids=str)
def test_the_guide_writes_out_what_is_answered(said, salaries) -> None:
    policy = from_plan(said, ("policy",))
    guard = Guard(salaries, [policy])
    answers = [told(guard.ask(query, user="ana")) for query in QUERIES]
    row = f"| `{policy.name}` | {' | '.join(answers)} |"
    assert row in GUIDE.read_text(encoding="utf-8").splitlines()


def test_private_answers_are_near_the_truth_with_their_bounds(salaries) -> None:
    """The budget pays for five; noise of sums is of the order of the largest salary."""
    guard = Guard(salaries, [PRIVATE])
    found = [guard.ask(query, user="ana") for query in QUERIES]
    for answer, truth, scale in zip(
        found, (5, 482000, 3, 1, 150000), (1, 600000, 1, 1, 600000), strict=True
    ):
        assert abs(answer.value - truth) <= 30 * scale  # missed with a chance below 1e-12
        assert answer.interval is not None
    assert guard.ask(QUERIES[0], user="ben").is_refused
