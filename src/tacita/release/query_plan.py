"""What a plan says of a guarded database: its view, its policies, where its history is kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tacita.data.formats import is_address, shown_place
from tacita.errors import ParameterError, shown
from tacita.mechanisms.randomized_answers import RandomizedAnswers
from tacita.method import Method
from tacita.registry import from_plan
from tacita.release.walker import Walker

PLACE = ("queries",)
POLICIES = ("policy",)
# What pydantic says of types and patterns, as those who write plans do.
WISHES = {
    "string_pattern_mismatch": "expected a name of letters, digits and `_`",
    "string_type": "expected a text",
    "string_too_short": "expected a text",
    "too_short": "expected one or more",
    "tuple_type": "expected a list",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
}


class QueryPlan(BaseModel):
    """A guarded database, as a plan file says it."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    view: str = Field(pattern=r"^[A-Za-z_]\w*$", description="What the view is called in queries.")
    policies: Annotated[
        tuple[Method, ...],
        Field(min_length=1, description="The policies, all of which have a say."),
    ]
    ledger: str = Field(min_length=1, description="The ledger: a file, or a PostgreSQL address.")
    anchor: str | None = Field(
        default=None, description="A file elsewhere that keeps the ledger's head."
    )
    key_from: str | None = Field(
        default=None, description="The environment variable that holds the ledger's key."
    )
    key_file: str | None = Field(
        default=None, description="The file that holds the ledger's key, made at the first start."
    )
    input: Literal["original", "masked"] = Field(
        default="original",
        description="What is answered from: the records, or a copy that `microdata.steps` mask.",
    )
    published: tuple[str, ...] = Field(
        default=(), description="Queries whose answers were published before."
    )
    record: str | None = Field(
        default=None, description="The attribute that names the records, once each."
    )
    known: tuple[Any, ...] = Field(
        default=(), description="The records that an insider is taken to know, by `record`."
    )
    versions: str | None = Field(
        default=None, description="A folder that keeps earlier data, if they may change."
    )
    tokens: str | None = Field(default=None, description="The file of the tokens of the server.")
    tick: float = Field(
        default=0.0, ge=0, le=60, description="Seconds; answers leave on whole ticks."
    )
    rate: float = Field(default=20.0, gt=0, description="Questions a second that a user may ask.")
    collect: Mapping[str, RandomizedAnswers] = Field(
        default={}, description="Questions that respondents answer at random, by name."
    )
    collected: str | None = Field(
        default=None, description="The file that keeps how often each answer was given."
    )

    def beside(self, folder: Path) -> QueryPlan:
        """Return the plan with its paths as seen from the folder it lies in."""
        given = {
            word: said if is_address(said) else str(folder / said)
            for word in ("ledger", "anchor", "key_file", "versions", "tokens", "collected")
            if (said := getattr(self, word)) is not None
        }
        return self.model_copy(update=given)


def read_queries(walker: Walker) -> QueryPlan | None:
    """Read the guarded database of a plan; None if it has none."""
    if walker.value(PLACE) is None:
        return None
    fields = tuple(QueryPlan.model_fields)
    said = dict(walker.mapping(PLACE, fields, needed=("view", "policies", "ledger")))
    said["policies"] = walker.each(
        (*PLACE, "policies"), said["policies"], lambda one, _: from_plan(one, POLICIES)
    )
    said["collect"] = _questions(walker, said.get("collect"))
    _refuse_secrets(walker, said)
    if said.get("input") == "masked":
        _refuse_masking(walker, said)
    try:
        return QueryPlan(**said).beside(walker.located.file.parent)
    except ValidationError as error:
        problem = error.errors()[0]
        place = (*PLACE, *problem["loc"][:2])
        wish = WISHES.get(problem["type"], problem["msg"][0].lower() + problem["msg"][1:])
        raise walker.located.error(place, f"{wish}; found {shown(problem['input'])}.") from error


def _refuse_masking(walker: Walker, said: Mapping[str, Any]) -> None:
    """Refuse a masked copy that nothing masks, or that would be drawn anew when data change."""
    if not walker.value(("microdata", "steps")):
        raise walker.located.error(
            (*PLACE, "input"), "nothing masks the data; say `steps` under `microdata`."
        )
    if said.get("versions") is not None:
        raise walker.located.error(
            (*PLACE, "versions"),
            "a masked copy is made once: copies of several versions together tell more than one. "
            "Leave `versions` out, and begin a new ledger when the data change.",
        )


def _questions(walker: Walker, said: Any) -> dict[str, RandomizedAnswers]:
    """Read the questions that respondents answer at random."""
    place = (*PLACE, "collect")
    names = () if said is None else tuple(said) if isinstance(said, Mapping) else ("question",)
    fields = tuple(walker.mapping(place, names))
    words = ("question", "answers", "truth")
    found = {}
    for name in fields:
        one = walker.mapping((*place, name), words, needed=words)
        made = walker.at((*place, name), one, lambda given, _: _question(given))
        found[str(name)] = made
    if found and walker.value((*PLACE, "collected")) is None:
        raise walker.located.error(
            (*PLACE, "collected"), "it is missing: name the file that keeps the answers."
        )
    return found


def _question(said: Mapping[str, Any]) -> RandomizedAnswers:
    if not isinstance(said["answers"], list) or not isinstance(said["truth"], float):
        raise ParameterError(
            "A question has a list of `answers` and `truth`, the probability of the true one; "
            f"found {shown(said['answers'])} and {shown(said['truth'])}."
        )
    answers = tuple(str(answer) for answer in said["answers"])
    return RandomizedAnswers(str(said["question"]), answers, said["truth"])


def _refuse_secrets(walker: Walker, said: dict[str, Any]) -> None:
    ledger = said["ledger"]
    if isinstance(ledger, str) and is_address(ledger) and shown_place(ledger) != ledger:
        raise walker.located.error(
            (*PLACE, "ledger"),
            "a plan is kept and shared, so it cannot hold a password; leave it out of the address "
            "and give it in the environment variable PGPASSWORD or a password file.",
        )
    if "key_from" in said and "key_file" in said:
        raise walker.located.error(
            (*PLACE, "key_file"), "expected one of `key_from` and `key_file`; found both."
        )
