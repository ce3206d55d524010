"""Waivers: contributors who consent that cells are published which would tell of them.

A file of waivers is a CSV file with a heading, or a YAML list, with the columns

    contributor   who consents, as the data name them
    signed        when, as 2025-03-31
    document      where the consent is kept
    consented_by  the person who signed (may be left out)
    expires       the last day on which it holds (may be left out)
    variable      the attribute whose sums it is about (all of them when left out)
    period        the period of the data that it is about (all periods when left out)
    cell          the cell, as `nace=62.01; region=NL3`; in YAML also a mapping (every cell when
                  left out). Attributes that it does not name are at their total.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from tacita.errors import InputError, did_you_mean, shown
from tacita.plain_yaml import PlainTextLoader
from tacita.tables.formats.text import lines_of, refusal

NEEDED = ("contributor", "signed", "document")
COLUMNS = (*NEEDED, "consented_by", "expires", "variable", "period", "cell")
SEPARATORS = (",", ";", "\t")
YAML_FILES = (".yaml", ".yml")
WISH = "waivers, one a line, with who consents, when it was signed and where it is kept"


@dataclass(frozen=True)
class Waiver:
    """The consent of one contributor.

    Args:
        contributor: who consents, as the data name them.
        signed: the day on which it was signed, and from which on it holds.
        document: where the consent is kept.
        consented_by: the person who signed.
        expires: the last day on which it holds; None if it does not end.
        variable: the attribute whose sums it is about; None for all.
        period: the period of the data that it is about; None for all.
        cell: the codes of the cell that it is about, by attribute, those left out at their total;
            None for every cell.
        where: the file and line that say so, for messages.

    >>> Waiver("H0000012", date(2025, 3, 31), "letter 17").told
    'The waiver of H0000012 (letter 17)'
    """

    contributor: str
    signed: date
    document: str
    consented_by: str = ""
    expires: date | None = None
    variable: str | None = None
    period: str | None = None
    cell: Mapping[str, str] | None = None
    where: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("contributor", "document"):
            if not getattr(self, name).strip():
                raise InputError(
                    f"{self._at}expected the {name} of a waiver; found none. A consent counts only "
                    "with who gave it and where it is kept."
                )
        if self.expires is not None and self.expires < self.signed:
            raise InputError(
                f"{self._at}{self.told} was signed on {self.signed} and expires before, on "
                f"{self.expires}; mend one of the days."
            )

    @property
    def told(self) -> str:
        """How a person names it."""
        return f"The waiver of {self.contributor} ({self.document})"

    def not_counting(self, why: str) -> str:
        """Return the sentence that says why it does not count."""
        return f"{self.told} does not count: {why}."

    @property
    def _at(self) -> str:
        return f"{self.where}: " if self.where else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the waiver in plain types."""
        return {
            "contributor": self.contributor,
            "signed": self.signed.isoformat(),
            "document": self.document,
            "consented_by": self.consented_by,
            "expires": None if self.expires is None else self.expires.isoformat(),
            "variable": self.variable,
            "period": self.period,
            "cell": None if self.cell is None else dict(self.cell),
        }


def read_waivers(path: str | Path) -> list[Waiver]:
    """Read a file of waivers, CSV or YAML.

    Raises:
        InputError: there is no such file, or something in it is no waiver.
    """
    path = Path(path)
    return _read_yaml(path) if path.suffix.lower() in YAML_FILES else _read_csv(path)


# -- files -----------------------------------------------------------------------------------------


def _read_csv(path: Path) -> list[Waiver]:
    (first, heading), *lines = lines_of(path, wish=WISH)
    mark = max(SEPARATORS, key=lambda one: len(set(_fields(heading, one)) & set(COLUMNS)))
    names = _fields(heading, mark)
    _check_names(f"{path}, line {first}", names)
    found = []
    for number, line in lines:
        where, fields = f"{path}, line {number}", _fields(line, mark)
        if len(fields) != len(names):
            raise InputError(f"{where}: expected {len(names)} fields; found {len(fields)}.")
        found.append(_waiver(where, dict(zip(names, fields, strict=True))))
    return found


def _fields(line: str, separator: str) -> list[str]:
    try:
        return [part.strip() for part in next(csv.reader([line], delimiter=separator))]
    except csv.Error:  # a field that is longer than anything that a waiver says
        return [line]


def _read_yaml(path: Path) -> list[Waiver]:
    numbers, lines = zip(*lines_of(path, wish=WISH), strict=True)
    text = "\n".join(lines)
    try:
        # Everything stays the text that was written: 007 is a contributor, not the number 7.
        said = yaml.load(text, Loader=PlainTextLoader)  # noqa: S506 - it is a safe loader
        root = yaml.compose(text, Loader=PlainTextLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = numbers[min(mark.line, len(numbers) - 1) if mark else 0]
        raise refusal(path, line, "this is not YAML.") from error
    if not isinstance(said, list):
        raise InputError(f"{path}: expected a list of waivers; found {shown(said)}.")
    found = []
    for one, node in zip(said, root.value, strict=True):
        where = f"{path}, line {numbers[node.start_mark.line]}"
        if not isinstance(one, dict):
            raise InputError(f"{where}: expected {', '.join(NEEDED)} ...; found {shown(one)}.")
        _check_names(where, [name.value for name, _ in node.value])
        found.append(_waiver(where, one))
    return found


def _check_names(where: str, names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        if name not in COLUMNS:
            raise InputError(
                f"{where}: a waiver has {', '.join(COLUMNS)}; found {shown(name)}."
                f"{did_you_mean(name, COLUMNS)}"
            )
        if name in names[:place]:
            raise InputError(f"{where}: {name} is said twice; leave out one of them.")
    lacking = [name for name in NEEDED if name not in names]
    if lacking:
        raise InputError(f"{where}: a waiver needs {', '.join(NEEDED)}; {lacking[0]} is missing.")


def _waiver(where: str, said: Mapping[str, Any]) -> Waiver:
    text = {name: said.get(name) or None for name in COLUMNS}
    for name in set(COLUMNS) - {"cell"}:
        if not isinstance(text[name], str | None):
            raise InputError(f"{where}: expected {name} as text; found {shown(text[name])}.")
    signed = _day(where, "signed", text["signed"])
    if signed is None:
        raise InputError(f"{where}: expected the day on which the waiver was signed; found none.")
    return Waiver(
        contributor=text["contributor"] or "",
        signed=signed,
        document=text["document"] or "",
        consented_by=text["consented_by"] or "",
        expires=_day(where, "expires", text["expires"]),
        variable=text["variable"],
        period=text["period"],
        cell=_cell(where, text["cell"]),
        where=where,
    )


def _day(where: str, name: str, text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            f"{where}: expected a day as 2025-03-31 for {name}; found {shown(text)}."
        ) from error


def _cell(where: str, said: Any) -> Mapping[str, str] | None:
    if said is None:
        return None
    if isinstance(said, dict) and all(isinstance(code, str) for code in said.values()):
        return said
    parts = [part.partition("=") for part in said.split(";")] if isinstance(said, str) else []
    codes = {name.strip(): code.strip() for name, _, code in parts}
    if len(codes) != len(parts) or not all(name and code for name, code in codes.items()):
        codes = {}
    if not codes:
        raise InputError(
            f"{where}: expected a cell as `nace=62.01; region=NL3`; found {shown(said)}."
        )
    return codes
