"""Whether a model counts the sampling weights: by default it does."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.microdata.masking.perturbing.numbers import weights_of

Weighted = Annotated[
    bool | None,
    Field(
        description="Whether statistics are those that the sampling weights say; by default where "
        "there are weights. Without them, weighted totals are not kept."
    ),
]


def model_weights(data: Dataset, method: str, weighted: bool | None) -> Floats | None:
    """Return the sampling weights that a model counts, if any.

    >>> import tacita as ta
    >>> model_weights(ta.example("toy", 3), "cholesky", None).shape
    (3,)

    Raises:
        ParameterError: they are to be counted, and there are none.
    """
    return data.weight if weighted is None else weights_of(data, method, weighted)
