"""How the lines of a text file are written: its quotes, its line ends, its longest record.

Engines read the same text alike only as long as it keeps to the rules: quotes stand around a whole
field, and are doubled inside it; and all records end alike. One look over all bytes tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.data.formats.encoding import Bytes
from tacita.errors import InputError

Places = npt.NDArray[np.int64]

LF, CR, QUOTE, SPACE = b'\n\r" '
BLOCK = 2**24  # bytes that are looked at together


@dataclass(frozen=True)
class Lines:
    """How the lines of some text files are written.

    Args:
        longest: the bytes of the longest record, with a line end.
        multiline: whether a line is not a record: it ends inside quotes, or a reader by lines would
            take it for blank although it has fields.
        ambiguous: a file in which line ends inside quotes may be taken for those of the records.
    """

    longest: int = 0
    multiline: bool = False
    ambiguous: Path | None = None

    def and_those(self, other: Lines) -> Lines:
        """Return how the lines of more files are written."""
        return Lines(
            max(self.longest, other.longest),
            self.multiline or other.multiline,
            self.ambiguous or other.ambiguous,
        )


class Block(NamedTuple):
    """What is found in one block of a text.

    Args:
        quotes: the places of its quotes.
        ends: the places of its line ends, the first byte of each.
        inside: which of the line ends are inside quotes.
        looks_blank: whether a line has nothing but spaces and tabs.
    """

    quotes: Places
    ends: Places
    inside: npt.NDArray[np.bool_]
    looks_blank: bool


def lines_of(path: Path, data: Bytes, delimiter: str) -> Lines:
    """Look over the lines of a text.

    Raises:
        InputError: text stands beside quotes, or records do not end alike; the line is told.
    """
    around = np.zeros(256, np.bool_)  # the bytes that may stand before and after a quoted field
    around[[ord(delimiter), LF, CR, QUOTE]] = True
    last = longest = quotes = 0
    kinds: set[str] = set()
    multiline = returns = False
    for block in _blocks(data):
        _refuse_beside(path, data, block.quotes, quotes % 2, around)
        records = block.ends[~block.inside]
        kinds |= _kinds(data, records)
        _refuse_mixed(path, kinds)
        longest = max(longest, int(np.diff(records, prepend=last).max(initial=0)))
        last = int(records[-1]) if records.size else last
        multiline |= block.looks_blank or bool(block.inside.any())
        returns |= bool((data[block.ends[block.inside]] == CR).any())
        quotes += block.quotes.size
    longest = max(longest, data.size - last)
    return Lines(longest, multiline, path if returns and kinds != {"LF"} else None)


def _blocks(data: Bytes) -> Iterator[Block]:
    seen = 0
    for start in range(0, data.size, BLOCK):
        part = data[start : start + BLOCK]
        quotes = np.flatnonzero(part == QUOTE)
        breaks = np.flatnonzero((part == LF) | (part == CR))
        ends = start + breaks
        first = (data[ends] == CR) | (ends == 0) | (data[ends - 1] != CR)
        inside = (np.searchsorted(quotes, breaks) + seen) % 2 == 1
        yield Block(start + quotes, ends[first], inside[first], _looks_blank(part, breaks))
        seen += quotes.size


def _looks_blank(part: Bytes, breaks: Places) -> bool:
    """Tell whether a line has spaces or control characters and nothing else."""
    starts = np.append(0, breaks[breaks + 1 < part.size] + 1)
    filled = np.logical_or.reduceat(part > SPACE, starts)
    return bool((~filled & (np.diff(starts, append=part.size) > 1)).any())


def _refuse_beside(path: Path, data: Bytes, quotes: Places, opened: int, around: Any) -> None:
    """Refuse a quote with text before the field it opens or after the field it closes.

    Two quotes inside a field close it and open it again, with nothing between them.
    """
    opening, closing = quotes[opened::2], quotes[1 - opened :: 2]
    before = opening[(opening > 0) & ~around[data[opening - 1]]]
    after = closing[closing + 1 < data.size]
    after = after[~around[data[after + 1]]]
    if before.size or after.size:
        at = int(np.append(before, after).min())
        raise InputError(
            f"{path}, line {_line(data, at)}: a quote stands beside other text, which engines read "
            "differently; put quotes around the whole field, and double those that belong to it."
        )


def _line(data: Bytes, at: int) -> int:
    ended = data[:at].tobytes()
    return 1 + ended.count(b"\n") + ended.count(b"\r") - ended.count(b"\r\n")


def _kinds(data: Bytes, ends: Places) -> set[str]:
    returns = ends[data[ends] == CR]
    paired = int(np.count_nonzero(data[np.minimum(returns + 1, data.size - 1)] == LF))
    counts = {"LF": ends.size - returns.size, "CRLF": paired, "CR": returns.size - paired}
    return {kind for kind, count in counts.items() if count}


def _refuse_mixed(path: Path, kinds: set[str]) -> None:
    if len(kinds) > 1:
        raise InputError(
            f"{path}: some lines end in {' and others in '.join(sorted(kinds))}, which engines "
            "read differently; let all of them end alike."
        )
