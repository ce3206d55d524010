from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.microdata.risk.linking.links import Links

GUESSES = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=30)


def links(pairs: list[tuple[int, int]], records: int | None = None) -> Links:
    right, guesses = np.array(pairs, np.int64).reshape(-1, 2).T
    return Links(np.minimum(right, guesses), guesses, len(pairs) if records is None else records)


@given(GUESSES)
def test_expected_links_are_summed_exactly(pairs):
    expected = sum((Fraction(min(r, g), g) for r, g in pairs), Fraction(0))
    assert links(pairs).expected == expected


@given(GUESSES.filter(bool))
def test_a_share_lies_in_its_interval(pairs):
    found = links(pairs).measurement(ta.ExactLinkage(), "told")
    assert found.interval.lower <= float(found.value) + 1e-12
    assert float(found.value) <= found.interval.upper + 1e-12
    assert found.figures["linked"] == len(pairs)
    assert found.figures["certain_links"] <= found.figures["right_links"]
    assert found.figures["right_links"] <= found.figures["owner_among_guesses"]


def test_numbers_of_single_records_are_given_only_of_all():
    assert links([(1, 2)]).measurement(ta.ExactLinkage(), "told").per_record.tolist() == [0.5]
    assert links([(1, 2)], records=9).measurement(ta.ExactLinkage(), "told").per_record is None


def test_nobody_linked_is_no_share():
    found = links([]).measurement(ta.ExactLinkage(), "told")
    assert found.value is None
    assert (found.interval.lower, found.interval.upper) == (0, 1)
