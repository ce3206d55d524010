"""Descriptions of ready-made tables as tau-ARGUS reads them: the `.rda` file beside a `.tab` file.

They differ from the descriptions of microdata (``tacita.data.formats.rda``): the fields are always
parted by a character, a variable has no length, and several tags may stand on one line. ::

    <SEPARATOR> ";"
    <SAFE> "S"
    <UNSAFE> "U"
    <PROTECT> "P"
    Region "99"
      <RECODEABLE>
      <TOTCODE> "Total"
      <HIERARCHICAL>
      <HIERCODELIST> "region.hrc"
      <HIERLEADSTRING> "@"
    Turnover
      <NUMERIC>
    Lower
      <NUMERIC> <LOWERPL>
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from tacita.data.formats.rda import TOKEN, find, named, read_codelist
from tacita.data.hierarchies.files import hrc
from tacita.errors import InputError
from tacita.tables.dimension import TOTAL, Dimension
from tacita.tables.formats.listing import CODE, LARGEST, STATUS, UNUSED, Meaning
from tacita.tables.formats.text import lines_of, refusal
from tacita.tables.status import Status

Words = tuple[str, ...]

ROLES = {  # what a tag says of the figures of a field
    "SHADOW": "total",
    "COST": "cost",
    "COSTVAR": "cost",
    "FREQUENCY": "frequency",
    "HOLDING": "contributors",
    "MAXSCORE": LARGEST,
    "STATUS": STATUS,
    "LOWERPL": "lower_level",
    "UPPERPL": "upper_level",
}
CODES = {"RECODEABLE", "RECODABLE", "HIERARCHICAL", "HIERCODELIST", "HIERLEVELS", "TOTCODE"}
NUMBER = "NUMERIC"
DECIDED = {"SAFE": Status.SAFE, "UNSAFE": Status.SENSITIVE, "PROTECT": Status.PUBLISHED}
USUAL = {
    "S": Meaning(Status.SAFE),
    "U": Meaning(Status.SENSITIVE),
    "M": Meaning(Status.SECONDARY),
    "P": Meaning(Status.PUBLISHED),
    "E": Meaning(None),
}


@dataclass(frozen=True)
class Field:
    """What is said of one field.

    Args:
        name: its name.
        missing: the codes that stand for a missing value.
        tags: the words after each tag, which goes without its brackets.
        line: the line that names it.
    """

    name: str
    missing: Words = ()
    tags: Mapping[str, Words] = field(default_factory=dict)
    line: int = 0

    @property
    def role(self) -> str:
        """What it is: a code, a column of the cells, a status, or a number of no known use."""
        for tag, role in ROLES.items():
            if tag in self.tags:
                return role
        if CODES & set(self.tags):
            return CODE
        return NUMBER if NUMBER in self.tags else UNUSED

    def word(self, tag: str, otherwise: str) -> str:
        """Return the first word after a tag."""
        return (self.tags.get(tag) or (otherwise,))[0]

    def lines(self) -> Iterator[str]:
        """Say the field as a description does."""
        yield " ".join([named(self.name), *(f'"{code}"' for code in self.missing)])
        for tag, words in self.tags.items():
            yield " ".join([f"  <{tag}>", *(f'"{word}"' for word in words)])


@dataclass(frozen=True)
class Description:
    """How a table's file is laid out.

    Args:
        path: where it was read.
        separator: what parts the fields of a line.
        fields: the fields, in their order.
        statuses: what the words for statuses mean.
    """

    path: Path
    separator: str
    fields: tuple[Field, ...]
    statuses: Mapping[str, Meaning]


# --- reading


def read_description(path: Path) -> Description:
    """Read the `.rda` file of a table.

    Raises:
        InputError: a line cannot be understood.
    """
    header: dict[str, str] = {}
    fields: list[Field] = []
    for number, line in lines_of(path):
        words = [(found[0], found[1] or found[2]) for found in TOKEN.finditer(line)]
        words = [(written, word) for written, word in words if word]
        if line.lstrip().startswith("<"):
            tags = _tags(path, number, words)
            if fields:
                fields[-1] = _with_tags(fields[-1], tags)
            else:
                header |= {tag: _only(path, number, tag, said) for tag, said in tags.items()}
        elif words:
            (_, name), *missing = words
            fields.append(Field(name, tuple(word.strip() for _, word in missing), {}, number))
    if not fields:
        raise InputError(f"{path} names no variables; expected a line a field of the table.")
    separator = header.get("SEPARATOR", ",")
    if len(separator) != 1:
        raise InputError(f"{path}: expected one character after <SEPARATOR>; found {separator!r}.")
    return Description(path, separator, tuple(fields), _statuses(path, header))


def _tags(path: Path, line: int, words: Sequence[tuple[str, str]]) -> dict[str, Words]:
    """Return the tags of a line with the words after each; what stands in quotes is no tag."""
    tags: dict[str, Words] = {}
    tag = ""
    for written, word in words:
        if re.fullmatch("<[^<>]+>", written):
            tag = word.strip("<>").upper()
            tags[tag] = ()
        elif tag:
            tags[tag] = (*tags[tag], word)
        else:
            raise refusal(path, line, f"expected a tag such as <NUMERIC>; found `{word}`.")
    return tags


def _only(path: Path, line: int, tag: str, said: Words) -> str:
    if len(said) != 1:
        raise refusal(path, line, f"expected one word after <{tag}>; found {len(said)}.")
    return said[0]


def _with_tags(known: Field, tags: Mapping[str, Words]) -> Field:
    return Field(known.name, known.missing, {**known.tags, **tags}, known.line)


def _statuses(path: Path, header: Mapping[str, str]) -> dict[str, Meaning]:
    """Return what the words for statuses mean; the header may choose other words."""
    chosen = {header[tag]: Meaning(status) for tag, status in DECIDED.items() if tag in header}
    if len(chosen) < len(DECIDED.keys() & header.keys()):
        raise InputError(f"{path}: <SAFE>, <UNSAFE> and <PROTECT> must be different words.")
    return {**USUAL, **chosen}


# --- attributes


def dimension_of(description: Description, known: Field, codes: Sequence[str]) -> Dimension:
    """Make the dimension of a field from the hierarchy that is said of it.

    Args:
        description: what is said of the table.
        known: what is said of the field.
        codes: the codes that stand in it.

    Raises:
        InputError: the hierarchy cannot be found or read.
    """
    total = known.word("TOTCODE", TOTAL)
    held = [code for code in dict.fromkeys(codes) if code not in {total, ""}]
    missing = [code for code in dict.fromkeys(known.missing) if code not in {total, ""}]
    if "HIERCODELIST" in known.tags:
        made = _from_file(description, known, missing)
    else:
        steps = _steps(description, known) if "HIERLEVELS" in known.tags else []
        inner = _leaves([code for code in held if code not in missing], steps)
        below = [(*_upwards(code, steps), total) for code in inner]
        made = Dimension.of_trees(known.name, [[*below, *((code, total) for code in missing)]])
    labels = _labels(description, known)
    return Dimension(known.name, made.codes, made.parents, labels, frozenset(missing))


def _from_file(description: Description, known: Field, missing: Sequence[str]) -> Dimension:
    """Read a hierarchy; codes for missing values that it does not have lie below the total."""
    tree = hrc.read(
        _hierarchy(description, known),
        root=known.word("TOTCODE", TOTAL),
        leading=known.word("HIERLEADSTRING", "@"),
    )
    named_there = {code for path in tree.paths for code in path}
    outside = [code for code in missing if code not in named_there]
    return Dimension.from_trees(known.name, [tree], missing=outside)


def _hierarchy(description: Description, known: Field) -> Path:
    name = known.word("HIERCODELIST", "")
    found = find(description.path.parent, name) if name else None
    if found is None:
        raise refusal(
            description.path,
            known.line,
            f"the hierarchy file {name!r} of `{known.name}` is not there; put it beside the "
            "description.",
        )
    return found


def _labels(description: Description, known: Field) -> dict[str, str]:
    """Read what the codes mean; a table can do without."""
    name = known.word("CODELIST", "")
    found = find(description.path.parent, name) if name else None
    return read_codelist(found) if found else {}


def _steps(description: Description, known: Field) -> list[int]:
    """Return how many characters the codes of each level have."""
    words = known.tags["HIERLEVELS"]
    if not words or not all(word.isdecimal() for word in words):
        raise refusal(
            description.path,
            known.line,
            f"expected how many characters each level of `{known.name}` adds; found "
            f"`{' '.join(words)}`.",
        )
    return list(accumulate(int(word) for word in words if int(word)))


def _upwards(code: str, steps: Sequence[int]) -> list[str]:
    """Return a code and the codes above it, which its first characters say."""
    return [code, *(code[:step] for step in reversed(steps) if step < len(code))]


def _leaves(codes: Sequence[str], steps: Sequence[int]) -> list[str]:
    above = {upper for code in codes for upper in _upwards(code, steps)[1:]}
    return [code for code in codes if code not in above]
