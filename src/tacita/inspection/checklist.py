"""The Safe Harbor of HIPAA: a checklist of its 18 identifiers, and a plan that sees to them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from tacita.inspection.result import Inspection, Row, aligned
from tacita.inspection.roles import NUMBERED, OLDEST
from tacita.inspection.safe_harbor import Concern, Remedy, earliest_birth
from tacita.inspection.vocabulary import HIPAA
from tacita.inspection.written import Step, comment, dumped, indented, item, source_lines
from tacita.results import counted, listed

RULE = "45 CFR 164.514(b)(2)"
PROFILE = "hipaa_safe_harbor"
COLUMNS = ("", "identifier", "found in", "what is done")
NAMED = 8  # attributes that a sentence names
NOTHING = "nothing found"
KNOWLEDGE = (
    "Nobody may actually know that what is left identifies somebody, alone or together with other "
    f"information ({RULE}(ii)): rare diagnoses, occupations and events need a person's eye."
)
CENSUS = (
    "The ZIP codes of areas with 20,000 people or fewer follow the census of 2000; check whether a "
    "newer list applies, and say it with `restricted`."
)
NAMES_ONLY = (
    "Identifiers are found by the names of attributes and, value by value, by forms and check "
    "digits. Check that codes, labels and answers hold no names and no numbers in another form."
)


@dataclass(frozen=True, repr=False)
class SafeHarbor:
    """What the Safe Harbor asks of some data: found per identifier, done about it, left to people.

    Args:
        found: the inspection.
    """

    found: Inspection

    @property
    def concerns(self) -> dict[str, Concern]:
        """The attributes that the rule is about, in the order of the file."""
        return {one.name: one.safe_harbor for one in self.found.attributes if one.safe_harbor}

    @cached_property
    def _detected(self) -> dict[str, set[str]]:
        """The letters of the identifiers that the values of each attribute hold."""
        return {
            one.name: {found.hipaa for found in one.detections if found.detector not in NUMBERED}
            for one in self.found.attributes
        }

    def checklist(self) -> list[Row]:
        """Return a line for each of the 18 identifiers: where it was found, and what is done."""
        return [self._row(letter, what) for letter, what in HIPAA.items()]

    def _row(self, letter: str, what: str) -> Row:
        mine = {
            name: about
            for name, about in self.concerns.items()
            if about.letter == letter or letter in self._detected[name]
        }
        done = "; ".join(
            f"{listed([n for n, about in mine.items() if about.remedy is remedy], NAMED)}: {remedy}"
            for remedy in Remedy
            if any(about.remedy is remedy for about in mine.values())
        )
        return letter, what, listed(list(mine), NAMED) or NOTHING, done

    def eye(self) -> list[str]:
        """Return what a person must look at, in sentences."""
        told = [f"`{name}`: {about.why}" for name, about in self.concerns.items() if about.why]
        zips = [CENSUS] if self._with(Remedy.ZIP) else []
        return [*told, *zips, NAMES_ONLY, KNOWLEDGE]

    def _with(self, *remedies: Remedy) -> list[str]:
        return [name for name, about in self.concerns.items() if about.remedy in remedies]

    def __repr__(self) -> str:
        size = counted(len(self.found.attributes), "attribute")
        lines = aligned([COLUMNS, *self.checklist()])
        return "\n".join([f"{RULE}: {size}", *lines, *(f"Check: {one}" for one in self.eye())])

    def to_dict(self) -> dict[str, Any]:
        """Return the checklist in plain types, for JSON."""
        attributes = [
            {"name": name, "letter": about.letter, "done": about.remedy.value, "why": about.why}
            for name, about in self.concerns.items()
        ]
        return {"rule": RULE, "attributes": attributes, "check": self.eye()}

    # -- the plan --------------------------------------------------------------------------------

    def plan(self, folder: str | PathLike[str] = ".") -> str:
        """Return a plan file that does all this, with the checklist in comments.

        Args:
            folder: where the plan will lie; the path of the source starts there.
        """
        return "\n".join(
            [
                *self._heading(),
                "data:",
                *indented(source_lines(self.found, Path(folder)), 1),
                "  attributes:",
                *indented(self._attributes(), 2),
                "  undeclared: refuse",
                "microdata:",
                f"  profile: {PROFILE}",
                "  steps:",
                *indented(self._steps(), 1),
                "release:",
                "  format: csv",
                "",
            ]
        )

    def _heading(self) -> Iterator[str]:
        yield from comment(
            f"The Safe Harbor of HIPAA, {RULE}, as far as names and values show it. Check every "
            "line before you run it."
        )
        for letter, what, where, done in self.checklist():
            yield from comment(f"{letter} {what}: {done or where}.")
        for sentence in self.eye():
            yield from comment(f"Check: {sentence}")

    def _attributes(self) -> Iterator[str]:
        for one in self.found.attributes:
            for sentence in one.reasons:
                yield from comment(sentence)
            said = {word: value for word, value in one.declared().items() if word != "hierarchy"}
            yield from dumped({one.name: said})

    def _steps(self) -> Iterator[str]:
        if dropped := self._with(Remedy.DROP):
            yield from item({"drop": {"attributes": dropped}})
        for step, sentence in self._masking():
            yield from indented(comment(sentence), 1) if sentence else ()
            yield from item(step)
        yield from item("shuffle_records")

    def _masking(self) -> Iterator[tuple[Step, str]]:
        """Yield the steps that keep a part of an attribute, each with what is to be said of it."""
        first = earliest_birth()
        early = f"{first} stands for all earlier years too: they tell ages over {OLDEST}."
        for name in self._with(Remedy.BIRTH_DATE):
            yield {"bottom_code": {"attribute": name, "below": dt.date(first, 1, 1)}}, early
        for name in self._with(Remedy.BIRTH_YEAR):
            yield {"bottom_code": {"attribute": name, "below": first}}, early
        for name in self._with(Remedy.BIRTH_DATE, Remedy.YEAR):
            yield {"recode": {"attribute": name, "unit": "year"}}, ""
        for name in self._with(Remedy.AGE):
            label = f"{OLDEST + 1}+"
            yield {"top_code": {"attribute": name, "above": OLDEST, "label": label}}, ""
        for name in self._with(Remedy.ZIP):
            yield {"safe_harbor_zip": name}, CENSUS
