"""Whether tables tell that somebody is in the data."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacita.attacks.tables.membership_attack import MembershipAttack
from tacita.errors import InputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric


def clinic(inside, hidden=()):
    """Make a table of town x illness; `hidden` cells are named by their places, 0 the totals."""
    inside = np.array(inside)
    full = np.zeros(np.add(inside.shape, 1))
    full[1:, 1:] = inside
    full[0, 1:], full[1:, 0], full[0, 0] = inside.sum(0), inside.sum(1), inside.sum()
    places = np.array(list(np.ndindex(full.shape)))
    status = [2 if tuple(place) in hidden else 0 for place in places.tolist()]
    dimensions = (
        Dimension.flat("town", [f"t{n}" for n in range(1, len(full))]),
        Dimension.flat("ill", [f"i{n}" for n in range(1, full.shape[1])]),
    )
    return Table("clinic", dimensions, places, Cells.of(full.ravel(), status=status))


def told(table, **parameters):
    return MembershipAttack(**parameters).measure(table, table.published())


def test_a_full_table_decides_everything():
    found = told(clinic([[3, 0], [1, 2]]))
    assert found.value == 1
    assert found.figures["certainly_in"] == 3
    assert found.figures["certainly_not"] == 1
    assert found.details["told"].to_pylist() == ["in", "not in", "in", "in"]


def test_suppressed_cells_are_decided_by_their_intervals():
    """Row 1 is 7 and column 1 is 9 with 3 shown: X11 lies in [3, 6] and is certainly occupied."""
    corners = [(1, 1), (1, 2), (2, 1), (2, 2)]
    found = told(clinic([[4, 3], [2, 1], [3, 3]], corners))
    rows = {(r["town"], r["ill"]): r for r in found.details.to_pylist()}
    assert (rows["t1", "i1"]["least"], rows["t1", "i1"]["largest"]) == (3, 6)
    assert [rows[f"t{t}", f"i{i}"]["told"] for t, i in corners] == [
        "in",
        "in",
        "undecided",
        "undecided",
    ]
    assert found.value == Fraction(4, 6)


def test_one_respondent():
    table = clinic([[4, 3], [2, 1], [3, 3]], [(1, 1), (1, 2), (2, 1), (2, 2)])
    assert told(table, respondent={"town": "t1", "ill": "i1"}).value == 1
    assert told(table, respondent={"town": "t2", "ill": "i1"}).value == 0
    anywhere = told(table, respondent={"town": "t2"})
    assert anywhere.details.to_pylist() == [{"town": "t2", "least": 3, "largest": 3, "told": "in"}]


def test_a_respondent_known_by_attributes_of_different_tables():
    """4 women and 4 from t1 among 5: at least 3 women are from t1. No woman from t2 is sure."""
    town = Dimension.flat("town", ["t1", "t2"])
    sex = Dimension.flat("sex", ["f", "m"])
    linked = LinkedTables(
        (
            Table("towns", (town,), np.arange(3)[:, None], Cells.of([5, 4, 1])),
            Table("sexes", (sex,), np.arange(3)[:, None], Cells.of([5, 4, 1])),
        )
    )

    def of(**codes):
        found = MembershipAttack(respondent=codes).measure(linked, linked)
        return found.details.to_pylist()[0]

    assert of(town="t1", sex="f") == {
        "town": "t1",
        "sex": "f",
        "least": 3,
        "largest": 4,
        "told": "in",
    }
    assert of(town="t2", sex="f")["told"] == "undecided"


def everything(counts):
    a, b, c, d = counts
    return np.array([a + b + c + d, a + c, b + d, a + b, a, b, c + d, c, d], float)


MOST = 5  # respondents, so that every table can be listed


@settings(max_examples=40, deadline=None)
@given(
    inside=st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), min_size=2, max_size=2),
    hidden=st.sets(st.sampled_from([(r, c) for r in range(3) for c in range(3) if r + c])),
)
def test_decisions_are_those_of_every_table_that_agrees(inside, hidden):
    table = clinic(inside, hidden)
    total = int(np.sum(inside))
    assume(total <= MOST)
    shown = np.flatnonzero(~table.cells.suppressed)
    agreeing = [
        counts
        for counts in np.ndindex(*[total + 1] * 4)
        if np.array_equal(everything(counts)[shown], table.cells.value[shown])
    ]
    found = told(table).details.to_pylist()
    for row, column in zip(found, np.array(agreeing).T, strict=True):
        assert (row["least"], row["largest"]) == (column.min(), column.max())


def test_somebody_nobody_knows():
    table = clinic([[4, 3], [2, 1]])
    with pytest.raises(InputError, match=r"No table is spanned by `twon`. Did you mean `town`\?"):
        told(table, respondent={"twon": "t1"})
    with pytest.raises(InputError, match="`town` has no code 't9'"):
        told(table, respondent={"town": "t9"})
