"""Collecting randomized answers: one for each respondent, and estimates without bias."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from tacita.errors import InputError, PlanError
from tacita.mechanisms.randomized_answers import RandomizedAnswers
from tacita.release.plan import read_plan
from tacita.server.app import create_app
from tacita.server.collecting import Collection
from tacita.server.settings import Settings

SMOKING = RandomizedAnswers("Do you smoke?", ("yes", "no"), 0.75)


@pytest.fixture
def collection(tmp_path):
    kept = Collection({"smoking": SMOKING}, tmp_path / "answers.db")
    yield kept
    kept.close()


@pytest.fixture
def app(guard, tokens, collection):
    return create_app(guard, tokens, Settings(rate=10_000), collection=collection)


class Client:
    """Somebody with a token, who talks to the application without a socket."""

    def __init__(self, app, tokens, user: str, role: str) -> None:
        self._app = app
        self._headers = {"Authorization": f"Bearer {tokens.add(user, role)[1]}"}

    def get(self, path: str) -> httpx.Response:
        return asyncio.run(self._send("GET", path))

    def post(self, path: str, json: object) -> httpx.Response:
        return asyncio.run(self._send("POST", path, json))

    async def _send(self, method: str, path: str, json: object = None) -> httpx.Response:
        through = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(transport=through, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, json=json, headers=self._headers)


def test_a_respondent_reads_the_design_and_answers_once(app, tokens, collection):
    ana = Client(app, tokens, "ana", "respondent")
    told = ana.get("/collect").json()["smoking"]
    assert told == {
        "question": "Do you smoke?",
        "answers": ["yes", "no"],
        "truth": 0.75,
        "epsilon": pytest.approx(np.log(3)),
    }
    assert ana.post("/collect/smoking", json={"answer": "yes"}).status_code == 201
    assert ana.post("/collect/smoking", json={"answer": "no"}).status_code == 409
    assert ana.post("/collect/smoking", json={"answer": "maybe"}).status_code == 400
    assert ana.post("/collect/drinking", json={"answer": "yes"}).status_code == 404
    assert ana.get("/collect/smoking/estimate").status_code == 403
    assert ana.post("/query", json={"sql": "SELECT count(*) FROM t"}).status_code == 403
    assert collection.given("smoking") == [1, 0]


def test_analysts_see_estimates_and_do_not_answer(app, tokens, collection):
    ben = Client(app, tokens, "ben", "analyst")
    assert ben.post("/collect/smoking", json={"answer": "yes"}).status_code == 403
    assert ben.get("/collect/smoking/estimate").json() == {
        "question": "Do you smoke?",
        "answers": 0,
        "shares": {},
    }
    for one in range(20):
        collection.take("smoking", str(one), "yes" if one < 8 else "no")
    told = ben.get("/collect/smoking/estimate").json()
    assert told["answers"] == 20
    # By hand: (0.40 - 0.25) / 0.5, and 1.96 sqrt(0.75 0.25 / 20) / 0.5.
    yes = told["shares"]["yes"]
    assert yes["share"] == pytest.approx(0.3)
    assert yes["upper"] - yes["share"] == pytest.approx(0.37955, abs=1e-4)


def test_many_at_once_count_once_each(collection):
    with ThreadPoolExecutor(8) as threads:
        taken = list(
            threads.map(lambda one: collection.take("smoking", str(one % 20), "yes"), range(80))
        )
    assert sum(taken) == 20
    assert collection.given("smoking") == [20, 0]


def test_estimates_have_no_bias_and_intervals_that_hold(tmp_path):
    """Over many collections from 300 respondents of whom 90 smoke."""
    rng = np.random.default_rng(2)
    held, shares = 0, []
    for _ in range(60):
        kept = Collection({"smoking": SMOKING}, ":memory:")
        truth = np.arange(300) < 90
        given = np.where(rng.random(300) < 0.75, truth, ~truth)
        with kept._store:
            counts = [("smoking", "yes", int(given.sum())), ("smoking", "no", int((~given).sum()))]
            kept._store.executemany("INSERT INTO given VALUES (?, ?, ?)", counts)
        yes = kept.estimate("smoking")["shares"]["yes"]
        shares.append(yes["share"])
        held += yes["lower"] <= 0.3 <= yes["upper"]
        kept.close()
    assert abs(np.mean(shares) - 0.3) < 3 * 0.05 / np.sqrt(60)
    assert held >= 51  # of 60 at 95 %; fewer have a chance of 0.1 %


def test_nothing_links_an_answer_to_a_respondent(tmp_path):
    place = tmp_path / "answers.db"
    kept = Collection({"smoking": SMOKING}, place)
    kept.take("smoking", "ana", "yes")
    kept.close()
    with sqlite3.connect(place) as store:
        assert store.execute("SELECT * FROM answered").fetchall() == [("smoking", "ana")]
        assert store.execute("SELECT * FROM given").fetchall() == [("smoking", "yes", 1)]
    store.close()
    again = Collection({"smoking": SMOKING}, place)
    assert not again.take("smoking", "ana", "no")
    again.close()


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InputError, match="Answers cannot be kept in"):
        Collection({}, tmp_path / "none" / "answers.db")


PLAN = """
data:
  example: {toy: 50}
queries:
  view: toy
  policies: [unprotected]
  ledger: ledger.db
  collect:
    smoking: {question: "Do you smoke?", answers: ["yes", "no"], truth: 0.75}
  collected: answers.db
"""


def test_a_plan_names_the_questions(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text(PLAN)
    said = read_plan(file).queries
    assert said.collect == {"smoking": SMOKING}
    assert said.collected == str(tmp_path / "answers.db")


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("  collected: answers.db\n", "", "collected`: it is missing"),
        ("truth: 0.75", "truth: 2.0", "must be above 0.5 and below 1"),
        ("truth: 0.75", "truth: much", "A question has a list of `answers` and `truth`"),
        ('question: "Do you smoke?", ', "", "smoking.question`: it is missing"),
        (
            'smoking: {question: "Do you smoke?", answers: ["yes", "no"], truth: 0.75}',
            "- a",
            "collect",
        ),
    ],
)
def test_a_question_that_cannot_be_asked(tmp_path, before, after, sentence):
    file = tmp_path / "plan.yaml"
    file.write_text(PLAN.replace(before, after))
    with pytest.raises(PlanError, match=sentence):
        read_plan(file)
