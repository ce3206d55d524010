"""Measuring what is to be released: whatever applies, and why the rest does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tacita.data.dataset import Dataset
from tacita.errors import InputError, MissingExtraError, ParameterError
from tacita.method import Method
from tacita.results import Measurement, Measures

if TYPE_CHECKING:
    from tacita.intruders.intruder import Intruder

Tell = Callable[[str], None]


def measured(
    methods: Iterable[Method],
    original: Any,
    protected: Any,
    tell: Tell = lambda _: None,
    intruder: Intruder | None = None,
) -> Measures:
    """Measure protected data or tables, and say of the measures that do not apply why.

    Args:
        methods: the risks, utilities and attacks.
        original: the data set or table that holds the truth.
        protected: what is to be released of it.
        tell: is told the name of each measure.
        intruder: who attacks the data; by default the worst case that each measure assumes.
    """
    measure = measuring(original, protected, intruder)
    found: list[Measurement] = []
    skipped: list[tuple[str, str]] = []
    for method in methods:
        tell(method.name)
        try:
            found.append(measure(method))
        except (InputError, ParameterError, MissingExtraError) as reason:
            skipped.append((method.name, str(reason)))
    return Measures(found, skipped)


def measuring(
    original: Any, protected: Any, intruder: Intruder | None = None
) -> Callable[[Method], Measurement]:
    """Return what measures protected data or tables, for an intruder if there is one.

    It refuses measures whose numbers would mean nothing after what was done to the data.
    """
    measure = _measuring(original, protected, intruder)
    if not isinstance(protected, Dataset):
        return measure
    refuse = refusing(original, protected, intruder)

    def applicable(method: Method) -> Measurement:
        refuse(method)
        return measure(method)

    return applicable


def refusing(
    original: Dataset, protected: Dataset, intruder: Intruder | None = None
) -> Callable[[Method], None]:
    """Return what refuses measures whose numbers would mean nothing on a release."""
    from tacita.intruders.applying import Applying

    return Applying(original, protected, intruder).refuse


def _measuring(
    original: Any, protected: Any, intruder: Intruder | None
) -> Callable[[Method], Measurement]:
    if intruder is None:
        return lambda method: method.measure(original, protected)  # type: ignore[attr-defined]
    from tacita.intruders.measuring import Knowing

    return Knowing(intruder, original, protected).measure
