"""YAML that remembers where each thing stood, so that a message can name file, line and field."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tacita.data.formats.whole_files import names_in
from tacita.errors import PlanError, did_you_mean, in_words
from tacita.plain_yaml import NotPlainError, PlainLoader

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Located:
    """A YAML document with the line of every field.

    Args:
        file: where it was read from.
        document: its content in plain types.
        lines: the line (from 1) on which each field stands, by its path from the top.
        text: the file's text, kept for the evidence.
    """

    file: Path
    document: Any
    lines: dict[Path_, int] = field(repr=False)
    text: str = field(repr=False)

    def error(self, path: Path_, message: str) -> PlanError:
        """Return the error that says something of a field."""
        return PlanError(f"{self.place(path)}: {message}")

    def place(self, path: Path_) -> str:
        """Return where a field stands: file, line and field."""
        at = path
        while at and at not in self.lines:
            at = at[:-1]
        where = f"{self.file}, line {self.lines.get(at, 1)}"
        return f"{where}, field `{dotted(path)}`" if path else where


def dotted(path: Path_) -> str:
    """Return the path of a field as people write it.

    >>> dotted(("microdata", "steps", 0, "recode"))
    'microdata.steps[0].recode'
    """
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def load(file: Path) -> Located:
    """Read a YAML file.

    Raises:
        PlanError: it cannot be read, is not YAML, or says a field twice.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        near = did_you_mean(file.name, names_in(file.parent))
        raise PlanError(f"There is no plan file {file}.{near}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise PlanError(
            f"{file}, line {line}: the plan cannot be read: it is not a text in UTF-8."
        ) from error
    except OSError as error:
        raise PlanError(f"The plan file {file} cannot be read: {error.strerror}.") from error
    return parse(text, file)


def parse(text: str, file: Path) -> Located:
    """Read YAML text that came from a file."""
    try:
        root = yaml.compose(text, Loader=PlainLoader)
        document = yaml.load(text, Loader=PlainLoader)  # noqa: S506 - it is a safe loader
    except NotPlainError as error:
        raise PlanError(f"{file}, line {_line(error, text)}: {error.problem}.") from error
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise PlanError(
            f"{file}, line {_line(error, text)}: this is not YAML: {problem}."
        ) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise PlanError(
            f"{file}: this YAML cannot be read as a plan: {in_words(error)}."
        ) from error
    located = Located(file, document, {}, text)
    if root is not None:
        _walk(root, (), located)
    return located


def _line(error: yaml.YAMLError, text: str) -> int:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return int(mark.line) + 1
    return text.count("\n", 0, getattr(error, "position", 0)) + 1


def _walk(node: yaml.Node, path: Path_, located: Located) -> None:
    located.lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*path, key.value)
            if below in located.lines:
                raise located.error(
                    below, f"it is said twice, here and on line {key.start_mark.line + 1}."
                )
            _walk(value, below, located)
            located.lines[below] = key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for place, value in enumerate(node.value):
            _walk(value, (*path, place), located)
