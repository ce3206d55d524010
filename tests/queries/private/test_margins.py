from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.queries.private.margins import consistent
from tacita.queries.private.moments import Moment
from tacita.queries.private.parts import parts_of

pytestmark = pytest.mark.numeric

CUBE = "SELECT sector, region, count(*) FROM firms GROUP BY CUBE(sector, region)"


def counts(cells) -> dict:
    """Return the groups of every grouping of a count."""
    return {of: groups for (what, of), groups in parts_of(cells).items() if what == Moment()}


@given(st.data())
def test_every_margin_is_the_sum_of_its_cells(firms, asked, data):
    groups = counts(asked(CUBE, firms))
    noisy = {
        of: {group: data.draw(st.integers(-99, 99)) for group in sets}
        for of, sets in groups.items()
    }
    scales = {of: data.draw(st.floats(0.5, 5)) for of in groups}
    found = consistent(noisy, groups, scales)
    for of, values in found.items():
        for group, value in values.items():
            parts = [
                one for leaf, one in found[0, 1].items() if all(leaf[at] == group[at] for at in of)
            ]
            assert value == sum(parts)


def test_cells_are_the_least_squares_estimate(firms, asked):
    groups = counts(asked("SELECT sector, count(*) FROM firms GROUP BY ROLLUP(sector)", firms))
    noisy = {
        (): {(None,): 1_000_000},
        (0,): {("Fin",): 200_000, ("HC",): 300_000, ("IT",): 400_000},
    }
    found = consistent(noisy, groups, {(): 1.0, (0,): 2.0})
    design = np.array([[2, 2, 2], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    wanted = np.linalg.lstsq(design, np.array([2e6, 2e5, 3e5, 4e5]), rcond=None)[0]
    assert list(found[0,].values()) == pytest.approx(wanted, abs=1)


def test_numbers_without_noise_stay_what_they_are(firms, asked):
    groups = counts(asked(CUBE, firms))
    true = {of: {group: one.size for group, one in sets.items()} for of, sets in groups.items()}
    assert consistent(true, groups, dict.fromkeys(groups, 1.0)) == true


@pytest.mark.parametrize(
    "question",
    [
        "SELECT count(*) FROM firms GROUP BY GROUPING SETS ((sector), (region))",
        "SELECT count(*) FROM firms GROUP BY sector",
    ],
)
def test_without_a_finest_grouping_nothing_changes(firms, asked, question):
    groups = counts(asked(question, firms))
    noisy = {of: dict.fromkeys(one, 7) for of, one in groups.items()}
    assert consistent(noisy, groups, dict.fromkeys(groups, 1.0)) is noisy


def test_margins_of_cells_that_were_refused_stay_as_they_are(firms, asked):
    groups = counts(asked(CUBE, firms))
    del groups[0, 1]["Fin", "TGN"]
    noisy = {of: dict.fromkeys(one, 7) for of, one in groups.items()}
    assert consistent(noisy, groups, dict.fromkeys(groups, 1.0)) is noisy
