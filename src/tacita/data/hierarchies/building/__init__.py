"""Hierarchies for those who have none, made from the values of a column: one file a way.

| way | values | what it makes |
|---|---|---|
| `intervals` | numbers | intervals of equal, round widths |
| `quantiles` | numbers, ordinal categories | classes of nearly equal numbers of records |
| `frequencies` | categories | rare categories gathered first |
| `prefixes` | codes, of one length or several | their beginnings |
| `dates` | dates | the calendar units that their range needs |
| `clustering` | numbers; categories beside another attribute | classes of values that lie near |

What is made depends on the data: on confidential data, its bounds and labels tell of them. Whoever
must be able to do the same again keeps the hierarchy that was made, not how it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.building.values import Values
from tacita.errors import HierarchyError, did_you_mean, shown

MADE_ONLY = frozenset({"quantiles", "frequencies", "prefixes", "clustering"})
OVER = "over"


class Way(NamedTuple):
    """A way to make a hierarchy.

    Args:
        make: makes it from values and options.
        options: what else can be said.
    """

    make: Callable[..., Hierarchy]
    options: tuple[str, ...]


def ways() -> dict[str, Way]:
    """Return the ways to make a hierarchy from values, by their names in a plan."""
    from tacita.data.hierarchies.building import calendar, categories, codes, halving, widths

    return {
        "intervals": Way(widths.intervals, ("levels", "width")),
        "quantiles": Way(halving.quantiles, ("levels",)),
        "frequencies": Way(categories.frequencies, ("levels",)),
        "prefixes": Way(codes.prefixes, ("levels",)),
        "dates": Way(calendar.dates, ("levels",)),
        "clustering": Way(categories.clustering, ("levels", OVER)),
    }


def is_made(specification: Mapping[str, Any]) -> bool:
    """Tell whether what a plan says of a hierarchy is how to make it from the data.

    >>> is_made({"quantiles": {"levels": 3}}), is_made({"intervals": {"widths": [5]}})
    (True, False)
    >>> is_made({"intervals": {"levels": 3}}), is_made({"dates": ["month", "year"]})
    (True, False)
    """
    if len(specification) != 1:
        return False
    ((way, said),) = specification.items()
    if way in MADE_ONLY:
        return True
    options = isinstance(said, Mapping) and {"levels", "width"}.issuperset(said) and bool(said)
    return options and way in ("intervals", "dates")


def of_numbers(specification: Mapping[str, Any]) -> bool:
    """Tell whether what a plan says is a hierarchy of numbers or dates, not of codes.

    >>> of_numbers({"clustering": 3}), of_numbers({"clustering": {"over": "disease"}})
    (True, False)
    """
    numeric = {"intervals", "cuts", "dates", "quantiles", "clustering"} & set(specification)
    return bool(numeric) and beside(specification) is None


def beside(specification: Mapping[str, Any]) -> str | None:
    """Return the attribute beside which a hierarchy is made, if it needs one."""
    said = next(iter(specification.values()), None)
    return said.get(OVER) if isinstance(said, Mapping) else None


def make(
    specification: Mapping[str, Any], values: Values, other: Values | None = None
) -> Hierarchy:
    """Make a hierarchy from the values of a column, as a plan says it.

    Args:
        specification: the way and its options: `{quantiles: {levels: 3}}`, `{quantiles: 3}`.
        values: the values.
        other: those of the attribute that `over` names.

    Raises:
        HierarchyError: the values are none for this way, or an option is wrong.
    """
    ((way, said),) = specification.items()
    known = ways()
    if way not in known:
        raise HierarchyError(
            f"`{way}` is not a way to make a hierarchy from data ({', '.join(known)})."
            f"{did_you_mean(way, known)}"
        )
    options = _options(way, said, known[way].options)
    if options.pop(OVER, None) is not None:
        options["other"] = other
    if len(values) < 2:  # noqa: PLR2004 - what is the same everywhere cannot become more general
        found = f"only {shown(values.values[0].as_py())}" if len(values) else "none"
        raise HierarchyError(
            f"A hierarchy is made from two distinct values at least; found {found}."
        )
    return known[way].make(values, **options)


def _options(way: str, said: Any, known: tuple[str, ...]) -> dict[str, Any]:
    options = dict(said) if isinstance(said, Mapping) else {"levels": said}
    for word in options:
        if word not in known:
            raise HierarchyError(
                f"`{way}` takes {', '.join(known)}; found `{word}`.{did_you_mean(word, known)}"
            )
    options = {word: value for word, value in options.items() if value is not None}
    levels = options.get("levels", 1)
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 1:
        raise HierarchyError(
            f"`levels` of `{way}` is how many levels there are at most between the values and the "
            f"root, 1 or more; found {shown(levels)}."
        )
    return options
