"""Grids: methods with several values of their parameters, as lines of a map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple, get_type_hints

from pydantic import TypeAdapter, ValidationError

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset, of_kind
from tacita.errors import InputError, ParameterError, shown
from tacita.method import CONFIG, THAT_MASK, Method
from tacita.microdata.comparing.features import shared
from tacita.registry import find
from tacita.results import brief

USUAL: Mapping[str, Mapping[str, Any]] = {
    "rank_swap": {"p": [1, 2, 5, 10, 15, 20]},
    "microaggregate": {"together": 3, "k": [3, 5, 10, 20]},
    "add_noise": {"alpha": [0.01, 0.05, 0.1, 0.2]},
    "multiply_noise": {"deviation": [0.05, 0.1, 0.2, 0.3]},
    "compress": {"quality": [25, 50, 75, 90]},
}
LETTERS = 40  # of a value in a label
NAMING = {"attributes", "attribute"}
Asked = Method | str | Mapping[str, Any]
Naming = Callable[[type[Method], Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Candidate:
    """One way to mask that is to be tried.

    Args:
        line: the line of a map on which it lies.
        methods: the masking steps.
        setting: the parameters that tell it from the others of its line.
    """

    line: str
    methods: tuple[Method, ...]
    setting: Mapping[str, Any]

    def label(self) -> str:
        """Return the candidate's name: its line and its setting."""
        return labelled(self.line, self.setting)


def labelled(line: str, setting: Mapping[str, Any]) -> str:
    """Return the name of a point on a line.

    >>> labelled("rank_swap", {"p": 15}), labelled("microaggregate (together 3)", {"k": 5})
    ('rank_swap (p 15)', 'microaggregate (together 3, k 5)')
    """
    told = ", ".join(f"{name} {brief_value(value)}" for name, value in setting.items())
    if not told:
        return line
    return f"{line[:-1]}, {told})" if line.endswith(")") else f"{line} ({told})"


def brief_value(value: Any) -> str:
    """Return a value in a few letters.

    >>> brief_value(15.0), brief_value(["age", "wage"])
    ('15', 'age+wage')
    """
    if isinstance(value, list | tuple):
        told = "+".join(map(str, value))
    else:
        told = f"{value:g}" if isinstance(value, float) else str(value)
    return told if len(told) <= LETTERS else f"{told[: LETTERS - 3]}..."


def candidates(
    asked: Mapping[str, Any] | Sequence[Asked | Sequence[Asked]] | None, data: Dataset
) -> list[Candidate]:
    """Return every way to mask that some grids ask for.

    A list, where a parameter takes none, is a grid: its values are tried one after the other, and
    with several grids all combinations. Where a method needs its `attributes` and nobody names
    them, they are the keys that it applies to, or all that tell of respondents if there are no
    keys.

    Args:
        asked: `{"rank_swap": {"p": [5, 10, 15]}}`, or a list of methods, of such grids, and of
            lists of them, which are steps one after the other; None for what is usual.
        data: the data to mask.

    >>> import tacita as ta
    >>> for one in candidates({"rank_swap": {"p": [5, 15]}}, ta.example("medical")):
    ...     print(one.line, one.setting)
    rank_swap {'p': 5}
    rank_swap {'p': 15}
    """
    if asked is None:
        _refuse_categories(data)
        asked = USUAL
    asked = entries(asked)
    told, naming = _told(asked), partial(_attributes, data)
    found = [one for entry in asked for one in _of_entry(entry, naming, told)]
    if not found:
        raise ParameterError("Nothing is to be tried; name at least one masking method.")
    return _told_apart(found)


def entries(
    asked: Mapping[str, Any] | Sequence[Asked | Sequence[Asked]],
) -> list[Asked | Sequence[Asked]]:
    """Return what is asked for as a list, one entry a line of a map.

    >>> entries({"rank_swap": {"p": [5, 15]}, "shuffle": None})
    [{'rank_swap': {'p': [5, 15]}}, {'shuffle': None}]
    """
    if isinstance(asked, Mapping):
        return [{name: given} for name, given in asked.items()]
    if isinstance(asked, str | Method):
        return [asked]
    if not isinstance(asked, Sequence):
        raise ParameterError(
            "Expected methods with lists of values to try, such as `{'rank_swap': {'p': [5, 10]}}`;"
            f" found {shown(asked)}."
        )
    return list(asked)


def count_ways(entry: Asked | Sequence[Asked]) -> int:
    """Return how many ways to mask one entry asks for, whatever the data.

    Raises:
        ParameterError: a method or a value that could be tried on no data.

    >>> count_ways({"rank_swap": {"p": [5, 10, 15]}})
    3
    """
    return sum(1 for _ in _of_entry(entry, _placeholder, _told([entry])))


def _placeholder(method: type[Method], given: Mapping[str, Any]) -> dict[str, Any]:
    return {"attributes": ["attribute"]} if _lacks_attributes(method, given) else {}


def _refuse_categories(data: Dataset) -> None:
    if not of_kind(data, [Kind.CONTINUOUS]):
        raise InputError(
            "What is usual is for continuous attributes and the data have none; say which methods "
            "to try, for instance `{'pram': {'minimum_diagonal': [0.8, 0.9]}}`."
        )


def _of_entry(
    entry: Asked | Sequence[Asked], naming: Naming, told: Mapping[str, set[str]]
) -> Iterator[Candidate]:
    """Return the candidates of one entry: all combinations of the grids of its steps."""
    grids = [
        _made(step, told) if isinstance(step, Method) else _tried(step, naming)
        for step in _steps(entry)
    ]
    line = " + ".join(grid.line for grid in grids)
    for chosen in product(*(grid.choices for grid in grids)):
        setting = _joined([values for _, values in chosen])
        yield Candidate(line, tuple(method for method, _ in chosen), setting)


def _steps(entry: Asked | Sequence[Asked]) -> list[Asked]:
    if isinstance(entry, Method | str | Mapping):
        return [entry]
    if not isinstance(entry, Sequence):
        raise ParameterError(f"Expected a method, or a list of steps; found {shown(entry)}.")
    return list(entry)


def _told(asked: Sequence[Asked | Sequence[Asked]]) -> dict[str, set[str]]:
    """Return for every method that was made already the parameters that tell some from others.

    Those are all that differ from their defaults in at least one.
    """
    told: dict[str, set[str]] = {}
    for entry in asked:
        for step in _steps(entry):
            if isinstance(step, Method):
                told.setdefault(step.name, set()).update(_strength(step))
    return told


def _told_apart(found: Sequence[Candidate]) -> list[Candidate]:
    """Name the attributes of lines that are the same but for them."""
    masked: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        masked.setdefault(one.line, []).append(_named(one))
    return [
        replace(one, line=labelled(one.line, _named(one)))
        if any(other != _named(one) for other in masked[one.line])
        else one
        for one in found
    ]


def _named(one: Candidate) -> dict[str, Any]:
    """Return the attributes that a candidate's steps name, unless they are tried as a grid."""
    if NAMING & set(one.setting):
        return {}
    said = [method.parameters() for method in one.methods]
    return _joined([{word: step[word] for word in step if word in NAMING} for step in said])


def setting_of(methods: Sequence[Method]) -> dict[str, Any]:
    """Return the parameters of steps that differ from their defaults, but for the attributes."""
    return _joined([_strength(method) for method in methods])


def _strength(method: Method) -> dict[str, Any]:
    return {name: value for name, value in method.parameters().items() if name not in NAMING}


def _joined(settings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Join the settings of steps, and tell parameters from earlier ones of the same name."""
    joined: dict[str, Any] = {}
    for setting in settings:
        for word, value in setting.items():
            name = word
            while name in joined:
                name = f"then {name}"
            joined[name] = value
    return joined


class _Grid(NamedTuple):
    """One step: its line, and the method with every setting that is tried."""

    line: str
    choices: list[tuple[Method, dict[str, Any]]]


def _made(method: Method, told: Mapping[str, set[str]]) -> _Grid:
    """Return the grid of a method that was made already: itself."""
    find(method.name, THAT_MASK)
    values = TypeAdapter(type(method)).dump_python(method, mode="json")
    chosen = {name: value for name, value in values.items() if name in told[method.name]}
    return _Grid(method.name, [(method, chosen)])


def _tried(asked: str | Mapping[str, Any], naming: Naming) -> _Grid:
    """Read a step as plans say it, with lists of values to try."""
    method, given = _said(asked)
    varied = {key: value for key, value in given.items() if _is_grid(method, key, value)}
    fixed = {key: value for key, value in given.items() if key not in varied}
    line = brief({method.name: {key: fixed[key] for key in fixed if key not in NAMING}})
    fixed |= naming(method, given)
    settings = [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]
    return _Grid(line, [(method(**{**fixed, **setting}), setting) for setting in settings])


def _said(asked: str | Mapping[str, Any]) -> tuple[type[Method], Mapping[str, Any]]:
    """Return the method that is asked for and what is said of its parameters."""
    if isinstance(asked, str):
        return find(asked, THAT_MASK), {}
    if not isinstance(asked, Mapping) or len(asked) != 1:
        raise ParameterError(f"Expected one method with its parameters; found {shown(asked)}.")
    ((name, given),) = asked.items()
    method = find(str(name), THAT_MASK)
    if given is None or isinstance(given, Mapping):
        return method, given or {}
    return method, {fields(method)[0].name: given}  # type: ignore[arg-type]


def _is_grid(method: type[Method], name: str, value: Any) -> bool:
    """Tell whether a list is one of values to try: the parameter itself takes no such list."""
    hints = get_type_hints(method, include_extras=True)
    if not isinstance(value, list | tuple | range) or not value or name not in hints:
        return False
    try:
        TypeAdapter(hints[name], config=CONFIG).validate_python(value)
    except (ValidationError, ParameterError):
        return True
    return False


def _lacks_attributes(method: type[Method], given: Mapping[str, Any]) -> bool:
    needed = [f.name for f in fields(method) if f.default is MISSING]  # type: ignore[arg-type]
    return "attributes" in needed and "attributes" not in given


def _attributes(data: Dataset, method: type[Method], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes to mask, where a method needs them and nobody says which."""
    if not _lacks_attributes(method, given):
        return {}
    fitting = set(of_kind(data, method.applies_to))  # type: ignore[arg-type]
    tell = [name for name in data.keys or shared([data]) if name in fitting]
    if not tell:
        raise InputError(f"`{method.name}` applies to none of the attributes; name some others.")
    return {"attributes": tell}
