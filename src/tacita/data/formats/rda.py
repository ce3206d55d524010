"""Descriptions of data files as tau-ARGUS and mu-ARGUS write them: `.rda`, and `.cdl` code lists.

A line that does not begin with `<` names a variable, its first position, its length and up to two
codes for missing values; the lines after it say in tags what the variable is. When the first line
is `<SEPARATOR> ","`, the fields are parted by that character and no positions are given. ::

    Region 12 2 99
      <RECODEABLE>
      <CODELIST> "region.cdl"
      <HIERARCHICAL>
      <HIERCODELIST> "region.hrc"
      <HIERLEADSTRING> "@"
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PureWindowsPath

from tacita.data.formats.names import check_names
from tacita.errors import InputError, did_you_mean

Words = tuple[str, ...]

MOST_DIGITS = 9  # of a position or a length
MOST_MISSING = 2
MEANT = {
    *("RECODEABLE", "NUMERIC", "DECIMALS", "WEIGHT", "HOLDING", "HOUSE_ID", "IDLEVEL", "TOTCODE"),
    *("CODELIST", "HIERARCHICAL", "HIERLEVELS", "HIERCODELIST", "HIERLEADSTRING"),
}
KEPT = {  # mean nothing here; they go with the data for the program that wrote them
    *("DISTANCE", "REQUEST", "TRUNCABLE", "SUPPRESSWEIGHT", "SUPPRESSPRIORITY", "HOUSEHOLD"),
    "RECORDKEY",
}
LEFT_OUT = {  # of other variables, other files or other methods
    *("RELATED", "PFILE", "PFILE_FREQ", "PFILE_CONT", "PFILE_SEP", "CKM", "INCLUDEZEROS"),
    *("PARITY", "SCALING", "SEPARATION"),
}
NEED_A_NUMBER = {"DECIMALS", "IDLEVEL"}
NEED_A_WORD = {"CODELIST", "HIERCODELIST", "HIERLEADSTRING", "TOTCODE"}
SPELLINGS = {"RECODABLE": "RECODEABLE", "IDENTIFICATION": "IDLEVEL"}
TOKEN = re.compile(r'//.*|"([^"]*)"?|(\S+)')


@dataclass(frozen=True)
class Variable:
    """What is said of one variable.

    Args:
        name: its name.
        start: its first position, from 1 on; 0 where the fields are parted by a character.
        length: its number of positions.
        missing: the codes that stand for a missing value, two at most.
        tags: what else is said of it: the words after each tag, which goes without its brackets.
        line: the line that names it.
    """

    name: str
    start: int
    length: int
    missing: Words = ()
    tags: Mapping[str, Words] = field(default_factory=dict)
    line: int = 0

    @property
    def stop(self) -> int:
        """The last position."""
        return self.start + self.length - 1

    @property
    def is_numeric(self) -> bool:
        """Are its values numbers, not codes."""
        return bool({"NUMERIC", "WEIGHT", "RECORDKEY"} & set(self.tags))

    @property
    def is_key(self) -> bool:
        """May an intruder know it: it identifies, or explains the cells of a table."""
        if "IDLEVEL" in self.tags:
            return self.number("IDLEVEL") > 0
        return "RECODEABLE" in self.tags

    def word(self, tag: str) -> str | None:
        """Return the first word after a tag, or None."""
        words = self.tags.get(tag)
        return words[0] if words else None

    def number(self, tag: str) -> int:
        """Return the number after a tag, 0 when it is not there."""
        return int(self.word(tag) or 0)

    @property
    def levels(self) -> tuple[int, ...]:
        """How many characters of a code each level of its hierarchy adds."""
        return tuple(int(word) for word in self.tags.get("HIERLEVELS", ()) if int(word))

    def lines(self) -> Iterator[str]:
        """Say the variable as a description does."""
        codes = "".join(f" {_quoted(code)}" for code in self.missing)
        yield f"{named(self.name)} {self.start} {self.length}{codes}"
        for tag, words in self.tags.items():
            yield f"  <{tag}>{''.join(f' {_quoted(word)}' for word in words)}"


@dataclass(frozen=True)
class Description:
    """A data file's description.

    Args:
        path: where it was read.
        variables: the variables, in the order in which it names them.
        separator: what parts the fields of a record; None when they have fixed positions.
        has_header: is the first line of the data a line of names.
        warnings: what a person should check.
    """

    path: Path
    variables: tuple[Variable, ...]
    separator: str | None = None
    has_header: bool = False
    warnings: tuple[str, ...] = ()


# --- text


def decoded(path: Path, raw: bytes, encoding: str | None = None) -> str:
    """Return the text of a file.

    Args:
        path: the file, for messages.
        raw: its bytes.
        encoding: how its characters are coded; when None, in UTF-8 or, failing that, in the code
            page of Windows.
    """
    if encoding is None:
        return _found_out(raw)
    try:
        return raw.decode(encoding)
    except (UnicodeError, LookupError) as error:
        raise InputError(
            f"{path} is no text in the encoding `{encoding}`; give the one it is written in."
        ) from error


def _found_out(raw: bytes) -> str:
    r"""Return bytes as text in the first encoding that fits.

    >>> _found_out(b"M\xfcnchen"), _found_out("München".encode())
    ('München', 'München')
    """
    for codec in ("utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError):
            return raw.decode(codec)
    return raw.decode("latin-1")


def encoded(text: str) -> bytes:
    """Return text as bytes that `decoded` understands, one for each character where it can be.

    ARGUS counts bytes, not characters.
    """
    with suppress(UnicodeEncodeError):
        raw = text.encode("cp1252")
        if _found_out(raw) == text:
            return raw
    return text.encode()


def _lines(path: Path, encoding: str | None) -> list[str]:
    return re.split("\r\n|\r|\n", decoded(path, path.read_bytes(), encoding))


def find(folder: Path, name: str) -> Path | None:
    """Find a file that a description names, which Windows may spell in other cases.

    Args:
        folder: where the description lies.
        name: the file as it is named there; of a path that does not exist, the last part counts.
    """
    with suppress(OSError):
        if (exact := folder / name).is_file():
            return exact.resolve()
    last = PureWindowsPath(name).name.lower()
    found = [file for file in folder.iterdir() if file.name.lower() == last and file.is_file()]
    return min(found).resolve() if found else None


# --- reading


def read_description(path: Path, encoding: str | None = None) -> Description:
    """Read an `.rda` file.

    Args:
        path: the file.
        encoding: how its characters are coded; found out when None.
    """
    parser = _Parser(path)
    for number, line in enumerate(_lines(path, encoding), start=1):
        if "\0" in line:
            raise InputError(f"{path}, line {number}: found a NUL byte, which no text has.")
        if words := [quoted or plain for quoted, plain in TOKEN.findall(line) if quoted or plain]:
            parser.take(number, words, is_tag=line.lstrip().startswith("<"))
    return parser.description()


def _is_number(word: str) -> bool:
    """Tell a whole number of a sensible length."""
    return word.isdecimal() and len(word) <= MOST_DIGITS


class _Parser:
    """Goes through the lines of a description."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.separator: str | None = None
        self.has_header = False
        self.variables: list[Variable] = []
        self.tags: list[dict[str, Words]] = []
        self.warnings: list[str] = []

    def take(self, number: int, words: Sequence[str], *, is_tag: bool) -> None:
        if not is_tag:
            self.tags.append({})
            self.variables.append(self._variable(number, words))
        elif self.variables:
            self._say(number, words)
        else:
            self._say_of_file(number, words)

    def refuse(self, number: int, problem: str) -> InputError:
        return InputError(f"{self.path}, line {number}: {problem}")

    def _variable(self, number: int, words: Sequence[str]) -> Variable:
        name, *rest = words
        size = 1 if self.separator else 2
        positions = [int(word) if _is_number(word) else 0 for word in rest[:size]]
        if len(positions) < size or not all(positions):
            wish = "its length" if self.separator else "its first position and its length"
            raise self.refuse(
                number,
                f"expected the variable `{name}`, {wish} and perhaps codes for missing values; "
                f"found `{' '.join(words)}`.",
            )
        *start, length = positions
        missing = tuple(dict.fromkeys(code.strip() for code in rest[size:] if code.strip()))
        for code in missing[:MOST_MISSING]:
            if len(code) > length:
                raise self.refuse(
                    number, f"the missing code `{code}` of `{name}` is longer than {length}."
                )
        return Variable(
            name, start[0] if start else 0, length, missing[:MOST_MISSING], self.tags[-1], number
        )

    def _say_of_file(self, number: int, words: Sequence[str]) -> None:
        tag = _tag(words[0])
        if tag == "SEPARATOR":
            if len(words) == 1 or len(words[1]) != 1:
                raise self.refuse(number, "expected one character after <SEPARATOR>.")
            self.separator = words[1]
        elif tag == "NAMESINFRONT":
            self.has_header = True
        elif tag == "SPSS":
            raise self.refuse(number, "it describes an SPSS file; read that file instead.")
        else:
            raise self.refuse(number, f"expected a variable before the tag <{tag}>.")

    def _say(self, number: int, words: Sequence[str]) -> None:
        tag, said, variable = _tag(words[0]), tuple(words[1:]), self.variables[-1]
        if tag not in MEANT | KEPT | LEFT_OUT:
            near = did_you_mean(tag, MEANT | KEPT)
            self.warnings.append(
                f"{self.path}, line {number}: the tag <{tag}> is unknown and was left out.{near}"
            )
        elif tag in NEED_A_NUMBER and not (said and _is_number(said[0])):
            raise self.refuse(number, f"expected a whole number after <{tag}>.")
        elif tag in NEED_A_WORD and not said:
            raise self.refuse(number, f"expected something after <{tag}>.")
        elif tag == "HIERLEVELS":
            self._check_levels(number, variable, said)
        if tag in MEANT | KEPT:
            self.tags[-1][tag] = said

    def _check_levels(self, number: int, variable: Variable, said: Words) -> None:
        if not all(map(_is_number, said)) or sum(map(int, said)) != variable.length:
            raise self.refuse(
                number,
                f"the levels of `{variable.name}` must add up to its length {variable.length}; "
                f"found `{' '.join(said)}`.",
            )

    def description(self) -> Description:
        if not self.variables:
            raise InputError(f"{self.path} names no variables; expected lines such as `age 1 2`.")
        check_names([variable.name for variable in self.variables], self.path)
        if self.separator is None:
            self._refuse_overlap()
        return Description(
            self.path,
            tuple(self.variables),
            self.separator,
            self.has_header,
            tuple(self.warnings),
        )

    def _refuse_overlap(self) -> None:
        for one, other in pairwise(sorted(self.variables, key=lambda v: v.start)):
            if other.start <= one.stop:
                raise self.refuse(
                    other.line,
                    f"`{other.name}` begins at position {other.start}, but `{one.name}` (line "
                    f"{one.line}) reaches to {one.stop}.",
                )


def _tag(word: str) -> str:
    """Return the name of a tag, in one of its spellings."""
    name = word.strip("<>").upper()
    return SPELLINGS.get(name, name)


def read_codelist(path: Path, encoding: str | None = None) -> dict[str, str]:
    """Read a `.cdl` file: a code and its label on each line, parted by a comma."""
    rows = csv.reader(map(str.lstrip, _lines(path, encoding)), skipinitialspace=True)
    try:
        return {row[0].strip(): ",".join(row[1:]).strip() for row in rows if len(row) > 1}
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: the line cannot be parted.") from error


# --- writing


def said(variables: Iterable[Variable]) -> str:
    """Write variables as the text of an `.rda` file."""
    return "".join(f"{line}\n" for variable in variables for line in variable.lines())


def said_codes(labels: Mapping[str, str]) -> str:
    """Write labels as the text of a `.cdl` file."""
    return "".join(f"{_field(code)},{_field(label)}\n" for code, label in labels.items())


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if re.search('[",]', text) else text


def named(name: str) -> str:
    """Write the name of a variable, in quotes where it would be taken for several words."""
    return name if re.fullmatch(r"[^\s,|()<\"/][^\s\"]*", name) else f'"{name}"'


def _quoted(word: str) -> str:
    return word if word.isdecimal() else f'"{word}"'
