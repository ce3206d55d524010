"""Parameters that all ways of cell suppression share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tacita.tables.protect.problem import Cost, Singletons

CostField = Annotated[
    Cost,
    Field(
        description="What a secondary suppression costs: its value, 1, its number of contributors, "
        "or the cost that the table gives it."
    ),
]
SingletonsField = Annotated[
    Singletons,
    Field(
        description="Whether the only contributor of a suppressed cell must not work out a "
        "sensitive cell of others exactly: protected or ignored."
    ),
]
SafetyRange = Annotated[
    float,
    Field(
        ge=0,
        description="How far to both sides a secondary suppression must be possible itself, in "
        "percent of its value.",
    ),
]
TimeLimit = Annotated[
    float | None,
    Field(
        gt=0,
        description="The seconds after which the best pattern so far is taken, for each part of "
        "the table; none when left out. What a clock stops may differ from run to run.",
    ),
]
NodeLimit = Annotated[
    int | None,
    Field(
        ge=1,
        description="The nodes of the search tree after which the best pattern so far is taken, "
        "the same in every run; none when left out.",
    ),
]
