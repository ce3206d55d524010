"""Running a plan: read, mask, measure, attack, judge. Nothing is written here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from tacita.attacks.order_linkage import OrderLinkage
from tacita.attacks.several_releases import SeveralReleases
from tacita.data.attribute import Role
from tacita.data.dataset import Dataset, External
from tacita.data.declaration import Declaration
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.method import THAT_MASK, Method
from tacita.registry import all_measures, family
from tacita.release.content_check import content_verdicts, refuse_unknown_columns
from tacita.release.household_numbers import with_new_household_numbers
from tacita.release.measuring import Tell, measured
from tacita.release.of_nobody import synthetic_warnings
from tacita.release.ordering import Ordering
from tacita.release.plan import EXTERNAL, Plan, Step, Until
from tacita.release.profile import Profile
from tacita.release.seen import as_read, emptied, without_untold_reasons
from tacita.release.tables import ReleasedTables, count_table_steps, release_tables, table_warnings
from tacita.release.versions import attacks_on_versions
from tacita.results import Measures, Verdict, counted, listed

if TYPE_CHECKING:
    from tacita.intruders.intruder import Intruder
    from tacita.microdata.synthesis.inference.copying import CopyOf
    from tacita.release.comparing.risk_utility_map import RiskUtilityMap
    from tacita.release.stored_tables import StoredTables

STRONG_SEED = 2**64
WEAK_SEED = (
    "The seed is so small that it can be found by trying, and with it all that was drawn; leave it "
    "out for a real release, and a strong one is drawn."
)
NAMED = 8  # attributes that a warning names


@dataclass(frozen=True)
class Done:
    """A step that was carried out.

    Args:
        method: the method with its parameters.
        seed: where its randomness came from; for the internal evidence only.
        notes: what it tells of itself; for the internal evidence only.
        copy: which of several synthetic copies it made, if there are several.
    """

    method: Method
    seed: int
    notes: Mapping[str, Any] = field(default_factory=dict)
    copy: CopyOf | None = None

    @property
    def said(self) -> dict[str, Any]:
        """The step as a plan file says it."""
        return self.method.to_plan()


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """What a run gave, before anything is written.

    Args:
        plan: what was run.
        original: the data as they were read.
        protected: the data as they would be released.
        steps: the masking as it was carried out.
        before: risks of the original data as they are, to compare with.
        measures: risks, utilities and attacks of the protected data.
        skipped: measures that do not apply here, and why.
        verdicts: the judgement on every requirement.
        warnings: what a person should know before releasing.
        tables: the tables to be released, if there are any.
        intruder: who attacks the records, if the plan says so.
        copies: the outcomes of all synthetic copies, this one among them, if there are several.
        compared: other ways to mask the data beside this release, if the plan compares some.
        earlier: the earlier releases of the folder, as the evidence lists them.
    """

    plan: Plan
    original: Dataset
    protected: Dataset
    steps: tuple[Done, ...]
    before: Measures
    measures: Measures
    skipped: tuple[tuple[str, str], ...]
    verdicts: tuple[Verdict, ...]
    warnings: tuple[str, ...]
    tables: ReleasedTables | None = None
    intruder: Intruder | None = None
    copies: tuple[Outcome, ...] = ()
    compared: RiskUtilityMap | None = None
    earlier: tuple[Mapping[str, Any], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every requirement holds, of every copy."""
        judged = (verdict for one in (self, *self.copies) for verdict in one.verdicts)
        return all(verdict.holds for verdict in judged)

    @property
    def waived(self) -> bool:
        """Whether nothing was required of the records, by a waiver."""
        return self.plan.waive is not None

    @property
    def copy(self) -> CopyOf | None:
        """Which of several synthetic copies this is, if there are several."""
        return next((done.copy for done in self.steps if done.copy is not None), None)

    @property
    def records(self) -> str:
        """How many records came in and go out, in words."""
        came = f"{len(self.original):,} records in"
        goes = f"{len(self.protected):,} records" if self.plan.releases_records else "tables only"
        return f"{came}, {goes} out"

    def __repr__(self) -> str:
        tables = self.tables.tables if self.tables else ()
        about = [repr(one.table) for one in tables]
        who = (
            [] if self.intruder is None else [f"Risks are those of an intruder who {self.intruder}"]
        )
        lines = [*about, *map(str, self.verdicts), *who, repr(self.measures)]
        return "\n".join([self.records, *lines, *(f"Note: {warning}" for warning in self.warnings)])


def execute(plan: Plan, seed: int, tell: Tell = lambda _: None) -> Outcome:
    """Run a plan; all randomness comes from the seed."""
    tell("reading")
    return protect(plan, read_source(plan), seed, tell)


def protect(plan: Plan, original: Dataset, seed: int, tell: Tell = lambda _: None) -> Outcome:
    """Carry out a plan on data that were read already."""
    return with_tables(records_of(plan, original, seed, tell), seed, tell)


def records_of(plan: Plan, original: Dataset, seed: int, tell: Tell = lambda _: None) -> Outcome:
    """Carry out what a plan says of records; its tables are not looked at."""
    if plan.releases_records:
        return _with_records(plan, original, seed, tell)
    return _without_records(plan, original)


def with_tables(
    outcome: Outcome,
    seed: int,
    tell: Tell = lambda _: None,
    stored: StoredTables | None = None,
) -> Outcome:
    """Add the tables of a plan, if there are any, to what became of the records.

    Args:
        outcome: what became of the records.
        seed: where all randomness comes from.
        tell: is told of every step.
        stored: what was found for the tables before and cannot be found again.
    """
    plan = outcome.plan
    if not plan.tables:
        return outcome
    _refuse_published_keys(plan, outcome.protected)
    own = derived(seed, crc32(b"tables"))
    tables = release_tables(plan, outcome.original, own, tell, stored)
    warnings = (*outcome.warnings, *table_warnings(tables), *_weak_noise(plan, seed))
    return replace(
        outcome,
        tables=tables,
        verdicts=(*outcome.verdicts, *tables.verdicts),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _refuse_published_keys(plan: Plan, protected: Dataset) -> None:
    """Refuse to give away the keys of records, by which the noise of a table can be taken off."""
    secret = {said.keys for said in plan.tables if said.keys is not None}
    for place, said in enumerate(plan.tables):
        with plan.placing("tables", place):
            for name in secret & {*said.by, said.value, said.denominator}:
                raise InputError(
                    f"`{name}` holds the keys of records, which are secret; no table can show it."
                )
            if said.keys in protected.names:
                raise InputError(
                    f"`{said.keys}` holds the keys of records, by which the noise of the table can "
                    "be taken off; it must not be released with them. Give it the role "
                    "`identifier`, which is dropped."
                )


def _weak_noise(plan: Plan, seed: int) -> Iterator[str]:
    """Say of a small seed that what was drawn for the tables can be found by trying."""
    way = plan.tables[0].perturbation
    if way is not None and way.draws and way.repeatable and seed < STRONG_SEED:
        yield WEAK_SEED


def _with_records(plan: Plan, original: Dataset, seed: int, tell: Tell) -> Outcome:
    """Mask, measure and judge the records of a plan, and map other ways beside it."""
    from tacita.release.comparing.beside import map_beside, ways_beside

    ways = ways_beside(plan, original)
    masked, steps = mask(original, plan, seed, tell)
    outcome = assess(plan, original, masked, steps, tell, seed)
    return map_beside([outcome], ways, seed, tell)[0]


def _without_records(plan: Plan, original: Dataset) -> Outcome:
    """Return the outcome of a plan that releases no record."""
    nothing = original.take(np.zeros(0, np.int64)).without(original.names)
    warnings = [*original.origin.warnings]
    if not len(original):
        warnings.append("The data have no records.")
    none = Measures([])
    return Outcome(plan, original, nothing, (), none, none, (), (), tuple(warnings))


def count_steps(plan: Plan) -> int:
    """Return how many steps `execute` tells of."""
    return 1 + count_table_steps(plan) + (_count_record_steps(plan) if plan.releases_records else 0)


def _count_record_steps(plan: Plan) -> int:
    measures = usual_measures() if plan.measures is None else plan.measures
    again = sum(method.family != "utility" for method in measures)
    beside = plan.compare.ways + plan.copies if plan.compare else 0
    return plan.copies * (len(plan.steps) + len(measures) + again + 1) + beside


def assess(
    plan: Plan,
    original: Dataset,
    masked: Dataset,
    steps: tuple[Done, ...],
    tell: Tell = lambda _: None,
    seed: int | None = None,
) -> Outcome:
    """Measure, attack and judge masked data; the seed is the run's, if there was a run."""
    protected = released(masked, plan.format, plan.order)
    chosen = chosen_measures(plan)
    chosen = (*chosen, *attacks_on_versions(original.external.earlier, chosen))
    intruder = intruder_of(plan, original)
    measures, skipped = measure(chosen, original, protected, tell, intruder)
    risks = [m for m in chosen if m.family != "utility" and not isinstance(m, SeveralReleases)]
    before, _ = measure(risks, original, original, tell, intruder)
    tell("judging")
    verdicts = judge(plan, steps, original, protected, intruder)
    drawn = [step.seed if seed is None else seed for step in steps if step.method.draws]
    warnings = [*_warnings(original, masked, plan, steps, min(drawn, default=STRONG_SEED))]
    return Outcome(
        plan,
        original,
        protected,
        steps,
        before,
        measures,
        skipped,
        verdicts,
        (*warnings, *_unusable(intruder, original, protected)),
        intruder=intruder,
    )


def intruder_of(plan: Plan, original: Dataset) -> Intruder | None:
    """Return who attacks the records, as the plan says it, on these data."""
    if plan.intruder is None:
        return None
    with plan.placing("microdata", "intruder"):
        return plan.intruder.of(original)


def _unusable(intruder: Intruder | None, original: Dataset, protected: Dataset) -> Iterator[str]:
    """Say what of an intruder's knowledge cannot be used on a release."""
    if intruder is not None:
        from tacita.intruders.measuring import Knowing

        yield from Knowing(intruder, original, protected).notes()


def read_source(plan: Plan) -> Dataset:
    """Read the data of a plan and do as it says with attributes nobody declared."""
    try:
        data = _read(plan)
    except InputError as error:
        path = ("attributes", error.attribute) if error.attribute else ("source",)
        with plan.placing("data", *path):
            raise
    data = replace(data, external=_external(plan, data))
    undeclared = _undeclared(data)
    if undeclared and plan.data.undeclared == "refuse":
        with plan.placing("data", "attributes"):
            raise InputError(
                f"Every attribute must be declared; {len(undeclared)} are not "
                f"({listed(undeclared, NAMED)}). "
                "Give each a role, or say `undeclared: drop` or `keep`."
            )
    return data.without(undeclared) if plan.data.undeclared == "drop" else data


def _external(plan: Plan, data: Dataset) -> External:
    """Read the data from outside, whose attributes mean what those of the same names do."""
    from tacita.data.read import read_beside

    given: dict[str, Dataset] = {}
    for word in EXTERNAL:
        place = getattr(plan.data, word)
        if place is not None:
            with plan.placing("data", word):
                given[word] = read_beside(place, data)
    return External(given.get("population"), given.get("holdout"))


def _undeclared(data: Dataset) -> list[str]:
    return [name for name, attribute in data.attributes.items() if not attribute.declared]


def _read(plan: Plan) -> Dataset:
    said = plan.data
    if said.example is not None:
        from tacita.data.examples import generate

        return _redeclared(generate(*said.example), plan)
    from tacita.data.read import read_dataset

    return read_dataset(said.source, said.attributes, layout=said.layout, folder=plan.folder)


def _redeclared(data: Dataset, plan: Plan) -> Dataset:
    """Let a plan say other things of example data than their generator does."""
    from tacita.data.read import declare

    generated = {name: Declaration(**attribute.said) for name, attribute in data.attributes.items()}
    return declare(data.table, {**generated, **plan.data.attributes}, folder=plan.folder)


def mask(
    original: Dataset, plan: Plan, seed: int, tell: Tell = lambda _: None, *, copy: int = 0
) -> tuple[Dataset, tuple[Done, ...]]:
    """Carry out the steps of a plan.

    Each has a seed of its own, from its name and how often it came before: a step of another method
    in between changes no seed, one of the same method those of the next ones of it. In every copy
    after the first, a generator draws anew.
    """
    data = without_untold_reasons(original, plan.format)
    intruder = intruder_of(plan, original)
    done: tuple[Done, ...] = ()
    for place, (step, own) in enumerate(seeded_steps(plan, seed, copy=copy)):
        tell("until" if isinstance(step, Until) else step.name)
        with plan.placing("microdata", "steps", place):
            if isinstance(step, Until):
                data, carried = mask_until(original, data, step, own, intruder)
                done += carried
            else:
                data, one = carry_out(data, step, own)
                done += (one,)
    return data, done


def seeded_steps(plan: Plan, seed: int, *, copy: int = 0) -> Iterator[tuple[Step, int]]:
    """Give the steps of a plan, each with the seed that is its own."""
    met: Counter[str] = Counter()
    for step in plan.steps:
        word = "until" if isinstance(step, Until) else step.name
        own = derived(seed, crc32(word.encode()), met[word])
        met[word] += 1
        again = copy and isinstance(step, Method) and step.family == "synthesis"
        yield step, derived(own, copy) if again else own


def mask_until(
    original: Dataset, data: Dataset, step: Until, seed: int, intruder: Intruder | None = None
) -> tuple[Dataset, tuple[Done, ...]]:
    """Mask the same data anew, stricter each time, until a measured risk is met (utility first).

    Raises:
        ProtectionError: not even the strictest round meets it.
    """
    for place, methods in enumerate(step.rounds):
        masked, done = data, []
        for turn, method in enumerate(methods):
            masked, one = carry_out(masked, method, derived(seed, place, turn))
            done.append(replace(one, notes={**one.notes, "round": place + 1}))
        verdict = step.requirement.check(original, without_identifiers(masked), intruder)
        if verdict.holds:
            return masked, tuple(done)
    raise ProtectionError(
        f"None of the {len(step.rounds)} rounds is strict enough; after the last one "
        f"{verdict.sentence}. Add a stricter round."
    )


def carry_out(data: Dataset, method: Method, seed: int) -> tuple[Dataset, Done]:
    """Mask data with one method."""
    if not hasattr(method, "mask"):
        raise ParameterError(
            f"`{method.name}` is of the family {method.family} and masks nothing; "
            f"choose one of {', '.join(name for word in THAT_MASK for name in family(word))}."
        )
    masked = method.mask(data.noting(), np.random.default_rng(seed))
    if not method.by_record and data.mixed_by is None:
        masked = replace(masked, mixed_by=method.name)
    return masked, Done(method, seed, masked.notes)


def mask_again(
    original: Dataset, steps: Iterable[tuple[Method, int]], suffix: str, order: Ordering
) -> Dataset:
    """Carry out steps once more, each from its own seed, and return what is released of them.

    Args:
        original: the data before masking.
        steps: the methods with their seeds.
        suffix: the format of the released file, which says how it is read.
        order: in which order the records leave.
    """
    masked = without_untold_reasons(original, suffix)
    for method, seed in steps:
        masked, _ = carry_out(masked, method, seed)
    return released(masked, suffix, order)


def released(masked: Dataset, suffix: str, order: Ordering) -> Dataset:
    """Return what leaves the house of masked data, as the reader of the file sees it."""
    shown = as_read(without_identifiers(masked), suffix)
    return order.of(with_new_household_numbers(shown))


def derived(seed: int, *place: int) -> int:
    """Return the seed of a step from the seed of the run and the step's place.

    >>> derived(1, 0) != derived(1, 1)
    True
    """
    state = np.random.SeedSequence(seed, spawn_key=place).generate_state(4, np.uint32)
    return int.from_bytes(state.tobytes(), "little")


def without_identifiers(data: Dataset) -> Dataset:
    """Leave out the identifiers that no step has dealt with: they never leave the house."""
    released = data.without(data.with_role(Role.IDENTIFIER))
    if not released.names:
        raise ProtectionError("No attribute is left to release.")
    return released


def usual_measures() -> tuple[Method, ...]:
    """Return what a release measures when its plan does not say: all that is not costly."""
    return tuple(method for method in all_measures() if not method.costly)


def chosen_measures(plan: Plan) -> tuple[Method, ...]:
    """Return what a release measures: what its plan says, or what is usual.

    An intruder knows which records stand together in a release, and so does the usual attack.
    """
    if plan.measures is not None:
        return plan.measures
    together = OrderLinkage(together=plan.order.history)
    return tuple(together if one == OrderLinkage() else one for one in usual_measures())


def measure(
    methods: Iterable[Method],
    original: Dataset,
    protected: Dataset,
    tell: Tell = lambda _: None,
    intruder: Intruder | None = None,
) -> tuple[Measures, tuple[tuple[str, str], ...]]:
    """Measure protected data, and say of the measures that do not apply why."""
    found = measured(methods, original, protected, tell, intruder)
    return Measures(found.rows), found.skipped


def judge(
    plan: Plan,
    steps: Iterable[Done],
    original: Dataset,
    protected: Dataset,
    intruder: Intruder | None = None,
) -> tuple[Verdict, ...]:
    """Judge every requirement of a plan, and what no release or its profile may hold."""
    verdicts = []
    own = len(plan.own_requirements)
    for place, requirement in enumerate(plan.requirements):
        with plan.placing("microdata", *(("require", place) if place < own else ("profile",))):
            verdicts.append(requirement.check(original, protected, intruder))
    with plan.placing("microdata", "allow"):
        refuse_unknown_columns(plan.allowed, original)
    methods = [step.method for step in steps]
    verdicts += content_verdicts(original, protected, methods, plan.allowed)
    if plan.profile is not None:
        used = {method.name for method in methods}
        verdicts += _profile_verdicts(plan.profile, used, _undeclared(protected))
        with plan.placing("microdata", "profile"):
            verdicts += plan.profile.inference(protected)
        verdicts += plan.profile.look(protected, methods) if plan.profile.look else ()
    return tuple(verdicts)


def _profile_verdicts(profile: Profile, used: set[str], loose: list[str]) -> Iterator[Verdict]:
    """Say what a profile finds missing besides its requirements."""
    for name in sorted(used & profile.refuses):
        told = f"a {profile.name} must not rest on `{name}`"
        yield Verdict({"without": name}, False, None, told)
    for name in sorted(profile.needs - used):
        told = f"a {profile.name} needs `{name}` among its steps"
        yield Verdict({"without": f"no {name}"}, False, None, told)
    if profile.every_attribute and loose:
        told = f"every attribute must be declared; {listed(loose, NAMED)} is not"
        yield Verdict({"without": "undeclared attributes"}, False, None, told)


def _warnings(
    original: Dataset, masked: Dataset, plan: Plan, steps: Sequence[Done], weakest: int
) -> Iterator[str]:
    yield from original.origin.warnings
    if undeclared := _undeclared(masked):
        how_many = counted(len(undeclared), "attribute")
        yield (
            f"Nobody declared {listed(undeclared, NAMED)} ({how_many}): "
            "released as non-confidential."
        )
    if dropped := masked.with_role(Role.IDENTIFIER):
        yield f"Identifiers no step dealt with were dropped: {listed(dropped, NAMED)}."
    if names := emptied(without_identifiers(masked), plan.format):
        yield (
            f"Empty text of {listed(names, NAMED)} leaves as missing values: a released "
            f"{plan.format} file does not tell the two apart; Parquet does."
        )
    if not original.keys:
        yield "No attribute has the role `key`: risks by key values were not measured."
    yield from synthetic_warnings(original, masked, [one.method for one in plan.requirements])
    if plan.waive is not None:
        yield f"Nothing is required of the records, by a waiver: {plan.waive}"
    elif not plan.requirements and plan.profile is None:
        yield "Nothing is required of this release; add `require` or a `profile` to the plan."
    if not steps:
        yield "No masking step was carried out."
    yield from plan.order.warnings()
    if weakest < STRONG_SEED:
        yield WEAK_SEED
    if not len(original):
        yield "The data have no records."
