"""`Microdata`: the data set in a person's hands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
import pyarrow as pa

from tacita.api.risks import Risks
from tacita.api.seeds import fresh
from tacita.data.attribute import Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.data.examples import GENERATED, generate, printed_table
from tacita.data.formats import LayoutOptions, layout_of, write_contents
from tacita.data.frames import visible
from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.ontology import Ontology
from tacita.data.pairing import PairBy, as_pair, paired_rows
from tacita.data.read import Source, as_dataset, declarations_of, read_beside, read_dataset
from tacita.errors import ParameterError, shown
from tacita.intruders.intruder import Intruder
from tacita.intruders.said import Said, as_intruder
from tacita.method import Method
from tacita.microdata.comparing.value_mapping import ValueMapping, value_mapping
from tacita.microdata.masking.drop import Drop
from tacita.microdata.risk.linking.assignment import as_attacked
from tacita.progress import progress
from tacita.registry import all_measures, find, from_plan
from tacita.release.execute import (
    Done,
    Outcome,
    assess,
    carry_out,
    count_steps,
    mask_until,
    measure,
)
from tacita.release.ordering import By, Ordering
from tacita.release.plan import DEFAULT_ALGORITHM, RELEASED, DataPlan, Plan, Until, anonymization
from tacita.release.profile import Profile, find_profile
from tacita.release.requirement import Requirement
from tacita.results import Measures

if TYPE_CHECKING:
    from tacita.tradeoff.advising import Advice

ATTACKING = ("risk", "attack")


@dataclass(frozen=True, eq=False, repr=False)
class Microdata(Dataset):
    """Microdata with verbs: apply, anonymize, risk, utility, release.

    Made by `tacita.read` or `tacita.example`. Nothing changes in place: every verb that masks gives
    a new object that remembers the original it came from.
    """

    source: Dataset | None = None
    steps: tuple[Done, ...] = ()

    @classmethod
    def of(cls, data: Dataset, source: Dataset | None = None, steps: tuple[Done, ...] = ()) -> Self:
        """Put a data set into a person's hands."""
        held = {part.name: getattr(data, part.name) for part in fields(Dataset)}
        return cls(**held, source=source, steps=steps)

    def descends_from(self, original: Dataset) -> bool:
        """Tell whether the data were made of some others, or of others that hold the same."""
        return super().descends_from(original) or (
            self.source is not None
            and self.source.table.equals(original.table)
            and np.array_equal(self.source.source_rows, original.source_rows)
        )

    def take(self, rows: Ints) -> Self:
        """Return a copy with only the records at these positions; it remembers its original.

        Records picked by hand are no masking step: a release of them cannot be computed again from
        the source. To publish a part of the records, apply `Sample`.
        """
        return replace(super().take(rows), source=self.original)

    def without(self, names: Iterable[str]) -> Self:
        """Return a copy without some attributes: the step `Drop`, in short."""
        gone = tuple(names)
        if not gone:
            return self
        steps = (*self.steps, Done(Drop(gone), seed=0))
        return replace(super().without(gone), source=self.original, steps=steps)

    def _outgoing(self) -> Dataset:
        """Return what may go out: masked data leave identifiers and row labels behind."""
        held = Dataset(*(getattr(self, part.name) for part in fields(Dataset)))
        if not self.steps:
            return held
        released = held.without(held.with_role(Role.IDENTIFIER))
        origin = released.origin.without_traces(released.table)
        shown = replace(released, table=visible(released.table), origin=origin)
        return shown.with_held_meaning()

    def to_arrow(self) -> pa.Table:
        """Return the values in Arrow; of masked data without identifiers, suppressed is missing."""
        return self._outgoing().to_arrow()

    def to_polars(self) -> Any:
        """Return the values as a Polars frame; of masked data without identifiers."""
        return self._outgoing().to_polars()

    def to_pandas(self) -> Any:
        """Return the values as a pandas frame; of masked data without identifiers and index."""
        return self._outgoing().to_pandas()

    def to_native(self) -> Any:
        """Return the values as the kind of frame that came in; of masked data as it may go out."""
        return self._outgoing().to_native()

    def write(self, target: str | PathLike[str], **layout: Unpack[LayoutOptions]) -> None:
        """Write the values with what is known of them to a file or a database.

        Nothing is judged, attacked or proven: to hand data out, use `release`. Of masked data,
        identifiers stay behind.

        Args:
            target: a path, whose suffix says the format, or the address of a database.
            layout: `delimiter`, `encoding` and `decimal` of a text file (comma, utf-8 and point
                when left out), `sheet` of a workbook, `table` of a database, which is made; one
                that is there is not touched.
        """
        with progress(1) as tell:
            tell("writing")
            write_contents(self._outgoing().contents(), target, layout_of(layout))

    def head(self, n: int = 5) -> Any:
        """Return the first records as the kind of data frame that came in."""
        return self.take(np.arange(min(n, len(self)))).to_native()

    @property
    def original(self) -> Dataset:
        """The data before any masking."""
        return self if self.source is None else self.source

    def apply(self, method: Method, *, seed: int | None = None) -> Self:
        """Mask the data with a method.

        Args:
            method: a masking method or an anonymization algorithm.
            seed: where its randomness comes from; drawn anew when left out.
        """
        _refuse_other_than(method, Method, "a method, for instance ta.TopCode(...)")
        with progress(1) as tell:
            tell(method.name)
            masked, done = carry_out(self, method, fresh(seed))
        return type(self).of(masked, self.original, (*self.steps, done))

    def apply_until(
        self,
        requirement: Method | Mapping[str, Any],
        rounds: Sequence[Sequence[Method]],
        *,
        intruder: Said | None = None,
        seed: int | None = None,
    ) -> Self:
        """Mask the same data ever more strictly until a measured risk is met.

        Args:
            requirement: as a plan says it, `{"uniqueness": {"at_most": 0.05}}`, or a model.
            rounds: the methods of each round, mildest first.
            intruder: for whom the risk is measured: an `Intruder`, a scenario, or as a plan says
                it; by default the worst case that the measure assumes.
            seed: where the randomness comes from; drawn anew when left out.
        """
        listed = tuple((one,) if isinstance(one, Method) else tuple(one) for one in rounds)
        if not listed:
            raise ParameterError("`rounds` needs at least one round of methods, mildest first.")
        step = Until(Requirement.of(requirement), listed)
        who = None if intruder is None else as_intruder(intruder).of(self.original)
        with progress(1) as tell:
            tell("masking until")
            masked, done = mask_until(self.original, self, step, fresh(seed), who)
        return type(self).of(masked, self.original, (*self.steps, *done))

    def anonymize(
        self,
        *models: Method,
        by: str = DEFAULT_ALGORITHM,
        seed: int | None = None,
        **options: Any,
    ) -> Self:
        """Reach privacy models with an algorithm.

        Args:
            models: what must hold afterwards; none for an algorithm that makes its own promise.
            by: the algorithm, by its name in the registry.
            seed: where its randomness comes from; drawn anew when left out.
            options: the algorithm's own parameters, `suppression_limit` for instance.
        """
        asked = {"to": list(models)} if models else {}
        return self.apply(anonymization({**asked, "by": by, **options}), seed=seed)

    @property
    def levels(self) -> Mapping[str, int]:
        """The hierarchy levels that the last anonymization chose."""
        return dict(self.notes.get("levels", {}))

    @property
    def suppressed(self) -> int:
        """The number of records that the last anonymization left out."""
        return int(self.notes.get("suppressed_records", 0))

    @property
    def loss(self) -> float | None:
        """The measure that the last anonymization kept low, if it has one."""
        loss = self.notes.get("loss")
        return None if loss is None else float(loss)

    def value_mapping(self, attribute: str) -> ValueMapping:
        """Return which original value of an attribute became which released value, and how often.

        It helps to undo the masking: keep it in the house.

        >>> import tacita as ta
        >>> toy = ta.example("toy", 100).apply(ta.Generalize("education", level=1), seed=0)
        >>> toy.value_mapping("education").to_arrow()["released"].unique().to_pylist()
        ['university', 'school', None]
        """
        return value_mapping(self.original, self, attribute)

    def advise(
        self,
        *,
        require: Method | Mapping[str, Any] | Iterable[Method | Mapping[str, Any]] | None = None,
        loss: Method | str | None = None,
        intruder: Said | None = None,
        time_limit: float | None = None,
        trials: int | None = None,
        seed: int = 0,
    ) -> Advice:
        """Search for the masking of the original that meets a bound on the risk at the least loss.

        Args:
            require: what must hold, as plans say it; a sensible bound when left out.
            loss: the utility measure that is kept low; the mean change when left out.
            intruder: for whom risks are measured: an `Intruder`, a scenario, or as a plan says it.
            time_limit: seconds after which the best so far is given.
            trials: how many trials are made at most.
            seed: where samples and trials draw from.
        """
        from tacita.tradeoff.advising import advise

        return advise(
            self.original,
            require=require,
            loss=loss,
            intruder=intruder,
            time_limit=time_limit,
            trials=trials,
            seed=seed,
        )

    def risk(self, *, intruder: Said | None = None, k: int = 3) -> Risks:
        """Return every disclosure risk and attack against the original, five lines of it first.

        They print how many records share their key values with fewer than k, the strongest attack
        so far and where its share lies, what was suppressed and left out, and what to do next.
        What is pending is measured when it is asked for: one number by its name, or all of them
        with `table()`.

        Args:
            intruder: who attacks: an `Intruder`, a scenario, or as a plan says it; by default the
                worst case that each measure assumes.
            k: how many records are to share their key values (2 or more).

        >>> masked = example("toy", 200).apply(Drop(["born"]))
        >>> print(str(masked.risk(k=2)).splitlines()[3])
        Records left out   0 of 200 (0 %)
        """
        if not isinstance(k, int) or isinstance(k, bool) or k < 2:  # noqa: PLR2004 - more than one
            raise ParameterError(f"`k` is a number of records, 2 or more; found {shown(k)}.")
        who = None if intruder is None else as_intruder(intruder).of(self.original)
        methods = [method for method in all_measures() if method.family in ATTACKING]
        return Risks(methods, self.original, as_pair(self.original, self)[1], who, k=k)

    def utility(self) -> Measures:
        """Return every measure of information loss against the original."""
        return information_loss(self.original, self)

    def release(
        self,
        folder: str | PathLike[str],
        *,
        require: Method | Mapping[str, Any] | Iterable[Method | Mapping[str, Any]] = (),
        profile: str | None = None,
        intruder: Said | None = None,
        format: str = "csv",  # noqa: A002 - the field's word
        mapping: bool = False,
        order: By = "contents",
        history: str | None = None,
        compare: Mapping[str, Any] | None = None,
        allow: Mapping[str, Sequence[str]] | None = None,
        seed: int | None = None,
        force: bool = False,
        waive: str | None = None,
        sign: str | PathLike[str] | None = None,
    ) -> Outcome:
        """Judge, attack and measure the data, and write `public/` and `internal/`.

        Args:
            folder: where to write; an earlier release there stays, in `versions/`.
            require: what must hold: models, or measures with bounds as a plan says them.
            profile: a ready set of requirements by its name, as `tacita profiles` lists them.
            intruder: for whom risks are measured and required: an `Intruder`, a scenario, or as a
                plan says it.
            format: the format of the released file: csv, parquet, feather, xlsx, sav or dta.
            mapping: write to `internal/mapping.csv` which value became which.
            order: `contents`, by which the order of records follows from the released values alone;
                or `source`, as they came.
            history: the released attribute that says whose history a record belongs to: records
                of one person stay together, in the order in which they came.
            compare: other ways to mask the same data, mapped in `internal/` beside the release:
                `methods`, `risk` and `loss` or `by`, and `sample`, as a plan says them; `{}` for
                what is usual.
            allow: what detectors find in released columns and is released all the same: names of
                detectors by column, `{"remark": ["free_text"]}`.
            seed: where the randomness of `compare` comes from; drawn anew when left out.
            force: write even if a requirement fails; the evidence then says so.
            waive: why nothing is required, if nothing is; the evidence keeps the reason.
            sign: the file of the private key that signs the release, as `tacita keys make` writes
                it.

        Raises:
            RequirementError: a requirement fails, or nothing is required without a waiver; nothing
                was written.
        """
        from tacita.data.formats.atomic import refuse_place
        from tacita.release.comparing.beside import map_beside, ways_beside
        from tacita.release.comparing.compare_plan import compare_of
        from tacita.release.content_check import read_allowed
        from tacita.release.release import WRITING_STEPS, write_release
        from tacita.release.signing import read_private_key
        from tacita.release.versions import keep_versions, refuse_foreign, with_earlier
        from tacita.release.waiver import read_waiver, refuse_unrequired

        private_key = None if sign is None else read_private_key(Path(sign))
        _refuse_options(format, compare, seed)
        audience = find_profile(profile)
        plan = Plan(
            DataPlan(),
            (),
            _required(require, audience),
            profile=audience,
            format=format,
            mapping=mapping,
            order=Ordering(order, history),
            intruder=None if intruder is None else as_intruder(intruder),
            compare=None if compare is None else compare_of(compare),
            allowed=read_allowed(allow),
            waive=read_waiver(waive),
        )
        refuse_place(Path(folder), keep=keep_versions)
        refuse_foreign(Path(folder))
        refuse_unrequired(plan)
        ways, drawn = ways_beside(plan, self.original), fresh(seed)
        with progress(count_steps(plan) + WRITING_STEPS) as tell:
            original = with_earlier(self.original, Path(folder))
            outcome = assess(plan, original, self, self.steps, tell)
            (outcome,) = map_beside([outcome], ways, drawn, tell)
            write_release(outcome, Path(folder), force=force, private_key=private_key, tell=tell)
        return outcome


def _refuse_options(suffix: str, compare: object, seed: int | None) -> None:
    """Refuse a format that nothing is released in, and a seed that nothing draws from."""
    if suffix not in RELEASED:
        raise ParameterError(
            f"`format` should be one of {', '.join(RELEASED)}; found {shown(suffix)}."
        )
    if seed is not None and compare is None:
        raise ParameterError("Only `compare` draws; leave out `seed`, or say what to compare.")


def _required(
    require: Method | Mapping[str, Any] | Iterable[Method | Mapping[str, Any]],
    audience: Profile | None,
) -> tuple[Requirement, ...]:
    asked = [require] if isinstance(require, Method | Mapping) else require
    own = tuple(Requirement.of(said) for said in asked)
    return own if audience is None else (*own, *audience.requirements)


def read(
    source: Source,
    *,
    roles: Mapping[str, str | Iterable[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Hierarchy | str | PathLike[str] | Mapping[str, Any]] | None = None,
    ontologies: Mapping[str, Ontology | str | PathLike[str] | Mapping[str, Any]] | None = None,
    orders: Mapping[str, Iterable[Any]] | None = None,
    missing: Mapping[str, Iterable[Any]] | None = None,
    suppressed: Mapping[str, Iterable[Any]] | None = None,
    **layout: Unpack[LayoutOptions],
) -> Microdata:
    """Read microdata from a file, a database or a data frame.

    Args:
        source: a path, the address of a database, or a pandas, Polars or PyArrow frame.
        roles: what attributes are to an intruder; one role or several. Others are non-confidential.
        kinds: continuous, ordinal, nominal, set_valued or date, where the type does not tell.
        hierarchies: how values generalize: a hierarchy, the path of its file, or as plans say it.
        ontologies: what nominal values mean: an ontology, the path of its file, or as plans say it.
        orders: the categories of ordinal attributes in ascending order.
        missing: the codes of missing values.
        suppressed: the codes of values suppressed before.
        layout: how the source is laid out, found out when left out: `delimiter`, `encoding` and
            `decimal` of a text file, `sheet` of a workbook (name, or place from 1 on), `table` or
            `query` of a database, `metadata` that describes a file (`.rda`, SAS catalog).

    >>> import pandas as pd
    >>> data = read(pd.DataFrame({"age": [30, 31], "pay": [1.5, None]}), roles={"age": "key"})
    >>> data.keys
    ['age']
    """
    said = declarations_of(
        role=roles,
        kind=kinds,
        hierarchy=hierarchies,
        ontology=ontologies,
        order=orders,
        missing=missing,
        suppressed=suppressed,
    )
    with progress(1) as tell:
        tell("reading")
        return Microdata.of(read_dataset(source, said, layout=layout_of(layout)))


def example(name: str, n: int | None = None, *, seed: int = 0) -> Microdata:
    """Return example data: generated ones, or a small table that a paper prints.

    Args:
        name: patients, firms, census, survey or toy, or a printed table such as medical.
        n: the number of records to generate (1,000 when left out).
        seed: the same seed gives the same records.

    >>> len(example("patients", 50)), len(example("medical"))
    (50, 11)
    """
    if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 0):
        raise ParameterError(f"`n` is a number of records, 0 or more; found {shown(n)}.")
    if name in GENERATED:
        with progress(1) as tell:
            tell(f"generating {name}")
            return Microdata.of(generate(name, 1000 if n is None else n, seed))
    return Microdata.of(printed_table(name))


def pair(original: Any, protected: Any, by: PairBy | None = None) -> tuple[Microdata, Microdata]:
    """Return two files of which the second knows which records of the first it comes from.

    What Tacita masked knows it, and so does a frame whose index or declared identifier names the
    records. Of other files it must be said: measures that compare a record with its own refuse.

    Args:
        original: the data before masking: microdata or a data frame.
        protected: the data after masking.
        by: the name of an identifier in both data sets, or several names that identify together;
            `index`, the labels of pandas frames; `position`, for records in the same order; the
            path of the `internal` folder of a release made here, for its released records; or
            `assignment`, the best guess of an intruder who knows nothing of all this: one to one,
            at the least sum of distances. By what is known when left out.

    >>> import pandas as pd
    >>> before = pd.DataFrame({"id": [1, 2, 3], "pay": [10.0, 20.0, 30.0]})
    >>> after = pd.DataFrame({"id": [3, 1, 2], "pay": [30.0, 10.0, 29.0]})
    >>> from tacita import Values
    >>> round(Values().measure(*pair(before, after, "id")).parts["pay"], 4)
    0.15

    Raises:
        InputError: the records cannot be paired in this way.
    """
    before, after = as_attacked(original, protected, by)
    _ = paired_rows(before, after)  # says why, where nobody knows
    return tuple(  # type: ignore[return-value]
        data if isinstance(data, Microdata) else Microdata.of(data) for data in (before, after)
    )


def disclosure_risk(
    original: Any,
    protected: Any,
    *,
    measures: Iterable[Method | str] | None = None,
    pair_by: PairBy | None = None,
    population: Any = None,
    holdout: Any = None,
    intruder: Said | None = None,
) -> Measures:
    """Return every disclosure risk of protected data, and what every attack achieves.

    Args:
        original: the data before masking: microdata or a data frame.
        protected: the data after masking.
        pair_by: how records are paired, as `pair` takes it; by what is known when left out.
        measures: the risks and attacks to run, with their parameters or by their names; all with
            their default parameters when left out.
        population: the records of the whole population that the data are a sample of: microdata,
            a data frame or the path of a file.
        holdout: records of the same kind that the protected data were not made from.
        intruder: who attacks: an `Intruder`, a scenario (`health/neighbour`), or as a plan says
            it; by default the worst case that each measure assumes.

    >>> data = example("toy", 200)
    >>> disclosure_risk(data, data, measures=["uniqueness"])["uniqueness"].value
    Fraction(1, 1)
    >>> knows = {"attributes": ["age"], "respondents": 0.1}
    >>> disclosure_risk(data, data, measures=["uniqueness"], intruder=knows)["uniqueness"].value
    Fraction(29, 2000)
    """
    before = as_dataset(original)
    outside = {"population": population, "holdout": holdout}
    given = {name: read_beside(data, before) for name, data in outside.items() if data is not None}
    if given:
        before = before.with_external(**given)
    _, after = as_attacked(before, before if protected is original else protected, pair_by)
    who = None if intruder is None else as_intruder(intruder).of(before)
    return _measured(ATTACKING, measures, before, after, who)


def information_loss(
    original: Any,
    protected: Any,
    *,
    measures: Iterable[Method | str] | None = None,
    pair_by: PairBy | None = None,
) -> Measures:
    """Return every measure of what the protection cost.

    Args:
        original: the data before masking: microdata or a data frame.
        protected: the data after masking.
        pair_by: how records are paired, as `pair` takes it, but for `assignment`, by which a loss
            would look as small as can be; by what is known when left out.
        measures: the measures to run, with their parameters or by their names; all with their
            default parameters when left out.
    """
    return _measured(("utility",), measures, *as_pair(original, protected, pair_by))


def _measured(
    families: tuple[str, ...],
    asked: Iterable[Method | str] | None,
    before: Dataset,
    after: Dataset,
    intruder: Intruder | None = None,
) -> Measures:
    if asked is None:
        chosen = [method for method in all_measures() if method.family in families]
    else:
        chosen = [_chosen(one, families) for one in asked]
    with progress(len(chosen)) as tell:
        found, skipped = measure(chosen, before, after, tell, intruder)
    return Measures(found, skipped)


def _chosen(said: Method | str, families: tuple[str, ...]) -> Method:
    if isinstance(said, Method):
        find(said.name, families)
        return said
    return from_plan(said, families)


def _refuse_other_than(found: object, wanted: type, what: str) -> None:
    if not isinstance(found, wanted):
        named = found.__name__ if isinstance(found, type) else shown(found)
        raise ParameterError(f"Expected {what}; found {named}.")
