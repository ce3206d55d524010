"""Contribution bounding: at most so many records of a respondent count, whatever others do."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from math import sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.queries.expanding import expand
from tacita.queries.language.naming import Permitted
from tacita.queries.language.parse import parse
from tacita.queries.private.contributions import Contributions
from tacita.queries.private.moments import ClampedSums, Moment
from tacita.queries.private.parts import Neighbours, parts_of, sensitivity
from tacita.queries.private.ranks import Rank, candidates_between
from tacita.queries.public_classes import PublicClasses

pytestmark = pytest.mark.numeric

ROLES = {"person": "identifier", "region": "key", "pay": "confidential"}
KEY = b"k" * 32
BOUNDS = {"pay": (-1.0, 4.0)}
Records = list[tuple[str, str, float]]


def classes(records: Records) -> PublicClasses:
    columns = [list(column) for column in zip(*records, strict=True)]
    table = pa.table(dict(zip(ROLES, columns, strict=True)))
    return PublicClasses.of(ta.read(table, roles=ROLES), "visits")


def counted(records: Records, most: int, key: bytes = KEY) -> Records:
    """Return the records that count, by a slow reading of what `kept` says."""
    data = classes(records)
    kept = Contributions("person", most, key).kept(data)
    return sorted(records[data.order[row]] for row in np.flatnonzero(kept))


people = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xy"), st.sampled_from([0.0, 1.0, 2.0])),
    min_size=1,
    max_size=25,
)


@settings(max_examples=50, deadline=None)
@given(records=people, most=st.integers(1, 4))
def test_everybody_counts_with_as_many_records_as_there_are_up_to_the_bound(records, most):
    before, after = Counter(r[0] for r in records), Counter(r[0] for r in counted(records, most))
    assert after == {person: min(many, most) for person, many in before.items()}


@settings(max_examples=50, deadline=None)
@given(records=people, others=people, most=st.integers(1, 3))
def test_what_one_respondent_does_moves_no_record_of_another(records, others, most):
    """The order of all records is that of the values, as the guard keeps them."""
    own = [("zoe", region, pay) for _, region, pay in others]
    alone = counted(sorted(records), most)
    both = counted(sorted(records + own), most)
    assert [one for one in both if one[0] != "zoe"] == alone


def test_the_choice_is_the_same_for_one_key_and_another_for_another():
    records = [("a", "x", float(pay)) for pay in range(40)]
    assert counted(records, 5) == counted(records, 5)
    assert counted(records, 5) != counted(records, 5, b"j" * 32)


def test_records_are_left_out_at_random():
    """Of 600 respondents with three records, each place counts about as often."""
    records = [(f"p{person:03}", "x", float(place)) for person in range(600) for place in range(3)]
    seen = Counter(pay for *_, pay in counted(records, 1))
    assert all(130 < seen[pay] < 270 for pay in (0.0, 1.0, 2.0))  # 200, six deviations of 11.5


def test_how_many_are_left_out_is_known_to_the_keeper():
    data = classes([("a", "x", 1.0)] * 5 + [("b", "x", 2.0)])
    assert Contributions("person", 2, KEY).left_out(data) == 3
    assert Contributions(None, 2, KEY).left_out(data) == 0


# -- sensitivities, against all a respondent with many records can do ------------------------------

STAY = [("s1", "x", 1.0), ("s2", "y", 1.0)]
QUESTIONS = (
    "SELECT count(*), count(DISTINCT person), sum(pay), avg(pay), median(pay) FROM visits",
    "SELECT region, count(*), count(DISTINCT person), sum(pay), median(pay) FROM visits GROUP BY 1",
)
OWN = [(), *(one for many in (1, 3) for one in product("xy", repeat=many))]


@cache
def measurements(regions: tuple[str, ...], pay: float, question: str) -> dict:
    """Measure what a respondent with a record in each of some regions is part of."""
    data = classes(STAY + [("own", region, pay) for region in regions])
    query = parse(question, data, permitted=Permitted(respondents=frozenset({"person"})))
    contributions = Contributions("person", 2, KEY)
    sums, candidates = ClampedSums(BOUNDS, contributions), candidates_between(BOUNDS["pay"], 5)
    return {
        part: [
            part[0].scores(part[0].values(one, contributions.kept(data)), candidates)
            if isinstance(part[0], Rank)
            else [sums.over(part[0], one)]
            for one in groups.values()
        ]
        for part, groups in parts_of(expand(query, data)).items()
    }


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("neighbours", Neighbours)
def test_no_respondent_moves_a_part_further(question, neighbours):
    first = OWN if neighbours is Neighbours.CHANGE_ONE else [()]
    for before, after in product(first, OWN):
        here = measurements(before, -1.0, question)
        there = measurements(after, 4.0, question)
        for (what, of), cells in here.items():
            moved = [
                max(abs(a - b) for a, b in zip(one, another, strict=True))
                for one, another in zip(cells, there[what, of], strict=True)
            ]
            limit = sensitivity(what, len(cells) > 1, BOUNDS, neighbours, 2)
            assert sum(moved) <= limit.sum
            assert sqrt(sum(one**2 for one in moved)) <= limit.root * (1 + 1e-12)


@pytest.mark.parametrize(
    ("neighbours", "several", "moved"),
    [("change_one", False, 1), ("add_remove", False, 1), ("add_remove", True, 3),
     ("change_one", True, 6)],
)  # fmt: skip
def test_respondents_counted_once_move_each_of_their_cells_by_one(neighbours, several, moved):
    found = sensitivity(Moment(respondent="person"), several, {}, Neighbours(neighbours), 3)
    assert (found.sum, found.root) == (moved, sqrt(moved))
