"""What a plan says of a table: what spans it, what is sensitive in it, what is done about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tacita.errors import did_you_mean, shown
from tacita.method import AttributeName, AttributeNames, Method
from tacita.registry import from_plan
from tacita.release.located import Path_
from tacita.release.requirement import Requirement
from tacita.release.walker import Walker

Code = Annotated[str, BeforeValidator(lambda said: said if isinstance(said, bool) else str(said))]
Format = Literal["csv", "xlsx", "html"]
RULES = ("rule",)
WAYS = ("protection",)
MEASURES = ("table risk", "table utility", "table attack")
TABULATED = (
    "value",
    "statistic",
    "denominator",
    "contributor",
    "shadow",
    "cost",
    "request",
    "missing",
    "empty",
    "largest",
)


class TablePlan(BaseModel):
    """A table of a release, as a plan file says it.

    `csv` is always among the formats: it is what others read and what a verification starts from.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^\w[\w-]*$", description="What the table and its files are called.")
    by: AttributeNames = Field(description="The attributes that span it.")
    value: AttributeName | None = Field(
        default=None, description="The attribute to add up; left out, respondents are counted."
    )
    statistic: Literal["count", "sum", "mean", "ratio", "percentage", "median"] | None = Field(
        default=None, description="What the table shows."
    )
    denominator: AttributeName | None = Field(
        default=None, description="What a ratio or percentage is of."
    )
    contributor: AttributeName | None = Field(
        default=None, description="The attribute that names the holding of a record."
    )
    shadow: AttributeName | None = Field(
        default=None, description="The attribute that the rules look at instead of the value."
    )
    cost: AttributeName | None = Field(
        default=None, description="The attribute that says what suppressing a cell costs."
    )
    request: AttributeName | None = Field(
        default=None, description="The attribute that says who asked for protection."
    )
    missing: Literal["category", "exclude"] = Field(
        default="category", description="What becomes of missing values of what spans the table."
    )
    empty: Literal["structural", "possible"] = Field(
        default="structural", description="Whether everybody knows that empty cells are empty."
    )
    largest: int = Field(default=3, ge=1, description="The contributions kept of each cell.")
    rules: tuple[Mapping[str, Any] | str, ...] = Field(
        default=(), description="The sensitivity rules that find the sensitive cells."
    )
    given: str | None = Field(
        default=None, min_length=1, description="A file of statuses, costs and levels."
    )
    suppress: tuple[Mapping[str, Code], ...] = Field(
        default=(), description="Cells to suppress besides, each by its codes."
    )
    protect: Mapping[str, Any] | str | None = Field(
        default=None,
        description="How secondary suppressions are found; all tables of a plan in one run.",
    )
    formats: tuple[Format, ...] = Field(default=("csv",), description="The files that are written.")
    require: tuple[Mapping[str, Any], ...] = Field(
        default=(), description="What must hold besides: that sensitive cells are protected, must."
    )

    @property
    def methods(self) -> tuple[Method, ...]:
        """The sensitivity rules."""
        return tuple(from_plan(said, RULES) for said in self.rules)

    @property
    def way(self) -> Method | None:
        """How the table is protected, if it is said."""
        return None if self.protect is None else from_plan(self.protect, WAYS)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What must hold besides that every sensitive cell is protected."""
        return tuple(Requirement.from_plan(said, MEASURES) for said in self.require)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that are given away."""
        return tuple(f"{self.name}.{suffix}" for suffix in dict.fromkeys(("csv", *self.formats)))

    @property
    def tabulation(self) -> dict[str, Any]:
        """What `tabulate` is asked for."""
        return {word: getattr(self, word) for word in TABULATED}

    def to_plan(self) -> dict[str, Any]:
        """Return the table as a plan file says it; what was left out is left out."""
        return self.model_dump(mode="json", exclude_defaults=True)


def read_tables(walker: Walker) -> tuple[TablePlan, ...]:
    """Read what a plan says of its tables.

    Raises:
        PlanError: something in it cannot be run.
    """
    listed = walker.value(("tables",))
    tables = walker.each(("tables",), listed, lambda _, path: _read(walker, path))
    names = [table.name for table in tables]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise walker.located.error(
                ("tables", place, "name"), f"two tables are called `{name}`; rename one of them."
            )
    for place, table in enumerate(tables):
        if table.way != tables[0].way:
            raise walker.located.error(
                ("tables", place, "protect"),
                "all tables of a plan are protected in one run, so that none undoes another; say "
                "the same `protect` in each.",
            )
    return tables


def _read(walker: Walker, path: Path_) -> TablePlan:
    said = walker.mapping(path, tuple(TablePlan.model_fields), needed=("name", "by"))
    try:
        table = TablePlan(**{str(name): value for name, value in said.items()})
    except ValidationError as error:
        raise walker.located.error(*_problem(path, error)) from error
    walker.each((*path, "rules"), said.get("rules"), lambda one, _: from_plan(one, RULES))
    if table.protect is not None:
        walker.at((*path, "protect"), table.protect, lambda one, _: from_plan(one, WAYS))
    walker.each(
        (*path, "require"),
        said.get("require"),
        lambda one, _: Requirement.from_plan(one, MEASURES),
    )
    return table


def _problem(path: Path_, error: ValidationError) -> tuple[Path_, str]:
    """Return the field that cannot be read, and what it should be."""
    problem = error.errors()[0]
    word = str(problem["loc"][0])
    context = problem.get("ctx", {})
    told = context.get("error")
    if isinstance(told, ValueError):
        return (*path, word), str(told)
    wish = {"name": "a word of letters, digits, `_` and `-`", **LISTS}.get(word)
    if problem["type"] == "literal_error":
        wish = f"one of {context['expected']}"
    found = shown(problem["input"])
    hint = did_you_mean(str(problem["input"]), str(context.get("expected", "")).split("'"))
    return (*path, word), f"expected {wish or _wish(problem['msg'])}; found {found}.{hint}"


LISTS = {
    "by": "a list of attributes",
    "rules": "a list of rules such as {p_percent: 15}",
    "suppress": "a list of cells such as {region: north}",
    "protect": "a way such as fast_suppression or {optimal_suppression: {cost: count}}",
    "require": "a list of requirements such as {suppressed_cells: {at_most: 0.1}}",
}


def _wish(message: str) -> str:
    wish = message.removeprefix("Input should be ")
    return wish[:1].lower() + wish[1:]


def given_file(table: TablePlan, folder: Path) -> Path | None:
    """Return the file of statuses given beforehand, if there is one."""
    return None if table.given is None else folder / table.given
