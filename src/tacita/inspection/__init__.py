"""Looking at data as an intruder would: what identifies, what is known, what gives what away."""

from __future__ import annotations

from os import PathLike
from typing import Any, Unpack

from tacita.data.dataset import Dataset
from tacita.data.formats import LayoutOptions, layout_of
from tacita.data.read import read_dataset
from tacita.errors import ParameterError
from tacita.inspection.result import Finding, Inspection
from tacita.progress import progress

__all__ = ["Finding", "Inspection", "inspect"]

COMBINED = 3
STEPS = 6


def inspect(
    source: Any, *, combinations: int = COMBINED, **layout: Unpack[LayoutOptions]
) -> Inspection:
    """Look at data as an intruder would, and propose what to do about it.

    Roles, kinds and hierarchies are proposed from the names of the attributes (in the languages of
    Europe), from the labels the file gives them, and from the values. All numbers are exact and
    count all records; which combinations and predictions are worth telling is found on a sample of
    large files. The proposal cannot know what an intruder knows: check it.

    Args:
        source: the path of a file, the address of a database, a data frame, or data that were read.
        combinations: how many attributes are combined at most (1 or more).
        layout: how the source is laid out: delimiter, encoding, decimal, sheet, table, query,
            metadata; what is left out is found out.

    >>> from tacita.data.examples import generate
    >>> found = inspect(generate("toy", 500).to_arrow())
    >>> found["zip"].roles[0].value, found["zip"].hierarchy
    ('key', {'prefix': 5})
    """
    from tacita.inspection.looking import look

    if isinstance(combinations, bool) or not isinstance(combinations, int) or combinations < 1:
        raise ParameterError(f"`combinations` should be 1 or more; found {combinations!r}.")
    with progress(STEPS) as tell:
        tell("reading")
        data, place = _read(source, layout)
        return look(data, combinations, source=place, layout=layout_of(layout), tell=tell)


def _read(source: Any, layout: LayoutOptions) -> tuple[Dataset, str | None]:
    if isinstance(source, Dataset):
        return source, None
    data = read_dataset(source, {}, layout=layout_of(layout))
    return data, str(source) if isinstance(source, str | PathLike) else None
