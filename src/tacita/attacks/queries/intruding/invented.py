"""Somebody invented, to compare what a database says of those who are in it with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from tacita.attacks.queries.intruding.intruder import Target


def invented(target: Target) -> dict[str, Any] | None:
    """Return public attributes that somebody could have and nobody has; None if all occur."""
    return next(all_invented(target), None)


def all_invented(target: Target) -> Iterator[dict[str, Any]]:
    """Return all combinations of public values that nobody has."""
    names = list(target.known)
    places = [target.register.names.index(name) for name in names]
    there = {tuple(values[place] for place in places) for values in target.register.classes}
    possible = product(*(target.register.values(name) for name in names))
    return (dict(zip(names, one, strict=True)) for one in possible if one not in there)
