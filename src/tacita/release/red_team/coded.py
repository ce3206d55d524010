"""Files of SPSS and Stata: cells, labels of variables and values, notes, times."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacita.errors import load_extra
from tacita.release.red_team.looking import Look
from tacita.release.red_team.tokens import canonical

TRUTH = {0: "false", 1: "true"}  # what the writer says of such columns, whatever they hold
NO_TIME = range(1900, 1971)  # years that tell of no run


def look_at_spss(look: Look, file: Path) -> None:
    """Look at all of an SPSS file."""
    _look_at(look, file, load_extra("pyreadstat", "statistics").read_sav)


def look_at_stata(look: Look, file: Path) -> None:
    """Look at all of a Stata file."""
    _look_at(look, file, load_extra("pyreadstat", "statistics").read_dta)


def _look_at(look: Look, file: Path, read: Callable[..., Any]) -> None:
    dates, meta = read(file, output_format="dict")
    stored, _ = read(
        file, output_format="dict", user_missing=True, disable_datetime_conversion=True
    )
    look.header(file, meta.column_names)
    _look_at_description(look, file, meta)
    for number, name in enumerate(meta.column_names, 1):
        stated = name in look.columns
        where = f"column `{name}`" if stated else f"column {number}"
        held = set(stored[name])
        look.released(file, f"cells of {where}", name, held | set(dates[name]))
        labels = meta.variable_value_labels.get(name, {})
        look.cells(file, f"the labels of {where}", name, [*labels, *labels.values()])
        look.text(file, f"the label of {where}", str(meta.column_names_to_labels.get(name) or ""))
        used = {canonical(value) for value in held}
        if labels != TRUTH and any(canonical(code) not in used for code in labels):
            look.report(file, f"the labels of {where}", "they name a code that no cell uses")


def _look_at_description(look: Look, file: Path, meta: Any) -> None:
    """Look at what a file says of itself."""
    told = [meta.file_label or "", meta.table_name or "", *(meta.notes or ())]
    if any(text.strip() for text in told):
        look.report(file, "its label or notes", "they say more than the cells")
        look.text(file, "its label or notes", "\n".join(told))
    for moment in (meta.creation_time, meta.modification_time):
        if isinstance(moment, dt.datetime) and moment.year not in NO_TIME:
            look.report(file, "its time", "it tells when the file was made")
