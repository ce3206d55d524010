"""Changed against statistics that were published elsewhere: variances and correlations differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tacita.arithmetic import length, product
from tacita.attacks.clues.guess import LEAST, REPORTED, Guess
from tacita.attacks.clues.values import LARGEST, quantities
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, shown
from tacita.results import show

WORDS = ("variance", "correlation")
SAME = 0.005  # of a variance, what a published figure may be rounded by
Published = Mapping[str, Mapping[str, Any]]


class Compared(NamedTuple):
    """A statistic of the file beside the published one, and how likely a sample is so far off."""

    ratio: float
    chance: float


def look(data: Dataset, published: Published) -> Iterator[Guess]:
    """Compare the file with published statistics of its attributes.

    By assumption the file would be a random sample, or all, of what the statistics are of: its
    correlations then lie within Fisher's z, its variances within their standard error. A variance
    that grew shows noise of alpha = Var(x') / Var(x) - 1; one that stayed beside correlations that
    shrank shows swapped or shuffled values; one that shrank shows averages.
    """
    for name, said in published.items():
        _refuse_unknown(name, said)
        spread = _variance(data, name, said)
        weaker = {other: _correlation(data, name, other, r) for other, r in _related(said)}
        yield from _guesses(name, spread, weaker)


def _refuse_unknown(name: str, said: Mapping[str, Any]) -> None:
    for word in said:
        if word not in WORDS:
            raise ParameterError(
                f"`published` says of `{name}` its {' and its '.join(WORDS)}; found {shown(word)}."
            )


def _related(said: Mapping[str, Any]) -> list[tuple[str, float]]:
    return list(said.get("correlation", {}).items())


def _variance(data: Dataset, name: str, said: Mapping[str, Any]) -> Compared | None:
    if "variance" not in said:
        return None
    known = quantities(data, name)
    if len(known) < 3 or not said["variance"] > 0:  # noqa: PLR2004 - a spread needs some
        return None
    centred = (known - known.mean()) ** 2
    ratio = float(centred.mean()) / float(said["variance"])
    error = float(centred.std()) / float(said["variance"]) / np.sqrt(len(known))
    off = abs(ratio - 1) > SAME
    return Compared(ratio, _tail((ratio - 1) / error) if off and error > 0 else 1.0)


def _correlation(data: Dataset, name: str, other: str, published: float) -> Compared | None:
    """Compare a correlation; its ratio says how much of it is left."""
    if not 0 < abs(published) < 1:
        return None
    one, two = data.numbers(name), data.numbers(other)
    both = (np.abs(one) < LARGEST) & (np.abs(two) < LARGEST)
    if np.count_nonzero(both) < 4:  # noqa: PLR2004 - Fisher's z has no spread below
        return None
    found = _pearson(one[both], two[both])
    far = (np.arctanh(found) - np.arctanh(published)) * np.sqrt(np.count_nonzero(both) - 3)
    return Compared(found / published, _tail(float(far)))


def _pearson(one: Floats, two: Floats) -> float:
    if np.ptp(one) == 0 or np.ptp(two) == 0:
        return 0.0
    one, two = one - one.mean(), two - two.mean()
    found = product(one, two) / (length(one) * length(two))
    return float(np.clip(found, -1 + 1e-12, 1 - 1e-12))


def _tail(sigmas: float) -> float:
    """Return the probability that a normal number is so far from 0."""
    from scipy.special import erfc

    return max(float(erfc(abs(sigmas) / np.sqrt(2))), LEAST)


def _guesses(
    name: str, spread: Compared | None, weaker: Mapping[str, Compared | None]
) -> Iterator[Guess]:
    fallen = {f"correlation with {other}": found for other, found in weaker.items() if found}
    tests = {**({"variance": spread} if spread else {}), **fallen}
    if not tests:
        return
    clearest = min(tests, key=lambda what: tests[what].chance)
    chance = tests[clearest].chance * len(tests)
    if chance <= REPORTED:
        told = ", ".join(f"the {what} is {show(one.ratio)}" for what, one in tests.items())
        yield _guess(name, spread, f"of what was published, {told} times as large", chance)


def _guess(name: str, spread: Compared | None, told: str, chance: float) -> Guess:
    """Guess by what became of the variance; correlations shrink by all of these."""
    if spread is not None and spread.ratio > 1 + SAME:
        said = {"alpha": float(f"{spread.ratio - 1:.3g}")}
        narrows = f"noise has {show(np.sqrt(spread.ratio - 1))} of the original standard deviation"
        return Guess("add_noise", (name,), said, told, chance, narrows, ("multiply_noise",))
    if spread is not None and spread.ratio < 1 - SAME:
        others = ("top_code", "regenerate", "resample")
        return Guess("microaggregate", (name,), {}, told, chance, alternatives=others)
    others = ("shuffle", "swap_blocks", *(("add_noise",) if spread is None else ("kim_noise",)))
    return Guess("rank_swap", (name,), {}, told, chance, alternatives=others)
