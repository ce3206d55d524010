from __future__ import annotations

import numpy as np
import pytest

import tacita as ta
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses


class LooksAtAnswers:
    """A naive audit of maxima: it refuses if the true answer would disclose a value."""

    name = "looks_at_answers"
    guarantee = "None."
    simulatable = False

    def watch(self, data):
        self.values = data.numbers("salary")
        self.answered = []
        return self

    def covers(self, cell):
        return True

    def allows(self, cell):
        if cell.asked.statistic != "max" or cell.members.size < 2:
            return False
        asked = [*self.answered, set(cell.members.rows.tolist())]
        bound = np.full(len(self.values), np.inf)
        tops = [max(self.values[list(rows)]) for rows in asked]
        for rows, top in zip(asked, tops, strict=True):
            bound[list(rows)] = np.minimum(bound[list(rows)], top)
        return all(
            sum(bound[row] == top for row in rows) > 1
            for rows, top in zip(asked, tops, strict=True)
        )

    def learn(self, cell):
        self.answered.append(set(cell.members.rows.tolist()))


@pytest.fixture(scope="module")
def probed(arena):
    """Probe the refusals of a policy, on copies in which two people have exchanged values."""
    data = arena["firms"]()

    def probe(policy, place=0):
        target = arena["targets"](data, 20)[place]

        def copies(person):
            made = arena["exchanged"](data, target, person)
            return Guard(PublicClasses.of(made, "firms"), [policy()])

        return ta.RefusalProbing().attack(copies(None), target, copies)

    return probe


def test_refusals_that_look_at_the_answer_are_found_out(probed):
    outcomes = [probed(LooksAtAnswers, place) for place in range(3)]
    assert any("tell who has which value" in "".join(one.findings) for one in outcomes)


@pytest.mark.parametrize("policy", [ta.Audit, ta.AuditExtremes])
def test_simulatable_refusals_tell_nothing(probed, policy):
    outcome = probed(policy)
    assert outcome.refused > 0
    assert not outcome.succeeded


def test_without_copies_only_answers_are_looked_at(guard, victim):
    assert ta.RefusalProbing().attack(guard(ta.Unprotected()), victim).right
    assert not ta.RefusalProbing().attack(guard(ta.Audit()), victim).succeeded


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.RefusalProbing())
