from __future__ import annotations

import re

import pytest

import tacita as ta
from tacita.attacks.queries.injection import HOSTILE
from tacita.errors import ServerError
from tacita.queries.answer import Answer


def test_the_corpus_is_large_and_harmless():
    assert len(set(HOSTILE)) >= 60
    for text in HOSTILE:
        if re.match(r"(?i)update|delete|insert", text):
            assert text.endswith("WHERE 1 = 0")
        if re.match(r"(?i)drop|copy|create|attach|alter", text):
            assert "tacita_no_such" in text


@pytest.mark.parametrize("policy", [ta.Unprotected(), ta.QuerySetSize(2), ta.Audit()])
def test_a_guard_refuses_every_text(guard, victim, policy):
    outcome = ta.Injection().attack(guard(policy), victim)
    assert outcome.findings == ()
    assert outcome.refused == outcome.asked == len(HOSTILE)


def test_whatever_is_answered_is_found(victim):
    class Anything:
        def ask(self, sql, *, user):
            return Answer(("x",), (), ())

    outcome = ta.Injection().attack(Anything(), victim)
    assert outcome.succeeded
    assert len(outcome.findings) == len(HOSTILE)
    assert all(one.startswith("not refused: ") for one in outcome.findings)


def test_a_failing_server_is_found(victim):
    class Failing:
        def ask(self, sql, *, user):
            raise ServerError("status 500")

    outcome = ta.Injection().attack(Failing(), victim)
    assert outcome.findings[0].startswith("the database failed at: SELECT")


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.Injection())
