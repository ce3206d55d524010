"""What the codes of a file mean: labels of attributes and values, and why a value is missing."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
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

    @property
    def named_places(self) -> list[int]:
        """The places (from 1) of the missing codes that mean something of their own.

        They are declared one by one or have a label. The others are whatever was found within a
        range: they may be anybody's value, and masking would pass them by.
        """
        return [
            place
            for place, code in enumerate(self.missing_codes, start=1)
            if code in self.value_labels or not self._is_in_range(code)
        ]

    def _is_in_range(self, code: Code) -> bool:
        return not isinstance(code, str) and any(
            low <= code <= high for low, high in self.missing_ranges
        )

    def with_codes(self, places: Sequence[int]) -> Meaning:
        """Return the meaning with only the missing codes at some places (from 1)."""
        left = tuple(self.missing_codes[place - 1] for place in places)
        gone = set(self.missing_codes) - set(left)
        labels = {code: told for code, told in self.value_labels.items() if code not in gone}
        return replace(self, missing_codes=left, value_labels=labels)

    def with_labels(self, codes: Container[Any]) -> Meaning:
        """Return the meaning with only the labels of some codes and of those for missing values."""
        kept = {
            code: told
            for code, told in self.value_labels.items()
            if code in codes or code in self.missing_codes
        }
        return replace(self, value_labels=kept)

    def recoded(self) -> Meaning:
        """Return what is left of the meaning once the values are other ones than in the file."""
        why = {code: told for code, told in self.value_labels.items() if code in self.missing_codes}
        return replace(self, value_labels=why, display=None, properties={})
