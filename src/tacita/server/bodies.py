"""The bodies of requests and replies, as the description of the interface shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
)

from tacita.queries.answer import REFUSAL

MOST_QUERIES = 1000
ASKED = "SELECT sector, avg(salary) FROM firms WHERE region = ? GROUP BY sector"


def _encodable(text: str) -> str:
    """Refuse halves of characters, which JSON can say and nothing after it can write."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("the text must be Unicode")
    return text


Text = Annotated[StrictStr, AfterValidator(_encodable)]
Finite = Annotated[StrictFloat, Field(allow_inf_nan=False)]
Value = StrictBool | StrictInt | Finite | Text | None


class Query(BaseModel):
    """A statistical query."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"sql": ASKED, "parameters": ["BCN"]}]}
    )

    sql: Annotated[Text, Field(description="One SELECT of statistics from the view.")]
    parameters: Annotated[
        list[Value] | dict[Text, Value],
        Field(description="The values of `?`, in order, or of `:name`, by name; never pasted."),
    ] = []
    epsilon: Annotated[
        Finite | StrictInt | None,
        Field(description="What it shall cost, where a budget is counted so; else a set share."),
    ] = None
    rho: Annotated[
        Finite | StrictInt | None,
        Field(description="What it shall cost, where a budget is counted in rho."),
    ] = None
    delta: Annotated[
        Finite | None,
        Field(description="The chance to show a group of one respondent that nobody declared."),
    ] = None


class Question(Query):
    """A statistical query, and the form of its answer."""

    format: Annotated[
        Literal["json", "csv", "arrow"] | None,
        Field(description="The form of the answer; what the header Accept says when left out."),
    ] = None


class Batch(BaseModel):
    """Queries that may be asked, to know beforehand what they cost together."""

    model_config = ConfigDict(extra="forbid")

    queries: Annotated[
        list[Query], Field(min_length=1, max_length=MOST_QUERIES, description="The queries.")
    ]


class Price(BaseModel):
    """What queries would cost together, at most; a policy may tell more."""

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"examples": [{"epsilon": 0.3, "enough": True}]}
    )

    enough: bool = Field(description="Whether that much is left of the caller's budgets.")


class Reply(BaseModel):
    """An answer. It has this shape whether or not cells are refused."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "columns": ["sector", "avg(salary)"],
                    "rows": [["IT", 142000.0], ["Fin", None]],
                    "refused": [[False, False], [False, True]],
                    "notice": REFUSAL,
                    "guarantees": {"query_set_size": "Every answer is about 3 records or more."},
                    "entry": 17,
                    "head": "9f2c...",
                    "left": {},
                    "intervals": [[None, None], [None, None]],
                    "cost": {},
                    "statistics": [False, True],
                }
            ]
        }
    )

    columns: list[str] = Field(description="The names of the columns.")
    rows: list[list[Any]] = Field(description="The values; null where refused or blank.")
    refused: list[list[bool]] = Field(description="Of each value whether it was refused.")
    notice: str = Field(description="One constant text if anything was refused, else empty.")
    guarantees: dict[str, str] = Field(description="Of each policy what holds of the answer.")
    entry: int | None = Field(description="The entry of the ledger that records the answer.")
    head: str = Field(description="The ledger's head after it, which anybody may keep.")
    left: dict[str, float] = Field(description="What is left of budgets.")
    intervals: list[list[list[float] | None]] = Field(
        description="Of each value the lower and the upper bound that were given for it, or null."
    )
    cost: dict[str, Any] = Field(description="Of each policy that took something, what it took.")
    statistics: list[bool] = Field(description="Of each column whether it tells of statistics.")


class Said(BaseModel):
    """Why there is no answer."""

    detail: str = Field(description="One sentence.")
