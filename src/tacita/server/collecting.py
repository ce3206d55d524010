"""Collecting randomized answers: respondents randomize on their side, the server estimates.

The server never sees a true answer. It keeps who has answered, because a respondent who answered
often could be averaged, and how often each answer was given, but not who gave which.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from statistics import NormalDist
from threading import Lock
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from fastapi import APIRouter, FastAPI, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from tacita.data.read import as_dataset
from tacita.errors import InputError, QueryError
from tacita.mechanisms.randomized_answers import RandomizedAnswers
from tacita.microdata.masking.randomizing.estimating import estimated_frequencies
from tacita.microdata.masking.randomizing.markov import named, retaining
from tacita.server.bodies import Said, Text
from tacita.server.gate import needs
from tacita.server.tokens import Token

CONFIDENCE = 0.95
TABLES = """
CREATE TABLE IF NOT EXISTS answered (question TEXT, respondent TEXT,
                                     PRIMARY KEY (question, respondent)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS given (question TEXT, answer TEXT, number INTEGER NOT NULL,
                                  PRIMARY KEY (question, answer)) WITHOUT ROWID;
"""
COUNT = """
INSERT INTO given VALUES (?, ?, 1)
ON CONFLICT (question, answer) DO UPDATE SET number = number + 1
"""


class Collection:
    """Questions that are answered at random, and the answers so far.

    Args:
        questions: the questions, by name.
        place: the SQLite file that answers are kept in.
    """

    def __init__(self, questions: Mapping[str, RandomizedAnswers], place: Path | str) -> None:
        self.questions = dict(questions)
        self._lock = Lock()
        try:
            self._store = sqlite3.connect(place, check_same_thread=False)
            self._store.executescript(TABLES)
        except sqlite3.Error as error:
            raise InputError(
                f"Answers cannot be kept in {place}: {error}. Name a file that can be written."
            ) from error

    def take(self, name: str, respondent: str, answer: str) -> bool:
        """Keep a randomized answer; return whether it is the respondent's first one.

        Raises:
            QueryError: it is none of the answers.
        """
        question = self.questions[name]
        if answer not in question.answers:
            raise QueryError(f"The answer must be one of {', '.join(question.answers)}.")
        try:
            with self._lock, self._store:
                self._store.execute("INSERT INTO answered VALUES (?, ?)", (name, respondent))
                self._store.execute(COUNT, (name, answer))
        except sqlite3.IntegrityError:
            return False
        return True

    def given(self, name: str) -> list[int]:
        """Return how often each answer was given, in their order."""
        with self._lock:
            rows = self._store.execute(
                "SELECT answer, number FROM given WHERE question = ?", (name,)
            ).fetchall()
        counts = dict(rows)
        return [counts.get(answer, 0) for answer in self.questions[name].answers]

    def estimate(self, name: str) -> dict[str, Any]:
        """Estimate the shares of the true answers, without bias, with intervals.

        The share of an answer is (y - q) / (p - q), where y is its share of what was given, p the
        probability of the truth and q that of each other answer. It may be below 0 or above 1.
        """
        question, given = self.questions[name], self.given(name)
        told: dict[str, Any] = {"question": question.question, "answers": sum(given)}
        if not sum(given):
            return {**told, "shares": {}}
        matrix = named(retaining(len(given), question.truth), question.answers)
        each = pa.array(question.answers).take(np.repeat(np.arange(len(given)), given))
        found = estimated_frequencies(as_dataset(pa.table({"answer": each})), "answer", matrix)
        wide = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        errors = wide * found.standard_errors / sum(given)
        shares = found.estimates / sum(given)
        told["shares"] = {
            answer: {"share": share, "lower": share - error, "upper": share + error}
            for answer, share, error in zip(
                question.answers, shares.tolist(), errors.tolist(), strict=True
            )
        }
        return told

    def close(self) -> None:
        """Let others open the file."""
        with self._lock:
            self._store.close()


class Given(BaseModel):
    """A randomized answer."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"answer": "yes"}]})

    answer: Annotated[
        Text, Field(description="The answer, randomized by the respondent as the question says.")
    ]


collecting = APIRouter(prefix="/collect", tags=["respondent"])
Respondent = Annotated[Token, needs("answer")]
Viewer = Annotated[Token, needs("view")]
UNKNOWN: dict[int | str, dict[str, Any]] = {
    404: {"model": Said, "description": "There is no such question."}
}
OF_ANSWERS: dict[int | str, dict[str, Any]] = {
    **UNKNOWN,
    400: {"model": Said, "description": "It is none of the answers."},
    409: {"model": Said, "description": "The respondent has answered already."},
}


@collecting.get("", summary="What is asked, and how to randomize")
async def questions(request: Request, _: Respondent) -> Any:
    """Return every question: its answers, the probability of the truth, and the privacy loss."""
    return {
        name: {
            "question": one.question,
            "answers": list(one.answers),
            "truth": one.truth,
            "epsilon": one.epsilon,
        }
        for name, one in _collection(request).questions.items()
    }


@collecting.post("/{name}", status_code=201, responses=OF_ANSWERS, summary="Answer a question")
async def answer(name: str, given: Given, request: Request, respondent: Respondent) -> Any:
    """Take an answer that was randomized on the respondent's side; each respondent has one."""
    collection = _collection(request, name)
    try:
        first = await run_in_threadpool(collection.take, name, respondent.user, given.answer)
    except QueryError as error:
        raise HTTPException(400, str(error)) from error
    if not first:
        raise HTTPException(409, "This question was answered already; the first answer counts.")
    return {"status": "taken"}


@collecting.get("/{name}/estimate", responses=UNKNOWN, summary="Estimated shares of the answers")
async def estimate(name: str, request: Request, _: Viewer) -> Any:
    """Return the estimated shares of the true answers, with 95 % confidence intervals."""
    return await run_in_threadpool(_collection(request, name).estimate, name)


def collect_in(app: FastAPI, collection: Collection) -> None:
    """Let an application take randomized answers."""
    app.state.collection = collection
    app.include_router(collecting)


def _collection(request: Request, name: str | None = None) -> Collection:
    collection: Collection = request.app.state.collection
    if name is not None and name not in collection.questions:
        raise HTTPException(404, "There is no such question.")
    return collection
