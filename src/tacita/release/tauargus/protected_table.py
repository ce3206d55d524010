"""A table of a job on its way: as it was judged, as it is protected, and how it is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.data.formats.rda import find
from tacita.release.tauargus.commands import SafetyRule, SpecifyTable
from tacita.release.tauargus.spelling import Spelling
from tacita.tables.apriori import GIVEN
from tacita.tables.dimension import NONE
from tacita.tables.formats.code_value import IDS, USUAL
from tacita.tables.formats.listing import Meaning
from tacita.tables.judging import WAIVER
from tacita.tables.status import Status
from tacita.tables.table import BY_HAND, Table

Tags = Mapping[str, tuple[str, ...]]
HIERARCHY = ("CODELIST", "HIERARCHICAL", "HIERLEVELS", "HIERCODELIST", "HIERLEADSTRING")
EMPTY = 14
STATUSES = {  # what tau-ARGUS calls its statuses
    1: "safe",
    2: "safe (manual)",
    3: "unsafe",
    4: "unsafe (request)",
    5: "unsafe (frequency)",
    6: "unsafe (zero cell)",
    9: "unsafe (manual)",
    10: "protected",
    11: "secondary",
    12: "secondary (from manual)",
    14: "empty",
}


@dataclass(frozen=True, eq=False)
class JobTable:
    """A table of a job.

    Args:
        asked: what it is made of.
        safety: the rules for it.
        judged: the table with its sensitive cells.
        spellings: how the codes of its variables are written.
        decimals: how many decimals its values have.
        described: what descriptions say of the hierarchies of its variables, tag by tag.
        respondents: the table as respondents contribute to it, where rules looked at holdings.
        table: the table as it is now, perhaps protected.
        published: the values that are published in the place of the true ones, once it was rounded
            or adjusted.
        perturbed_as: how it was: `Round` or `CTA`.
    """

    asked: SpecifyTable
    safety: SafetyRule
    judged: Table
    spellings: tuple[Spelling, ...]
    decimals: int
    described: tuple[Tags, ...]
    table: Table
    respondents: Table | None = None
    published: Floats | None = field(default=None)
    perturbed_as: str = ""

    @property
    def name(self) -> str:
        """How tau-ARGUS calls the table."""
        return f"{' x '.join(self.asked.by)} | {self.asked.response or '<FREQ>'}"

    @property
    def is_manual(self) -> Any:
        """Which cells have a status that somebody gave them, before anything was suppressed."""
        return np.isin(self.judged.cells.reason.astype(str), [GIVEN, WAIVER])

    def status_numbers(self) -> Ints:
        """Return the status of every cell as tau-ARGUS numbers it."""
        cells, manual = self.table.cells, self.is_manual
        return np.array(
            [
                _number(Status(status), str(reason), by_person=bool(by_person))
                for status, reason, by_person in zip(
                    cells.status.tolist(), cells.reason, manual, strict=True
                )
            ],
            np.int64,
        )

    def counts(self) -> dict[int, int]:
        """Return how many cells have each status, empty ones among them."""
        told = Counter(self.status_numbers().tolist())
        told[EMPTY] = prod(map(len, self.codes())) - len(self.table)
        return {number: told[number] for number in STATUSES if told[number]}

    # -- as it is written ------------------------------------------------------------------------

    def codes(self) -> list[list[str]]:
        """Return the codes of every variable as they are written, in their order."""
        return [
            [spelling.word(code) for code in (*dimension.codes, *self._unheld(axis))]
            for axis, (dimension, spelling) in enumerate(
                zip(self.table.dimensions, self.spellings, strict=True)
            )
        ]

    def rows(self) -> Ints:
        """Return the row of every combination of codes, the last variable fastest; -1 if empty."""
        numbers = np.zeros(1, np.int64)
        for axis, (dimension, stride) in enumerate(
            zip(self.table.dimensions, self.table.strides, strict=True)
        ):
            steps = np.arange(len(dimension)) * int(stride)
            absent = np.full(len(self._unheld(axis)), NOWHERE)
            numbers = (numbers[:, None] + np.concatenate([steps, absent])[None, :]).ravel()
        rows: Ints = np.where(numbers < 0, NONE, self.table.find(np.maximum(numbers, 0)))
        return rows

    def _unheld(self, axis: int) -> list[str]:
        """Return the codes for missing values that nobody has."""
        held = self.table.dimensions[axis].places
        return [code for code in self.spellings[axis].missing if code not in held]

    def depths(self, axis: int) -> list[int]:
        """Return how far below the total every code of a variable lies; 0 without a hierarchy."""
        dimension, extra = self.table.dimensions[axis], self._unheld(axis)
        if not self.spellings[axis].is_hierarchical:
            return [0] * (len(dimension) + len(extra))
        return [*(dimension.depth(place) for place in range(len(dimension))), *[1] * len(extra)]


def hierarchy_tags(tags: Tags, folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the tags that say how codes lie below each other, files with the folder they are in.

    Args:
        tags: all tags of a variable.
        folder: where its description lies.
    """
    said = {tag: tuple(tags[tag]) for tag in HIERARCHY if tag in tags}
    for tag in ("CODELIST", "HIERCODELIST"):
        place = find(folder, said[tag][0]) if said.get(tag) else None
        if place is not None:
            said[tag] = (str(place),)
        else:
            said.pop(tag, None)
    return said


NOWHERE = -(2**62)  # below every number of a combination, whatever is added to it


def _number(status: Status, reason: str, *, by_person: bool) -> int:
    if status is Status.SAFE:
        return 2 if by_person or reason in (GIVEN, WAIVER) else 1
    if status is Status.SECONDARY:
        return 12 if by_person or reason == BY_HAND else 11
    return int(IDS.get(Meaning(status, reason), USUAL[status]))
