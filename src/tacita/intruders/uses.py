"""Which parameter of a measure names what an intruder knows."""

from __future__ import annotations

from dataclasses import fields

from tacita.method import Method

KNOWLEDGE = ("keys", "known", "attributes")


def knowledge_of(method: Method) -> str | None:
    """Return the parameter that names what an intruder knows, if there is one."""
    named = {field.name for field in fields(method)}  # type: ignore[arg-type]
    return next((word for word in KNOWLEDGE if word in named), None)
