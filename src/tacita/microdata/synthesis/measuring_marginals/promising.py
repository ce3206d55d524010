"""Private records as a data set, with the promise that comes with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset, Guarantee
from tacita.microdata.synthesis.making.drawing import Wanted
from tacita.microdata.synthesis.measuring_marginals.domain import Domain

NEIGHBOURS = "add-remove"

OUTSIDE_IS_BLANK = (
    "A blank is a category of its own, and so is what lies outside the declared domain; synthetic "
    "values are missing as often, up to noise. `blanks` names the attributes that can have some: "
    "the others then have none, and records in which they are blank are left out."
)
PrivateRecords = Annotated[
    int | None,
    Field(
        description="The number of synthetic records; by default that of the noisy counts.", ge=1
    ),
]


def promised(
    data: Dataset,
    domain: Domain,
    draw: Callable[[int], Ints],
    rng: np.random.Generator,
    *,
    records: int,
    rules: Sequence[str],
    by: Guarantee,
    accounts: Mapping[str, Any],
) -> Dataset:
    """Return synthetic records that keep rules, with what guarantees their privacy.

    Args:
        data: the original data, of which only what attributes mean is used.
        domain: the possible values.
        draw: draws so many records, as cells.
        rng: what draws values within cells.
        records: how many to draw.
        rules: the rules that they keep.
        by: the guarantee.
        accounts: what the answers cost, for the notes.
    """
    template = domain.template(data)
    # Rules are read, and copies looked for, among values of the domain: respondents are out of
    # sight here, and to look for copies of theirs would tell who is in the data.
    wanted = Wanted(records, rules, copies="report")
    made = wanted.drawn(template, template.names, lambda many: domain.values(draw(many), rng))
    told = {
        "epsilon": by.epsilon,
        "delta": by.delta,
        "neighbours": by.neighbours,
        **accounts,
    }
    return replace(made, guarantees=(*data.guarantees, by)).noting(
        broke_rules=made.notes["broke_rules"], privacy=told
    )
