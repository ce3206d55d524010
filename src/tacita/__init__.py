"""Tacita: statistical disclosure control for microdata, tables and queries.

>>> import tacita as ta
>>> patients = ta.example("patients", 2000)
>>> safe = patients.anonymize(ta.KAnonymity(3), suppression_limit=0.1, seed=1)
>>> ta.KAnonymity(3).check(safe).holds
True
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tacita.exports import HOMES as _HOMES
from tacita.exports import homes as _homes


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_homes())
    where = _HOMES.get(name) or (None if name.startswith("_") else _homes().get(name))
    if where is None:
        raise AttributeError(f"tacita has no `{name}`")
    home = import_module(where)
    return home if where == f"tacita.{name}" else getattr(home, name)


def __dir__() -> list[str]:
    return sorted(_homes())
