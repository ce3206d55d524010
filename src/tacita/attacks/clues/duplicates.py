"""Drawn with replacement: whole records occur several times."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

import numpy as np

from tacita.arithmetic import log
from tacita.attacks.clues.guess import Guess, chance_of
from tacita.data.attribute import Role
from tacita.data.dataset import Dataset

ENOUGH = 30
BOOTSTRAP = 1 - exp(-1)  # the share of records that n draws from n leave different
NEAR = 0.05


def look(data: Dataset) -> Iterator[Guess]:
    """Find copies of records among records that otherwise tell everybody apart.

    By assumption attributes are independent of each other, so that two records agree with the
    product of the probabilities with which their values do; relations make copies likelier.
    """
    names = [name for name in data.names if not data.attribute(name).is_a(Role.IDENTIFIER)]
    if len(data) < ENOUGH or not names:
        return
    records = data.classes(names)
    copies, different = len(data) - len(records), len(records) / len(data)
    expected = len(data) ** 2 / 2 * float(np.prod([_agree(data, name) for name in names]))
    if copies < ENOUGH / 3 or copies <= 10 * expected or different < BOOTSTRAP - NEAR:
        return
    drawn = abs(different - BOOTSTRAP) <= NEAR
    yield Guess(
        "draws with replacement" if drawn else "copies of records",
        (),
        {},
        f"{copies:,} of {len(data):,} records repeat another one in everything, where "
        f"{expected:.2g} would by chance",
        chance_of(-copies * log(max(copies / max(expected, 1e-9), 1)) + copies),
        alternatives=("synthetic data",),
    )


def _agree(data: Dataset, name: str) -> float:
    """Return the probability that two records agree in an attribute."""
    shares = data.classes([name]).counts / len(data)
    return float((shares**2).sum())
