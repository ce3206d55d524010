"""The text of a table's file, and what is told of its faults."""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from tacita.data.classes import Floats
from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.rda import decoded
from tacita.data.formats.whole_files import names_in
from tacita.errors import InputError, did_you_mean

PACKED = ".gz"
LEVELS = ("lower_level", "upper_level", "sliding_level")


def refusal(path: Path, line: int, problem: str) -> InputError:
    """Return the error that tells what is wrong with a line of a file."""
    return InputError(f"{path}, line {line}: {problem}")


def refuse_negative_levels(columns: Mapping[str, Floats], where: Callable[[int], str]) -> None:
    """Refuse protection levels below 0, which every interval would contain.

    Args:
        columns: what is known of the cells, by the names that `Cells` has.
        where: for the place of a cell, how a person finds it.
    """
    for name in LEVELS:
        for place in np.flatnonzero(columns.get(name, np.zeros(0)) < 0)[:1].tolist():
            raise InputError(
                f"{where(place)}: expected a {name.replace('_', ' ')} of 0 or more, a distance "
                f"from the value; found {spelled(columns[name][place])}."
            )


def lines_of(path: Path, *, wish: str = "a table") -> list[tuple[int, str]]:
    """Return the lines of a file that are not blank, each with its number.

    Args:
        path: the file; a name ending in `.gz` is unpacked.
        wish: what is expected in it, for who hands in an empty one.
    """
    return list(zip(*numbered_lines(path, wish=wish), strict=True))


def numbered_lines(path: Path, *, wish: str = "a table") -> tuple[Sequence[int], list[str]]:
    """Return the numbers of the lines of a file that are not blank, and the lines.

    Args:
        path: the file; a name ending in `.gz` is unpacked.
        wish: what is expected in it, for who hands in an empty one.
    """
    text = decoded(path, _bytes(path))
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise refusal(path, line, "found a NUL byte, which no text has.")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    if all(map(str.strip, lines)):
        return range(1, len(lines) + 1), lines
    held = [number for number, line in enumerate(lines, start=1) if line.strip()]
    if not held:
        raise InputError(f"{path} is empty; expected {wish}.")
    return held, [lines[number - 1] for number in held]


def _bytes(path: Path) -> bytes:
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix.lower() == PACKED else raw
    except FileNotFoundError as error:
        near = did_you_mean(path.name, names_in(path.parent))
        raise InputError(f"There is no file {path}.{near}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is no gzip file, or it is damaged or cut off.") from error
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write files that all appear complete, or none of them does; `.gz` files are packed."""
    with ExitStack() as written:
        for path, text in texts.items():
            raw = text.encode()
            packed = gzip.compress(raw, mtime=0) if path.suffix.lower() == PACKED else raw
            written.enter_context(atomic_file(path)).write_bytes(packed)


def spelled(number: float) -> str:
    """Return a number so that reading it gives the same number; whole ones without a point.

    >>> spelled(12.0), spelled(0.1), spelled(1e300)
    ('12', '0.1', '1e+300')
    """
    return str(int(number)) if _is_whole(number) else repr(float(number))


def _is_whole(number: float) -> bool:
    return math.isfinite(number) and number == int(number) and abs(number) < 2**53
