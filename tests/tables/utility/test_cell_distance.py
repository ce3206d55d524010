from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.table import Table
from tacita.tables.utility.cell_distance import CellDistance

pytestmark = pytest.mark.numeric


def table(values, **known) -> Table:
    dimension = Dimension.flat("code", [f"{n}" for n in range(len(values) - 1)])
    places = np.arange(len(values))[:, None]
    return Table("t", (dimension,), places, Cells.of(values, **known), "x", "sum")


TRUE = table([9.0, 0.0, 4.0, 5.0], cost=[1.0, 2.0, 3.0, 4.0])
ROUNDED = table([10.0, 2.0, 4.0, 8.0])


@pytest.mark.parametrize(
    ("norm", "weight", "value"),
    [
        ("l1", "equal", 1 + 2 + 3),
        ("l1", "cost", 1 + 2 * 2 + 4 * 3),
        ("l2", "equal", math.sqrt(1 + 4 + 9)),
        ("l2", "cost", math.sqrt(1 + 2 * 4 + 4 * 9)),
        ("relative", "equal", 1 / 9 + 2 + 3 / 5),
    ],
)
def test_hand_computed(norm, weight, value):
    found = CellDistance(norm, weight=weight).measure(TRUE, ROUNDED)
    assert found.value == pytest.approx(value, rel=1e-14)
    assert found.figures["largest"] == 3
    assert found.details.column("code").to_pylist() == ["Total", "0", "2"]


def test_suppressed_cells_are_counted_apart():
    hidden = table([10.0, 2.0, 4.0, 8.0], status=[0, 0, 0, 2]).published()
    found = CellDistance().measure(TRUE, hidden)
    assert found.value == 3
    assert found.figures["suppressed"] == 1
    assert "2 of 3 published cells" in found.sentence


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8), st.data())
def test_it_is_a_distance(values, data):
    other = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=len(values), max_size=len(values)))
    one, two = table(values), table(other)
    assert CellDistance().measure(one, one).value == 0
    there, back = (CellDistance().measure(*pair).value for pair in ((one, two), (two, one)))
    assert there == back == math.fsum(abs(a - b) for a, b in zip(values, other, strict=True))
