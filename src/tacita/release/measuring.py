"""Measuring what is to be released: whatever applies, and why the rest does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tacita.errors import InputError, MissingExtraError, ParameterError
from tacita.method import Method
from tacita.results import Measurement, Measures

Tell = Callable[[str], None]


def measured(
    methods: Iterable[Method], original: Any, protected: Any, tell: Tell = lambda _: None
) -> Measures:
    """Measure protected data or tables, and say of the measures that do not apply why.

    Args:
        methods: the risks, utilities and attacks.
        original: the data set or table that holds the truth.
        protected: what is to be released of it.
        tell: is told the name of each measure.
    """
    found: list[Measurement] = []
    skipped: list[tuple[str, str]] = []
    for method in methods:
        tell(method.name)
        try:
            found.append(method.measure(original, protected))  # type: ignore[attr-defined]
        except (InputError, ParameterError, MissingExtraError) as reason:
            skipped.append((method.name, str(reason)))
    return Measures(found, skipped)
