"""What an intruder would see in the data: roles, kinds and hierarchies proposed, with reasons."""

from __future__ import annotations

from typing import Any

from tacita.app.hands.work import Work
from tacita.data.read import declare
from tacita.inspection import inspect


def run(work: Work) -> dict[str, Any]:
    """Return the proposal for every attribute, as if nobody had said anything yet."""
    data = work.original
    work.tell("looking at every attribute")
    found = inspect(declare(data.table, {}))
    return found.to_dict() | {"declared": {name: found[name].declared() for name in data.names}}
