"""The attributes as they are after the steps of a plan: what the next step can be about."""

from __future__ import annotations

from typing import Any

from tacita.app.hands.asked import as_asked
from tacita.app.hands.work import Work
from tacita.data.dataset import Dataset
from tacita.errors import TacitaError


def run(work: Work) -> list[dict[str, Any]]:
    """Return names, kinds and roles."""
    data = _masked(as_asked(work))
    return [
        {
            "name": name,
            "kind": attribute.kind.value,
            "roles": sorted(role.value for role in attribute.roles),
        }
        for name, attribute in data.attributes.items()
    ]


def _masked(work: Work) -> Dataset:
    """Return the data after the steps, or before them where some step cannot be carried out."""
    try:
        return work.masked[0]
    except TacitaError:
        return work.original
