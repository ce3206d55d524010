"""What resampling numbers and resampling categories have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask

SAMPLES_OF_KNOWN = "Samples are of as many values as there are."
Original = Annotated[
    bool, Field(description="Whether the original values are the first of the samples.")
]
Weighted = Annotated[
    bool, Field(description="Whether chances are in proportion to the sampling weights.")
]


def refuse_no_change(name: str, samples: int, *, original: bool) -> None:
    """Refuse the original values as the one sample.

    Raises:
        ValueError: nothing would change.
    """
    if original and samples == 1:
        raise ValueError(
            f"`samples` of `{name}` must be 2 or more where the first is the original; found 1, "
            "which changes nothing."
        )


def chances_of(weights: Floats | None, known: Mask | Ints) -> Floats | None:
    """Return the probability with which each known value is drawn; None if all are alike.

    >>> import numpy as np
    >>> chances_of(np.array([1.0, 5.0, 3.0]), np.array([0, 2])).tolist()
    [0.25, 0.75]
    """
    return None if weights is None else weights[known] / weights[known].sum()
