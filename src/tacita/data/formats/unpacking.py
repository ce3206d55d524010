"""Packed files: how much may come out of one before it is a trap and no table.

A few kilobytes can unpack to gigabytes and fill the memory of whoever opens them. What people pack
shrinks to a tenth, or to a fiftieth where all records are alike; a trap shrinks to a thousandth. So
a file is refused if it unpacks both to more than 256 MiB and to more than 200 times its size.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from tacita.errors import InputError

ALWAYS = 2**28  # bytes that any file may unpack to
TIMES = 200  # so many times its size may any file unpack to
PIECE = 2**20  # bytes that are unpacked at a time


class Readable(Protocol):
    """What can be read piece by piece."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes; none at the end."""


def most_unpacked(path: Path) -> int:
    """Return how many bytes may come out of a packed file."""
    return max(ALWAYS, TIMES * path.stat().st_size)


def pieces(file: Readable, path: Path, most: int, instead: str) -> Iterator[bytes]:
    """Give the contents of a packed file piece by piece.

    Args:
        file: the contents, unpacked while they are read.
        path: the packed file.
        most: how many bytes there may be.
        instead: what to do with a file that is meant to be as large.

    Raises:
        InputError: there are more.
    """
    left = most
    while piece := file.read(PIECE):
        left -= len(piece)
        if left < 0:
            raise InputError(
                f"{path} unpacks to more than {most / 2**20:,.0f} MiB, over {TIMES} times its own "
                f"size, as files do that are made to fill a memory; if it is meant, {instead}."
            )
        yield piece
