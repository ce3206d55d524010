"""Lines: ways to mask, each with a strength that goes from mild to strict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, floor, log10
from typing import Any

import numpy as np

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.models.k_anonymity import KAnonymity
from tacita.registry import find

Rungs = tuple[float | None, ...]
Make = Callable[[Any], tuple[Method, ...]]
NOISE: Rungs = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
SWAPS: Rungs = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0)
SIZES: Rungs = (2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200)
TAILS: Rungs = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49)
BASES: Rungs = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
KEPT: Rungs = (0.99, 0.98, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1)
HEIGHTS: Rungs = (0.2, 0.4, 0.6, 0.8, 1.0)
TURNS: Rungs = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
AT_A_TIME = 3  # attributes that are microaggregated together
LEFT_OUT = 0.05  # share of records that generalization may leave out
DIGITS = 3  # of a strength that lies between two rungs


@dataclass(frozen=True, eq=False)
class Ladder:
    """One step of masking, from mild to strict.

    Args:
        name: the method, and what tells it from other ladders of the method.
        rungs: its strengths, mildest first; None for what the required models ask for by
            themselves.
        make: makes the step of a strength.
        word: what the strength is, in a word.
        whole: whether strengths are whole numbers.
        slow: whether it takes so long on many records that others are tried first.
    """

    name: str
    rungs: Rungs
    make: Make
    word: str = "k"
    whole: bool = False
    slow: bool = False

    def methods(self, position: float) -> tuple[Method, ...]:
        """Return the step at a position: 0 is no step at all, 1 the first rung and so on."""
        return self.make(self.strength(position)) if position else ()

    def strength(self, position: float) -> float | None:
        """Return the strength at a position; between two rungs it is their geometric mean."""
        low, high = self.rungs[floor(position) - 1], self.rungs[ceil(position) - 1]
        if low is None or high is None or low == high:
            return high
        between = low * (high / low) ** (position - floor(position))
        return ceil(between) if self.whole else float(f"{between:.{DIGITS}g}")


@dataclass(frozen=True, eq=False)
class Line:
    """Ladders that are climbed together: one step, or a combination of steps."""

    ladders: tuple[Ladder, ...]

    @property
    def name(self) -> str:
        """The line's name: those of its ladders."""
        return " + ".join(ladder.name for ladder in self.ladders) or "unmasked"

    @property
    def height(self) -> int:
        """How many rungs the longest ladder has."""
        return max((len(ladder.rungs) for ladder in self.ladders), default=0)

    @property
    def is_slow(self) -> bool:
        """Whether it takes long on many records."""
        return any(ladder.slow for ladder in self.ladders)

    def at(self, rung: float) -> tuple[float, ...]:
        """Return the positions on all ladders when they are climbed alike, up to `height`."""
        if rung != int(rung):
            return tuple(max(rung * len(one.rungs) / self.height, 1.0) for one in self.ladders)
        return tuple(float(ceil(rung * len(one.rungs) / self.height)) for one in self.ladders)

    def methods(self, positions: Sequence[float]) -> tuple[Method, ...]:
        """Return the steps at some positions."""
        pairs = zip(self.ladders, positions, strict=True)
        return tuple(method for ladder, at in pairs for method in ladder.methods(at))


def lines_of(data: Dataset, names: Sequence[str], models: Sequence[Method]) -> list[Line]:
    """Return the lines that fit the kinds of some attributes.

    Args:
        data: the data.
        names: the attributes that may be masked: keys, and what required risks look at.
        models: the models that are required, which algorithms then aim at.
    """
    numbers = [name for name in names if data.attribute(name).kind is Kind.CONTINUOUS]
    others = [name for name in names if name not in numbers]
    together = [Line((one,)) for one in _anonymizations(data, names, models, bool(others))]
    if not others:
        alone = _of_numbers(data, numbers)
        tails = _tails(data, numbers)
        combined = [Line((tails, one)) for one in alone if one.name in ("rank_swap", "add_noise")]
        return [*(Line((one,)) for one in (*alone, tails)), *combined, *together]
    categories = _of_categories(data, others, models)
    if not numbers:
        return [*together, *(Line((one,)) for one in categories), *_pairs(categories)]
    mixed = [Line((one,)) for one in _mixed(names)]
    if models:  # which classes of equal keys keep: noise on some of the keys breaks them
        return [*together, *mixed]
    chosen = [one for one in _of_numbers(data, numbers) if one.name in PAIRED]
    groups = [*_anonymizations(data, others, (), True, in_pairs=True), *categories]
    return [*together, *mixed, *(Line((one, two)) for one in chosen for two in groups)]


PAIRED = ("add_noise", "rank_swap", "microaggregate", "round_values")


def _usable(name: str, kinds: set[Kind]) -> bool:
    return kinds <= find(name).applies_to


# -- numbers --------------------------------------------------------------------------------------


def _of_numbers(data: Dataset, names: Sequence[str]) -> list[Ladder]:
    """Return the ladders of continuous attributes."""
    ladders = [
        _varying("microaggregate", names, "k", _sizes(len(data))),
        _varying("rank_swap", names, "p", SWAPS),
        _varying("add_noise", names, "alpha", NOISE),
        Ladder(
            "round_values", BASES, partial(_rounded, _spreads(data, names)), "base in deviations"
        ),
        _varying("multiply_noise", names, "deviation", NOISE[:-2]),
        Ladder("shuffle", (None,), lambda _: (find("shuffle")(attributes=names),)),  # type: ignore[call-arg]
    ]
    if len(names) > 1:
        ladders += [
            _varying("add_noise", names, "alpha", NOISE, "correlated", kind="correlated"),
            _varying("romm", names, "strength", TURNS),
        ]
    if len(names) > AT_A_TIME:
        sizes, told = _sizes(len(data)), "three at a time"
        ladders.append(_varying("microaggregate", names, "k", sizes, told, together=AT_A_TIME))
    return ladders


def _varying(
    method: str, names: Sequence[str], word: str, rungs: Rungs, variant: str = "", **fixed: Any
) -> Ladder:
    """Return the ladder of a method's parameter."""
    made = find(method)

    def make(strength: float) -> tuple[Method, ...]:
        return (made(attributes=names, **{word: strength}, **fixed),)  # type: ignore[call-arg]

    return Ladder(f"{method} {variant}".strip(), rungs, make, word, whole=word == "k")


def _sizes(records: int) -> Rungs:
    return tuple(k for k in SIZES if k is not None and 2 * k <= records) or (2,)


def _spreads(data: Dataset, names: Sequence[str]) -> dict[str, float]:
    return {name: spread_of(data.numbers(name)) for name in names}


def _rounded(spreads: dict[str, float], share: float) -> tuple[Method, ...]:
    """Round every attribute to a round number near a share of its standard deviation."""
    rounding = find("round_values")
    return tuple(
        rounding(attributes=[name], base=_round_number(share * spread))  # type: ignore[call-arg]
        for name, spread in spreads.items()
        if spread > 0
    )


def _round_number(wanted: float) -> float:
    """Return the nearest of 1, 2 and 5 times a power of ten.

    >>> _round_number(0.3), _round_number(4000.0)
    (0.2, 5000.0)
    """
    power = floor(log10(wanted))
    near = min((1, 2, 5, 10), key=lambda digit: abs(log10(wanted) - power - log10(digit)))
    return float(f"{near}e{power}")


def _tails(data: Dataset, names: Sequence[str]) -> Ladder:
    columns = {name: np.sort(data.numbers(name)) for name in names}
    there = {name: column[~np.isnan(column)] for name, column in columns.items()}
    return Ladder("top_bottom_code", TAILS, partial(_coded, there), "share of each tail")


def _coded(columns: dict[str, Any], share: float) -> tuple[Method, ...]:
    """Code a share of the values at each end of every attribute."""
    limits = {}
    for name, column in columns.items():
        if len(column):
            cut = int(share * len(column))
            low, high = (float(column[at]) for at in (cut, len(column) - 1 - cut))
            limits[name] = {"below": _written(low), "above": _written(high)}
    return (find("top_bottom_code")(limits=limits),)  # type: ignore[call-arg]


def _written(number: float) -> float:
    return int(number) if number.is_integer() else number


# -- categories -----------------------------------------------------------------------------------


def _of_categories(
    data: Dataset, names: Sequence[str], models: Sequence[Method] = ()
) -> list[Ladder]:
    """Return the ladders of nominal, ordinal, date and set-valued attributes."""
    kinds = {data.attribute(name).kind for name in names}
    suppression = find("local_suppression")
    sizes = tuple(k for k in _k_rungs(_sizes(len(data)), models) if k is not None)
    ladders = [
        Ladder(
            "local_suppression",
            sizes,
            lambda k: (suppression(k=k, attributes=names, search="fast"),),  # type: ignore[call-arg]
            whole=True,
            slow=True,
        )
    ]
    if _usable("pram", kinds):
        pram = find("pram")
        ladders.append(
            Ladder(
                "pram",
                KEPT,
                lambda kept: (pram(attributes=names, minimum_diagonal=kept),),  # type: ignore[call-arg]
                "minimum_diagonal",
            )
        )
    heights = {
        name: tree.height for name in names if (tree := data.attribute(name).hierarchy) is not None
    }
    if heights:
        ladders.append(
            Ladder("generalize", HEIGHTS, partial(_generalized, heights), "share of the height")
        )
    return ladders


def _generalized(heights: dict[str, int], share: float) -> tuple[Method, ...]:
    levels = {name: ceil(share * height) for name, height in heights.items()}
    return (find("generalize")(levels=levels),)  # type: ignore[call-arg]


def _pairs(ladders: Sequence[Ladder]) -> list[Line]:
    """Combine ladders of categories with local suppression, which finishes what they leave."""
    last = next(one for one in ladders if one.name == "local_suppression")
    return [Line((one, last)) for one in ladders if one is not last]


def _mixed(names: Sequence[str]) -> list[Ladder]:
    """Return the ladders of all kinds together."""
    return [replace(_varying("sullivan_noise", names, "alpha", NOISE), slow=True)]


# -- models ---------------------------------------------------------------------------------------


def _anonymizations(
    data: Dataset,
    names: Sequence[str],
    models: Sequence[Method],
    has_categories: bool,
    in_pairs: bool = False,
) -> list[Ladder]:
    """Return the algorithms that reach models, from what is required to ever larger classes."""
    keys = None if list(names) == data.keys else tuple(names)
    rungs: Rungs = _k_rungs(_sizes(len(data)), models)

    def reaching(algorithm: str, **fixed: Any) -> Make:
        return lambda k: (find(algorithm)(to=_aim(models, k, keys), **fixed),)  # type: ignore[call-arg]

    ways = [
        ("lattice", reaching("lattice", suppression_limit=LEFT_OUT), False),
        ("mondrian", reaching("mondrian"), False),
    ]
    if not in_pairs:
        ways += [
            ("mondrian relaxed", reaching("mondrian", mode="relaxed"), False),
            ("lattice without suppression", reaching("lattice"), True),
            ("local_recoding", reaching("local_recoding"), True),
        ]
    if has_categories and not in_pairs:
        ways.append(("microaggregation", reaching("microaggregation"), True))
    if any(model.name == "t_closeness" for model in models):
        ways += [
            (name, reaching(name), True) for name in ("t_close_microaggregation", "close_clusters")
        ]
    return [Ladder(name, rungs, make, whole=True, slow=late) for name, make, late in ways]


def _k_rungs(sizes: Rungs, models: Sequence[Method]) -> Rungs:
    asked = [model.k for model in models if isinstance(model, KAnonymity)]
    if asked:
        return (max(asked), *(k for k in sizes if k is not None and k > max(asked)))
    return (None, *sizes) if models else sizes


def _aim(
    models: Sequence[Method], k: int | None, keys: tuple[str, ...] | None
) -> tuple[Method, ...]:
    """Return the required models with classes of at least k records."""
    if k is None:
        return tuple(models)
    if any(isinstance(model, KAnonymity) for model in models):
        return tuple(
            replace(model, k=max(k, model.k)) if isinstance(model, KAnonymity) else model
            for model in models
        )
    return (KAnonymity(k, keys=keys), *models)
