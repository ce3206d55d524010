"""Sensitivities against all neighbours of small data."""

from __future__ import annotations

from itertools import product
from math import sqrt

import pytest

from tacita.queries.private.moments import ClampedSums, Moment
from tacita.queries.private.parts import Neighbours, parts_of, sensitivity
from tacita.queries.private.ranks import Rank, candidates_between

BOUNDS = {"pay": (-2.0, 6.0), "debt": (1.0, 3.0)}
VALUES = (None, -2.0, 1.0, 6.0)
RECORDS = [("IT", "BCN", 1.0, 3.0), ("HC", "BCN", 6.0, 1.0), ("IT", "TGN", -2.0, 2.0)]
# Records that are in all neighbours, so that all of them have the same groups.
STAY = [(sector, region, 1.0, 2.0) for sector in ("IT", "HC") for region in ("BCN", "TGN")]
QUESTIONS = (
    "SELECT count(*), sum(pay), var_pop(pay), covar_pop(pay, debt), sum(debt) FROM firms",
    "SELECT sector, count(pay), sum(pay), avg(pay), sum(debt) FROM firms GROUP BY ROLLUP(sector)",
    "SELECT sum(debt), median(pay), quantile_cont(pay, 0.2) FROM firms WHERE region = 'BCN'",
    "SELECT sector, region, median(pay), count(*) FROM firms GROUP BY sector, region",
    "SELECT region, count(*), sum(debt) FROM firms WHERE pay > 0 GROUP BY region",
)
CHOICES = list(product(("IT", "HC"), ("BCN", "TGN"), VALUES, (None, 1.0, 3.0)))


def changed():
    yield from ([*RECORDS[:2], other] for other in CHOICES)


def removed():
    yield from (RECORDS[:place] + RECORDS[place + 1 :] for place in range(3))
    yield from ([*RECORDS, other] for other in CHOICES)


def measurements(data, cells) -> dict:
    sums, candidates = ClampedSums(BOUNDS), candidates_between(BOUNDS["pay"], 8)
    return {
        part: [
            part[0].scores(part[0].values(one), candidates)
            if isinstance(part[0], Rank)
            else [sums.over(part[0], one)]
            for one in groups.values()
        ]
        for part, groups in parts_of(cells).items()
    }


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    ("neighbours", "others"),
    [(Neighbours.CHANGE_ONE, changed), (Neighbours.ADD_REMOVE, removed)],
)
def test_no_neighbour_moves_a_part_further(made, asked, question, neighbours, others):
    data = made([*STAY, *RECORDS])
    here = measurements(data, asked(question, data))
    for records in others():
        other = made([*STAY, *records])
        there = measurements(other, asked(question, other))
        assert set(here) == set(there)
        for (what, of), cells in here.items():
            moved = [
                max(abs(a - b) for a, b in zip(one, another, strict=True))
                for one, another in zip(cells, there[what, of], strict=True)
            ]
            limit = sensitivity(what, len(cells) > 1, BOUNDS, neighbours, 1)
            assert sum(moved) <= limit.sum
            assert sqrt(sum(one**2 for one in moved)) <= limit.root * (1 + 1e-12)


def test_sensitivities_of_the_textbook():
    salary = {"salary": (0.0, 600_000.0)}
    total = Moment(("salary",), ("salary",))

    def units(cells, neighbours, records=1):
        moved = sensitivity(total, cells > 1, salary, neighbours, records)
        return moved.sum * total.unit(salary)

    assert units(1, Neighbours.CHANGE_ONE) == 600_000
    assert units(4, Neighbours.CHANGE_ONE) == 1_200_000
    assert units(4, Neighbours.ADD_REMOVE) == 600_000
    assert units(1, Neighbours.CHANGE_ONE, 3) == 1_800_000
    assert sensitivity(Moment(), False, {}, Neighbours.CHANGE_ONE, 1).sum == 1
    assert sensitivity(Moment(), True, {}, Neighbours.CHANGE_ONE, 1).root == pytest.approx(sqrt(2))


def test_bounds_that_leave_out_zero_do_not_lower_what_leaving_a_set_moves():
    narrow = {"pay": (90.0, 100.0)}
    pay = Moment(("pay",), ("pay",))
    assert sensitivity(pay, False, narrow, Neighbours.CHANGE_ONE, 1).sum * pay.unit(narrow) == 100


def test_statistics_share_what_they_are_computed_from(firms, asked):
    cells = asked("SELECT avg(pay), var_pop(pay), stddev(pay), count(pay) FROM firms", firms)
    assert len(parts_of(cells)) == 3


def test_what_has_no_private_form_has_no_parts(firms, asked):
    cells = asked("SELECT min(pay), max(pay), quantile_cont(pay, 0.0) FROM firms", firms)
    assert parts_of(cells) == {}
