"""The setting of an advice: the data with their roles, what must hold, what may be masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
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
from tacita.intruders.intruder import Intruder
from tacita.intruders.measuring import NOT_HELD, Knowing, within
from tacita.intruders.said import Said, as_intruder
from tacita.intruders.uses import knowledge_of
from tacita.method import Method
from tacita.microdata.masking.drop import Drop
from tacita.microdata.masking.pseudonymize import Pseudonymize
from tacita.microdata.masking.shuffle_records import ShuffleRecords
from tacita.microdata.models.k_anonymity import KAnonymity
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.microdata.risk.exact_linkage import ExactLinkage
from tacita.microdata.risk.rank_linkage import RankLinkage
from tacita.registry import find, from_plan
from tacita.release.execute import intruder_of, read_source
from tacita.release.measuring import measuring
from tacita.release.plan import Plan, read_plan
from tacita.release.requirement import Requirement
from tacita.results import exactly, listed

K = 5
LINKED = exactly("0.05")
LOOK = 500  # records on which is found out what a risk looks at
PLANS = (".yaml", ".yml")
RISKS = ("risk", "attack")
NAMED = 8  # attributes that a sentence names
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
        intruder: for whom risks are measured, by attributes of the source; None for the worst case
            that each measure assumes.
        notes: what of the intruder's knowledge cannot be used, and what it does not change.
        plan: the plan that was given in place of data, if one was.
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
    intruder: Intruder | None = None
    notes: tuple[str, ...] = ()
    plan: Plan | None = None

    @property
    def models(self) -> tuple[Method, ...]:
        """The models that are required."""
        methods = [asked.method for asked in self.requirements]
        return tuple(method for method in methods if method.family == "model")

    @property
    def loss_name(self) -> str:
        """What is kept low, in a word."""
        return "mean change" if self.loss is None else self.loss.name

    @property
    def attacking(self) -> Intruder | None:
        """The intruder, by the attributes that may be released at all."""
        return None if self.intruder is None else within(self.intruder, self.data)

    def masked(self) -> list[str]:
        """Return the attributes that may be masked: what is known, and what risks look at."""
        names = {*known_in(self.data, self.attacking), *(self.data.keys if self.models else ())}
        part = self.data.take(np.arange(min(len(self.data), LOOK)))
        measure = measuring(part, part, self.attacking)
        for asked in self.requirements:
            if asked.method.family in RISKS:
                seen = measure(asked.method).parts
                names |= {*seen, *asked.method.named_attributes()} & set(self.data.names)
        return [name for name in self.data.names if name in names]


def setting_of(
    source: Any,
    require: Asked | Iterable[Asked] | None,
    loss: Method | str | None,
    roles: Mapping[str, str | Iterable[str]] | None,
    kinds: Mapping[str, str] | None,
    hierarchies: Mapping[str, Hierarchy | str | PathLike[str] | Mapping[str, Any]] | None,
    intruder: Said | None,
    layout: LayoutOptions,
) -> Setting:
    """Read data, propose the roles that nobody gave, and say what must hold and for whom."""
    given = declarations_of(role=roles, kind=kinds, hierarchy=hierarchies)
    plan = _plan(source, layout)
    data, found, proposed = _read(source if plan is None else read_source(plan), given, layout)
    if not len(data):
        raise InputError("The data have no records, so there is nothing to advise on.")
    texts = [one.name for one in found.attributes if one.free_text]
    gone = [n for n in data.names if n in texts or data.attribute(n).is_a(Role.IDENTIFIER)]
    first: tuple[Method, ...] = (Drop(tuple(gone)),) if gone else ()
    households = [name for name in data.with_role(Role.HOUSEHOLD) if name not in gone]
    kept, who = data.without(gone), _attacking(intruder, plan, data)
    asked = _required(require, plan)
    required = asked or default_requirements(kept, who and within(who, kept))
    return Setting(
        data=kept,
        said={name: _said(data, name) for name in data.names},
        found=found,
        proposed=tuple(proposed),
        requirements=required,
        is_default=not asked,
        loss=_measure(loss),
        first=(*first, *(Pseudonymize(name) for name in households)),
        intruder=who,
        notes=() if who is None else _notes(Knowing(who, data, kept), required),
        plan=plan,
    )


def default_requirements(
    data: Dataset, intruder: Intruder | None = None
) -> tuple[Requirement, ...]:
    """Return what must hold when nobody says it.

    Where something known is a number, every record is unique and linkage tells: by distance and,
    since swapped values betray themselves by their ranks, by rank, at most 5 % of the records may
    be linked. Where it is all categories, every combination must be shared by five records or, as
    that is a promise whoever attacks, an intruder may link 5 % of the records.
    """
    known = known_in(data, intruder)
    if not known:
        raise InputError(
            "No attribute has the role `key`; say which attributes an intruder may know "
            "(`roles={'age': 'key'}`, on the command line `--role age=key`)."
        )
    if any(data.attribute(name).kind is Kind.CONTINUOUS for name in known):
        return (
            Requirement(DistanceLinkage(), at_most=LINKED),
            Requirement(RankLinkage(), at_most=LINKED),
        )
    if intruder is None:
        return (Requirement(KAnonymity(K)),)
    return (Requirement(ExactLinkage(), at_most=LINKED),)


def known_in(data: Dataset, intruder: Intruder | None) -> list[str]:
    """Return the attributes of respondents that an intruder holds; the keys if nobody says it."""
    if intruder is None or intruder.attributes is None:
        return data.keys
    return [name for name in intruder.attributes if not data.attribute(name).roles & NOT_HELD]


def _attacking(said: Said | None, plan: Plan | None, data: Dataset) -> Intruder | None:
    """Return who attacks: as somebody says it, else as the plan does."""
    if said is not None:
        return as_intruder(said).of(data)
    return None if plan is None else intruder_of(plan, data)


def _notes(knowing: Knowing, required: Sequence[Requirement]) -> tuple[str, ...]:
    """Say what an intruder cannot use, and which bounds have nothing to do with the intruder."""
    risks = [asked.method for asked in required if asked.method.family in RISKS]
    if not risks:
        return ("No risk is bounded, and the rest is the same whoever attacks.",)
    held = knowing.intruder.attributes
    notes = []
    for method in risks:
        word = knowledge_of(method)
        said = (word and getattr(method, word)) or ()
        if said and held and not set(said) & set(held):
            notes.append(
                f"`{method.name}` is bounded by {listed(said, NAMED)}, of which the intruder holds "
                "nothing; it is measured by that all the same."
            )
    return (*knowing.notes(), *notes)


def _plan(source: Any, layout: LayoutOptions) -> Plan | None:
    """Read the plan that was given in place of data, if one was."""
    if not isinstance(source, str | PathLike) or not str(source).lower().endswith(PLANS):
        return None
    if layout:
        raise ParameterError(
            f"A plan says itself how its data are laid out; leave out `{next(iter(layout))}`."
        )
    return read_plan(Path(source))


def _required(
    require: Asked | Iterable[Asked] | None, plan: Plan | None
) -> tuple[Requirement, ...]:
    """Return what a plan requires, and what is asked for beside it."""
    own = plan.requirements if plan is not None else ()
    asked = () if require is None else _asked(require)
    return (*own, *(one for one in asked if one not in own))


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
