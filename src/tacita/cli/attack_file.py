"""`tacita attack` on a file: what a release tells of its masking, and what attacks make of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tacita.cli.options import pairs
from tacita.errors import InputError, ParameterError, did_you_mean
from tacita.progress import progress

if TYPE_CHECKING:
    from tacita.attacks.clues.guess import Guess, Guesses
    from tacita.data.dataset import Dataset
    from tacita.data.declaration import Declaration
    from tacita.data.pairing import PairBy
    from tacita.method import Method
    from tacita.results import Measurement, Measures

NAIVE = "distance_linkage"
SEVERAL = "several_releases"
LINKAGE = "_linkage"  # how the names of risks by linkage end
SHOWN = ("uniqueness", "prosecutor_risk", "diversity", "attribute_disclosure")
STEPS = 4
# The figure that counts what an attack undoes; where it is 0, there is nothing to attack.
UNDONE = {"minimality": "generalized", "suppression_reconstruction": "suppressed"}
UNKNOWN = (
    "No attribute is a key, so that an intruder is taken to know {}; say what is known with --role "
    "name=key."
)
PAIRED = "Records of the release and the original are paired by {}."
ALIGNED = "The same pairs the earlier releases, whose records are brought together by it."
ASSIGNED = (
    "Nobody says which records belong together (--pair-by), so that the attack assigned every "
    "released record an original one of its own, at the least sum of distances; {alike:,} of "
    "{records:,} agree in all that both files hold. A link counts as right where this assignment "
    "confirms it: the more the values were changed, the more the shares overstate."
)


@dataclass(frozen=True)
class Attacked:
    """What was found of a release.

    Args:
        data: the release.
        guesses: how it was masked.
        shown: the risks that it shows by itself.
        attacks: what attacks achieve against the original, if it is there.
        notes: what a person should know of how it was found, in sentences.
    """

    data: Dataset
    guesses: Guesses
    shown: Measures
    attacks: Measures | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types."""
        found: dict[str, Any] = {
            "records": len(self.data),
            "keys": self.data.keys,
            "confidential": self.data.confidential,
            **self.guesses.to_dict(),
            "risks": [one.to_dict() for one in self.shown],
            "not_measured": dict(self.shown.skipped),
            "notes": list(self.notes),
        }
        if self.attacks is not None:
            naive = _naive(self.attacks)
            found["attacks"] = [
                {**one.to_dict(), "naive": _float(_beside(one, naive))} for one in self.attacks
            ]
            found["not_run"] = dict(self.attacks.skipped)
        return found


def attack_file(
    source: str,
    original: str | None,
    earlier: Sequence[str],
    plan: Path | None,
    roles: Sequence[str],
    only: Sequence[str],
    *,
    pair_by: PairBy | None,
    layout: Mapping[str, Any],
    as_json: bool,
) -> None:
    """Attack a release, and tell what was found."""
    from tacita.cli.printing import print_json
    from tacita.results import listed

    if original is None and (earlier or only or pair_by):
        word = "--earlier" if earlier else "--only" if only else "--pair-by"
        raise ParameterError(f"`{word}` needs the original data to attack with: `--original`.")
    with progress(STEPS) as tell:
        tell("reading")
        said = _said(plan, roles)
        propose = plan is None
        truth = None if original is None else _read(original, said, {}, propose=propose)
        data = _read(source, said, layout, like=truth, propose=propose)
        releases = [_read(one, said, {}, like=truth) for one in earlier]
        _refuse_unknown(roles, data.names if truth is None else [*data.names, *truth.names])
        aligned = False
        notes: list[str] = []
        if truth is not None:
            data, releases, aligned, notes = _paired(truth, data, releases, pair_by)
        if not data.keys:
            names = _masked(data, truth) or data.names
            truth, data, *releases = (_knowing(one, names) for one in (truth, data, *releases))
            notes.append(UNKNOWN.format(listed(data.keys)))
        found = _attacked(data, truth, releases, only, tell, aligned=aligned)
        found = replace(found, notes=tuple(notes))
    print_json(found.to_dict()) if as_json else _show(found)


# -- reading ----------------------------------------------------------------------------------


def _said(plan: Path | None, roles: Sequence[str]) -> dict[str, Declaration]:
    """Return what a plan and a person say of attributes; the person's word goes first."""
    from tacita.data.declaration import Declaration
    from tacita.release.plan import read_plan

    said = {} if plan is None else dict(read_plan(plan).data.attributes)
    for name, held in pairs("--role", roles).items():
        for role in [held] if isinstance(held, str) else held:
            _refuse_role(name, role)
        own = Declaration.model_validate({"role": held})
        said[name] = said.get(name, Declaration()).overridden_by(own)
    return said


def _refuse_unknown(roles: Sequence[str], names: Sequence[str]) -> None:
    for name in pairs("--role", roles):
        if name not in names:
            raise InputError(
                f"`--role` names `{name}`, which is not in the data.{did_you_mean(name, names)}"
            )


def _masked(data: Dataset, truth: Dataset | None) -> list[str]:
    """Return the attributes that masking changed; without the original, those that show it."""
    from tacita.attacks.guessing import guess_methods
    from tacita.data.pairing import paired_rows

    if truth is None:
        return [name for guess in guess_methods(data) for name in guess.attributes]
    own = truth.take(paired_rows(truth, data))
    both = [name for name in data.names if name in truth.attributes]
    return [name for name in both if not data.column(name).equals(own.column(name))]


def _knowing(data: Dataset | None, names: Sequence[str]) -> Any:
    """Return data with some attributes as keys, but for those that say who or how many one is."""
    from tacita.attacks.clues.values import APART
    from tacita.data.attribute import Role

    if data is None:
        return None
    known = {
        name: replace(one, roles=one.roles | {Role.KEY})
        for name, one in data.attributes.items()
        if name in names and not any(map(one.is_a, APART))
    }
    return replace(data, attributes={**data.attributes, **known})


def _refuse_role(name: str, role: str) -> None:
    from tacita.data.attribute import Role

    known = [one.value for one in Role]
    if role not in known:
        raise ParameterError(
            f"The role of `{name}` is one of {', '.join(known)}; found {role!r}."
            f"{did_you_mean(role, known)}"
        )


def _read(
    source: str,
    said: Mapping[str, Declaration],
    layout: Mapping[str, Any],
    *,
    like: Dataset | None = None,
    propose: bool = True,
) -> Dataset:
    """Read data; what nobody says of them is as in other data, or proposed.

    Args:
        source: the path of a file, or the address of a database.
        said: what is said of attributes.
        layout: how the source is laid out.
        like: other data, whose attributes of the same names mean the same.
        propose: whether roles are proposed too, and not only kinds.
    """
    from tacita.data.formats import layout_of
    from tacita.inspection import inspect

    found = inspect(source, combinations=1, **layout).declarations()
    declared = _proposed(found, propose) if like is None else _as_in(like, found)
    for name, own in said.items():
        if name in declared:  # a plan says what the original has, of which some is not released
            declared[name] = declared[name].overridden_by(own)
    return _first_that_fits(source, declared, layout_of(layout))


def _proposed(found: Mapping[str, Declaration], roles: bool) -> dict[str, Declaration]:
    """Return what an inspection proposes, with or without roles."""
    from tacita.data.declaration import Declaration

    kept = {"kind", "order", "missing", *(("role",) if roles else ())}
    return {
        name: Declaration(**{word: getattr(one, word) for word in one.model_fields_set & kept})
        for name, one in found.items()
    }


def _as_in(like: Dataset, found: Mapping[str, Declaration]) -> dict[str, Declaration]:
    """Return what attributes are in other data; words for missing values are the file's own."""
    from tacita.data.declaration import Declaration, declaration_of

    known = {name: declaration_of(one) for name, one in like.attributes.items()}
    kept = {
        name: {word: getattr(one, word) for word in ("role", "kind", "order")}
        for name, one in known.items()
    }
    return {
        name: Declaration(
            **{word: value for word, value in kept.get(name, {}).items() if value},
            missing=one.missing,
        )
        for name, one in found.items()
    }


def _first_that_fits(source: str, declared: dict[str, Declaration], layout: Any) -> Dataset:
    """Read data; an attribute that masking made another kind of is of the kind it shows."""
    from tacita.data.read import read_dataset

    while True:
        try:
            return read_dataset(source, declared, layout=layout)
        except InputError as error:
            name = error.attribute
            if name is None or declared[name].kind is None:
                raise
            declared[name] = declared[name].model_copy(update={"kind": None, "order": None})


# -- attacking --------------------------------------------------------------------------------


def _attacked(
    data: Dataset,
    truth: Dataset | None,
    earlier: Sequence[Dataset],
    only: Sequence[str],
    tell: Any,
    *,
    aligned: bool,
) -> Attacked:
    from tacita.attacks.guessing import guess_methods
    from tacita.registry import find
    from tacita.release.measuring import measured

    tell("guessing")
    guesses = guess_methods(data)
    tell("looking")
    shown = measured([find(name)() for name in SHOWN], data, _as_guessed(data, guesses))
    if truth is None:
        return Attacked(data, guesses, shown)
    tell("attacking")
    attacks = [*_attacks(guesses, only), *_on_all(earlier, aligned=aligned)]
    return Attacked(data, guesses, shown, _applicable(measured(attacks, truth, data)))


def _as_guessed(data: Dataset, guesses: Guesses) -> Dataset:
    """Return a release with the masking that left clues, so that what it voids is not measured."""
    from tacita.registry import find
    from tacita.validity import Changed

    seen = [guess for guess in guesses if guess.chance is not None]  # others are no more than hints
    changed = tuple(Changed(one.method, find(one.method).changes, one.attributes) for one in seen)
    return replace(data, changed=(*data.changed, *changed))


def _applicable(found: Measures) -> Measures:
    """Return measurements with those skipped that found nothing to attack."""
    from tacita.results import Measures

    idle = {
        one.name: one.sentence
        for one in found
        if one.name in UNDONE and not one.figures[UNDONE[one.name]]
    }
    left = [one for one in found if one.name not in idle]
    return Measures(left, [*found.skipped, *idle.items()])


def _attacks(guesses: Guesses, only: Sequence[str]) -> list[Method]:
    """Return the attacks of the registry and the linkages, with the parameters guessed."""
    from tacita.attacks.informed import informed
    from tacita.registry import family, find

    linkages = [name for name in family("risk") if name.endswith(LINKAGE)]
    known = [*linkages, *(name for name in family("attack") if name != SEVERAL)]
    names = [NAIVE, *(find(name, ("attack", "risk")).name for name in only)] if only else known
    return [informed(find(name), guesses) for name in dict.fromkeys(names)]


def _on_all(earlier: Sequence[Dataset], *, aligned: bool) -> list[Method]:
    """Return the attacks on several releases together, if there are several."""
    from tacita.registry import find

    if not earlier:
        return []
    said: dict[str, Any] = {"earlier": tuple(earlier), "aligned": aligned}
    return [find(SEVERAL)(**{**said, "aim": aim}) for aim in ("learn", "reidentify")]


class _Paired(NamedTuple):
    """Releases whose records are paired with the original ones.

    Args:
        data: the release.
        earlier: the earlier ones.
        aligned: whether an intruder sees by what they are paired, and brings them together by it.
        notes: how they are paired, in sentences.
    """

    data: Dataset
    earlier: list[Dataset]
    aligned: bool
    notes: list[str]


def _paired(
    truth: Dataset, data: Dataset, earlier: Sequence[Dataset], by: PairBy | None
) -> _Paired:
    """Pair releases with the original as is said or known, else by the best assignment."""
    from tacita.data.pairing import ASSIGNMENT, is_mapping, named, paired_rows
    from tacita.microdata.risk.linking.assignment import agreeing

    way, data = _pair(truth, data, by)
    if way == ASSIGNMENT:
        alike = agreeing(truth, data, paired_rows(truth, data))
        note = ASSIGNED.format(alike=alike, records=len(data))
    else:
        note = PAIRED.format(named(way))
    # The numbers that a release keeps of its records are of no other release, and of no intruder.
    is_kept = is_mapping(way, truth)
    others = [_pair(truth, one, None if is_kept else by) for one in earlier]
    is_seen = not is_kept and way != ASSIGNMENT and all(word == way for word, _ in others)
    aligned = bool(others) and is_seen and {len(truth)} == {len(data), *map(len, earlier)}
    return _Paired(data, [one for _, one in others], aligned, [note, *[ALIGNED] * aligned])


def _pair(truth: Dataset, release: Dataset, by: PairBy | None) -> tuple[PairBy, Dataset]:
    """Pair a release with the original; returns by what, too."""
    from tacita.data.pairing import ASSIGNMENT, known_pairs
    from tacita.microdata.risk.linking.assignment import as_attacked

    if by is None:
        known = known_pairs(truth, release)
        by = ASSIGNMENT if known is None else known.by
    return by, as_attacked(truth, release, by)[1]


def _naive(attacks: Measures) -> float | None:
    """Return the share that distance-based linkage finds, to which the others are compared."""
    return next((_float(one.value) for one in attacks if one.name == NAIVE), None)


def _beside(one: Measurement, naive: float | None) -> Any:
    """Return what a naive intruder finds on the targets of an attack, or else by distance."""
    own = [value for word, value in one.figures.items() if word.startswith("naive_")]
    return own[0] if own else naive


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


# -- telling ----------------------------------------------------------------------------------


def _show(found: Attacked) -> None:
    from tacita.cli.printing import print_table, say
    from tacita.results import counted, listed, show

    data = found.data
    say(f"{counted(len(data), 'record')}, {counted(len(data.attributes), 'attribute')}.")
    say(f"Keys: {listed(data.keys, 8) or 'none'}.")
    rows = [_guess_row(guess) for guess in found.guesses]
    print_table("How it was masked", ("attributes", "masking", "strength", "because"), rows)
    if not rows:
        say("No masking left a clue.")
    narrowed = [(listed(one.attributes), one.narrows) for one in found.guesses if one.narrows]
    print_table("What that tells of the original", ("attributes", ""), narrowed)
    for sentence in found.guesses.unseen:
        say(f"Not seen: {sentence}")
    risks = [(one.name, show(one.value), one.sentence) for one in found.shown]
    print_table("Risks that the release shows by itself", ("risk", "", ""), risks)
    for name, why in found.shown.skipped:
        say(f"Not measured: {name}: {why}")
    if found.attacks is not None:
        _show_attacks(found.attacks)
    for note in found.notes:
        say(f"Note: {note}")


def _guess_row(guess: Guess) -> tuple[str, ...]:
    from tacita.results import brief, listed

    others = f" (or {listed(guess.alternatives, 2)})" if guess.alternatives else ""
    masking = brief({guess.method: guess.parameters})
    return listed(guess.attributes), f"{masking}{others}", guess.strength, guess.evidence


def _show_attacks(attacks: Measures) -> None:
    from tacita.cli.printing import print_table, say

    naive = _naive(attacks)
    columns = ("attack", "reaches", "naive", "times", "")
    print_table("Attacks with the original", columns, list(_attack_rows(attacks, naive)))
    for name, why in attacks.skipped:
        say(f"Not run: {name}: {why}")


def _attack_rows(attacks: Measures, naive: float | None) -> Iterable[tuple[str, ...]]:
    from tacita.results import show

    for one in attacks:
        beside = _float(_beside(one, naive))
        times = "" if not beside or one.value is None else f"{float(one.value) / beside:.3g}"
        yield one.name, show(one.value), "" if beside is None else show(beside), times, one.sentence
