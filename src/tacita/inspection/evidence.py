"""What is seen of an attribute: what its name means, what its values look like."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.inspection.columns import Column
from tacita.inspection.detectors import Detection, Values, detections
from tacita.inspection.names import Meant, meaning, words
from tacita.inspection.shapes import Seen, shape_of
from tacita.inspection.vocabulary import Concept

FREE_TEXT = "free_text"


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that speaks for a role or a kind of an attribute.

    Args:
        column: its values.
        meant: what its name or label means, if that is known.
        seen: the shape of its values, if they have one.
        detections: what its values hold that must not be released.
    """

    column: Column
    meant: Meant | None = None
    seen: Seen | None = None
    detections: tuple[Detection, ...] = ()

    @property
    def free_text(self) -> bool:
        """Whether its values are free text."""
        return any(one.detector == FREE_TEXT for one in self.detections)

    @property
    def concept(self) -> Concept | None:
        """What the name means, if that is known."""
        return None if self.meant is None else self.meant.concept

    def means(self, *names: str) -> bool:
        """Tell whether the name means one of some concepts."""
        return self.concept is not None and self.concept.name in names

    def has_word(self, known: frozenset[str]) -> bool:
        """Tell whether one of the words that tell what the attribute is are among some."""
        by_label = self.meant is not None and self.meant.by == "label"
        said = self.column.label if by_label else self.column.name
        return not known.isdisjoint(words(said or ""))


def evidence_of(column: Column) -> Evidence:
    """Look at the name and the values of an attribute."""
    meant = meaning(column.name, column.label)
    seen = shape_of(column.values, None if meant is None else meant.concept)
    return Evidence(column, meant, seen, detections(Values(column)))
