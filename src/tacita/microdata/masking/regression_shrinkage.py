"""Fitted values of a regression in place of numbers, those in the tails drawn in: business data."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.arithmetic import exp, log, product, pseudo_inverse
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ProtectionError
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.features import features
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    NEGLIGIBLE,
    NUMERIC,
    Perturbed,
    Weighted,
    refuse_overflow,
    weights_of,
    with_numbers,
)
from tacita.preserved import Statistic, Trait, always
from tacita.validity import Change

OWN_SHARE = 0.5  # of a fitted value, which the record's own value may make up
LEFT = 1e-10  # share of the squares that others leave, at which they leave nothing
FREE = 2  # records more than parameters that a regression needs


class RegressionShrinkage(Method):
    """Release the fitted values of a regression on other attributes, those in the tails drawn in.

    Each attribute y is regressed on X, the attributes that are `given` (categories as 0/1 columns):
    y = X b + e by least squares, or log y with the logarithms of the given numbers (`scale: log`),
    as turnover, wages and employees of businesses ask for. The fitted value X b takes the place of
    y. Of n fitted values, the floor(n tails) lowest and highest are drawn in towards the next one,
    q, at which their tail begins: q + (1 - shrink) (X b - q), in logarithms where these were taken.
    So `shrink: 0` leaves them and `shrink: 1` makes all of a tail equal.

    A record whose own value makes up more than half of its fitted value (its leverage), such as
    the only one of an industry or a giant, takes no part in the regression, and its value is
    predicted from that of the others; the notes say how many.

    With `scale: linear` and `shrink: 0`, where no record is left out, means of known values stay
    exactly (weighted ones with `weighted`), and so does the regression on X; variances fall to the
    share that X explains (`explained` in the notes), and relations come out stronger, as fitted
    values lie on the regression. Shrinking moves means where the tails are not alike; logarithms
    move them down, to medians rather than means.

    When not to use it: where variances or residuals matter (use `ipso`, which keeps them), or
    quantiles; where X explains little, as all records come out alike, or nearly all, as values
    hardly change; where X identifies respondents, as X is released as it is.

    >>> import tacita as ta
    >>> firms = ta.example("firms", 500)
    >>> method = ta.RegressionShrinkage("turnover", given=["employees", "size_class"], scale="log")
    >>> safe = firms.apply(method, seed=0)
    >>> safe.notes["explained"], safe.notes["predicted_from_others"]
    ({'turnover': 0.501}, {'turnover': 1})
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        always(
            Statistic.MEANS,
            of="attributes from whose regression no record is left out",
            given={"scale": "linear", "shrink": 0.0},
            simulated={"attributes": ["income", "wealth"], "given": ["age", "region"]},
        ),
        always(
            Statistic.COEFFICIENTS,
            of="the attributes on `given`, where no record is left out",
            given={"scale": "linear", "shrink": 0.0},
            unless={Trait.BLANKS},
            about=("given",),
            simulated={"attributes": ["income", "wealth"], "given": ["age", "region"]},
        ),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "After Franconi & Stander, A model-based method for disclosure limitation of business "
        "microdata, Journal of the Royal Statistical Society D 51(1), 2002"
    )
    missing: ClassVar = (
        f"{BLANKS_STAY} Each attribute is regressed over the records that know it. A blank in "
        "`given` counts as the average, and that it is blank as a category."
    )
    example: ClassVar = {"attributes": ["income"], "given": ["age", "disease"]}
    public: ClassVar = frozenset({"attributes", "given", "scale", "weighted"})

    attributes: Perturbed
    _: KW_ONLY
    given: Annotated[
        AttributeNames,
        Field(description="The attributes, of any kind, on which they are regressed; they stay."),
    ]
    tails: Annotated[
        float,
        Field(
            description="The share of records in each tail, whose fitted values are drawn in (0 to "
            "below 0.5).",
            ge=0,
            lt=0.5,
        ),
    ] = 0.1
    shrink: Annotated[
        float,
        Field(
            description="How much of their distance from where the tail begins is taken away (0 to "
            "1).",
            ge=0,
            le=1,
        ),
    ] = 0.5
    scale: Annotated[
        Literal["linear", "log"],
        Field(description="Whether numbers, which are above 0 then, are regressed as logarithms."),
    ] = "linear"
    weighted: Weighted = False

    @model_validator(mode="after")
    def _apart(self) -> Self:
        both = set(self.attributes) & set(self.given)
        if both:
            raise ValueError(f"`{self.name}` cannot regress `{min(both)}` on itself; name it once.")
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be of a kind it applies to; those given may be of any."""
        return list(self.attributes)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with fitted values in place of the attributes."""
        weights = weights_of(data, self.name, self.weighted)
        on_scale = self._on_scale(data)
        design = self._design(on_scale)
        explained, predicted = {}, {}
        for name in self.attributes:
            values = on_scale.numbers(name).copy()
            known = ~np.isnan(values)
            if not known.any():
                continue
            counted = None if weights is None else weights[known]
            fit = fitted(design[known], values[known], counted)
            self._refuse_useless(name, fit)
            shrunk = drawn_in(fit.values, self.tails, self.shrink)
            with np.errstate(over="ignore"):
                values[known] = exp(shrunk) if self.scale == "log" else shrunk
            refuse_overflow(values[known])
            data = with_numbers(data, [name], values[:, None])
            explained[name] = float(f"{fit.explained:.3g}")
            predicted[name] = int(np.count_nonzero(~fit.used))
        return data.noting(explained=explained, predicted_from_others=predicted)

    def _on_scale(self, data: Dataset) -> Dataset:
        """Return the data with the numbers that are regressed, or regressed on, as logarithms."""
        if self.scale == "linear":
            return data
        for name in (*self.attributes, *self.given):
            if data.attribute(name).kind is Kind.CONTINUOUS:
                values = data.numbers(name)
                low = values <= 0
                if low.any():
                    raise InputError(
                        f"Logarithms are of numbers above 0; `{name}` is {values[low.argmax()]:g} "
                        f"in record {low.argmax() + 1}. Take `scale: linear`, or recode it."
                    ).about(name)
                data = with_numbers(data, [name], log(values)[:, None])
        return data

    def _design(self, data: Dataset) -> Floats:
        """Return the columns of the regression: a column of ones, and what is given."""
        if not len(data):
            return np.ones((0, 1))
        return np.column_stack([np.ones(len(data)), features([data], self.given).dummies()[0]])

    def _refuse_useless(self, name: str, fit: Fit) -> None:
        """Refuse to release values that hardly anything was taken away of.

        Raises:
            ProtectionError: too few records are left to the regression, or it explains all.
        """
        if fit.free < FREE:
            raise ProtectionError(
                f"`{self.name}` has {max(fit.free, 0)} records more than parameters to fit "
                f"`{name}` and needs {FREE}; give fewer attributes, or recode them."
            )
        if fit.explained >= 1 - LEFT:
            raise ProtectionError(
                f"`{name}` is constant or follows from the given attributes: `{self.name}` would "
                "release its original values; give fewer attributes."
            )


class Fit(NamedTuple):
    """The fitted values of a regression.

    Args:
        values: the fitted value of every record, or what the others predict for it.
        used: the records that the regression was fitted to.
        explained: the share of their squares about the mean that is explained; 1 if these are 0.
        free: how many records they are more than parameters.
    """

    values: Floats
    used: Mask
    explained: float
    free: int


def fitted(design: Floats, values: Floats, weights: Floats | None = None) -> Fit:
    """Regress values on the columns of a design by least squares, and return what it fits.

    Records whose own value makes up more than `OWN_SHARE` of their fitted value are left out, and
    so are those of which that is true of the records then left, until there is none.

    >>> design = np.array([[1.0, 0.0]] * 4 + [[1.0, 1.0]])
    >>> fit = fitted(design, np.array([1.0, 2.0, 3.0, 6.0, 99.0]))
    >>> fit.values.tolist(), fit.used.tolist()
    ([3.0, 3.0, 3.0, 3.0, 3.0], [True, True, True, True, False])
    """
    from tacita.kernels.linear_maps import products

    counted = np.ones(len(values)) if weights is None else weights / weights.max()
    used = np.ones(len(values), np.bool_)
    while used.any():
        own, mass = design[used], counted[used]
        rooted = (own * np.sqrt(mass)[:, None]).T
        inverse = pseudo_inverse(products([*rooted], np.zeros(len(rooted)))[1:, 1:], NEGLIGIBLE)
        leverage = mass * (product(own, inverse) * own).sum(axis=1)
        if (leverage <= OWN_SHARE).all():
            break
        used[np.flatnonzero(used)[leverage > OWN_SHARE]] = False
    if not used.any():
        return Fit(values, used, 1.0, 0)
    middle = float((mass * values[used]).sum() / mass.sum())
    about = values[used] - middle
    slopes = product(inverse, product(own.T, mass * about))
    found = middle + product(design, slopes)
    left = float((mass * (values[used] - found[used]) ** 2).sum())
    total = float((mass * about**2).sum())
    explained = 1.0 - left / total if total else 1.0
    free = int(np.count_nonzero(used)) - round(float(leverage.sum()))
    return Fit(found, used, explained, free)


def drawn_in(values: Floats, tails: float, shrink: float) -> Floats:
    """Draw the values in both tails in towards the value at which their tail begins.

    >>> drawn_in(np.array([0.0, 4.0, 5.0, 6.0, 16.0]), 0.2, 0.5)
    array([ 2.,  4.,  5.,  6., 11.])
    """
    ascending = np.sort(values)
    count = int(Fraction(str(tails)) * len(values))
    low, high = ascending[count], ascending[len(values) - 1 - count]
    inside = np.clip(values, low, high)
    return np.asarray(inside + (1 - shrink) * (values - inside))
