"""From an inspection to a plan file: every attribute declared, with the reasons in comments."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from math import ceil
from pathlib import Path
from textwrap import indent, wrap
from typing import TYPE_CHECKING, Any

import yaml

from tacita.data.attribute import Role
from tacita.data.formats import is_address
from tacita.results import listed

if TYPE_CHECKING:
    from tacita.inspection.result import Finding, Inspection

Step = Mapping[str, Any] | str

WIDTH = 96  # characters of a line of comment
K = 5
LIMIT = 0.05  # share of records that may be left out rather than generalize everything further
NAMED = 8  # attributes that a comment names
WHERE = "data.csv"


def plan_text(found: Inspection, folder: Path) -> str:
    """Return the plan that an inspection proposes, as YAML with comments."""
    return "\n".join(
        [
            *_heading(found),
            "data:",
            *_indented(_source(found, folder), 1),
            "  attributes:",
            *_indented(_attributes(found), 2),
            "  undeclared: refuse",
            "microdata:",
            *_indented(_steps(found), 1),
            *_indented(_requirements(found), 1),
            "release:",
            "  format: csv",
            "",
        ]
    )


def _heading(found: Inspection) -> Iterator[str]:
    yield from _comment(
        "Proposed by `tacita inspect`. A proposal from names and values: it cannot know what an "
        "intruder knows. Check every role, replace trees that have only `*` above their values by "
        "ones that mean something, and then run it."
    )
    for warning in found.warnings:
        yield from _comment(f"Note: {warning}")


def _source(found: Inspection, folder: Path) -> Iterator[str]:
    if found.source is None:
        yield from _comment("The data were in memory: save them and say here where they are.")
    yield from _dumped({"source": _place(found.source or WHERE, folder)})
    for word, value in found.layout.items():
        yield from _dumped({word: _place(value, folder) if word == "metadata" else value})


def _place(source: str, folder: Path) -> str:
    """Return a path as seen from a folder, if they have more than the root in common."""
    if is_address(source):
        return source
    path, start = Path(source).resolve(), folder.resolve()
    try:
        shared = Path(os.path.commonpath([path, start]))
    except ValueError:  # on two drives
        return str(path)
    together = shared != Path(shared.anchor)
    return Path(os.path.relpath(path, start)).as_posix() if together else str(path)


def _attributes(found: Inspection) -> Iterator[str]:
    for finding in found.attributes:
        for sentence in (*finding.reasons, *finding.warnings):
            yield from _comment(sentence)
        yield from _dumped({finding.name: finding.declared()})


def _steps(found: Inspection) -> Iterator[str]:
    yield "steps:"
    for comments, step in _step_list(found):
        for sentence in comments:
            yield from _indented(_comment(sentence), 1)
        yield from _item(step)


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
        yield from _comment("No key was found: say what must hold before anything is released.")
        yield "require: []"
        return
    yield from _comment("Nothing is released unless this holds. Add what else must.")
    yield "require:"
    yield from _item({"k_anonymity": K})


def generalized_keys(found: Inspection) -> list[Finding]:
    """Return the keys that have a hierarchy and stay in the data."""
    return [finding for finding in found.attributes if finding.is_key and finding.hierarchy]


def keys_without_hierarchy(found: Inspection) -> list[Finding]:
    """Return the keys that cannot be generalized."""
    return [finding for finding in found.attributes if finding.is_key and not finding.hierarchy]


# -- YAML ------------------------------------------------------------------------------------------


def _comment(sentence: str) -> list[str]:
    """Return a sentence as lines of comment; what YAML does not allow there is left out."""
    printable = "".join(sign if sign.isprintable() else " " for sign in sentence)
    return [f"# {line}" for line in wrap(" ".join(printable.split()), WIDTH)]


def _dumped(said: Step) -> list[str]:
    """Return fields as lines: what holds no mapping or list itself stands on one line."""
    values = said.values() if isinstance(said, Mapping) else ()
    style = None if any(isinstance(value, Mapping | list) for value in values) else False
    text = yaml.safe_dump(
        said, default_flow_style=style, sort_keys=False, allow_unicode=True, width=WIDTH
    )
    return text.rstrip("\n").removesuffix("\n...").split("\n")


def _item(said: Step) -> list[str]:
    """Return an item of a list."""
    first, *rest = _dumped(said)
    return [f"  - {first}", *(f"    {line}" for line in rest)]


def _indented(lines: Iterator[str] | list[str], depth: int) -> list[str]:
    return [indent(line, "  " * depth) for line in lines]
