"""How data lie in their source: what a person can say of it, whatever the format."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tacita.errors import InputError, did_you_mean, shown


class Layout(BaseModel):
    """What is said of a source; each format uses some of it, and what is left out is found out."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    delimiter: str | None = Field(
        default=None, description="What parts the fields of a text file: one ASCII character."
    )
    encoding: str | None = Field(
        default=None, description="How the characters of a text file are coded, utf-8 for instance."
    )
    decimal: Literal[".", ","] | None = Field(
        default=None, description="The decimal sign of a text file: a point or a comma."
    )
    sheet: str | int | None = Field(
        default=None, description="The sheet of a workbook: its name, or its place from 1 on."
    )
    table: str | None = Field(
        default=None, description="The table of a database: `name` or `schema.name`."
    )
    query: str | None = Field(default=None, description="A SELECT whose rows are the records.")
    metadata: str | None = Field(
        default=None,
        description="The file that describes the source: an `.rda` or a SAS catalog; when left "
        "out, one of the same name beside it.",
    )

    @field_validator("delimiter")
    @classmethod
    def _one_character(cls, said: str | None) -> str | None:
        said = "\t" if said == "\\t" else said  # as typed in a shell
        if said is not None and (len(said) != 1 or not said.isascii() or said in '"\r\n\0'):
            raise ValueError("a delimiter is one ASCII character and no quote")
        return said

    @field_validator("encoding")
    @classmethod
    def _known(cls, said: str | None) -> str | None:
        return None if said is None else codecs.lookup(said).name

    @model_validator(mode="after")
    def _one_of_table_and_query(self) -> Layout:
        if self.table is not None and self.query is not None:
            raise ValueError("`table` and `query` cannot both be given")
        return self

    @property
    def given(self) -> dict[str, Any]:
        """What was said, without what was left out."""
        return self.model_dump(exclude_none=True)


UNSAID = Layout()


class LayoutOptions(TypedDict, total=False):
    """The fields of a layout as options of a function."""

    delimiter: str | None
    encoding: str | None
    decimal: str | None
    sheet: str | int | None
    table: str | None
    query: str | None
    metadata: str | PathLike[str] | None


WISHES = {
    "delimiter": "one ASCII character that is no quote",
    "encoding": "like utf-8 or latin-1",
    "decimal": "a point or a comma",
    "sheet": "the name of a sheet or its place from 1 on",
    "table": "the name of a table",
    "query": "a SELECT",
    "metadata": "the path of a file",
}


def layout_of(said: Mapping[str, Any]) -> Layout:
    """Make a layout from what is said.

    Raises:
        InputError: something cannot be; `attribute` names the field it is about.

    >>> layout_of({"delimiter": ";"}).given
    {'delimiter': ';'}
    """
    if isinstance(said.get("metadata"), PathLike):
        said = {**said, "metadata": str(said["metadata"])}
    try:
        return Layout(**said)
    except LookupError as error:
        found = shown(said["encoding"])
        wish = f"`encoding`: expected {WISHES['encoding']}; found {found}."
        raise InputError(wish).about("encoding") from error
    except ValidationError as error:
        problem = error.errors()[0]
        if not problem["loc"]:
            wish = "Expected one of `table` and `query`; found both."
            raise InputError(wish).about("query") from error
        word = str(problem["loc"][0])
        if word not in WISHES:
            hint = did_you_mean(word, WISHES)
            wish = f"There is no option `{word}`; expected {', '.join(WISHES)}.{hint}"
            raise InputError(wish).about(word) from error
        wish = f"`{word}`: expected {WISHES[word]}; found {shown(problem['input'])}."
        raise InputError(wish).about(word) from error
