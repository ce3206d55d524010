"""The files that a table can be taken away in: for the public, or for the house alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KINDS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".zip": "application/zip",
}
OTHER = "application/octet-stream"


@dataclass(frozen=True)
class Export:
    """A kind of file.

    Args:
        label: what it is, in words.
        suffix: how its name ends.
        form: the form of `tacita.tables.formats`.
        is_public: whether it holds what anybody may read, and nothing else.
        options: what is said to the form besides.
    """

    label: str
    suffix: str
    form: str
    is_public: bool = False
    options: Mapping[str, str] = field(default_factory=dict)


EXPORTS: Mapping[str, Export] = {
    "csv": Export("CSV, one row a cell", ".csv", "csv", is_public=True),
    "xlsx": Export("Excel workbook", ".xlsx", "excel", is_public=True),
    "html": Export("HTML page", ".html", "html", is_public=True),
    "sdmx": Export("SDMX-CSV", ".csv", "sdmx", is_public=True),
    "internal-csv": Export(
        "CSV with all that is known", ".csv", "csv", options={"view": "internal"}
    ),
    "internal-html": Export(
        "HTML page with values and intervals", ".html", "html", options={"view": "internal"}
    ),
    "jj": Export("JJ: cells and relations for solvers", ".jj", "jj"),
    "tab": Export("tau-ARGUS table with its description", ".tab", "tab"),
    "intermediate": Export("tau-ARGUS intermediate file", ".int", "intermediate"),
    "sbs": Export("SBS, for transmission to Eurostat", ".sbs", "sbs"),
}
