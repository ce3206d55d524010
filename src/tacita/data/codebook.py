"""What the codes of a file mean: labels of attributes and values, and why a value is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Code = str | int | float


@dataclass(frozen=True)
class Meaning:
    """What a file says one of its columns means. The values in the table stay codes.

    Args:
        label: what the attribute is, in words.
        value_labels: what a code stands for.
        missing_codes: the codes that stand for a missing value and say why it is missing; the
            table is blank there, and the reasons beside it tell which code it was.
        missing_ranges: from which to which code (both included) values are missing by declaration,
            where a file says it so; infinite bounds are open ones.
        display: how the file's own program shows the values, `F8.2` for instance.
        properties: what else that program keeps of the column (measurement level, width, ...).

    >>> sex = Meaning("Sex", {1: "male", 2: "female"}, missing_codes=(9,))
    >>> sex.recoded().value_labels
    {}
    """

    label: str | None = None
    value_labels: Mapping[Code, str] = field(default_factory=dict)
    missing_codes: tuple[Code, ...] = ()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    display: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)

    def recoded(self) -> Meaning:
        """Return what is left of the meaning once the values are other ones than in the file."""
        why = {code: told for code, told in self.value_labels.items() if code in self.missing_codes}
        return replace(self, value_labels=why, display=None, properties={})
