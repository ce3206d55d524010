"""What may happen to a cell of a table."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from tacita.data.classes import Mask

Statuses = np.ndarray[Any, np.dtype[np.int8]]


class Status(IntEnum):
    """What was decided about a cell.

    SAFE is published, and may be suppressed to protect others; SENSITIVE is suppressed because a
    rule or a person says so (a primary suppression); SECONDARY is suppressed to protect others;
    PUBLISHED is published and must not be suppressed.
    """

    SAFE = 0
    SENSITIVE = 1
    SECONDARY = 2
    PUBLISHED = 3

    @property
    def word(self) -> str:
        """The status as people say it."""
        return self.name.lower()


def is_suppressed(status: Statuses) -> Mask:
    """Tell which cells are not shown.

    >>> is_suppressed(np.array([Status.SAFE, Status.SENSITIVE, Status.SECONDARY], np.int8))
    array([False,  True,  True])
    """
    hidden: Mask = (status == Status.SENSITIVE) | (status == Status.SECONDARY)
    return hidden
