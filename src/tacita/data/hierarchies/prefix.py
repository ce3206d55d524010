"""Hierarchies of codes whose first characters mean the most: postal, industry, region codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.hierarchies import not_covered
from tacita.errors import HierarchyError


@dataclass(frozen=True)
class Prefix:
    """Generalize a code by masking its last characters, one more at each level.

    Args:
        length: the number of characters of every code (1 or more); also the height.

    >>> Prefix(5).labels(pa.array(["94138", "94141"]), 2).to_pylist()
    ['941**', '941**']
    """

    length: int

    def __post_init__(self) -> None:
        if isinstance(self.length, bool) or not isinstance(self.length, int) or self.length < 1:
            raise HierarchyError(
                "`prefix` takes the number of characters of a code (1 or more); "
                f"found {self.length!r}."
            )

    @property
    def height(self) -> int:
        """One level a character."""
        return self.length

    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Return the codes with their last `level` characters masked by `*`."""
        codes = values.cast(pa.string())
        wrong = pc.not_equal(pc.utf8_length(codes), self.length)
        if pc.any(wrong).as_py():
            raise not_covered(codes.filter(wrong), f"every code must have {self.length} characters")
        kept = pc.utf8_slice_codeunits(codes, 0, self.length - level)
        return pc.binary_join_element_wise(kept, "*" * level, "")

    def specification(self) -> dict[str, Any]:
        """Return `{prefix: length}`."""
        return {"prefix": self.length}
