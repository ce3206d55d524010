"""Fully synthetic records in a release: what to know of records that come from nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacita.data.dataset import Dataset
from tacita.method import Method


def synthetic_warnings(
    original: Dataset, masked: Dataset, required: Iterable[Method]
) -> Iterator[str]:
    """Say what a person should know before releasing records that come from nobody.

    Args:
        original: the data as they were read.
        masked: what is to be released.
        required: the models and measures that requirements are about.
    """
    if not masked.is_synthetic:
        return
    if any(method.family == "model" and not method.from_evidence for method in required):
        yield (
            "The records are synthetic and come from nobody: what is required of their classes is "
            "a fact about the file, not a guarantee for respondents."
        )
    if original.external.holdout is None:
        yield (
            "Without a holdout nothing tells whether the synthetic records know their respondents "
            "better than strangers; set some records aside and give them as `holdout`."
        )
