"""Markdown tables whose rows derive from the code."""

from __future__ import annotations

import html
import importlib
from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from tacita.data.attribute import Kind, Role
from tacita.data.declaration import Declaration
from tacita.data.examples import GENERATED
from tacita.data.formats import FORMATS, SCHEMES, Format, Layout
from tacita.preserved import Statistic
from tacita.registry import family
from tacita.release.profile import PROFILES, Profile
from tacita.release.table_plan import TablePlan
from tacita.tables.formats import FORMS

WORDS = {"role": Role, "kind": Kind}


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: object) -> str:
    """Return text as code that may stand in a cell of a table."""
    return f"<code>{html.escape(str(text), quote=False).replace('|', '&#124;')}</code>"


def codes(words: Iterable[object]) -> str:
    """Return several words as code."""
    return ", ".join(map(code, words))


def in_yaml(value: Any) -> str:
    """Return a value as a plan file says it, on one line.

    >>> in_yaml({"attribute": "age", "above": 85})
    '{attribute: age, above: 85}'
    """
    flow = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10_000)
    return flow.removesuffix("\n").removesuffix("\n...")


def attribute_fields() -> str:
    """Return what can be said of an attribute."""
    rows = []
    for name, field in Declaration.model_fields.items():
        known = f" {codes(WORDS[name])}." if name in WORDS else ""
        default = code(field.default) if field.default else "none"
        rows.append((code(name), default, f"{field.description or ''}{known}"))
    return table(("field", "default", "meaning"), rows)


def layout_fields() -> str:
    """Return what can be said of how a source is laid out."""
    rows = [
        (code(f"data.{name}"), "found out", field.description or "")
        for name, field in Layout.model_fields.items()
    ]
    return table(("field", "default", "meaning"), rows)


def formats() -> str:
    """Return the formats, with what can be said of each."""
    suffixes: dict[Format, list[str]] = {}
    for suffix, known in FORMATS.items():
        suffixes.setdefault(known, []).append(suffix)
    for scheme, known in SCHEMES.items():
        suffixes.setdefault(known, []).append(f"{scheme}://")
    columns = ("what", "named", "written too", "says why values are missing", "layout")
    return table(columns, (_format_row(*item) for item in suffixes.items()))


def _format_row(known: Format, named: list[str]) -> tuple[str, ...]:
    what = known.what.partition(" ")[2]  # without its article
    yes = {True: "yes", False: "no"}
    layout = codes(sorted(known.uses)) or "nothing to say"
    reasons = f"of {' and '.join(sorted(known.keeps_reasons))}" if known.keeps_reasons else "no"
    return what, codes(named), yes[known.writes is not None], reasons, layout


def profiles() -> str:
    """Return the ready sets of requirements."""
    columns = ("profile", "audience", "requires", "needs", "refuses", "undeclared by default")
    return table(columns, map(_profile_row, PROFILES.values()))


def _profile_row(profile: Profile) -> tuple[str, ...]:
    demands = (*profile.demands, *profile.confidential)
    required = "<br>".join(code(in_yaml(d.requirement.to_plan())[1:-1]) for d in demands)
    undeclared = code("refuse" if profile.every_attribute else "keep")
    needed = codes(sorted(profile.needs)) or "nothing"
    refused = codes(sorted(profile.refuses)) or "nothing"
    return code(profile.name), profile.audience, required, needed, refused, undeclared


def profile_reasons() -> str:
    """Return why every profile asks what it asks."""
    return "\n\n".join(map(_reasons_of, PROFILES.values()))


def _reasons_of(profile: Profile) -> str:
    demands = (*profile.demands, *profile.confidential)
    rows = [(code(in_yaml(d.requirement.to_plan())[1:-1]), d.reason, d.reference) for d in demands]
    for name, reason in profile.reasons.items():
        how = "needs" if name in profile.needs else "must not have"
        rows.append((f"{how} {name}", reason, ""))
    about = f"{profile.audience} *{profile.reference}.*"
    return f"### `{profile.name}`\n\n{about}\n\n{table(('what', 'why', 'source'), rows)}"


def profile_sources() -> str:
    """Return where the thresholds of the profiles come from."""
    return "\n".join(f"- {source}" for source in sorted({p.reference for p in PROFILES.values()}))


def examples() -> str:
    """Return the example data that a plan can ask for."""
    rows = []
    for name in GENERATED:
        module = importlib.import_module(f"tacita.data.examples.{name}")
        about = module.__doc__ or ""
        rows.append((code(name), about.splitlines()[0], ", ".join(module.ATTRIBUTES)))
    return table(("name", "what it is", "attributes"), rows)


def table_forms() -> str:
    """Return the kinds of files that hold a table."""
    rows = (
        (
            code(name),
            form.sentence,
            codes(form.suffixes) or "by its name",
            "yes" if form.reads else "no",
            "yes" if form.writes else "no",
        )
        for name, form in FORMS.items()
    )
    return table(("form", "what", "ends in", "read", "written"), rows)


def table_fields() -> str:
    """Return what a plan can say of a table."""
    rows = (
        (code(name), "required" if field.is_required() else "", str(field.description))
        for name, field in TablePlan.model_fields.items()
    )
    return table(("field", "", "what it says"), rows)


def kept_by_masking() -> str:
    """Return what masking methods keep."""
    return _kept("masking")


def kept_by_synthesis() -> str:
    """Return what generators keep."""
    return _kept("synthesis")


def _kept(name: str) -> str:
    """Return which methods of a family keep each statistic: exactly, or in expectation."""
    rows = []
    for statistic in Statistic:
        cells = [_keeping(name, statistic, how) for how in ("exactly", "in expectation")]
        if any(cells):
            rows.append((statistic.value, *cells))
    return table(("statistic", "exactly", "on average"), rows)


def _keeping(name: str, statistic: Statistic, how: str) -> str:
    """Return the methods that keep a statistic so, each with its conditions."""
    found = []
    for cls in family(name).values():
        for kept in cls.keeps:
            if (kept.statistic, kept.how) == (statistic, how):
                parts = filter(None, (f"of {kept.of}" if kept.of else "", kept.conditions))
                said = "; ".join(parts).replace("|", "&#124;")
                link = f"[{cls.name}](methods/{cls.name}.md)"
                found.append(f"{link} ({said})" if said else link)
    return ", ".join(found)


GENERATED_TABLES = {
    made.__name__: made
    for made in (
        attribute_fields,
        layout_fields,
        formats,
        profiles,
        profile_reasons,
        profile_sources,
        examples,
        table_forms,
        table_fields,
        kept_by_masking,
        kept_by_synthesis,
    )
}
