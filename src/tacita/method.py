"""The shape of every method: a frozen class of parameters that carries its mathematics.

A masking method, privacy model, risk, utility measure or attack is one small module with a subclass
of `Method`. Its fields are its parameters; its class attributes say to what it applies and who
invented it; its verb does the work:

=============  ==================================  ========================================
family         folder                              verb
=============  ==================================  ========================================
masking        microdata/masking                   ``mask(data, rng) -> Dataset``
synthesis      microdata/synthesis                 ``mask(data, rng) -> Dataset``
anonymization  microdata/anonymize                 ``mask(data, rng) -> Dataset``
model          microdata/models                    ``check(data) -> Verdict``
risk           microdata/risk                      ``measure(original, protected)``
utility        microdata/utility                   ``measure(original, protected)``
attack         attacks                             ``measure(original, protected)``
rule           mechanisms/sensitivity              ``judge(contributions) -> Judgement``
protection     tables/protect                      ``protect(system) -> Suppression``
perturbation   tables/perturb                      ``perturb(system, rng) -> Perturbation``
table risk     tables/risk                         ``measure(original, published)``
table utility  tables/utility                      ``measure(original, published)``
table attack   attacks/tables                      ``measure(original, published)``
policy         queries/policies                    ``watch(data) -> Watcher``
query attack   attacks/queries                     ``attack(database) -> Outcome``
=============  ==================================  ========================================

Registry, exports, plan syntax, command line, docs page and applicability table derive from it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from typing import (
    Annotated,
    Any,
    ClassVar,
    dataclass_transform,
    get_args,
    get_type_hints,
)

import numpy as np
import pyarrow as pa
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass as checked_dataclass
from pydantic_core import ErrorDetails

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError, did_you_mean, shown
from tacita.preserved import Kept
from tacita.validity import NON_PERTURBATIVE, Change, Changed, Use

FAMILIES = {
    "tacita.microdata.masking": "masking",
    "tacita.microdata.synthesis": "synthesis",
    "tacita.microdata.anonymize": "anonymization",
    "tacita.microdata.models": "model",
    "tacita.microdata.risk": "risk",
    "tacita.microdata.utility": "utility",
    "tacita.attacks": "attack",
    "tacita.mechanisms.sensitivity": "rule",
    "tacita.tables.protect": "protection",
    "tacita.tables.perturb": "perturbation",
    "tacita.tables.risk": "table risk",
    "tacita.tables.utility": "table utility",
    "tacita.attacks.tables": "table attack",
    "tacita.queries.policies": "policy",
    "tacita.attacks.queries": "query attack",
}
THAT_MASK = ("masking", "synthesis", "anonymization")
OF_TABLES = frozenset(
    {"rule", "protection", "perturbation", "table risk", "table utility", "table attack"}
)
OF_QUERIES = frozenset({"policy", "query attack"})
CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False)
ON_DATABASES = ("watch", "attack")
VERBS = ("mask", "check", "measure", "judge", "protect", "perturb", *ON_DATABASES)
ANY_KIND = frozenset(Kind)


class TableKind(StrEnum):
    """What a table is of: respondents counted, or amounts added up."""

    FREQUENCY = "frequency"
    MAGNITUDE = "magnitude"


ANY_TABLE = frozenset(TableKind)


class _IsAttribute:
    """Marks the parameters that name an attribute of the data."""


AttributeName = Annotated[str, _IsAttribute(), Field(min_length=1)]


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"Attribute `{again}` is named twice; name it once.")
    return names


AttributeNames = Annotated[
    tuple[AttributeName, ...],
    BeforeValidator(lambda said: [said] if isinstance(said, str) else said),
    AfterValidator(_each_once),
    Field(min_length=1),
]


@dataclass_transform(frozen_default=True, field_specifiers=(Field,))
class Method:
    """The base of every method; see the module's text.

    A subclass declares its parameters as annotated fields (the first may be given by position and
    is what a bare value in a plan file means) and sets:

    Attributes:
        applies_to: the kinds of attributes, or of tables, it works on.
        reference: the paper that it comes from.
        missing: what happens to missing values, in a sentence.
        example: parameters with which it runs on the example data `toy`.
        public: the parameters that may be told with the released data because they do not help
            to undo the masking; the others stay in the internal evidence.
        draws: whether it draws from the generator (masking only), so that whoever guesses the seed
            can undo it.
        by_record: whether what becomes of a record depends on nothing but the record (masking
            only), so that what a later step guarantees of single records holds for the original.
        keeps: what it keeps of the data, exactly or in expectation, and under which conditions
            (of methods that mask); the contract suite simulates every promise. Empty where it
            promises nothing, which must be said.
        repeatable: whether the same seed gives the same result (masking only); noise from a secure
            source is not repeatable, on purpose.
        from_evidence: whether it looks at how the data were made and not at the data (models only),
            so that a released file alone cannot show it.
        shown_by_release: whether the released file alone shows the number (measures only), so
            that anybody can compute it again.
        estimates: whether its number or verdict rests on a model of a population or on a score, so
            that a requirement of it that holds is no proof (models and risks only).
        lies_between: the least and the most that its number can be (measures only), a share when
            nothing is said; a requirement cannot bound it anywhere else.
        costly: whether it takes so long or needs so much (measures only) that a release runs it
            only where its plan says so; `disclosure_risk` and `information_loss` always do.
        by_contents: whether it looks at records in the order of their contents (measures only), so
            that the order in which they come plays no part, not even in the last digit of a sum or
            in what is drawn; measures of utility do.
        needs: the data from outside, `population` or `holdout`, that it cannot do without.
        changes: what it does to values (masking only); attributes that it leaves as they are do
            not count.
        valid_after: the changes of the attributes that an intruder knows after which its number
            still means something (risks, attacks and models; most models are facts of the released
            classes, whatever was done).
        uses: how it uses what an intruder holds (risks and attacks only).
        at_everything: whether an intruder of whom nothing is said holds all attributes that tell of
            respondents, and not the keys alone (risks and attacks only).
        links_records: whether its number is the share of records that an attack carried out here
            links to their own respondents, so that the strongest of such attacks can be told (risks
            and attacks only).
        opens: whether `risk()` carries it out before it prints its first lines: an attack that
            takes a moment on 30,000 records.
        instead: what to use for attributes of other kinds, or to keep what it cannot keep; a
            refusal says it.
    """

    applies_to: ClassVar[frozenset[Kind] | frozenset[TableKind]]
    reference: ClassVar[str]
    missing: ClassVar[str]
    example: ClassVar[Mapping[str, Any]] = {}
    public: ClassVar[frozenset[str]] = frozenset()
    draws: ClassVar[bool] = False
    by_record: ClassVar[bool] = False
    keeps: ClassVar[tuple[Kept, ...]] = ()
    repeatable: ClassVar[bool] = True
    from_evidence: ClassVar[bool] = False
    shown_by_release: ClassVar[bool] = False
    estimates: ClassVar[bool] = False
    lies_between: ClassVar[tuple[float, float]] = (0, 1)
    costly: ClassVar[bool] = False
    by_contents: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = frozenset()
    # What holds of a method that says nothing is the strictest; registered ones must say it.
    changes: ClassVar[frozenset[Change]] = frozenset({Change.PERTURBATION})
    valid_after: ClassVar[frozenset[Change]] = NON_PERTURBATIVE
    uses: ClassVar[Use] = Use.VALUES
    at_everything: ClassVar[bool] = False
    links_records: ClassVar[bool] = False
    opens: ClassVar[bool] = False
    instead: ClassVar[str] = ""

    name: ClassVar[str]
    family: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.name = snake_case(cls.__name__)
        inherited = getattr(cls, "family", "masking")  # the same method under another name
        cls.family = FAMILIES.get(cls.__module__.rpartition(".")[0], inherited)
        cls.by_contents = cls.by_contents or cls.family == "utility"
        checked_dataclass(frozen=True, config=CONFIG)(cls)
        cls.__init__ = _explained(cls.__init__)  # type: ignore[method-assign]
        for verb in VERBS:
            if verb in cls.__dict__ and verb not in ON_DATABASES:
                guarded = _table_guarded if cls.family in OF_TABLES else _guarded
                setattr(cls, verb, guarded(cls.__dict__[verb]))

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, in plain types."""
        dumped: dict[str, Any] = TypeAdapter(type(self)).dump_python(
            self, mode="json", exclude_defaults=True
        )
        return dumped

    def to_plan(self) -> dict[str, Any]:
        """Return the method as a plan file says it: its name and its parameters."""
        return {self.name: self.parameters()}

    def told(self) -> frozenset[str]:
        """Return the parameters that are told with the released data.

        A method whose user may choose to tell more than what is `public` adds it here: parameters,
        and notes of the masking step.
        """
        return self.public

    def promises(self) -> tuple[Kept, ...]:
        """Return what it keeps with the parameters that it has."""
        return tuple(promise for promise in self.keeps if promise.holds_for(self))

    def looks_by_contents(self) -> bool:
        """Tell whether it is given records in the order of their contents (measures only)."""
        return self.by_contents

    def named_attributes(self) -> list[str]:
        """Return the attributes that the parameters name."""
        named: list[str] = []
        for parameter in naming_parameters(type(self)):  # type: ignore[arg-type]
            value = getattr(self, parameter)
            named += [value] if isinstance(value, str) else list(value or ())
        return named


@functools.cache
def naming_parameters(method: type[Method]) -> tuple[str, ...]:
    """Return the parameters of a method that name attributes."""
    hints = get_type_hints(method, include_extras=True)
    return tuple(field.name for field in fields(method) if _is_marked(hints[field.name]))  # type: ignore[arg-type]


def _is_marked(hint: Any) -> bool:
    parts = (*get_args(hint), *getattr(hint, "__metadata__", ()))
    return isinstance(hint, _IsAttribute) or any(_is_marked(part) for part in parts)


def snake_case(word: str) -> str:
    """Return a class name as a plan file says it.

    >>> snake_case("KAnonymity"), snake_case("TopCode")
    ('k_anonymity', 'top_code')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", word).lower()


def first_line(thing: type) -> str:
    """Return the first line of a docstring."""
    return (thing.__doc__ or "").strip().splitlines()[0]


def _guarded(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Check, before a verb runs, that the attributes it names exist and are of its kinds."""

    @functools.wraps(verb)
    def checked(self: Method, data: Any, *others: Any) -> Any:
        from tacita.data.read import as_dataset

        given, data = data, as_dataset(data)
        for name in self.named_attributes():
            refuse_kind(self, data, name)
        if verb.__name__ == "measure":
            others = tuple(
                data if other is given else as_dataset(other, like=data) for other in others
            )
        if verb.__name__ == "measure" and self.looks_by_contents():
            return _in_any_order(verb, self, data, *others)
        made = verb(self, data, *others)
        return _recorded(self, data, made) if verb.__name__ == "mask" else made

    return checked


def _in_any_order(
    verb: Callable[..., Any], method: Method, original: Dataset, protected: Dataset
) -> Any:
    """Measure records in the order of their contents; what is of single ones goes back to them."""
    from tacita.data.arranging import arranged

    both = arranged(original, protected)
    found = verb(method, both.original, both.protected)
    per_record, details = found.per_record, found.details
    if per_record is not None:
        per_record = np.empty_like(found.per_record)
        per_record[both.order] = found.per_record
    if details is not None and "record" in details.column_names:
        stood = {"record": both.order, **dict.fromkeys(("own", "nearest"), both.original_order)}
        for name, places in stood.items():
            column = details.schema.get_field_index(name)
            numbers = pa.chunked_array([places]).take(details.column(column))
            details = details.set_column(column, name, numbers)
        details = details.sort_by("record")
    return replace(found, per_record=per_record, details=details)


def _recorded(method: Method, before: Dataset, after: Dataset) -> Dataset:
    """Return masked data that remember what the step did to which attributes."""
    step = Changed(method.name, method.changes, tuple(_other_values(before, after)))
    within = tuple(one for one in after.changed if one not in before.changed)
    return replace(after, changed=(*before.changed, *within, step))


def _other_values(before: Dataset, after: Dataset) -> Iterator[str]:
    """Yield the attributes in which a record has another value than before, or a new one."""
    from tacita.data.pairing import paired_rows

    if after.is_synthetic:
        yield from after.names
        return
    rows = paired_rows(before, after)
    own = None if np.array_equal(rows, np.arange(len(before))) else pa.array(rows)
    for name in after.names:
        held = before.table.column(name) if name in before.attributes else None
        if held is None or not after.table.column(name).equals(
            held if own is None else held.take(own)
        ):
            yield name


def _table_guarded(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Check, before a verb of a table's method runs, that it is given tables."""
    if verb.__name__ != "measure":
        return verb

    @functools.wraps(verb)
    def checked(self: Method, *tables: Any) -> Any:
        for table in tables:
            if not hasattr(table, "system"):
                raise InputError(
                    f"`{self.name}` looks at tables; found a {type(table).__name__}. Make a table "
                    "with `tabulate`, or read one with `read_table`."
                )
        return verb(self, *tables)

    return checked


def refuse_kind(method: Method, data: Dataset, name: str) -> None:
    """Raise unless an attribute exists and is of a kind that a method applies to."""
    kind = data.attribute(name).kind
    if kind not in method.applies_to:
        allowed = ", ".join(k.value for k in Kind if k in method.applies_to)
        better = f" Use {method.instead}, or leave it out." if method.instead else ""
        raise ParameterError(
            f"`{method.name}` applies to {allowed} attributes; `{name}` is {kind.value}.{better}"
        )


def _explained(init: Callable[..., None]) -> Callable[..., None]:
    """Turn a refusal of a parameter into one sentence."""

    @functools.wraps(init)
    def explained(self: Method, *args: Any, **kwargs: Any) -> None:
        try:
            _refuse_yes_and_no(type(self), args, kwargs)
            init(self, *args, **kwargs)
        except ValidationError as error:
            raise ParameterError(sentence(type(self), error)) from error

    return explained


def _refuse_yes_and_no(
    method: type[Method], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Refuse `yes` where a number is meant; Python would take it for 1."""
    names = [field.name for field in fields(method)]  # type: ignore[arg-type]
    for name, value in [*zip(names, args, strict=False), *kwargs.items()]:
        if isinstance(value, bool) and name not in _yes_or_no(method):  # type: ignore[arg-type]
            word = "yes" if value else "no"
            raise ParameterError(
                f"`{name}` of `{method.name}` should be a number or a text; found {word}."
            )


@functools.cache
def _yes_or_no(method: type[Method]) -> frozenset[str]:
    """Return the parameters that are yes or no, be it only where they are given."""
    hints = get_type_hints(method)
    return frozenset(name for name, hint in hints.items() if hint in (bool, bool | None))


def sentence(method: type[Method], error: ValidationError) -> str:
    """Say the first problem of a validation in one sentence.

    A parameter that does not exist comes first: it is often a needed one, misspelt.
    """
    problem = min(error.errors(), key=lambda one: not one["type"].startswith("unexpected"))
    told = problem.get("ctx", {}).get("error")
    if isinstance(told, ValueError):
        return str(told)
    known = [field.name for field in fields(method)]  # type: ignore[arg-type]
    where = _parameter(problem["loc"], known)
    if problem["type"] == "unexpected_positional_argument" and where in known:
        return f"`{method.name}` takes its parameter `{where}` by name: `{where}=...`."
    if problem["type"].startswith("unexpected"):
        return (
            f"`{method.name}` has no parameter `{where}` (it has {', '.join(known)})."
            f"{did_you_mean(where, known)}"
        )
    if problem["type"] in ("missing", "missing_argument"):
        return f"`{method.name}` needs its parameter `{where}`."
    return f"`{where}` of `{method.name}` {_wish(problem)}."


def _wish(problem: ErrorDetails) -> str:
    """Say what a parameter should be and is, in the words of plan files."""
    match problem["type"]:
        case "string_too_short":
            return "needs a name; found an empty one"
        case "too_short":
            return f"needs at least {problem['ctx']['min_length']}"
        case "tuple_type":
            return f"should be a list; found {shown(problem['input'])}"
        case "bool_parsing" | "bool_type":
            return f"should be yes or no; found {shown(problem['input'])}"
    wish = problem["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return f"should be {wish[0].lower() + wish[1:]}; found {shown(problem['input'])}"


def _parameter(place: tuple[int | str, ...], known: list[str]) -> str:
    """Return the parameter a problem is about; a number is the place of a positional one."""
    first = place[0] if place else ""
    if isinstance(first, int):
        return known[first] if first < len(known) else f"number {first + 1}"
    return first
