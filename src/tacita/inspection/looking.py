"""The order of an inspection: count, look, decide on roles, combine, predict, propose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Kind, Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.data.declaration import TEXT_KINDS
from tacita.data.formats import Layout, format_of, read_contents, shown_place
from tacita.data.frames import plain
from tacita.inspection import combinations, predictions
from tacita.inspection.columns import Column, columns_of
from tacita.inspection.evidence import Evidence, evidence_of
from tacita.inspection.hierarchies import hierarchy_of, suppressed_at_least
from tacita.inspection.kinds import kind_of, order_of, separator_of
from tacita.inspection.plan import K
from tacita.inspection.predictions import Prediction
from tacita.inspection.respondents import is_shared, may_number, told_by
from tacita.inspection.result import Finding, Inspection
from tacita.inspection.roles import (
    Proposal,
    role_of,
    settled,
    with_predictions,
    with_respondents,
)
from tacita.inspection.safe_harbor import Concern, concern_of
from tacita.inspection.shapes import DIGIT_DATE, OTHER_DATE
from tacita.results import counted, listed

Tell = Callable[[str], None]
NAMED = 8  # attributes that a warning names
NEARLY_UNIQUE = 0.5  # share of unique values from which on a number is worth a warning


@dataclass(frozen=True, eq=False)
class Decided:
    """An attribute with all that was decided of it.

    Args:
        evidence: what was seen of it.
        kind: its kind.
        proposal: its roles and why.
        missing: words that stand for a missing value in its text.
    """

    evidence: Evidence
    kind: Kind
    proposal: Proposal
    missing: tuple[str, ...] = ()

    @property
    def column(self) -> Column:
        """Its values."""
        return self.evidence.column

    @property
    def is_key(self) -> bool:
        """Whether it is to be a key."""
        return Role.KEY in self.proposal.roles

    @property
    def safe_harbor(self) -> Concern | None:
        """What it is to the Safe Harbor of HIPAA, if anything."""
        return concern_of(self.evidence, self.kind, self.proposal)


def look(
    data: Dataset, largest: int, *, source: str | None, layout: Layout, tell: Tell
) -> Inspection:
    """Inspect a data set that was read.

    Args:
        data: the data.
        largest: how many attributes are combined at most.
        source: where the data came from, to read numbers again as they are written.
        layout: what was said of how the source is laid out.
        tell: called with the name of each step as it begins.
    """
    tell("counting")
    columns = columns_of(data, data.names)
    tell("looking at names and values")
    seen = decide(columns.values())
    tell("finding what gives keys away")
    told, unpredicted = predictions.search(_predictors(seen), _keys(seen))
    seen = _with_predictions(seen, told)
    tell("combining attributes")
    combined, untried = combinations.search(_candidates(seen), largest)
    tell("proposing")
    seen = _as_written(seen, data, source, layout)
    findings = tuple(_finding(one) for one in seen)
    urgent = [*_respondents(seen), *data.origin.warnings, *_warnings(findings, len(data))]
    return Inspection(
        records=len(data),
        attributes=findings,
        combinations=combined,
        predictions=told,
        warnings=(*urgent, *untried, *unpredicted),
        source=data.origin.source if source is None else shown_place(source),
        layout=_layout(data, source or data.origin.source),
        suppression=_suppression(data, findings, columns),
    )


def decide(columns: Iterable[Column]) -> list[Decided]:
    """Look at the names and values of attributes, and decide on their roles and kinds."""
    return _with_respondents(_decided([evidence_of(column) for column in columns]))


def _decided(evidence: Sequence[Evidence]) -> list[Decided]:
    kinds = [kind_of(one) for one in evidence]
    alone = {e.column.name: role_of(e, kind) for e, kind in zip(evidence, kinds, strict=True)}
    proposals = settled(alone, {one.column.name: one for one in evidence})
    return [
        _unordered(Decided(one, kind, proposals[one.column.name]))
        for one, kind in zip(evidence, kinds, strict=True)
    ]


def _unordered(one: Decided) -> Decided:
    """Let what only names something be nominal: steps or members of it mean nothing."""
    is_name = {Role.IDENTIFIER, Role.HOUSEHOLD} & set(one.proposal.roles)
    is_listed = pa.types.is_list(one.column.values.type)
    if is_name and one.kind in TEXT_KINDS and not is_listed:
        return replace(one, kind=Kind.NOMINAL)
    return one


def _with_respondents(seen: Sequence[Decided]) -> list[Decided]:
    """Find what numbers respondents by what it tells of them."""
    surely = [
        one.column
        for one in seen
        if one.proposal.respondent or Role.HOUSEHOLD in one.proposal.roles
    ]
    maybe = [one.column for one in seen if _may_be_respondent(one)]
    told = told_by(maybe, surely, [one.evidence for one in seen])
    proposals = with_respondents({one.column.name: one.proposal for one in seen}, told)
    return [_unordered(replace(one, proposal=proposals[one.column.name])) for one in seen]


def _may_be_respondent(one: Decided) -> bool:
    """Tell whether an attribute might number respondents, or names them; amounts do not."""
    if one.proposal.respondent or one.evidence.free_text:
        return False
    if one.evidence.means("person_name"):
        return is_shared(one.column)
    is_code = one.kind is not Kind.CONTINUOUS or one.column.is_running
    taken = {Role.IDENTIFIER, Role.HOUSEHOLD} & set(one.proposal.roles)
    return is_code and not taken and may_number(one.evidence)


def _with_predictions(seen: Sequence[Decided], told: Sequence[Prediction]) -> list[Decided]:
    proposals = with_predictions({one.column.name: one.proposal for one in seen}, told)
    return [replace(one, proposal=proposals[one.column.name]) for one in seen]


def _keys(seen: Sequence[Decided]) -> list[Column]:
    return [one.column for one in seen if one.is_key]


def _predictors(seen: Sequence[Decided]) -> list[Column]:
    """Return the attributes that would be released and could give a key away."""
    out = {Role.IDENTIFIER, Role.HOUSEHOLD}
    left = [one.column for one in seen if out.isdisjoint(one.proposal.roles)]
    return [column for column in left if not column.is_constant]


def _candidates(seen: Sequence[Decided]) -> list[Column]:
    """Return the attributes to combine: keys first, then others that might be known, by separation.

    Where no key was found, confidential attributes are combined, too.
    """
    out = {Role.IDENTIFIER, Role.HOUSEHOLD, Role.WEIGHT}
    if any(one.is_key for one in seen):
        out.add(Role.CONFIDENTIAL)
    able = [one for one in seen if one.is_key or out.isdisjoint(one.proposal.roles)]
    able = [one for one in able if not one.column.is_constant]
    ordered = sorted(able, key=lambda one: (not one.is_key, -one.column.separation))
    return [one.column for one in ordered]


# -- numbers that are codes, as their file writes them ---------------------------------------------


def _as_written(
    seen: Sequence[Decided], data: Dataset, source: str | None, layout: Layout
) -> list[Decided]:
    """Read again, as text, the numbers of a text file that are to be categories.

    A plan that declares them so has them read as text, where `NA` is a value and ` 7` is not `7`.
    """
    chosen = [
        one
        for one in seen
        if one.kind in TEXT_KINDS
        and not one.column.is_text
        and Role.IDENTIFIER not in one.proposal.roles
    ]
    known = format_of(source) if source is not None else None
    if source is None or known is None or "encoding" not in known.uses or not chosen:
        return list(seen)
    names = frozenset(one.column.name for one in chosen)
    table = plain(read_contents(source, layout, text=names).table)
    text = columns_of(replace(data, table=table), sorted(names))
    return [
        _with_text(one, text[one.column.name]) if one.column.name in names else one for one in seen
    ]


def _with_text(one: Decided, text: Column) -> Decided:
    """Take the values of an attribute from its text, where words for missing values show."""
    blank = one.column.codes == one.column.distinct
    places = np.unique(text.codes[blank])
    words = text.values.take(pa.array(places[places < text.distinct]))
    evidence = replace(one.evidence, column=text.blanking(words))
    return replace(one, evidence=evidence, missing=tuple(words.to_pylist()))


# -- what is said ----------------------------------------------------------------------------------


def _finding(one: Decided) -> Finding:
    column, proposal = one.column, one.proposal
    return Finding(
        name=column.name,
        roles=proposal.roles,
        kind=one.kind,
        reasons=proposal.reasons,
        distinct=column.distinct,
        unique=column.unique,
        separation=column.separation,
        blank=column.blank,
        order=order_of(column) if one.kind is Kind.ORDINAL else None,
        hierarchy=hierarchy_of(column, one.kind) if one.is_key else None,
        missing=one.missing,
        separator=separator_of(column) if one.kind is Kind.SET_VALUED else None,
        free_text=one.evidence.free_text,
        respondent=proposal.respondent,
        warnings=(*proposal.warnings, *_date_warning(one.evidence)),
        safe_harbor=one.safe_harbor,
        detections=one.evidence.detections,
    )


def _date_warning(evidence: Evidence) -> Iterator[str]:
    if evidence.seen is not None and evidence.seen.shape in (OTHER_DATE, DIGIT_DATE):
        yield (
            f"`{evidence.column.name}` holds dates in another form than 1964-09-27; write them so "
            "in the file, and they can be generalized to months and years."
        )


def _respondents(seen: Sequence[Decided]) -> Iterator[str]:
    """Warn of respondents with several records, who can fill a class alone."""
    shared = [one.column for one in seen if one.proposal.respondent]
    if not shared:
        return
    most = max(int(column.counts[:-1].max()) for column in shared)
    yield (
        f"K-ANONYMITY COUNTS RECORDS, NOT RESPONDENTS. Several records share a value of "
        f"{listed([column.name for column in shared], NAMED)}, up to {most:,} of them: where they "
        f"are of one respondent, {K} records that look alike may be one person. Keep one record a "
        f"respondent, or ask for a k above {most:,}."
    )


def _warnings(findings: Sequence[Finding], records: int) -> Iterator[str]:
    """Say what a person should look at, the most urgent first."""
    if not records:
        yield "The data have no records: only the names of the attributes could be looked at."
        return
    if texts := [finding.name for finding in findings if finding.free_text]:
        yield f"Free text is dropped, because nothing can mask it: {listed(texts, NAMED)}."
    for finding in findings:
        yield from finding.warnings
    if not any(finding.is_key for finding in findings):
        yield "No key was found: say which attributes an intruder may know."
    if records < K:
        yield f"There are fewer than {K} records: they cannot hide one another."
    if exact := [finding.name for finding in findings if _is_exact_number(finding)]:
        how_many = counted(len(exact), "attribute")
        yield (
            f"Most values of {listed(exact, NAMED)} ({how_many}) are numbers that only one record "
            "has: whoever knows one finds the record. Consider noise, rounding or microaggregation."
        )


def _is_exact_number(finding: Finding) -> bool:
    out = {Role.KEY, Role.IDENTIFIER, Role.WEIGHT}
    stays = out.isdisjoint(finding.roles)
    return stays and finding.kind is Kind.CONTINUOUS and finding.unique > NEARLY_UNIQUE


def _layout(data: Dataset, source: str | None) -> dict[str, Any]:
    """Return how the source is laid out, as far as its format can be told so."""
    known = format_of(source) if source is not None else None
    said = {**data.origin.found, **data.origin.layout}
    return {
        word: said[word]
        for word in Layout.model_fields
        if known and word in known.uses & said.keys()
    }


def _suppression(data: Dataset, findings: Sequence[Finding], columns: dict[str, Column]) -> float:
    """Return the share of records that would stand out by their blanks alone."""
    keys = [finding.name for finding in findings if finding.is_key and finding.hierarchy]
    blanks: list[Ints] = [
        (columns[name].codes == columns[name].distinct).astype(np.int64) for name in keys
    ]
    blanks += [
        data.missing_reasons[name].astype(np.int64) for name in keys if name in data.missing_reasons
    ]
    return suppressed_at_least(blanks, len(data), K) if blanks else 0.0
