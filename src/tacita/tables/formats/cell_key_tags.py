"""What a description of microdata (`.rda`) says of the cell-key method, as tau-ARGUS reads it.

::

    Savings 4
      <NUMERIC>
      <CKM> T(3)
      <INCLUDEZEROS> N
      <SEPARATION> Y
      <PARITY> N
      <SCALING> F(0.03,0.30,1000,3,0.5,0.2)
    Key 10
      <RECORDKEY>
      <DECIMALS> 8
      <PFILE> "counts.txt"
      <PFILE_CONT> "all.txt"
      <PFILE_SEP> "small.txt"

`<CKM>` says what noise is a share of: `T(n)` the n largest contributions, `M` their mean, `V` the
value, `D` the difference of the largest and the smallest, `N` that there is none. `<SCALING>` is
F(share of large, share of small contributions, flex point, power, fading ...) or N(share, fading
...).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.data.formats.rda import TOKEN, find
from tacita.errors import InputError
from tacita.tables.formats.text import lines_of, refusal

NUMBER = r"\d+(?:\.\d*)?"
CALL = re.compile(rf"([A-Z])(?:\(({NUMBER}(?:,{NUMBER})*)\))?", re.IGNORECASE)
MAGNIFIERS = {"T": "largest", "M": "mean", "V": "value"}
FLEX, SIMPLE = ("F", 4), ("N", 1)  # what a scaling is called, and its numbers before the fading
YES_OR_NO = {"Y": True, "N": False}
DIGITS = 15


@dataclass(frozen=True)
class CellKeyTags:
    """What is said of the cell-key method.

    Args:
        keys: the variable that holds the record keys.
        digits: how many digits after the point they have.
        p_table: the perturbation table for counts; None where none is named.
        magnitudes: for every variable that may have noise, the parameters of
            `cell_key_magnitudes`.
        keys_over: for each of them, whose keys are added up, as `tabulate` says it.
    """

    keys: str
    digits: int
    p_table: str | None = None
    magnitudes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    keys_over: Mapping[str, str] = field(default_factory=dict)


def read(path: Path) -> CellKeyTags:
    """Read what a description says of the cell-key method.

    Args:
        path: the `.rda` file; tables of noise are looked for beside it.

    Raises:
        InputError: no variable holds record keys, a tag cannot be understood, or a file is not
            there.
    """
    path = Path(path)
    tags = _tags(path)
    keys = next((name for name, said in tags.items() if "RECORDKEY" in said), None)
    if keys is None:
        raise InputError(f"{path} names no variable with the tag <RECORDKEY>.")
    said = tags[keys]
    digits = _whole(path, *said["DECIMALS"]) if "DECIMALS" in said else DIGITS
    of_counts = said.get("PFILE", said.get("PFILE_FREQ"))
    chosen = {name: one for name, one in tags.items() if _has_noise(path, one)}
    return CellKeyTags(
        keys,
        digits,
        None if of_counts is None else _file(path, *of_counts),
        {name: _magnitude(path, one, said, digits) for name, one in chosen.items()},
        {
            name: "records" if _is_yes(path, one, "INCLUDEZEROS") else "contributions"
            for name, one in chosen.items()
        },
    )


Said = tuple[int, str]  # the line of a tag, and what follows it


def _has_noise(path: Path, said: Mapping[str, Said]) -> bool:
    return "CKM" in said and _call(path, *said["CKM"])[0] != "N"


def _tags(path: Path) -> dict[str, dict[str, Said]]:
    """Return the tags of every variable."""
    tags: dict[str, dict[str, Said]] = {}
    name = None
    for line, text in lines_of(path):
        words = [quoted or plain for quoted, plain in TOKEN.findall(text) if quoted or plain]
        if not words:
            continue
        if not words[0].startswith("<"):
            name = words[0]
            tags[name] = {}
        elif name is not None:
            tags[name][words[0].strip("<>").upper()] = line, "".join(words[1:])
    return tags


def _magnitude(
    path: Path, said: Mapping[str, Said], of_keys: Mapping[str, Said], digits: int
) -> dict[str, Any]:
    """Return the parameters that a variable's noise has."""
    line, _ = said["CKM"]
    magnifier, numbers = _call(path, *said["CKM"])
    if magnifier not in MAGNIFIERS:
        raise refusal(path, line, "expected T(n), M, V or N after <CKM>; others have no method.")
    top = int(numbers[0]) if magnifier == "T" and numbers else 1
    found = {"magnifier": MAGNIFIERS[magnifier], "digits": digits, **_scaling(path, said, top)}
    found["parity"] = _is_yes(path, said, "PARITY")
    found["p_table"] = _file(path, *_needed(path, of_keys, "PFILE_CONT", line))
    if _is_yes(path, said, "SEPARATION"):
        found["small_table"] = _file(path, *_needed(path, of_keys, "PFILE_SEP", line))
    return found


def _scaling(path: Path, said: Mapping[str, Said], top: int) -> dict[str, Any]:
    line, _ = _needed(path, said, "SCALING", said["CKM"][0])
    kind, numbers = _call(path, *said["SCALING"])
    ahead = dict((FLEX, SIMPLE)).get(kind)
    if ahead is None or len(numbers) != ahead + top - 1:
        raise refusal(
            path,
            line,
            "expected F(share of large, share of small contributions, flex point, power, fading "
            f"...) or N(share, fading ...) with {top - 1} numbers of fading.",
        )
    fading = tuple(numbers[ahead:])
    if kind == "N":
        return {"share": numbers[0], "fading": fading}
    large, share, point, power = numbers[:ahead]
    found = {"share": share, "large_share": large, "flex_point": point, "power": power}
    return {**found, "fading": fading}


def _call(path: Path, line: int, text: str) -> tuple[str, Sequence[float]]:
    """Read a letter with numbers in brackets."""
    match = CALL.fullmatch(text)
    if match is None:
        raise refusal(
            path, line, f"expected a letter, perhaps with numbers in brackets; found `{text}`."
        )
    return match[1].upper(), [float(word) for word in (match[2] or "").split(",") if word]


def _is_yes(path: Path, said: Mapping[str, Said], tag: str) -> bool:
    line, word = said.get(tag, (0, "N"))
    if word.upper() not in YES_OR_NO:
        raise refusal(path, line, f"expected Y or N after <{tag}>; found `{word}`.")
    return YES_OR_NO[word.upper()]


def _needed(path: Path, said: Mapping[str, Said], tag: str, line: int) -> Said:
    if tag not in said:
        raise refusal(path, line, f"the cell-key method needs the tag <{tag}>, which is not there.")
    return said[tag]


def _whole(path: Path, line: int, word: str) -> int:
    if not word.isdecimal():
        raise refusal(path, line, f"expected a whole number after <DECIMALS>; found `{word}`.")
    return int(word)


def _file(path: Path, line: int, name: str) -> str:
    found = find(path.parent, name)
    if found is None:
        raise refusal(path, line, f"there is no file `{name}` beside it.")
    return str(found)
