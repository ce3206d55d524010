"""What queries cost together, told beforehand over HTTP and to the client."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tacita.api.database import guard as guarded
from tacita.api.remote import connect
from tacita.errors import QueryError
from tacita.queries.policies.private_answers import PrivateAnswers
from tacita.queries.policies.query_set_size import QuerySetSize

FIRMS = pa.table({"sector": ["IT"] * 5 + ["Fin"] * 4, "pay": [5, 6, 4, 3, 4, 4, 7, 3, 5]})
ROLES = {"sector": "key", "pay": "confidential"}
COUNT = "SELECT count(*) FROM firms"
TOTAL = "SELECT sum(pay) FROM firms"
LARGEST = "SELECT max(pay) FROM firms"


def opened(policy):
    return guarded(FIRMS, policy=policy, ledger=None, view="firms", roles=ROLES)


@pytest.fixture
def database():
    policy = PrivateAnswers(1.0, learn={"pay": 0.3}, share_each=0.2)
    with opened(policy) as made:
        yield made


def test_bounds_are_bought_once_and_what_is_refused_costs_nothing(database):
    told = database.cost([TOTAL, COUNT, TOTAL, LARGEST])["private_answers"]
    assert told == {"epsilon": pytest.approx(0.9), "delta": 0, "enough": True}
    assert database.cost([TOTAL] * 4)["private_answers"]["enough"] is False
    assert database.left() == {"epsilon": 1}


def test_it_is_what_is_taken_then(database):
    told = database.cost([TOTAL, COUNT, TOTAL])["private_answers"]["epsilon"]
    for sql in (TOTAL, COUNT, TOTAL):
        assert not database.ask(sql).is_refused
    assert database.left()["epsilon"] == pytest.approx(1 - told)
    assert database.cost([COUNT])["private_answers"]["enough"] is False


def test_over_http_it_is_the_same(serve, database):
    with connect(serve(database.guard).url) as remote:
        asked = [TOTAL, ("SELECT count(*) FROM firms WHERE sector = ?", ["IT"])]
        assert remote.cost(asked) == database.cost(asked)
        assert remote.left == {"epsilon": 1}
        with pytest.raises(QueryError, match="no attribute 'wage'"):
            remote.cost([COUNT, "SELECT sum(wage) FROM firms"])


def test_what_a_query_shall_cost_goes_over_http(serve, database):
    with connect(serve(database.guard).url) as remote:
        assert remote.cost([COUNT], epsilon=0.3) == database.cost([COUNT], epsilon=0.3)
        assert remote.ask(COUNT, epsilon=0.25).left == {"epsilon": 0.75}
        for wrong, reason in ((0, "above 0"), (-1.5, "above 0"), (1e-15, "a billionth")):
            with pytest.raises(QueryError, match=reason):
                remote.ask(COUNT, epsilon=wrong)
        with pytest.raises(QueryError, match="counted in epsilon"):
            remote.cost([COUNT], rho=0.1)
        assert remote.left == {"epsilon": 0.75}


def test_policies_without_a_budget_take_nothing(serve):
    with opened(QuerySetSize(3)) as database, connect(serve(database.guard).url) as remote:
        assert remote.cost([COUNT]) == database.cost([COUNT]) == {}


@pytest.mark.parametrize(
    "body", [{}, {"queries": []}, {"queries": [COUNT]}, {"queries": [{"sql": COUNT, "user": "x"}]}]
)
def test_what_is_no_list_of_queries_is_said_to_be_none(serve, database, body):
    with serve(database.guard).client() as client:
        assert client.post("/explain", json=body).status_code == 422


def test_shares_decide_what_is_enough(serve, tokens):
    policy = PrivateAnswers(1.0, share_each=0.2, shares={"ana": 0.2})
    with opened(policy) as database:
        served = serve(database.guard, tokens)
        found = {}
        for user in ("ana", "ben"):
            with connect(served.url, tokens.add(user, "analyst")[1]) as remote:
                found[user] = remote.cost([COUNT, COUNT])["private_answers"]["enough"]
        assert found == {"ana": False, "ben": True}
