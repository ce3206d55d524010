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
from tacita.release.table_options import RollUpPlan, WaiversPlan, roll_up_said
from tacita.release.walker import Walker
from tacita.tables.table import Weighting

Code = Annotated[str, BeforeValidator(lambda said: said if isinstance(said, bool) else str(said))]
Format = Literal["csv", "xlsx", "html"]
RULES = ("rule",)
WAYS = ("protection",)
PERTURBATIONS = ("perturbation",)
COMPARED = (*WAYS, *PERTURBATIONS)
MEASURES = ("table risk", "table utility", "table attack")
ONE_RUN = (("protect", "way", "protected"), ("perturb", "perturbation", "perturbed"))
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
    "keys",
    "weighting",
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
    request_codes: tuple[Code, ...] | None = Field(
        default=None,
        min_length=1,
        max_length=2,
        description="The codes by which `request` asks at the first and the second level; 1 and 2 "
        "when left out.",
    )
    missing: Literal["category", "exclude"] = Field(
        default="category", description="What becomes of missing values of what spans the table."
    )
    empty: Literal["structural", "possible"] = Field(
        default="structural", description="Whether everybody knows that empty cells are empty."
    )
    largest: int = Field(default=3, ge=1, description="The contributions kept of each cell.")
    keys: AttributeName | None = Field(
        default=None,
        description="The attribute that holds a random key of every record, from 0 on and below "
        "1, as the cell-key method needs them.",
    )
    weighting: Weighting = Field(
        default="respondents",
        description="Whom rules judge where records have sampling weights: `respondents`, one a "
        "record, or those `represented` by them, as many as a weight, rounded, says.",
    )
    rules: tuple[Mapping[str, Any] | str, ...] = Field(
        default=(), description="The sensitivity rules that find the sensitive cells."
    )
    waivers: WaiversPlan | None = Field(
        default=None,
        description="Contributors who consented to be uncovered: `{file: waivers.csv, on: "
        "2026-01-31}`, with the day on which they must hold; also the `period` of the data, and "
        "the attribute that names contributors (`identity`) where it is not `contributor`.",
    )
    given: str | None = Field(
        default=None, min_length=1, description="A file of statuses, costs and levels."
    )
    roll_up: Annotated[RollUpPlan | None, BeforeValidator(roll_up_said)] = Field(
        default=None,
        description="Whether branches are cut off, no more than needed, until no sensitive cell is "
        "left: `true`, or what a cell counts that is left out and how attributes may be rolled up, "
        "as `{loss: value, allowed: {nace: level}}`.",
    )
    suppress: tuple[Mapping[str, Code], ...] = Field(
        default=(), description="Cells to suppress besides, each by its codes."
    )
    protect: Mapping[str, Any] | str | None = Field(
        default=None,
        description="How secondary suppressions are found; all tables of a plan in one run.",
    )
    perturb: Mapping[str, Any] | str | None = Field(
        default=None,
        description="How values are changed instead of suppressed; all tables of a plan in one "
        "run.",
    )
    compare: tuple[Mapping[str, Any] | str, ...] = Field(
        default=(),
        description="Ways to protect or perturb the table that the internal report compares.",
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
    def perturbation(self) -> Method | None:
        """How the values of the table are changed, if it is said."""
        return None if self.perturb is None else from_plan(self.perturb, PERTURBATIONS)

    @property
    def compared(self) -> tuple[Method, ...]:
        """The ways to protect or perturb the table that are compared."""
        return tuple(from_plan(said, COMPARED) for said in self.compare)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What must hold besides that every sensitive cell is protected."""
        return tuple(Requirement.from_plan(said, MEASURES) for said in self.require)

    @property
    def identity(self) -> str | None:
        """The attribute that names who contributes a record, as waivers do."""
        return (self.waivers and self.waivers.identity) or self.contributor

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that are given away."""
        return tuple(f"{self.name}.{suffix}" for suffix in dict.fromkeys(("csv", *self.formats)))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files that the table is made with, besides the data."""
        said = (self.given, None if self.waivers is None else self.waivers.file)
        return tuple(file for file in said if file is not None)

    def as_kept(self) -> TablePlan:
        """Return the same, with its files by the names under which a release keeps them."""
        names: dict[str, Any] = {}
        if self.given is not None:
            names["given"] = f"{self.name}.hst"
        if self.waivers is not None:
            names["waivers"] = self.waivers.kept_as(self.name)
        return self.model_copy(update=names)

    @property
    def tabulation(self) -> dict[str, Any]:
        """What `tabulate` is asked for."""
        said = {word: getattr(self, word) for word in TABULATED}
        return said if self.request_codes is None else {**said, "request_codes": self.request_codes}

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
        for word, way, done in ONE_RUN:
            if getattr(table, way) != getattr(tables[0], way):
                raise walker.located.error(
                    ("tables", place, word),
                    f"all tables of a plan are {done} in one run, so that none undoes another; say "
                    f"the same `{word}` in each.",
                )
    return tables


def _read(walker: Walker, path: Path_) -> TablePlan:
    said = walker.mapping(path, tuple(TablePlan.model_fields), needed=("name", "by"))
    try:
        table = TablePlan(**{str(name): value for name, value in said.items()})
    except ValidationError as error:
        raise walker.located.error(*_problem(path, error)) from error
    walker.each((*path, "rules"), said.get("rules"), lambda one, _: from_plan(one, RULES))
    _check_waivers(walker, path, table)
    if table.protect is not None:
        walker.at((*path, "protect"), table.protect, lambda one, _: from_plan(one, WAYS))
    if table.perturb is not None:
        _refuse_suppressions(walker, path, table)
        walker.at((*path, "perturb"), table.perturb, lambda one, _: from_plan(one, PERTURBATIONS))
    walker.each((*path, "compare"), said.get("compare"), lambda one, _: from_plan(one, COMPARED))
    walker.each(
        (*path, "require"),
        said.get("require"),
        lambda one, _: Requirement.from_plan(one, MEASURES),
    )
    return table


def _check_waivers(walker: Walker, path: Path_, table: TablePlan) -> None:
    """Refuse waivers that nobody could give, or that could lower nothing."""
    if table.waivers is None:
        return
    if table.identity is None:
        raise walker.located.error(
            (*path, "waivers", "identity"),
            "waivers are given by those who contribute; name the attribute that tells them apart, "
            "here or as `contributor` of the table.",
        )
    if not table.rules:
        raise walker.located.error(
            (*path, "waivers"),
            "waivers lower what `rules` call sensitive; add `rules`, or leave out `waivers`.",
        )


def _refuse_suppressions(walker: Walker, path: Path_, table: TablePlan) -> None:
    """Refuse to suppress cells of a table that is perturbed: all its cells are published."""
    for word in ("protect", "suppress"):
        if getattr(table, word):
            raise walker.located.error(
                (*path, word),
                f"a table is perturbed or its cells are suppressed, not both: all cells of a "
                f"perturbed table are published. Leave out `{word}` or `perturb`.",
            )


def _problem(path: Path_, error: ValidationError) -> tuple[Path_, str]:
    """Return the field that cannot be read, and what it should be."""
    problem = error.errors()[0]
    word, *inner = problem["loc"]
    place = (*path, word, *(inner if word in NESTED else ()))
    context = problem.get("ctx", {})
    told = context.get("error")
    if isinstance(told, ValueError):
        return place, str(told)
    if word in NESTED and inner and problem["type"] in WRONG_FIELD:
        return place, _wrong_field(str(inner[-1]), problem["type"], NESTED[word])
    wish = None if word in NESTED and inner else WISHES.get(str(word))
    if problem["type"] == "literal_error":
        wish = f"one of {context['expected']}"
    found = shown(problem["input"])
    hint = did_you_mean(str(problem["input"]), str(context.get("expected", "")).split("'"))
    return place, f"expected {wish or _wish(problem['msg'])}; found {found}.{hint}"


WRONG_FIELD = ("missing", "extra_forbidden")
NESTED: Mapping[Any, type[BaseModel]] = {"waivers": WaiversPlan, "roll_up": RollUpPlan}


def _wrong_field(name: str, kind: str, shape: type[BaseModel]) -> str:
    """Say of a field that it is missing, or that there is none of that name."""
    known = list(shape.model_fields)
    if kind == "missing":
        return "it is missing."
    return f"unknown; expected {', '.join(known)}.{did_you_mean(name, known)}"


WISHES = {
    "name": "a word of letters, digits, `_` and `-`",
    "by": "a list of attributes",
    "request_codes": "a list of one or two codes such as [yes]",
    "rules": "a list of rules such as {p_percent: 15}",
    "waivers": "a file and a day such as {file: waivers.csv, on: 2026-01-31}",
    "roll_up": "true, or how, such as {loss: value, allowed: {nace: level}}",
    "suppress": "a list of cells such as {region: north}",
    "protect": "a way such as fast_suppression or {optimal_suppression: {cost: count}}",
    "perturb": "a way such as {controlled_rounding: 5}",
    "compare": "a list of ways such as fast_suppression or {controlled_rounding: 5}",
    "require": "a list of requirements such as {suppressed_cells: {at_most: 0.1}}",
}


def _wish(message: str) -> str:
    wish = message.removeprefix("Input should be ")
    return wish[:1].lower() + wish[1:]


def given_file(table: TablePlan, folder: Path) -> Path | None:
    """Return the file of statuses given beforehand, if there is one."""
    return None if table.given is None else folder / table.given
