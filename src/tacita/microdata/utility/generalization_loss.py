"""Generalization loss: how much of its domain a released value stands for."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.arithmetic import expm1, log1p
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.utility.generalized import BLANK_LOSES_ALL, Keys, cells
from tacita.results import Measurement, counted


class GeneralizationLoss(Method):
    """How much of its domain a released value stands for: the normalized certainty penalty.

    A value that stands for a of the |D| values of its attribute has the share a / |D|; for numbers
    and dates without a tree it is the width of the interval over the range (Xu et al.). A value of
    a record that was left out, and a blank, has share 1. Of each attribute the loss is (mean share
    - 1/|D|) / (1 - 1/|D|), which is 0 for exact values; |D| counts the leaves of the tree, else the
    original values. The losses L of m attributes are put together by their geometric mean
    prod(1 + L)^(1/m) - 1, as ARX does, or by their arithmetic one.

    When not to use it: on perturbed values, which are exact and cost nothing here.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> coarse = data.apply(ta.Generalize("region", level=1), seed=0)
    >>> round(ta.GeneralizationLoss().measure(data, coarse).parts["region"], 4)
    0.3333
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Xu et al., Proc. KDD 2006, pp. 785-790; Iyengar, Proc. KDD 2002"
    missing: ClassVar = BLANK_LOSES_ALL
    public: ClassVar = frozenset({"keys", "mean"})

    keys: Keys = None
    mean: Annotated[
        Literal["geometric", "arithmetic"],
        Field(description="How the losses of the attributes are put together."),
    ] = "geometric"

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Find the loss of every key."""
        losses = {n: made.loss for n, made in cells(original, protected, self.keys).items()}
        each = np.array(list(losses.values()))
        means = {
            "geometric": float(expm1(log1p(each).mean())),
            "arithmetic": float(each.mean()),
        }
        return Measurement(
            self.name,
            self.family,
            means[self.mean],
            f"share of its domain that a released value of {counted(len(each), 'key')} stands for "
            f"beyond one value, by the {self.mean} mean",
            losses,
            parameters=self.parameters(),
            figures=means,
        )
