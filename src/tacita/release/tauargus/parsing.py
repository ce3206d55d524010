"""From the text of a job to its commands.

A line holds one command, `<WORD>` and what belongs to it; lines that begin with `//` are comments,
and so is what follows `//` outside of quotes after a blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tacita.errors import InputError, did_you_mean
from tacita.release.tauargus.arguments import (
    LineError,
    called,
    file_name,
    flag_said,
    needed,
    number_said,
    parted,
    plain,
    refuse_more,
    table_number,
    told,
    whole_said,
)
from tacita.release.tauargus.commands import (
    MANUAL_MARGIN,
    Apriori,
    Clear,
    Command,
    Cost,
    GoInteractive,
    Logbook,
    OpenMetadata,
    OpenMicrodata,
    OpenTableData,
    ReadMicrodata,
    ReadTable,
    Recode,
    Rule,
    SafetyRule,
    Silent,
    Solver,
    SpecifyTable,
    Totals,
    VersionInfo,
    WriteTable,
)
from tacita.release.tauargus.suppress_line import suppress
from tacita.tables.formats.text import lines_of

COMMENT = re.compile(r'("[^"]*")|(?:^|\s)//.*')
WORD = re.compile(r"<\s*(\w+)\s*>\s*(.*)", re.DOTALL)
TOKEN = re.compile(r'"([^"]*)"|([^\s",]+)')
OPTION = re.compile(r"\s*([A-Z]{2})\s*([+-])")

RULES = {"P": (1, 3), "NK": (2, 2), "FREQ": (2, 2), "ZERO": (1, 1), "REQ": (3, 4)}
MOST_RULES = {"P": 4, "NK": 4, "FREQ": 2, "REQ": 2, "ZERO": 1}
SETTINGS = ("WGT", "MIS", "MAN")
OPTIONS = ("HL", "SO", "AR", "HI", "AS", "SE", "FL", "QU", "TR", "AO", "AD", "AC")
FORMS = (1, 2, 3, 4, 5, 6)
COSTS: Mapping[str, Cost] = {"-1": "frequency", "-2": "unity"}
TOTALS: Mapping[str, Totals] = {"0": "checked", "1": "computed", "2": "free"}
SOLVERS = ("FREE", "CPLEX", "XPRESS")
CELL_KEYS = 7  # the form of tables that were perturbed by cell keys
WISH = "commands of tau-ARGUS, such as <OPENMICRODATA>"


def read_job(path: str | Path) -> list[Command]:
    """Read the commands of a job.

    Raises:
        InputError: there is no such file, or a line cannot be understood; the message says which.
    """
    path = Path(path)
    lines = lines_of(path, wish=WISH)
    commands = [made for number, line in lines if (made := _command(path, number, line))]
    if not commands:
        raise InputError(f"{path} holds nothing but comments; expected {WISH}.")
    return commands


def _command(path: Path, number: int, line: str) -> Command | None:
    said = COMMENT.sub(lambda found: found[1] or "", line).strip()
    if not said or said.startswith(("//", "\\\\")):
        return None
    try:
        return _understood(number, said)
    except LineError as wrong:
        raise InputError(f"{path}, line {number}: {wrong}") from wrong


def _understood(number: int, said: str) -> Command:
    found = WORD.fullmatch(said)
    if found is None:
        raise LineError(f"expected a command such as <OPENMICRODATA>; found `{said}`.")
    word, rest = found[1].upper(), found[2].strip()
    if word not in COMMANDS:
        reason = NOT_HERE.get(word, "")
        if reason:
            raise LineError(f"<{word}> {reason}")
        raise LineError(f"the command <{word}> is unknown.{did_you_mean(word, COMMANDS)}")
    return COMMANDS[word](number, rest)


# -- single commands -------------------------------------------------------------------------------


def _open_microdata(line: int, rest: str) -> Command:
    return OpenMicrodata(line=line, file=file_name(rest))


def _open_table_data(line: int, rest: str) -> Command:
    return OpenTableData(line=line, file=file_name(rest))


def _open_metadata(line: int, rest: str) -> Command:
    return OpenMetadata(line=line, file=file_name(rest))


def _specify_table(line: int, rest: str) -> Command:
    spanning, *others = parted(rest, "|")
    by = tuple(quoted or plain for quoted, plain in TOKEN.findall(spanning))
    if not by or not others:
        raise LineError(
            'expected the variables and the response, like "Size""Region"|"Turnover"||; found '
            f"`{rest}`."
        )
    response, shadow, priced, *more = (*others, "", "")[: max(3, len(others))]
    if any(more):
        raise LineError(f"expected up to four parts between `|`; found {len(others) + 1}.")
    cost, *power = parted(priced, ",")
    if len(power) > 1:
        raise LineError(f"expected a cost and its power, like -1,0.5; found `{priced}`.")
    if plain(cost) == "-3":
        raise LineError(
            "costs by distance (-3) are not known here; name a variable, -1 (frequency) or -2 "
            "(every cell alike)."
        )
    word = COSTS.get(plain(cost))
    return SpecifyTable(
        line=line,
        by=by,
        response=None if plain(response).upper() == "<FREQ>" else needed(response, "response"),
        shadow=plain(shadow) or None,
        cost=None if word else plain(cost) or None,
        cost_word=word,
        power=number_said(power[0]) if power and power[0].strip() else 1.0,
    )


def _safety_rule(line: int, rest: str) -> Command:
    rules: list[Rule] = []
    settings: dict[str, float] = {}
    for said in filter(str.strip, parted(rest, "|")):
        name, numbers, more = called(said)
        if more:
            raise LineError(f"expected `|` after {name}(...); found `{more}`.")
        if name in SETTINGS:
            settings[name] = _setting(name, numbers)
        else:
            rules.append(_rule(name, numbers, rules))
    return SafetyRule(
        line=line,
        rules=tuple(rules),
        is_weighted=settings.get("WGT") == 1,
        missing_is_safe=settings.get("MIS") == 1,
        manual_margin=settings.get("MAN", MANUAL_MARGIN),
    )


def _setting(name: str, numbers: Sequence[float]) -> float:
    if len(numbers) != 1 or (name != "MAN" and numbers[0] not in (0, 1)) or numbers[0] < 0:
        wish = "a percentage of 0 or more" if name == "MAN" else "0 or 1"
        raise LineError(f"{name} takes {wish}; found {told(numbers)}.")
    return numbers[0]


def _rule(name: str, numbers: tuple[float, ...], before: Sequence[Rule]) -> Rule:
    if name not in RULES:
        raise LineError(f"the rule {name} is unknown.{did_you_mean(name, [*RULES, *SETTINGS])}")
    fewest, most = RULES[name]
    if not fewest <= len(numbers) <= most:
        wish = str(most) if fewest == most else f"{fewest} to {most}"
        raise LineError(f"{name} takes {wish} numbers; found {told(numbers)}.")
    if sum(rule.name == name for rule in before) == MOST_RULES[name]:
        raise LineError(f"expected at most {MOST_RULES[name]} rules {name}; found another.")
    return Rule(name, numbers)


def _read_microdata(line: int, rest: str) -> Command:
    refuse_more(rest)
    return ReadMicrodata(line=line)


def _read_table(line: int, rest: str) -> Command:
    found = re.fullmatch(r"([012]?)\s*([TtFf]?)", rest)
    if found is None:
        raise LineError(f"expected nothing, or 0, 1 or 2 and perhaps T or F; found `{rest}`.")
    return ReadTable(
        line=line, totals=TOTALS[found[1] or "0"], keeps_statuses=found[2].upper() == "T"
    )


def _apriori(line: int, rest: str) -> Command:
    words = [quoted or plain for quoted, plain in TOKEN.findall(rest)]
    if not 3 <= len(words) <= 5:  # noqa: PLR2004 - as the sentence says
        raise LineError(
            "expected a file, the number of a table, a separator and perhaps two flags, like "
            f'"a.hst", 1, ";", 0, 0; found `{rest}`.'
        )
    file, table, separator, *flags = words
    if len(separator) != 1:
        raise LineError(f"expected one character as the separator; found `{separator}`.")
    skips, expands = ([flag_said(flag) for flag in flags] + [True, False][len(flags) :])[:2]
    return Apriori(
        line=line,
        file=file,
        table=table_number(table),
        separator=separator,
        skips_errors=skips,
        expands_trivial=expands,
    )


def _recode(line: int, rest: str) -> Command:
    parts = [part.strip() for part in rest.split(",", 2)]
    if len(parts) != 3 or not all(parts):  # noqa: PLR2004 - as the sentence says
        raise LineError(
            "expected the number of a table, a variable and a recode file or a level; found "
            f"`{rest}`."
        )
    table, variable, how = parts[0], plain(parts[1]), plain(parts[2])
    is_level = len(how) == 1 and how in "123456789"
    return Recode(
        line=line,
        table=table_number(table),
        variable=variable,
        file=None if is_level else how,
        level=int(how) if is_level else None,
    )


def _write_table(line: int, rest: str) -> Command:
    inside = rest.removeprefix("(").removesuffix(")")
    parts = [part.strip() for part in inside.split(",", 3)]
    if rest[:1] + rest[-1:] != "()" or len(parts) != 4:  # noqa: PLR2004 - as the sentence says
        raise LineError(
            f'expected a table, a form, options and a file, like (1, 3, AS+, "out.txt"); found '
            f"`{rest}`."
        )
    form = whole_said(parts[1])
    if form == CELL_KEYS:
        raise LineError("form 7 is of tables perturbed by cell keys, which jobs do not make here.")
    if form not in FORMS:
        raise LineError(f"expected a form from 1 to 6; found {parts[1]}.")
    on, off = _options(plain(parts[2]).upper())
    return WriteTable(
        line=line,
        table=table_number(parts[0]),
        form=form,  # type: ignore[arg-type] # it was just checked
        options=on,
        off=off,
        file=file_name(parts[3]),
    )


def _options(said: str) -> tuple[frozenset[str], frozenset[str]]:
    marks = OPTION.findall(said)
    if OPTION.sub("", said).strip():
        raise LineError(f"expected options such as AS+SE-; found `{said}`.")
    for word, _ in marks:
        if word not in OPTIONS:
            raise LineError(f"the option {word} is unknown; there are {', '.join(OPTIONS)}.")
    return tuple(frozenset(word for word, mark in marks if mark == sign) for sign in "+-")  # type: ignore[return-value]


def _logbook(line: int, rest: str) -> Command:
    return Logbook(line=line, file=file_name(rest))


def _version_info(line: int, rest: str) -> Command:
    return VersionInfo(line=line, file=file_name(rest))


def _solver(line: int, rest: str) -> Command:
    name = plain(rest.partition(",")[0]).upper()
    if name not in SOLVERS:
        raise LineError(f"expected one of {', '.join(SOLVERS)}; found `{name}`.")
    return Solver(line=line, name=name)


def _go_interactive(line: int, rest: str) -> Command:
    refuse_more(rest)
    return GoInteractive(line=line)


def _silent(line: int, rest: str) -> Command:
    refuse_more(rest)
    return Silent(line=line)


def _clear(line: int, rest: str) -> Command:
    refuse_more(rest)
    return Clear(line=line)


COMMANDS: Mapping[str, Callable[[int, str], Command]] = {
    "OPENMICRODATA": _open_microdata,
    "OPENTABLEDATA": _open_table_data,
    "OPENMETADATA": _open_metadata,
    "SPECIFYTABLE": _specify_table,
    "SAFETYRULE": _safety_rule,
    "READMICRODATA": _read_microdata,
    "READTABLE": _read_table,
    "APRIORI": _apriori,
    "APRIORY": _apriori,
    "RECODE": _recode,
    "SUPPRESS": suppress,
    "WRITETABLE": _write_table,
    "LOGBOOK": _logbook,
    "VERSIONINFO": _version_info,
    "SOLVER": _solver,
    "GOINTERACTIVE": _go_interactive,
    "SILENT": _silent,
    "CLEAR": _clear,
}
NOT_HERE = {
    "JJ": "runs a JJ file; protect it with `tacita tables protect` instead.",
    "COVER": "is of tau-ARGUS alone: linked tables need no cover table here. Remove the line.",
    "ANCO": "is a switch of the makers of tau-ARGUS; remove the line.",
}
