from __future__ import annotations

from dataclasses import replace

import numpy as np

import tacita as ta
from tacita.attacks.queries.equivalent_rewrites import rewrites
from tacita.attacks.queries.intruding.intruder import Target
from tacita.attacks.queries.intruding.register import Register
from tacita.queries.answer import Answer


def test_all_words_mean_the_same(guard):
    database = guard(ta.Unprotected())
    for known, total in (({"sector": "Fin", "region": "TGN"}, 150000), ({"sector": "HC"}, 482000)):
        words = rewrites(known)
        assert len(set(words)) >= len(words) - 2  # one attribute reads alike forwards and backwards
        for where in words:
            sql = f"SELECT sum(salary) FROM firms WHERE {where}"  # noqa: S608
            assert database.ask(sql, user="ana").value == total, where


def test_blanks_are_rewritten():
    words = rewrites({"sector": None})
    assert all("IS" in one and "=" not in one.replace("END = 1", "") for one in words)


def test_a_filter_of_words_is_found_out(guard, victim):
    class ReadsWords:
        def ask(self, sql, *, user):
            policy = ta.QuerySetSize(4) if "NOT" not in sql else ta.Unprotected()
            return guard(policy).ask(sql, user=user)

    outcome = ta.EquivalentRewrites().attack(ReadsWords(), victim)
    assert outcome.right
    assert "refused in some words" in outcome.findings[0]


def test_fresh_noise_is_found_out(victim):
    class Noisy:
        rng = np.random.default_rng(1)

        def ask(self, sql, *, user):
            return Answer(("sum",), ((float(self.rng.normal()),),), ((False,),))

    outcome = ta.EquivalentRewrites().attack(Noisy(), replace(victim, truth=None))
    assert [one.split(" is ")[1].split()[1] for one in outcome.findings] == ["different"] * 2


def test_a_large_set_gets_one_answer(guard, salaries):
    register = Register.of(salaries)
    target = Target({"sector": "Fin", "region": "TGN"}, "salary", register)
    outcome = ta.EquivalentRewrites().attack(guard(ta.QuerySetSize(3)), target)
    assert not outcome.succeeded
    assert 0 < outcome.refused < outcome.asked


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.EquivalentRewrites())
