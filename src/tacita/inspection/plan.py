"""From an inspection to a plan file: every attribute declared, with the reasons in comments."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.data.attribute import Role
from tacita.inspection.written import Step, comment, dumped, indented, item, source_lines
from tacita.results import listed

if TYPE_CHECKING:
    from tacita.inspection.result import Finding, Inspection

K = 5
LIMIT = 0.05  # share of records that may be left out rather than generalize everything further
NAMED = 8  # attributes that a comment names


def plan_text(found: Inspection, folder: Path) -> str:
    """Return the plan that an inspection proposes, as YAML with comments."""
    return "\n".join(
        [
            *_heading(found),
            "data:",
            *indented(source_lines(found, folder), 1),
            "  attributes:",
            *indented(_attributes(found), 2),
            "  undeclared: refuse",
            "microdata:",
            *indented(_steps(found), 1),
            *indented(_requirements(found), 1),
            "release:",
            "  format: csv",
            "",
        ]
    )


def _heading(found: Inspection) -> Iterator[str]:
    yield from comment(
        "Proposed by `tacita inspect`. A proposal from names and values: it cannot know what an "
        "intruder knows. Check every role, replace trees that have only `*` above their values by "
        "ones that mean something, and then run it."
    )
    for warning in found.warnings:
        yield from comment(f"Note: {warning}")


def _attributes(found: Inspection) -> Iterator[str]:
    for finding in found.attributes:
        for sentence in (*finding.reasons, *finding.warnings):
            yield from comment(sentence)
        yield from dumped({finding.name: finding.declared()})


def _steps(found: Inspection) -> Iterator[str]:
    yield "steps:"
    for comments, step in _step_list(found):
        for sentence in comments:
            yield from indented(comment(sentence), 1)
        yield from item(step)


def _step_list(found: Inspection) -> Iterator[tuple[list[str], Step]]:
    """Yield the steps in order, each with what is to be said of it."""
    if dropped := [f.name for f in found.attributes if Role.IDENTIFIER in f.roles]:
        why = ["Identifiers must not be released."]
        if texts := [f.name for f in found.attributes if f.free_text]:
            why.append(f"Free text cannot be masked: {listed(texts, NAMED)}.")
        if shared := [f.name for f in found.attributes if f.respondent]:
            why.append(
                "To keep the records of one respondent together, `pseudonymize` one of these and "
                f"take it off the list: {listed(shared, NAMED)}."
            )
        yield why, {"drop": {"attributes": dropped}}
    if found.records and (bare := keys_without_hierarchy(found)):
        told = (
            "These keys cannot be generalized as they are, so that they are left out; give them "
            "hierarchies (`{file: ...}`) or recode them, and take this step away."
        )
        yield [told], {"drop": {"attributes": [finding.name for finding in bare]}}
    for name in found.with_role(Role.HOUSEHOLD):
        yield ["Numbers of households could be looked up in the source."], {"pseudonymize": name}
    if generalized_keys(found) and found.records >= K:
        yield _anonymization(found)
    yield ["The order of the file may tell what masking took away."], "shuffle_records"


def _anonymization(found: Inspection) -> tuple[list[str], Step]:
    limit = max(LIMIT, ceil(100 * found.suppression) / 100)
    told = (
        f"Generalizes the keys until every combination is shared by {K} records; up to "
        f"{limit:.0%} of the records may be left out on the way."
    )
    said = [told]
    if limit > LIMIT:
        said.append(
            f"Blank values do not generalize, and {found.suppression:.1%} of the records are "
            "among too few with the same keys blank: the limit is as high as that needs."
        )
    return said, {"anonymize": {"to": [{"k_anonymity": K}], "suppression_limit": limit}}


def _requirements(found: Inspection) -> Iterator[str]:
    if not generalized_keys(found):
        yield from comment(
            "No key was found: say what must hold of the release, or `waive` why nothing must."
        )
        yield "require: []"
        return
    yield from comment("Nothing is released unless this holds. Add what else must.")
    yield "require:"
    yield from item({"k_anonymity": K})


def generalized_keys(found: Inspection) -> list[Finding]:
    """Return the keys that have a hierarchy and stay in the data."""
    return [finding for finding in found.attributes if finding.is_key and finding.hierarchy]


def keys_without_hierarchy(found: Inspection) -> list[Finding]:
    """Return the keys that cannot be generalized."""
    return [finding for finding in found.attributes if finding.is_key and not finding.hierarchy]
