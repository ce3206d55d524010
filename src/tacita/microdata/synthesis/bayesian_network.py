"""Bayesian network: every attribute drawn given the few others that tell most of it."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.synthesis.conditioning.model import Network, Size
from tacita.microdata.synthesis.making.copies import Copies
from tacita.microdata.synthesis.making.drawing import Proper, Wanted, learnt_from
from tacita.microdata.synthesis.making.records import (
    BLANKS_ARE_MODELLED,
    Modelled,
    Records,
    modelled,
)
from tacita.microdata.synthesis.making.rules import RuleTexts
from tacita.validity import Change


class BayesianNetwork(Method):
    """Draw records from a Bayesian network: each attribute given those that tell most of it.

    The joint distribution is the product of f(x_j | parents of x_j), where parents are chosen among
    the attributes before x_j, one after the other, as long as the score
    n I(x_j; P) - log(n) / 2 (|x_j| - 1) |P| rises: the mutual information in all n records, less
    a cost for every probability (Schwarz' criterion), at most `parents` of them. The next attribute
    is always the one that those before it tell most of. Numbers, dates and many categories are
    counted in at most `classes` classes. A synthetic record takes the value of a record drawn, by
    the sampling weights, from those that agree with it in the classes of the parents; where fewer
    than `cell` do, from those that agree in all parents but the last, and so on. Numbers and dates
    that fewer than `cell` records have are drawn between the middles of the gaps to their
    neighbours among these, rounded as the data are. The notes tell the parents.

    When not to use it: where an attribute depends on more others than it may have parents;
    `sequential_trees` keeps more. Where a guarantee is needed: see `private_marginals`, which
    measures what it needs with noise.

    >>> import tacita as ta
    >>> made = ta.example("toy", 300).apply(ta.BayesianNetwork(), seed=1)
    >>> made.notes["parents"]["born"]
    ['age']
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Young, Graham & Penny, Using Bayesian networks to create synthetic data, J. Official "
        "Statistics 25(4):549-567, 2009; Zhang, Cormode, Procopiuc, Srivastava & Xiao, PrivBayes, "
        "ACM Transactions on Database Systems 42(4), 2017"
    )
    missing: ClassVar = BLANKS_ARE_MODELLED
    public: ClassVar = frozenset({"attributes", "records", "rules", "proper", "classes"})
    draws: ClassVar = True

    attributes: Modelled = None
    _: KW_ONLY
    records: Records = None
    parents: Annotated[
        int, Field(description="The parents of an attribute, at most (0 to 6).", ge=0, le=6)
    ] = 3
    classes: Annotated[
        int, Field(description="The classes of an attribute, at most (3 to 256).", ge=3, le=256)
    ] = 16
    cell: Annotated[
        int,
        Field(description="The records that must agree in the parents to be drawn from.", ge=2),
    ] = 5
    proper: Proper = False
    rules: RuleTexts = ()
    copies: Copies = "redraw"

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return records drawn from the network."""
        names = modelled(self, data, self.attributes)
        wanted = Wanted(self.records, self.rules, self.copies)
        if not len(data):
            return wanted.of_nothing(data, names)
        size = Size(self.parents, self.classes, self.cell)
        model = Network.of(learnt_from(data, self.proper, rng), names, size)
        made = wanted.drawn(data, names, lambda records: model.drawn(records, self.cell, rng))
        return made.noting(**made.notes, parents=model.parents())
