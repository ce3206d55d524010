"""Statement and evidence as they were written: what must be in them to be read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tacita.data.attribute import Kind
from tacita.data.declaration import Declaration
from tacita.errors import InputError, shown
from tacita.tables.table import Statistic, Weighting

HEX = r"^([0-9a-f]{2})+$"


class Written(BaseModel):
    """Something read back; what this version does not know is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class StatedFile(Written):
    """The released file."""

    name: str = Field(min_length=1)
    records: int
    sha256: str
    layout: dict[str, Any] = Field(default_factory=dict)
    order: Literal["contents", "source"] = "source"  # of releases that do not say it
    history: str | None = None


class StatedAttribute(Declaration):
    """What is said of a released attribute: a declaration with its name."""

    name: str

    def declaration(self) -> Declaration:
        """Return it as a declaration; an order too long to be stated makes it nominal."""
        said = {part: getattr(self, part) for part in Declaration.model_fields}
        unordered = self.kind is Kind.ORDINAL and self.order is None
        return Declaration(**{**said, **({"kind": Kind.NOMINAL} if unordered else {})})


class StatedMethod(Written):
    """A masking step with the parameters that may be told."""

    method: str
    parameters: dict[str, Any]


class StatedCopy(Written):
    """Which of several synthetic copies a release is."""

    number: int = Field(ge=1)
    of: int = Field(ge=1)


class StatedMeasure(Written):
    """A risk, utility or attack."""

    name: str
    parameters: dict[str, Any]
    value: float | None = None
    at_most: float | None = None


class StatedRequirement(Written):
    """A requirement and the verdict on it."""

    requirement: dict[str, Any] = Field(min_length=1)
    holds: bool
    sentence: str


class StatedDimension(Written):
    """An attribute that spans a table: its codes and what lies above them."""

    name: str
    codes: list[str] = Field(min_length=1)
    parents: list[list[int]] = Field(min_length=1)


class StatedTable(Written):
    """A released table."""

    name: str = Field(pattern=r"^\w[\w-]*$")
    variable: str | None
    statistic: Statistic
    files: dict[str, str]
    dimensions: list[StatedDimension] = Field(min_length=1)
    cells: int
    suppressed: int
    nonnegative: bool | None
    rules: list[str]
    protected: bool
    weighting: Weighting | None = None


class Together(Written):
    """What the files of all tables show."""

    suppressed: int
    computable: int
    narrowest: float | None


class StatedPerturbation(StatedMethod):
    """How the values of all tables were perturbed."""

    not_additive: int


class StatedTables(Written):
    """The released tables."""

    tables: list[StatedTable] = Field(min_length=1)
    together: Together | None
    perturbation: StatedPerturbation | None = None


class Statement(Written):
    """What the public was told."""

    file: StatedFile | None
    attributes: list[StatedAttribute]
    methods: list[StatedMethod]
    guarantees: list[StatedRequirement]
    measures: list[StatedMeasure]
    requirements_hold: bool
    waived: Literal[True] | None = None
    tables: StatedTables | None = None
    intruder: dict[str, Any] | None = None
    copy_of: StatedCopy | None = None


class DoneStep(Written):
    """A masking step with all its parameters and its seed."""

    step: dict[str, Any] = Field(min_length=1)
    seed: int = Field(ge=0)


class ReadFrom(Written):
    """Where the data came from, and how they were read."""

    example: dict[str, int] | None
    layout: dict[str, Any]
    external: dict[str, str | None] = Field(default_factory=dict)


class KeyedHash(Written):
    """The keyed hash of the input."""

    key: str = Field(pattern=HEX)
    hmac_sha256: str


class Run(Written):
    """What differs between two runs of the same plan."""

    input: KeyedHash


class KeptTable(Written):
    """What the house keeps of a table."""

    plan: dict[str, Any] = Field(min_length=1)
    measures: list[StatedMeasure]
    waivers: dict[str, Any] | None = None
    roll_up: dict[str, Any] | None = None


class KeptPerturbation(Written):
    """What the house keeps of how values were perturbed."""

    reproducible: bool


class KeptTables(Written):
    """What the house keeps of the tables."""

    tables: list[KeptTable] = Field(min_length=1)
    measures: list[StatedMeasure]
    seed: int = Field(default=0, ge=0)
    perturbation: KeptPerturbation | None = None


class KeptMapping(Written):
    """The file that says which value became which."""

    name: str = Field(min_length=1)
    sha256: str


class Evidence(Written):
    """What the house keeps."""

    source: ReadFrom
    attributes: dict[str, Declaration]
    steps: list[DoneStep]
    measures: list[StatedMeasure]
    requirements: list[StatedRequirement]
    requirements_hold: bool
    run: Run
    waived: str | None = Field(default=None, min_length=1)
    tables: KeptTables | None = None
    mapping: KeptMapping | None = None
    intruder: dict[str, Any] | None = None


M = TypeVar("M", bound=BaseModel)


def read_json(path: Path, shape: type[M]) -> M:
    """Read a statement or evidence.

    Raises:
        InputError: it is not there, or not what it should be; the message names file and field.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"There is no release here: {path} is missing.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON.") from error
    try:
        return shape.model_validate(content)
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"]) or "the whole"
        found = "nothing" if problem["type"] == "missing" else shown(problem["input"])
        raise InputError(
            f"{path}, field `{field}`: it is not as Tacita wrote it; found {found}."
        ) from error
