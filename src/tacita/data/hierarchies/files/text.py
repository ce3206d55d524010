"""The text of a hierarchy file, and what is told of its faults."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tacita.data.hierarchies.outline import Path as LeafPath
from tacita.data.hierarchies.tree import PathError, Tree
from tacita.errors import HierarchyError, OutputError, did_you_mean

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UNFIT = re.compile("[\0\ud800-\udfff]")  # characters that no text file holds


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8 or, failing that, in the Windows code page 1252."""
    raw = _read(path)
    try:
        text = raw.decode("utf-16") if raw.startswith(UTF_16) else _decoded(raw)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise refusal(
            path,
            f"the byte 0x{raw[error.start]:02X} is neither UTF-8 nor Windows-1252; save the file "
            "as UTF-8.",
            line,
        ) from error
    if "\0" in text:
        raise refusal(path, "found a NUL byte; a hierarchy file is a text file.")
    if not text.strip():
        raise refusal(path, "the file is empty; expected a hierarchy.")
    return text


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        beside: list[str] = []
        with suppress(OSError):
            beside = [file.name for file in path.parent.iterdir() if file.is_file()]
        hint = did_you_mean(path.name, beside)
        raise HierarchyError(f"There is no hierarchy file {path}.{hint}") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise HierarchyError(f"The hierarchy file {path} cannot be read: {why}.") from error


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252")


def lines_of(text: str) -> list[str]:
    """Part a text at its line ends, and nowhere else."""
    return [line.rstrip("\r\n") for line in io.StringIO(text, newline="")]


def refusal(path: Path, problem: str, *lines: int) -> HierarchyError:
    """Return the error that tells what is wrong with a file, and in which lines.

    >>> refusal(Path("jobs.csv"), "The value 'judge' stands twice in its hierarchy.", 3, 9)
    HierarchyError("jobs.csv, lines 3 and 9: the value 'judge' stands twice in its hierarchy.")
    """
    *most, last = map(str, lines or [""])
    place = f", lines {', '.join(most)} and {last}" if most else f", line {last}" if last else ""
    return HierarchyError(f"{path}{place}: {problem[:1].lower()}{problem[1:]}")


def tree_of(path: Path, paths: Sequence[LeafPath], lines: Sequence[int]) -> Tree:
    """Return the tree that a file says, or tell in which lines it does not say one.

    Args:
        path: the file.
        paths: one path a leaf.
        lines: the line that says each path.
    """
    try:
        return Tree(tuple(paths))
    except PathError as error:
        at = dict.fromkeys(lines[place] for place in error.places)
        raise refusal(path, str(error), *at) from error
    except HierarchyError as error:
        raise refusal(path, str(error)) from error


def write_text(tree: Tree, path: Path, said: Callable[[], str]) -> None:
    """Write what a tree is said with to a file, which appears complete or not at all."""
    from tacita.data.formats.atomic import atomic_file

    for level in range(tree.height + 1):
        for label in set(tree.level(level)):
            if UNFIT.search(label):
                raise unwritable(label, path, "it holds a character that no text file can")
    text = said()
    with atomic_file(path) as temporary:
        temporary.write_bytes(text.encode())


def unwritable(label: str, path: Path, why: str) -> OutputError:
    """Return the error that names a label which a file cannot hold."""
    return OutputError(f"The label {label!r} cannot be written to {path}: {why}.")
