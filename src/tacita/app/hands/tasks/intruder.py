"""What an intruder holds of the data, as a plan says who attacks."""

from __future__ import annotations

from typing import Any

from tacita.app.hands.asked import as_asked, plainly
from tacita.app.hands.work import Work
from tacita.data.attribute import Role
from tacita.release.execute import intruder_of


def run(work: Work) -> dict[str, Any]:
    """Return what is held, how exactly, of whom, and what cannot be."""
    work = as_asked(work)
    with plainly(work):
        data = work.original
        found = intruder_of(work.plan, data)
    keys = [name for name, one in data.attributes.items() if one.is_a(Role.KEY)]
    if found is None:
        return {"held": [[name, "exact"] for name in keys], "whom": "all respondents", "notes": []}
    names = keys if found.attributes is None else found.attributes
    return {
        "held": [[name, str(found.exactness(name))] for name in names],
        "whom": found.whom,
        "notes": list(found.notes),
    }
