"""What a source holds: its columns, and everything it says of them itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.codebook import Meaning
from tacita.data.declaration import Declaration

Reasons = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True, eq=False)
class Contents:
    """What a reader gives and a writer takes.

    Args:
        table: the values; a missing one is null, whatever its code.
        codebook: what the columns mean, where the format can say it.
        reasons: for a column with coded missing values, why each value is missing: 0 where it is
            not or nobody said, else the place (from 1) in `codebook[column].missing_codes`.
        said: what the source declares of its attributes (roles, kinds, hierarchies); what a person
            says goes before it.
        found: how the source turned out to be laid out (delimiter, encoding, ...), for people.
        warnings: what a person should check, one sentence each.
    """

    table: pa.Table
    codebook: Mapping[str, Meaning] = field(default_factory=dict)
    reasons: Mapping[str, Reasons] = field(default_factory=dict)
    said: Mapping[str, Declaration] = field(default_factory=dict)
    found: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def meaning(self, name: str) -> Meaning:
        """Return what a column means; nothing said means nothing."""
        return self.codebook.get(name, Meaning())
