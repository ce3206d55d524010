"""The setting of an advice: the data with their roles, what must hold, what may be masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from tacita.data.attribute import Kind, Role
from tacita.data.dataset import Dataset
from tacita.data.declaration import Declaration
from tacita.data.formats import LayoutOptions, layout_of
from tacita.data.hierarchies import Hierarchy
from tacita.data.read import declarations_of, declare, read_dataset
from tacita.errors import InputError, ParameterError
from tacita.inspection import Inspection, inspect
from tacita.method import Method
from tacita.microdata.masking.drop import Drop
from tacita.microdata.masking.pseudonymize import Pseudonymize
from tacita.microdata.masking.shuffle_records import ShuffleRecords
from tacita.microdata.models.k_anonymity import KAnonymity
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.microdata.risk.rank_linkage import RankLinkage
from tacita.registry import find, from_plan
from tacita.release.requirement import Requirement
from tacita.results import exactly

K = 5
LINKED = exactly("0.05")
LOOK = 500  # records on which is found out what a risk looks at
Asked = Method | Mapping[str, Any] | str


@dataclass(frozen=True, eq=False)
class Setting:
    """What an advice is about.

    Args:
        data: the data without identifiers and free text.
        said: what a plan says of every attribute of the source.
        found: the inspection, which knows where the data came from.
        proposed: the attributes whose roles were proposed, not given.
        requirements: what must hold.
        is_default: whether nobody said what must hold.
        loss: the utility measure that is kept low; None for the mean change.
        first: the steps before the masking: what must not be released at all.
        last: the steps after it.
    """

    data: Dataset
    said: Mapping[str, Mapping[str, Any]]
    found: Inspection
    proposed: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    is_default: bool
    loss: Method | None
    first: tuple[Method, ...]
    last: tuple[Method, ...] = (ShuffleRecords(),)

    @property
    def models(self) -> tuple[Method, ...]:
        """The models that are required."""
        methods = [asked.method for asked in self.requirements]
        return tuple(method for method in methods if method.family == "model")

    @property
    def loss_name(self) -> str:
        """What is kept low, in a word."""
        return "mean change" if self.loss is None else self.loss.name

    def masked(self) -> list[str]:
        """Return the attributes that may be masked: the keys, and what required risks look at."""
        names = set(self.data.keys)
        part = self.data.take(np.arange(min(len(self.data), LOOK)))
        for asked in self.requirements:
            if asked.method.family in ("risk", "attack"):
                seen = asked.method.measure(part, part).parts  # type: ignore[attr-defined]
                names |= {*seen, *asked.method.named_attributes()} & set(self.data.names)
        return [name for name in self.data.names if name in names]


def setting_of(
    source: Any,
    require: Asked | Iterable[Asked] | None,
    loss: Method | str | None,
    roles: Mapping[str, str | Iterable[str]] | None,
    kinds: Mapping[str, str] | None,
    hierarchies: Mapping[str, Hierarchy | str | PathLike[str] | Mapping[str, Any]] | None,
    layout: LayoutOptions,
) -> Setting:
    """Read data, propose the roles that nobody gave, and say what must hold."""
    given = declarations_of(role=roles, kind=kinds, hierarchy=hierarchies)
    data, found, proposed = _read(source, given, layout)
    if not len(data):
        raise InputError("The data have no records, so there is nothing to advise on.")
    asked = _asked(require) if require is not None else default_requirements(data)
    texts = [one.name for one in found.attributes if one.free_text]
    gone = [n for n in data.names if n in texts or data.attribute(n).is_a(Role.IDENTIFIER)]
    first: tuple[Method, ...] = (Drop(tuple(gone)),) if gone else ()
    households = [name for name in data.with_role(Role.HOUSEHOLD) if name not in gone]
    return Setting(
        data=data.without(gone),
        said={name: _said(data, name) for name in data.names},
        found=found,
        proposed=tuple(proposed),
        requirements=asked,
        is_default=require is None,
        loss=_measure(loss),
        first=(*first, *(Pseudonymize(name) for name in households)),
    )


def default_requirements(data: Dataset) -> tuple[Requirement, ...]:
    """Return what must hold when nobody says it.

    Where some key is a number, every record is unique and linkage tells: by distance and, since
    swapped values betray themselves by their ranks, by rank, at most 5 % of the records may be
    linked. Where all keys are categories, every combination must be shared by five records.
    """
    if not data.keys:
        raise InputError(
            "No attribute has the role `key`; say which attributes an intruder may know "
            "(`roles={'age': 'key'}`, on the command line `--role age=key`)."
        )
    if all(data.attribute(name).kind is not Kind.CONTINUOUS for name in data.keys):
        return (Requirement(KAnonymity(K)),)
    return (
        Requirement(DistanceLinkage(), at_most=LINKED),
        Requirement(RankLinkage(), at_most=LINKED),
    )


def _asked(require: Asked | Iterable[Asked]) -> tuple[Requirement, ...]:
    several = [require] if isinstance(require, Method | Mapping | str) else list(require)
    if not several:
        raise ParameterError("`require` needs at least one requirement, or leave it out.")
    return tuple(Requirement.of(said) for said in several)


def _measure(loss: Method | str | None) -> Method | None:
    if isinstance(loss, Method):
        find(loss.name, ("utility",))
        return loss
    return None if loss is None else from_plan(loss, ("utility",))


def _read(
    source: Any, given: Mapping[str, Declaration], layout: LayoutOptions
) -> tuple[Dataset, Inspection, list[str]]:
    """Return the data with a role for every attribute, and whose roles were proposed."""
    found = inspect(source, **layout)
    proposals = found.declarations()
    if isinstance(source, Dataset):
        for name in given:
            source.attribute(name)  # says so if there is none
        held = {n: Declaration(**a.said) for n, a in source.attributes.items() if a.declared}
        said = _merged(proposals, _merged(held, given))
        changed = [name for name in source.names if name not in held or name in given]
        data = _redeclared(source, {name: said[name] for name in changed})
        return data, found, [name for name in source.names if _unsaid(name, held, given)]
    said = _merged(proposals, given)
    data = read_dataset(source, said, layout=layout_of(layout))
    return data, found, [name for name in data.names if _unsaid(name, {}, given)]


def _unsaid(name: str, held: Mapping[str, Declaration], given: Mapping[str, Declaration]) -> bool:
    return name not in held and (name not in given or given[name].role is None)


def _merged(
    under: Mapping[str, Declaration], over: Mapping[str, Declaration]
) -> dict[str, Declaration]:
    """Let what is said stand over what is proposed."""
    both = {name: under[name].overridden_by(over[name]) for name in over if name in under}
    return {**under, **over, **both}


def _redeclared(data: Dataset, said: Mapping[str, Declaration]) -> Dataset:
    """Return data of which other things are said of some attributes."""
    if not said:
        return data
    anew = declare(data.table.select(list(said)), said)
    for name in said:
        data = data.replacing(name, anew)
    return data


def _said(data: Dataset, name: str) -> Mapping[str, Any]:
    attribute = data.attribute(name)
    return attribute.said or {"role": attribute.described_roles(), "kind": attribute.kind.value}
