"""Plans as text: where the data are, comments, and YAML that a person can read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import indent, wrap
from typing import TYPE_CHECKING, Any

import yaml

from tacita.data.formats import is_address

if TYPE_CHECKING:
    from tacita.inspection.result import Inspection

Step = Mapping[str, Any] | str

WIDTH = 96  # characters of a line of comment
WHERE = "data.csv"


def source_lines(found: Inspection, folder: Path) -> Iterator[str]:
    """Say where the data are, as seen from a folder, and how they are laid out."""
    if found.source is None:
        yield from comment("The data were in memory: save them and say here where they are.")
    yield from dumped({"source": _place(found.source or WHERE, folder)})
    for word, value in found.layout.items():
        yield from dumped({word: _place(value, folder) if word == "metadata" else value})


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


def comment(sentence: str) -> list[str]:
    """Return a sentence as lines of comment; what YAML does not allow there is left out."""
    printable = "".join(sign if sign.isprintable() else " " for sign in sentence)
    return [f"# {line}" for line in wrap(" ".join(printable.split()), WIDTH)]


def dumped(said: Step) -> list[str]:
    """Return fields as lines: what holds no mapping or list itself stands on one line."""
    values = said.values() if isinstance(said, Mapping) else ()
    style = None if any(isinstance(value, Mapping | list) for value in values) else False
    text = yaml.safe_dump(
        said, default_flow_style=style, sort_keys=False, allow_unicode=True, width=WIDTH
    )
    return text.rstrip("\n").removesuffix("\n...").split("\n")


def item(said: Step) -> list[str]:
    """Return an item of a list."""
    first, *rest = dumped(said)
    return [f"  - {first}", *(f"    {line}" for line in rest)]


def indented(lines: Iterable[str], depth: int) -> list[str]:
    """Return lines further to the right."""
    return [indent(line, "  " * depth) for line in lines]
