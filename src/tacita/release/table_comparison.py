"""Ways to protect a table compared: each tried on it, risk against loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tacita.errors import InputError, MissingExtraError, ParameterError, ProtectionError, load_extra
from tacita.method import Method
from tacita.registry import from_plan
from tacita.release.pareto import pareto_front
from tacita.results import brief, show

if TYPE_CHECKING:
    from tacita.tables.pairing import Tables

RISKS = ("protection_shortfall", "unmoved_sensitive")
LOSS = "relative_loss"
BESIDES = ("rederivable_cells", "additivity", "suppressed_cells")  # measured, not compared by
MEASURES = ("table risk", "table attack", "table utility")


@dataclass(frozen=True)
class TriedWay:
    """One way to protect a table, tried on it.

    Args:
        way: the method, with its parameters.
        risk: the largest of the risks that are compared.
        loss: the loss that is compared.
        measures: every number that was measured, by the name of its measure.
        seconds: how long protecting took; measuring is not counted.
    """

    way: Method
    risk: float
    loss: float
    measures: Mapping[str, float | None]
    seconds: float = field(compare=False)

    def label(self) -> str:
        """Return the way as a person names it: the method and what was said of it."""
        return brief(self.way.to_plan())

    def to_dict(self) -> dict[str, Any]:
        """Return the way and what it did, in plain types."""
        return {
            "way": self.way.to_plan(),
            "label": self.label(),
            "risk": self.risk,
            "loss": self.loss,
            "measures": dict(self.measures),
            "seconds": self.seconds,
        }


@dataclass(frozen=True, repr=False)
class TableComparison:
    """What several ways to protect a table risk and cost.

    It tells of the true values and of how they may have been hidden: keep it in the house.

    Args:
        tried: the ways that could be tried, in the order in which they were asked for.
        axes: what risk and loss are, in words.
        skipped: the ways that could not be tried, and why.
    """

    tried: tuple[TriedWay, ...]
    axes: tuple[str, str]
    skipped: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.tried)

    def __iter__(self) -> Iterator[TriedWay]:
        return iter(self.tried)

    @cached_property
    def front(self) -> tuple[TriedWay, ...]:
        """The ways that no other one beats in both risk and loss, by risk ascending."""
        places = pareto_front([(one.risk, one.loss) for one in self.tried])
        return tuple(self.tried[place] for place in places)

    def is_on_front(self, way: TriedWay) -> bool:
        """Tell whether no other way beats one in both risk and loss."""
        return any(way is one for one in self.front)

    def __repr__(self) -> str:
        width = max((len(one.label()) for one in self.tried), default=0)
        head = f"{'':<{width}}  {'risk':>8}  {'loss':>8}  {'seconds':>8}"
        lines = [
            f"{one.label():<{width}}  {show(one.risk):>8}  {show(one.loss):>8}  "
            f"{one.seconds:>8.2f}{'  on the front' if self.is_on_front(one) else ''}"
            for one in self.tried
        ]
        told = [f"risk: {self.axes[0]}; loss: {self.axes[1]}"]
        return "\n".join([head, *lines, *told, *(f"{way}: {why}" for way, why in self.skipped)])

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison in plain types."""
        return {
            "axes": {"risk": self.axes[0], "loss": self.axes[1]},
            "tried": [{**one.to_dict(), "on_front": self.is_on_front(one)} for one in self.tried],
            "skipped": [{"way": way, "reason": why} for way, why in self.skipped],
        }

    def to_arrow(self) -> pa.Table:
        """Return the ways in Arrow, one row each, with everything that was measured."""
        names = list(dict.fromkeys(name for one in self.tried for name in one.measures))
        columns = {
            "way": pa.array([one.label() for one in self.tried], pa.string()),
            "risk": pa.array([one.risk for one in self.tried], pa.float64()),
            "loss": pa.array([one.loss for one in self.tried], pa.float64()),
            "on_front": pa.array(map(self.is_on_front, self.tried), pa.bool_()),
            "seconds": pa.array([one.seconds for one in self.tried], pa.float64()),
        }
        for name in names:
            columns[name] = pa.array([one.measures.get(name) for one in self.tried], pa.float64())
        return pa.table(columns)

    def to_polars(self) -> Any:
        """Return the ways as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return the ways as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()

    def to_svg(self) -> str:
        """Return the comparison drawn as SVG: loss to the right, risk upwards."""
        from tacita.release.report.compared import picture

        return picture(self)


def compare_ways(
    tables: Tables,
    ways: Sequence[Method | str],
    *,
    risks: Sequence[Method | str] = RISKS,
    loss: Method | str = LOSS,
    seed: int = 0,
) -> TableComparison:
    """Protect a judged table in several ways, and compare what they risk and what they cost.

    Args:
        tables: a judged table, or linked tables.
        ways: methods that suppress cells or perturb values, or their names.
        risks: the table risks and attacks whose largest counts.
        loss: the table utility that counts.
        seed: where the randomness of every way comes from.

    Raises:
        ProtectionError: none of the ways could be tried.
    """
    judges = [_method(one, MEASURES) for one in (*risks, loss)]
    tried: list[TriedWay] = []
    skipped: list[tuple[str, str]] = []
    for said in ways:
        way = _method(said, ("protection", "perturbation"))
        try:
            tried.append(_tried(tables, way, judges, seed))
        except (InputError, ParameterError, ProtectionError, MissingExtraError) as reason:
            skipped.append((way.name, str(reason)))
    if not tried:
        why = f": {skipped[0][1]}" if skipped else "; name at least one."
        raise ProtectionError(f"None of the ways to protect the table could be tried{why}")
    names = [one.name for one in judges]
    largest = f"the largest of {' and '.join(names[:-1])}" if len(names) > 2 else names[0]  # noqa: PLR2004
    return TableComparison(tuple(tried), (largest, names[-1]), tuple(skipped))


def _method(said: Method | str, families: tuple[str, ...]) -> Method:
    if not isinstance(said, Method):
        return from_plan(said, families)
    if said.family not in families:
        raise ParameterError(
            f"`{said.name}` is a method of the family {said.family}; expected here: one of the "
            f"families {', '.join(families)}."
        )
    return said


def _tried(tables: Tables, way: Method, judges: Sequence[Method], seed: int) -> TriedWay:
    begun = perf_counter()
    published = _published(tables, way, seed)
    seconds = perf_counter() - begun
    found = [_number(one, tables, published) for one in judges]
    unknown = [one.name for one, number in zip(judges, found, strict=True) if number is None]
    if unknown:
        raise InputError(f"`{unknown[0]}` gives no number for it.")
    numbers = [number for number in found if number is not None]
    measures = dict(zip([one.name for one in judges], found, strict=True))
    for name in BESIDES:
        if name not in measures:
            measures[name] = _number(from_plan(name, MEASURES), tables, published)
    return TriedWay(way, max(numbers[:-1]), numbers[-1], measures, seconds)


def _published(tables: Tables, way: Method, seed: int) -> Tables:
    """Return what a reader sees of a table that was protected in some way."""
    from tacita.tables.linked import LinkedTables
    from tacita.tables.perturb.applied import perturbed
    from tacita.tables.protect.applied import protected

    links = tables if isinstance(tables, LinkedTables) else LinkedTables((tables,))
    if way.family == "protection":
        made, _ = protected(links, way)
    else:
        made, _ = perturbed(links, way, np.random.default_rng(seed))
    shown = tuple(table.published() for table in made)
    return LinkedTables(shown) if isinstance(tables, LinkedTables) else shown[0]


def _number(measure: Method, tables: Tables, published: Tables) -> float | None:
    value = measure.measure(tables, published).value  # type: ignore[attr-defined]
    return None if value is None else float(value)
