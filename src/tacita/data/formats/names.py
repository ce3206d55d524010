"""What every format asks of the names of its columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tacita.errors import InputError

MOST_TOLD = 5


def check_names(names: Sequence[str], path: Path | str) -> None:
    """Stop at columns without a name or with the name of another.

    >>> check_names(["age", "sex", "age"], Path("a.csv"))
    Traceback (most recent call last):
    tacita.errors.InputError: a.csv: the name `age` is given to columns 1 and 3; rename all but one.
    """
    places = defaultdict(list)
    for place, name in enumerate(names, start=1):
        places[name].append(place)
        if not name.strip():
            raise InputError(
                f"{path}: column {place} of {len(names)} has no name; give it one in the header."
            )
    repeated = [name for name, found in places.items() if len(found) > 1]
    if repeated:
        told = "; ".join(
            f"the name `{name}` is given to columns {_listed(places[name])}"
            for name in repeated[:MOST_TOLD]
        )
        raise InputError(f"{path}: {told}; rename all but one.")


def _listed(places: Sequence[int]) -> str:
    """List numbers as people do: 1, 2 and 3."""
    *most, last = map(str, places)
    return f"{', '.join(most)} and {last}"
