from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.attacks.queries.intruding.intruder import Target
from tacita.attacks.queries.intruding.register import Register
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses


@pytest.fixture(scope="module")
def parents() -> PublicClasses:
    """Eighty incomes of people with none to two children, and one with eleven."""
    rng = np.random.default_rng(3)
    table = pa.table(
        {
            "kids": [11, *rng.integers(0, 3, 80).tolist()],
            "region": [*rng.choice(["east", "west"], 81)],
            "income": [123456.5, *rng.integers(20_000, 90_000, 80).astype(float).tolist()],
        }
    )
    roles = {"kids": "key", "region": "key", "income": "confidential"}
    return PublicClasses.of(ta.read(table, roles=roles), "people")


@pytest.fixture(scope="module")
def parent(parents: PublicClasses) -> Target:
    register = Register.of(parents)
    known = next(one for one in register.unique() if one["kids"] == 11)
    return Target(known, "income", register, 123456.5)


def test_one_statement_tells_the_income(parents, parent):
    found = ta.Leverage().attack(Guard(parents, [ta.Unprotected()]), parent)
    assert found.right
    assert found.lower == pytest.approx(123456.5)


@pytest.mark.parametrize(
    "policies",
    [
        [ta.QuerySetSize(5)],
        [ta.QuerySetOverlap(50, 1)],
        [ta.QuerySetSize(5), ta.RandomSample(0.9)],
        [ta.QuerySetSize(5), ta.RoundedAnswers(5, values={"income": 1000})],
        [ta.Audit()],
    ],
    ids=lambda policies: " and ".join(one.name for one in policies),
)
def test_policies_refuse_what_rests_on_one(policies, parents, parent):
    assert not ta.Leverage().attack(Guard(parents, policies), parent).succeeded


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.Leverage())
