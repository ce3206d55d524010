"""The plan: what to read, what to do to it, what must hold. The file an institute keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from tacita.data.declaration import Declaration, declaration_problem
from tacita.data.formats import FORMATS, UNSAID, Layout, is_address, layout_of, shown_place
from tacita.errors import (
    InputError,
    ParameterError,
    PlanError,
    RequirementError,
    TacitaError,
    shown,
)
from tacita.method import THAT_MASK, Method
from tacita.microdata.synthesis.inference.copying import refuse_copying, refuse_number
from tacita.registry import all_measures, from_plan
from tacita.release.comparing.compare_plan import ComparePlan, read_compare
from tacita.release.content_check import Allowed, read_allowed
from tacita.release.located import Located, Path_, load, parse
from tacita.release.ordering import BY_CONTENTS, ORDERS, Ordering
from tacita.release.profile import PROFILES, Profile
from tacita.release.query_plan import QueryPlan, read_queries
from tacita.release.requirement import Requirement
from tacita.release.table_plan import TablePlan, read_tables
from tacita.release.waiver import read_waiver, refuse_needless_waiver
from tacita.release.walker import Walker

if TYPE_CHECKING:
    from tacita.intruders.intruder import Intruder
    from tacita.intruders.scenario import Scenario

Undeclared = Literal["keep", "drop", "refuse"]
DEFAULT_ALGORITHM = "lattice"
RELEASED = tuple(
    suffix
    for suffix in ("csv", "parquet", "feather", "xlsx", "sav", "dta")
    if f".{suffix}" in FORMATS
)
EXTERNAL = ("population", "holdout")
EVERYTHING = "all"
MICRODATA = (
    *("profile", "steps", "require", "measure", "intruder", "copies", "compare", "allow"),
    "waive",
)
UNDECLARED: tuple[Undeclared, ...] = ("keep", "drop", "refuse")


@dataclass(frozen=True)
class DataPlan:
    """Where the data are and what they mean.

    Args:
        source: the path of a data file or the address of a database, or None with `example`.
        example: the name and size of generated example data, or None with `source`.
        attributes: what is said of each attribute.
        undeclared: what happens to attributes that are not said: they are kept as non-confidential
            (and the report says so), dropped, or the run is refused.
        layout: what is said of how the source is laid out.
        population: the file of the whole population that the data are a sample of, if there is one.
        holdout: a file of records of the same kind that are not protected here, if there is one.
    """

    source: Path | str | None = None
    example: tuple[str, int] | None = None
    attributes: Mapping[str, Declaration] = field(default_factory=dict)
    undeclared: Undeclared = "keep"
    layout: Layout = UNSAID
    population: Path | str | None = None
    holdout: Path | str | None = None


@dataclass(frozen=True)
class Until:
    """Masking that gets stricter until a measured risk is met (utility first).

    Args:
        requirement: what must be met.
        rounds: the masking of each round, from the mildest to the strictest; every round starts
            anew from the data as they were before this step.
    """

    requirement: Requirement
    rounds: tuple[tuple[Method, ...], ...]

    def to_plan(self) -> dict[str, Any]:
        """Return the step as a plan file says it."""
        rounds = [[method.to_plan() for method in methods] for methods in self.rounds]
        return {"until": self.requirement.to_plan(), "rounds": rounds}


Step = Method | Until


@dataclass(frozen=True)
class Plan:
    """Everything a run needs.

    Args:
        data: where the data are and what they mean.
        steps: the masking, in order.
        requirements: what must hold before anything is released.
        measures: the risks, utilities and attacks to run; None for all that are not costly.
        profile: the audience whose requirements were added, if one was named.
        format: the released file's format.
        mapping: whether to write, for the house, which value became which.
        order: in which order released records stand.
        folder: where relative paths start.
        located: the plan file as it was written, if there is one.
        tables: the tables to release, made from the data as they were read.
        queries: the database to guard, if there is one.
        releases_records: whether records are released; a plan may be about tables or queries only.
        intruder: who attacks the records; None for the worst case that each measure assumes.
        copies: how many synthetic copies are released, which differ in what a generator draws.
        compare: other ways to mask the data, mapped for the house; None for none.
        allowed: detections that are released by the will of a person: detectors by column.
        waive: why nothing is required of the records; None where nobody waived that.
    """

    data: DataPlan
    steps: tuple[Step, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    measures: tuple[Method, ...] | None = None
    profile: Profile | None = None
    format: str = "csv"
    mapping: bool = False
    order: Ordering = BY_CONTENTS
    folder: Path = Path()
    located: Located | None = None
    tables: tuple[TablePlan, ...] = ()
    queries: QueryPlan | None = None
    releases_records: bool = True
    intruder: Intruder | Scenario | None = None
    copies: int = 1
    compare: ComparePlan | None = None
    allowed: Allowed = field(default_factory=dict)
    waive: str | None = None

    @property
    def own_requirements(self) -> tuple[Requirement, ...]:
        """What must hold besides what the profile asks for."""
        added = len(self.profile.requirements) if self.profile else 0
        return self.requirements[: len(self.requirements) - added]

    @property
    def requires_something(self) -> bool:
        """Whether a release must hold anything; tables carry a requirement of their own."""
        return bool(self.requirements or self.profile) or not self.releases_records

    @contextmanager
    def placing(self, *path: str | int) -> Iterator[None]:
        """Let what is refused while a field is carried out say where that field stands."""
        try:
            yield
        except (PlanError, RequirementError):
            raise
        except TacitaError as error:
            if self.located is None:
                raise
            raise type(error)(f"{self.located.place(self._inner(path))}: {error}") from error

    def _inner(self, path: Path_) -> Path_:
        """Name the method of a step or requirement, which stands one field further in."""
        found: Any = self.located.document if self.located else None
        try:
            for part in path:
                found = found[part]
        except (KeyError, IndexError, TypeError):
            return path
        return (
            (*path, next(iter(found))) if isinstance(found, Mapping) and len(found) == 1 else path
        )


def read_plan(file: Path) -> Plan:
    """Read and check a plan file.

    Raises:
        PlanError: something in it cannot be run; the message names file, line and field.
    """
    return _Reader(load(file)).plan()


def understood(text: str, file: Path) -> Plan:
    """Check the text of a plan that would stand in a file.

    Args:
        text: the plan, in YAML.
        file: where it would stand: relative paths start there, and messages name it.

    Raises:
        PlanError: something in it cannot be run; the message names file, line and field.
    """
    return _Reader(parse(text, file)).plan()


class _Reader(Walker):
    """Reads a plan file and says where something is wrong."""

    def plan(self) -> Plan:
        if self.located.document is None:
            raise self.located.error(
                (),
                "the plan is empty; expected the fields data, microdata, tables, queries, release.",
            )
        known = ("data", "microdata", "tables", "queries", "release")
        whole = self.mapping((), known, needed=("data",))
        micro = self.mapping(("microdata",), MICRODATA)
        profile = self.profile(micro)
        requirements = self.each(("microdata", "require"), micro.get("require"), self.requirement)
        out = self.mapping(("release",), ("format", "mapping", "order", "history"))
        steps = self.each(("microdata", "steps"), micro.get("steps"), self.step)
        plan = Plan(
            data=self.data(profile),
            steps=steps,
            requirements=(*requirements, *(profile.requirements if profile else ())),
            measures=self.measures(micro),
            profile=profile,
            format=self.choice(("release", "format"), out.get("format", "csv"), RELEASED),
            mapping=self.choice(("release", "mapping"), out.get("mapping", False), (True, False)),
            order=self.ordering(out),
            folder=self.located.file.parent,
            located=self.located,
            tables=(tables := read_tables(self)),
            queries=(queries := read_queries(self)),
            releases_records="microdata" in whole or not (tables or queries),
            intruder=self.intruder(micro),
            copies=self.copies(micro.get("copies", 1), steps, has_tables=bool(tables)),
            compare=read_compare(self),
            allowed=self.at(
                ("microdata", "allow"), micro.get("allow"), lambda spec, _: read_allowed(spec)
            ),
            waive=self.at(
                ("microdata", "waive"), micro.get("waive"), lambda spec, _: read_waiver(spec)
            ),
        )
        self.at(("microdata", "waive"), plan, lambda made, _: refuse_needless_waiver(made))
        return plan

    def ordering(self, out: Mapping[str, Any]) -> Ordering:
        """Read in which order records are released."""
        by = self.choice(("release", "order"), out.get("order", BY_CONTENTS.by), ORDERS)
        history = out.get("history")
        if history is not None and not isinstance(history, str):
            raise self.located.error(
                ("release", "history"),
                f"expected the name of an attribute; found {shown(history)}.",
            )
        return self.at(("release",), history, lambda name, _: Ordering(by, name))

    def copies(self, said: Any, steps: Sequence[Step], *, has_tables: bool) -> int:
        """Read how many copies to release; several are made by one generator among the steps."""
        path = ("microdata", "copies")
        self.at(path, said, lambda number, _: refuse_number(number))
        if said == 1:
            return 1
        made = [step for step in steps if isinstance(step, Method) and step.family == "synthesis"]
        if len(made) != 1:
            raise self.located.error(
                path, f"copies come from one step of the family synthesis; found {len(made)}."
            )
        if has_tables:
            raise self.located.error(path, "tables need a plan of their own beside copies.")
        self.at(path, made[0], lambda method, _: refuse_copying(method))
        return int(said)

    def intruder(self, micro: Mapping[str, Any]) -> Intruder | Scenario | None:
        if "intruder" not in micro:
            return None
        from tacita.intruders.said import as_intruder

        return self.at(
            ("microdata", "intruder"), micro["intruder"], lambda said, _: as_intruder(said)
        )

    def profile(self, micro: Mapping[str, Any]) -> Profile | None:
        if "profile" not in micro:
            return None
        return PROFILES[self.choice(("microdata", "profile"), micro["profile"], list(PROFILES))]

    def requirement(self, said: Any, _: Path_) -> Requirement:
        return Requirement.from_plan(said)

    def measures(self, micro: Mapping[str, Any]) -> tuple[Method, ...] | None:
        if "measure" not in micro:
            return None
        if micro["measure"] == EVERYTHING:
            return all_measures()
        return self.each(("microdata", "measure"), micro["measure"], self.measure)

    def measure(self, said: Any, _: Path_) -> Method:
        return from_plan(said, ("risk", "utility", "attack"))

    def step(self, said: Any, path: Path_) -> Step:
        if isinstance(said, Mapping) and {"until", "rounds"} & set(said):
            return self.until(path, said)
        if isinstance(said, Mapping) and len(said) == 1 and "anonymize" in said:
            return anonymization(said["anonymize"])
        return from_plan(said, THAT_MASK)

    def until(self, path: Path_, said: Mapping[str, Any]) -> Until:
        for name in said:
            self.choice((*path, name), name, ("until", "rounds"))
        if "until" not in said:
            raise self.located.error(path, "`rounds` needs `until`: the risk that must be met.")
        rounds = said.get("rounds")
        if not isinstance(rounds, list) or not rounds:
            raise self.located.error((*path, "rounds"), "expected a list of rounds, mildest first.")
        requirement = self.at((*path, "until"), said["until"], self.requirement)
        return Until(
            requirement, tuple(self.round((*path, "rounds", i), r) for i, r in enumerate(rounds))
        )

    def round(self, path: Path_, said: Any) -> tuple[Method, ...]:
        steps = self.each(path, said if isinstance(said, list) else [said], self.step)
        if any(isinstance(step, Until) for step in steps):
            raise self.located.error(path, "an `until` cannot stand inside a round.")
        return steps  # type: ignore[return-value]

    def data(self, profile: Profile | None) -> DataPlan:
        known = ("source", "example", "attributes", "undeclared", *EXTERNAL)
        said = self.mapping(("data",), (*known, *Layout.model_fields))
        if ("source" in said) == ("example" in said):
            raise self.located.error(("data",), "expected one of `source` and `example`.")
        if "example" in said and (given := [word for word in Layout.model_fields if word in said]):
            raise self.located.error(
                ("data", given[0]), "it means nothing for example data; leave it out."
            )
        default: Undeclared = "refuse" if profile and profile.every_attribute else "keep"
        return DataPlan(
            source=self.source("source", said["source"]) if "source" in said else None,
            example=self.example(said["example"]) if "example" in said else None,
            attributes=self.attributes(),
            undeclared=self.choice(
                ("data", "undeclared"), said.get("undeclared", default), UNDECLARED
            ),
            layout=self.layout(said),
            **{word: self.source(word, said[word]) for word in EXTERNAL if word in said},
        )

    def source(self, word: str, said: Any) -> Path | str:
        if not isinstance(said, str) or not said:
            raise self.located.error(
                ("data", word),
                f"expected the path of a data file or the address of a database; "
                f"found {shown(said)}.",
            )
        if not is_address(said):
            return self.located.file.parent / said
        if shown_place(said) != said:
            raise self.located.error(
                ("data", word),
                "a plan is kept and shared, so it cannot hold a password; leave it out of the "
                "address and give it in the environment variable PGPASSWORD or a password file.",
            )
        return said

    def layout(self, said: Mapping[str, Any]) -> Layout:
        given = {word: said[word] for word in Layout.model_fields if word in said}
        try:
            layout = layout_of(given)
        except InputError as error:
            word = error.attribute or "source"
            raise self.located.error(("data", word), str(error)) from error
        if layout.metadata is None:
            return layout
        beside = str(self.located.file.parent / layout.metadata)
        return layout.model_copy(update={"metadata": beside})

    def example(self, said: Any) -> tuple[str, int]:
        from tacita.data.examples import GENERATED

        if not isinstance(said, Mapping) or len(said) != 1:
            raise self.located.error(
                ("data", "example"), f"expected like `patients: 10000`; found {shown(said)}."
            )
        ((name, size),) = said.items()
        self.choice(("data", "example"), name, list(GENERATED))
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise self.located.error(
                ("data", "example", name), f"expected a number of records; found {shown(size)}."
            )
        return name, size

    def attributes(self) -> dict[str, Declaration]:
        said = self.value(("data", "attributes"))
        if said is None:
            return {}
        if not isinstance(said, Mapping):
            raise self.located.error(
                ("data", "attributes"), f"expected one field an attribute; found {shown(said)}."
            )
        return {str(name): self.declaration(str(name), fields) for name, fields in said.items()}

    def declaration(self, name: str, fields: Any) -> Declaration:
        path: Path_ = ("data", "attributes", name)
        if isinstance(fields, str):  # `age: key` is short for `age: {role: key}`
            fields = {"role": fields}
        if not isinstance(fields, Mapping):
            raise self.located.error(path, f"expected role, kind and so on; found {shown(fields)}.")
        try:
            return Declaration(**{str(key): value for key, value in fields.items()})
        except ValidationError as error:
            word, problem = declaration_problem(error)
            raise self.located.error((*path, word), problem) from error


def anonymization(said: Any) -> Method:
    """Make the algorithm that `anonymize: {to: [...], by: lattice, ...}` asks for."""
    named = isinstance(said, Mapping) and ("to" in said or "by" in said)
    given = dict(said) if named else {"to": said}
    by = given.pop("by", DEFAULT_ALGORITHM)
    if not isinstance(by, str):
        raise ParameterError(f"`by` of `anonymize` should name an algorithm; found {shown(by)}.")
    return from_plan({by: given}, ("anonymization",))
