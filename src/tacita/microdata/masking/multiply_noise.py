"""Multiplicative noise: every number is multiplied by a random factor near 1."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.arithmetic import exp, log1p
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import Method
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    NUMERIC,
    Perturbed,
    TellVariance,
    numbers_of,
    with_numbers,
)
from tacita.preserved import Statistic, always, expected
from tacita.validity import Change


class MultiplyNoise(Method):
    """Multiply numbers by random factors with mean 1, so that large ones move as much as small.

    z = x f with independent factors f:

    - *lognormal*: ln f is normal with variance v = ln(1 + deviation^2) and mean -v / 2, so that f
      has mean 1 and the standard deviation `deviation` (Kim & Winkler 2003).
    - *two_piece*: f is 1 + d or 1 - d, each half of the times, and d is between `least` and `most`
      with the density 2 (most - d) / (most - least)^2: a triangle of which the middle is cut out.
      Every value moves by its share `least` at least and `most` at most (Evans, Zayatz & Slanta
      1998).

    Means are kept in expectation, and E(z^2) = (1 + V) E(x^2) with the variance V of f. A 0 stays
    0 and signs stay. Attributes have factors of their own, so that their covariances are kept in
    expectation, and their ratios are not kept. Weights play no part. `least`, `most` and
    `deviation` bound the original values and are told beside the data only where `tell_variance`
    says so, V with them.

    When not to use it: on attributes around 0, whose small values stay known; where sums of few
    large values must be kept.

    >>> import tacita as ta
    >>> noise = ta.MultiplyNoise("DH", distribution="two_piece", least=0.1, most=0.2)
    >>> data = ta.example("medical")
    >>> moved = abs(data.apply(noise, seed=0).numbers("DH") / data.numbers("DH") - 1)
    >>> bool((moved >= 0.1 - 1e-12).all() and (moved <= 0.2 + 1e-12).all())
    True
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        expected(Statistic.MEANS),
        expected(Statistic.TOTALS),
        expected(Statistic.COVARIANCES),
        always(Statistic.SIGNS),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Kim & Winkler, Multiplicative noise for masking continuous data, US Bureau of the Census, "
        "Statistics 2003-01; Evans, Zayatz & Slanta, J. Official Statistics 14(4), 1998"
    )
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attributes": ["age", "income"], "deviation": 0.1}
    public: ClassVar = frozenset({"attributes", "distribution"})
    draws: ClassVar = True
    by_record: ClassVar = True

    attributes: Perturbed
    _: KW_ONLY
    distribution: Annotated[
        Literal["lognormal", "two_piece"], Field(description="What factors are drawn from.")
    ] = "lognormal"
    deviation: Annotated[
        float | None,
        Field(description="The standard deviation of lognormal factors.", gt=0, le=10),
    ] = None
    least: Annotated[
        float | None,
        Field(description="The smallest change by two-piece factors, as a share.", ge=0, lt=1),
    ] = None
    most: Annotated[
        float | None,
        Field(description="The largest change by two-piece factors, as a share.", gt=0, lt=1),
    ] = None
    tell_variance: TellVariance = False

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        asked = {"lognormal": {"deviation"}, "two_piece": {"least", "most"}}[self.distribution]
        amounts = ("deviation", "least", "most")
        given = {name for name in amounts if getattr(self, name) is not None}
        if given != asked:
            raise ValueError(
                f"`multiply_noise` with the distribution {self.distribution} needs "
                f"{' and '.join(f'`{name}`' for name in sorted(asked))} and no other amount."
            )
        if self.least is not None and self.most is not None and self.least >= self.most:
            raise ValueError(
                f"`least` of `multiply_noise` must be below `most`; found {self.least:g} and "
                f"{self.most:g}."
            )
        return self

    def told(self) -> frozenset[str]:
        """Return what is told beside the data: the variance only by choice."""
        by_choice = {"deviation", "least", "most", "variance"} if self.tell_variance else set()
        return self.public | by_choice

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the numbers multiplied."""
        for name in self.attributes:
            values = numbers_of(data, [name])
            with np.errstate(over="ignore"):
                values *= self._factors(len(data), rng)[:, None]
            if np.isinf(values).any():
                raise InputError(
                    f"`multiply_noise` makes numbers of `{name}` larger than a double can be; "
                    "divide them by a power of ten."
                ).about(name)
            data = with_numbers(data, [name], values)
        return data.noting(variance=self.variance())

    def variance(self) -> float:
        """Return the variance of the factors."""
        if self.distribution == "lognormal":
            return float(self.deviation or 0) ** 2
        least, width = self._piece()
        return least**2 + 2 * least * width / 3 + width**2 / 6

    def _factors(self, records: int, rng: np.random.Generator) -> Floats:
        if self.distribution == "lognormal":
            spread = log1p(self.variance())
            return np.asarray(exp(rng.normal(-spread / 2, np.sqrt(spread), records)))
        least, width = self._piece()
        # Of u uniform on (-1, 1), the sign chooses the piece and 1 - sqrt(|u|) has the ramp.
        drawn = rng.uniform(-1.0, 1.0, records)
        return 1 + np.copysign(least + width * (1 - np.sqrt(np.abs(drawn))), drawn)

    def _piece(self) -> tuple[float, float]:
        """Return where the pieces begin, and how wide they are."""
        least = float(self.least or 0)
        return least, float(self.most or 0) - least
