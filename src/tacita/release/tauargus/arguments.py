"""The words and numbers of a job's lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

CALL = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*(.*)", re.DOTALL)
NUMBER = re.compile(r"[+-]?(\d{1,15}(\.\d*)?|\.\d+)", re.ASCII)
FIELDS = re.compile(r'"[^"]*"|[^"|,]+|[|,]')


class LineError(Exception):
    """A line cannot be understood: what was expected and what was found."""


def parted(said: str, mark: str) -> list[str]:
    """Part a text at a mark that stands outside of quotes.

    >>> parted('"a|b"|c||', "|")
    ['"a|b"', 'c', '', '']
    """
    parts = [""]
    for piece in FIELDS.findall(said):
        if piece == mark:
            parts.append("")
        else:
            parts[-1] += piece
    return [part.strip() for part in parts]


def called(said: str) -> tuple[str, tuple[float, ...], str]:
    """Part `P(15,1) rest` into the word, its numbers and the rest."""
    found = CALL.fullmatch(said)
    if found is None:
        raise LineError(f"expected a word and numbers, like P(15,1); found `{said}`.")
    inside = found[2].strip()
    numbers = tuple(number_said(word) for word in inside.split(",")) if inside else ()
    return found[1].upper(), numbers, found[3].strip()


def file_name(said: str) -> str:
    """Return the name of a file, without quotes."""
    name = plain(said)
    if not name:
        raise LineError("expected the name of a file; found nothing.")
    return name


def plain(said: str) -> str:
    """Return a word without quotes and blanks around it."""
    return said.strip().strip('"').strip()


def needed(said: str, what: str) -> str:
    """Return a word that must not be left out."""
    name = plain(said)
    if not name:
        raise LineError(f"expected the {what}, a variable or <FREQ>; found nothing.")
    return name


def number_said(said: str) -> float:
    """Return the number that a word says."""
    if not NUMBER.fullmatch(said.strip()):
        raise LineError(f"expected a number; found `{said.strip()}`.")
    return float(said)


def whole_said(said: str) -> int:
    """Return the whole number that a word says."""
    number = number_said(said)
    if number != int(number):
        raise LineError(f"expected a whole number; found `{said}`.")
    return int(number)


def table_number(said: str | float, *, least: int = 1) -> int:
    """Return the number of a table, from 1 on, or from 0 on where that means all."""
    number = whole_said(str(said))
    if number < least:
        raise LineError(f"tables are numbered from {least} on; found {number}.")
    return number


def flag_said(said: str) -> bool:
    """Return what 0 or 1 means."""
    if said not in ("0", "1"):
        raise LineError(f"expected 0 or 1; found `{said}`.")
    return said == "1"


def minutes_said(number: float) -> float:
    """Return some minutes, above 0."""
    if number <= 0:
        raise LineError(f"expected some minutes, above 0; found {number:g}.")
    return number


def told(numbers: Sequence[float]) -> str:
    """Return numbers as a sentence tells them."""
    return ", ".join(f"{number:g}" for number in numbers) or "none"


def refuse_more(rest: str) -> None:
    """Refuse what stands after a command that takes nothing."""
    if rest:
        raise LineError(f"expected nothing after the command; found `{rest}`.")
