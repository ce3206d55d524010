"""The dominance attack on cells that a few contributors fill."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.attacks.tables.dominance_attack import DominanceAttack
from tacita.data.read import declare
from tacita.errors import ParameterError
from tacita.tables.status import Status
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate

pytestmark = pytest.mark.numeric


def earnings(*pay: float, largest: int = 5) -> Table:
    """Return the earnings of a job, with the given contributors."""
    records = pa.table({"job": ["j"] * len(pay), "pay": list(pay)})
    return tabulate(declare(records, {}), ["job"], value="pay", largest=largest)


def test_whoever_holds_90_percent_knows_that_colleagues_earn_little() -> None:
    """Seeds 000 and 002: 900 of 1,000 leave at most 100 for anybody else."""
    table = earnings(900, 60, 40)
    found = DominanceAttack().measure(table, table.published())
    assert found.value == 1
    assert found.details is not None
    assert found.details.to_pylist()[0] == {
        "job": "Total",
        "contributors": 3.0,
        "who": "contributor 1",
        "share_percent": 90.0,
        "others_at_most": 100.0,
        "largest_estimated": 1000.0,
        "error_percent": pytest.approx(100 / 9),
    }


def test_exactly_k_percent_do_not_dominate() -> None:
    table = earnings(900, 60, 40)
    assert DominanceAttack(k=90).measure(table, table).value == 0
    assert DominanceAttack(k=89.99).measure(table, table).value == 1
    decimals = earnings(0.7, 0.2, 0.1)
    assert DominanceAttack(k=70).measure(decimals, decimals).value == 0
    assert DominanceAttack(n=2, k=90).measure(decimals, decimals).value == 0


def test_the_largest_dominate_together() -> None:
    table = earnings(500, 450, 30, 20)
    assert DominanceAttack(n=1, k=80).measure(table, table).value == 0
    found = DominanceAttack(n=2, k=80).measure(table, table)
    assert found.value == 1
    assert found.details is not None
    assert found.details["who"].to_pylist() == ["contributors 1 to 2"] * 2
    assert found.details["others_at_most"].to_pylist() == [50.0, 50.0]


def test_nobody_is_bounded_in_a_cell_of_the_dominant_ones() -> None:
    """With two contributors the internal attack says more."""
    table = earnings(900, 100)
    assert DominanceAttack(n=2).measure(table, table).figures["cells_attacked"] == 0


def test_values_below_0_and_unknown_contributions_are_left_out() -> None:
    losses = earnings(900, -60, 40)
    found = DominanceAttack().measure(losses, losses)
    assert found.figures["cells_attacked"] == 0
    assert found.figures["cells_not_known"] == 2
    bare = earnings(900, 60, 40, largest=1)
    assert DominanceAttack(n=2).measure(bare, bare).figures["cells_not_known"] == 2


def test_counts_and_suppressed_cells_are_not_attacked() -> None:
    counts = tabulate(declare(pa.table({"job": ["j"] * 4}), {}), ["job"])
    assert DominanceAttack().measure(counts, counts).figures["cells_attacked"] == 0
    table = earnings(900, 60, 40)
    hidden = table.with_cells(status=np.full(2, Status.SENSITIVE, np.int8))
    assert DominanceAttack().measure(table, hidden.published()).value == 0


def test_parameters_are_explained() -> None:
    with pytest.raises(ParameterError, match=r"`k` .* less than 100; found 120"):
        DominanceAttack(k=120)


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=6),
    st.integers(1, 3),
    st.integers(1, 99),
    st.randoms(use_true_random=False),
)
def test_it_says_what_the_microdata_say(pay: list[int], n: int, k: int, random: object) -> None:
    held = sum(sorted(pay, reverse=True)[:n])
    dominated = len(pay) > n and Fraction(held) > Fraction(k, 100) * sum(pay)
    random.shuffle(pay)
    table = earnings(*pay)
    found = DominanceAttack(n=n, k=k).measure(table, table.published())
    assert found.value == dominated
    if dominated:
        assert found.details is not None
        bound = found.details["others_at_most"][0].as_py()
        assert bound == sum(pay) - held
        assert bound >= sorted(pay, reverse=True)[n]
