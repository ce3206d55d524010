"""What a plan says of the waivers for a table, and of how the table is rolled up."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tacita.errors import shown
from tacita.method import AttributeName

ON = "on"


def _day(said: Any) -> date:
    if isinstance(said, date) and not isinstance(said, datetime):
        return said
    try:
        return date.fromisoformat(said)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected a day such as 2026-01-31; found {shown(said)}.") from error


def _word(said: Any) -> Any:
    """Take a number for the word that it is: a period is often a year."""
    return str(said) if isinstance(said, int) and not isinstance(said, bool) else said


class WaiversPlan(BaseModel):
    """The waivers for a table, as a plan file says them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str = Field(min_length=1, description="The file of waivers, CSV or YAML.")
    on: Annotated[date, BeforeValidator(_day)] = Field(
        description="The day on which the waivers must hold."
    )
    period: Annotated[str | None, BeforeValidator(_word)] = Field(
        default=None, min_length=1, description="The period of the data."
    )
    identity: AttributeName | None = Field(
        default=None, description="The attribute that names who contributes a record."
    )

    @model_validator(mode="before")
    @classmethod
    def _as_written(cls, said: Any) -> Any:
        """Take the key `on` for the word that was written: to YAML it means true."""
        if not isinstance(said, Mapping):
            return said
        return {ON if name is True else name: value for name, value in said.items()}

    def kept_as(self, table: str) -> WaiversPlan:
        """Return the same, with the name under which a release of a table keeps the file."""
        name = f"{table}.waivers{Path(self.file).suffix.lower() or '.csv'}"
        return self.model_copy(update={"file": name})


class RollUpPlan(BaseModel):
    """How a table is rolled up, as a plan file says it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    loss: Literal["count", "value", "contributors", "cost"] = Field(
        default="count", description="What a cell counts that is left out."
    )
    allowed: Mapping[str, Literal["cut", "level", "kept"]] = Field(
        default={}, description="How attributes may be rolled up."
    )


def roll_up_said(said: Any) -> Any:
    """Take `yes` for rolling up as usual, and `no` for not at all."""
    if isinstance(said, bool):
        return {} if said else None
    return said
