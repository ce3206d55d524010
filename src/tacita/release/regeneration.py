"""Making a release again: from its source, plan and seeds, with the time and machine it recorded.

What is made again is written by the same functions that wrote the release, into another folder,
and compared file by file, byte by byte. Noise of a secure source cannot be drawn again, and neither
can a search be repeated that a clock stopped: there the released values take the place of what a
new run draws, and everything that is said of them is computed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tacita.data.attribute import Role
from tacita.data.dataset import FROM_NOBODY, Dataset, External
from tacita.data.formats import Layout, Place, is_address, layout_of
from tacita.data.read import declare, read_beside, read_dataset
from tacita.errors import InputError
from tacita.method import Method
from tacita.microdata.synthesis.inference.copying import SAMPLED, CopyOf
from tacita.microdata.synthesis.measuring_marginals.answers import adds_up
from tacita.registry import from_plan
from tacita.release.comparing.beside import OWN, map_beside, ways_beside
from tacita.release.copies import protect_copies
from tacita.release.execute import (
    Done,
    Outcome,
    assess,
    carry_out,
    mask,
    protect,
    records_of,
    with_tables,
)
from tacita.release.plan import Plan, understood
from tacita.release.release import write_files
from tacita.release.seen import without_untold_reasons
from tacita.release.stored_tables import StoredTables
from tacita.release.versions import Version, listed_versions, released_earlier
from tacita.release.written import Evidence

DRAWN = ("answers", "spent")  # of an account of privacy: what depends on the noise that was drawn


class NotAtHandError(InputError):
    """Something that verifying needs is not where it was looked for; nothing is wrong yet."""


@dataclass(frozen=True)
class Recorded:
    """What the house keeps of one release.

    Args:
        folder: the folder that holds `public/` and `internal/`.
        evidence: the evidence, checked.
        content: the evidence as it was written, in plain types.
    """

    folder: Path
    evidence: Evidence
    content: Mapping[str, Any]

    @property
    def seed(self) -> int | None:
        """Where all randomness came from; None after a release that was made in Python."""
        seed: int | None = self.content["seed"]
        return seed

    @property
    def run_block(self) -> Mapping[str, Any]:
        """What differs between two runs."""
        block: Mapping[str, Any] = self.content["run"]
        return block

    def plan(self) -> Plan:
        """Return the plan, with the files that its tables need where the release keeps them."""
        file = self.folder / "internal" / "plan.yaml"
        plan = understood(file.read_text(encoding="utf-8"), file)
        tables = tuple(table.as_kept() for table in plan.tables)
        mapping = plan.mapping or self.evidence.mapping is not None
        waive = plan.waive or self.evidence.waived  # it may have stood on the command line
        folder = file.parent / "tables"
        return replace(plan, tables=tables, folder=folder, mapping=mapping, waive=waive)

    @property
    def earlier(self) -> list[Version]:
        """The releases that were made before it in its folder, as far as they are still there."""
        return [one for one in self.listed if one.releases]

    @property
    def missing(self) -> list[str]:
        """The names of those that are not there any more."""
        return [one.name for one in self.listed if not one.releases]

    @property
    def listed(self) -> list[Version]:
        """The releases that its evidence lists, whether they are there or not."""
        folder = self.folder.parent if "copy_of" in self.content else self.folder
        return listed_versions(folder, self.content.get("earlier", ()))

    @property
    def methods(self) -> list[tuple[Method, int]]:
        """The masking steps with their seeds."""
        return [(from_plan(row.step), row.seed) for row in self.evidence.steps]

    @property
    def is_repeatable(self) -> bool:
        """Whether masking the source again gives the same records."""
        return all(method.repeatable and not _on_a_clock(method) for method, _ in self.methods)

    @property
    def has_repeatable_tables(self) -> bool:
        """Whether making the tables again gives the same tables."""
        return not (self.has_noisy_tables or self.has_cut_search)

    @property
    def has_noisy_tables(self) -> bool:
        """Whether the values of tables were perturbed in a way that is never repeated."""
        return self._is_unrepeatable("perturbation")

    @property
    def has_cut_search(self) -> bool:
        """Whether a clock stopped the search for suppressions in tables."""
        return self._is_unrepeatable("suppression")

    def _is_unrepeatable(self, way: str) -> bool:
        kept = (self.content.get("tables") or {}).get(way)
        return kept is not None and not kept.get("reproducible", True)

    def copy_of(self, method: Method) -> CopyOf | None:
        """Return which of several synthetic copies a method made, if there are several."""
        stated = self.content.get("copy_of")
        if stated is None or method.family != "synthesis":
            return None
        sampled = stated.get(SAMPLED, 0.0)
        return CopyOf(stated["number"], stated["of"], stated["rule"], sampled)


def _on_a_clock(method: Method) -> bool:
    return getattr(method, "time_limit", None) is not None


def read_original(recorded: Recorded, source: Place | None) -> Dataset:
    """Read the source again, with what was kept of it; example data are their own source."""
    evidence = recorded.evidence
    declarations, how = evidence.attributes, evidence.source
    if source is not None:
        data = read_dataset(source, declarations, layout=_layout(how.layout, source))
        data = data.without([name for name in data.names if name not in declarations])
    else:
        from tacita.data.examples import generate

        ((name, size),) = (how.example or {}).items()
        data = declare(generate(name, size).table.select(list(declarations)), declarations)
    named = recorded.content["source"]["source"]  # the file may have another name by now
    external = _external(how.external, source, data)
    return replace(
        data,
        # How a file was laid out may differ where its values do not.
        origin=replace(data.origin, source=named, found=recorded.content["source"]["found"]),
        external=replace(external, earlier=released_earlier(recorded.earlier, data)),
    )


def _layout(recorded: Mapping[str, Any], source: Place) -> Layout:
    """Return how the source was laid out; what describes it is looked for beside it."""
    layout = layout_of(recorded)
    if layout.metadata is None or is_address(source):
        return layout
    beside = Path(source).parent / Path(layout.metadata).name
    return layout.model_copy(update={"metadata": str(beside)})


def _external(recorded: Mapping[str, str | None], source: Place | None, data: Dataset) -> External:
    """Read the data from outside again; files are looked for beside the source."""
    folder = Path() if source is None or is_address(source) else Path(source).parent
    given: dict[str, Dataset] = {}
    for word, place in recorded.items():
        if place is None or not (is_address(place) or (folder / place).exists()):
            named = "a data frame" if place is None else place
            raise NotAtHandError(
                f"The release was measured against a {word} ({named}) that is not at hand; "
                "put its file beside the source to verify the release."
            )
        given[word] = read_beside(place if is_address(place) else folder / place, data)
    return External(given.get("population"), given.get("holdout"))


@dataclass
class Regeneration:
    """Makes releases of one source again; several synthetic copies are made once for all."""

    original: Dataset
    _copies: tuple[Outcome, ...] = ()

    def write(self, recorded: Recorded, released: Dataset | None, folder: Path) -> Outcome:
        """Make a release again and write its files.

        Args:
            recorded: what the house keeps of it.
            released: the records as their file shows them, if records were released.
            folder: where `public/` and `internal/` are written.
        """
        plan = recorded.plan()
        if recorded.seed is None:
            outcome = _made_in_python(recorded, plan, self.original, released)
        elif plan.copies > 1:
            self._copies = self._copies or protect_copies(plan, self.original, recorded.seed).copies
            outcome = self._copies[recorded.content["copy_of"]["number"] - 1]
        elif recorded.is_repeatable and recorded.has_repeatable_tables:
            outcome = protect(plan, self.original, recorded.seed)
        else:
            outcome = _with_stored_results(recorded, plan, self.original, released)
        earlier = tuple(version.to_dict() for version in recorded.earlier)
        outcome = replace(outcome, earlier=earlier)
        if not recorded.is_repeatable:
            outcome = _with_own_trial(outcome, recorded.content)
        write_files(outcome, folder, recorded.seed, recorded.run_block)
        return outcome


def _with_stored_results(
    recorded: Recorded, plan: Plan, original: Dataset, released: Dataset | None
) -> Outcome:
    """Put what was found before in the place of what cannot be found again, and judge it."""
    seed = recorded.seed or 0
    if recorded.is_repeatable:
        outcome = records_of(plan, original, seed)
    else:
        outcome = _with_released_values(recorded, plan, original, released)
    stored = None
    if not recorded.has_repeatable_tables:
        folder = recorded.folder / "internal" / "tables"
        stored = StoredTables(folder, recorded.content["tables"])
    return with_tables(outcome, seed, stored=stored)


def _with_released_values(
    recorded: Recorded, plan: Plan, original: Dataset, released: Dataset | None
) -> Outcome:
    """Draw anew for what a run says of itself, and judge the values that were released."""
    seed = recorded.seed or 0
    masked, steps = mask(original, plan, seed)
    steps = _with_stored_notes(steps, recorded)
    masked = _with_values(masked, recorded, released)
    outcome = assess(plan, original, masked, steps, seed=seed)
    return map_beside([outcome], ways_beside(plan, original), seed)[0]


def _with_stored_notes(steps: Iterable[Done], recorded: Recorded) -> tuple[Done, ...]:
    """Put back what steps told of draws that are never repeated, and all steps after such a one.

    The seal shows that the house wrote it. What an account of privacy says of its parameters is
    computed again, and its answers must not cost more than it says.
    """
    told, again = [], True
    for done, row in zip(steps, recorded.content["steps"], strict=True):
        again = again and done.method.repeatable and not _on_a_clock(done.method)
        stored, privacy = row["notes"], done.notes.get("privacy")
        if again:
            told.append(done)
        elif privacy is None:
            told.append(replace(done, notes=stored))
        else:
            kept = {word: stored["privacy"][word] for word in DRAWN if word in stored["privacy"]}
            account = {**privacy, **kept} if _adds_up({**privacy, **kept}) else privacy
            told.append(replace(done, notes={**stored, "privacy": account}))
    return tuple(told)


def _adds_up(privacy: Mapping[str, Any]) -> bool:
    """Tell whether the answers of an account, where there are some, cost what it says."""
    return "answers" not in privacy or adds_up(privacy)


def _with_values(masked: Dataset, recorded: Recorded, released: Dataset | None) -> Dataset:
    """Put the released values, and the records they came from, into a data set."""
    if released is None:
        raise InputError("The released records are not at hand.")
    table = released.table.select(
        [name for name in masked.names if name in released.attributes]
    ).cast(masked.without([n for n in masked.names if n not in released.attributes]).table.schema)
    file = recorded.folder / "internal" / "records.parquet"
    rows = pc.subtract(pq.read_table(file)["source_record"], 1)
    dropped = [name for name in masked.with_role(Role.IDENTIFIER) if name not in released.names]
    for name in dropped:  # blank, but named in what is said of the run
        table = table.append_column(name, pa.nulls(len(table), masked.column(name).type))
    kept = masked.without([n for n in masked.names if n not in table.column_names])
    return replace(
        kept,
        table=table.select(kept.names),
        rows=np.asarray(pc.fill_null(rows, FROM_NOBODY)).astype(np.int64),
        suppressed_cells={},
        missing_reasons={},
    )


def _made_in_python(
    recorded: Recorded, plan: Plan, original: Dataset, released: Dataset | None
) -> Outcome:
    """Carry out the recorded steps, each from its own seed."""
    masked = without_untold_reasons(original, plan.format)
    steps: list[Done] = []
    for (method, seed), row in zip(recorded.methods, recorded.content["steps"], strict=True):
        masked, done = carry_out(masked, method, seed)
        in_rounds = {"round": row["notes"]["round"]} if "round" in row["notes"] else {}
        notes = {**done.notes, **in_rounds}
        steps.append(replace(done, notes=notes, copy=recorded.copy_of(method)))
    if not recorded.is_repeatable:
        masked = _with_values(masked, recorded, released)
    outcome = assess(plan, original, masked, _with_stored_notes(steps, recorded))
    if plan.compare is None:
        return outcome
    return map_beside([outcome], ways_beside(plan, original), _map_seed(recorded.content))[0]


def _with_own_trial(outcome: Outcome, content: Mapping[str, Any]) -> Outcome:
    """Put back how the release did on a sample, which was masked with other draws than now."""
    compared = outcome.compared
    if compared is None or compared.own is None or "risk_utility_map" not in content:
        return outcome
    kept = content["risk_utility_map"]["trials"][compared.own]
    trials = list(compared.trials)
    if trials[compared.own].records < len(outcome.original):
        stored = {name: kept[name] for name in ("risk", "loss", "score", "measures")}
        trials[compared.own] = replace(trials[compared.own], **stored)
    return replace(outcome, compared=replace(compared, trials=tuple(trials)))


def _map_seed(content: Mapping[str, Any]) -> int:
    """Return the seed of the map, which stands with the release's own place on it."""
    trials: Sequence[Mapping[str, Any]] = content["risk_utility_map"]["trials"]
    for trial in trials:
        if trial["line"] == OWN:
            return int(trial["seed"])
    raise InputError("The evidence does not say from which seed other ways to mask were drawn.")
