from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.models.k_anonymity import KAnonymity


def keyed(values: list) -> ta.Microdata:
    return ta.read(pa.table({"a": values}), roles={"a": "key"})


@given(st.lists(st.integers(0, 5), min_size=1))
def test_unmasked_data_are_linked_one_in_the_class(values):
    data = keyed(values)
    expected = sum(Fraction(1, Counter(values)[v]) for v in values) / len(values)
    assert ta.ExactLinkage().measure(data, data).value == expected


def test_the_intruder_recodes_what_she_knows():
    data = keyed([1, 2, 11, 12])
    masked = data.apply(ta.Recode("a", width=10))
    assert ta.ExactLinkage().measure(data, masked).value == Fraction(1, 2)


def test_noise_is_not_undone():
    data = keyed([1, 1, 2, 2])
    noisy = data.with_column(data.attribute("a"), pa.array([1, 9, 2, 8]))
    found = ta.ExactLinkage().measure(data, noisy)
    assert found.value == Fraction(2, 4)
    assert found.per_record.tolist() == [1, 0, 1, 0]


def test_a_sample_is_linked_by_its_own_records():
    data = keyed(list(range(10)))
    sample = data.apply(ta.Sample(size=4), seed=1)
    assert ta.ExactLinkage().measure(data, sample).value == 1


def test_blanks_link_only_to_blanks():
    data = keyed([1, None, None, 1])
    gone = data.with_column(data.attribute("a"), pa.array([1, None, None, None]))
    found = ta.ExactLinkage().measure(data, gone)
    assert found.per_record.tolist() == [1.0, 1 / 3, 1 / 3, 0.0]


@given(st.integers(2, 6), st.integers(0, 3))
def test_k_anonymity_bounds_the_links_by_one_in_k(k, seed):
    data = ta.example("toy", 120, seed=seed)
    safe = data.anonymize(KAnonymity(k), suppression_limit=1.0)
    found = ta.ExactLinkage().measure(data, safe).value
    assert found is None or found <= Fraction(1, k)


def test_types_that_differ_without_being_a_recoding_do_not_link():
    data = keyed([1, 1, 2])
    strange = data.with_column(data.attribute("a").recoded(), pa.array(["x", "y", "z"]))
    assert ta.ExactLinkage().measure(data, strange).value == 0


def test_text_is_compared_as_text_and_sets_as_sets():
    words = keyed(["b", "b", "c"])
    other = words.with_column(words.attribute("a"), pa.array(["b", "a", "c"]))
    assert ta.ExactLinkage().measure(words, other).per_record.tolist() == [1, 0, 1]
    sets = keyed([["x", "y"], ["x", "y"], ["z"]])
    turned = sets.with_column(sets.attribute("a"), pa.array([["y", "x"], ["q"], ["z"]]))
    assert np.allclose(ta.ExactLinkage().measure(sets, turned).per_record, [1, 0, 1])


def test_a_suppressed_cell_does_not_hide_the_recoding_of_the_others():
    data = keyed([20, 21, 22, 23] * 5)
    masked = data.apply(ta.Recode("a", width=2))
    values = masked.column("a").to_pylist()
    blank = masked.with_column(masked.attribute("a"), pa.array([None, *values[1:]]))
    found = ta.ExactLinkage().measure(data, blank)
    assert found.per_record.tolist() == [0.0, *(1 / values[1:].count(v) for v in values[1:])]


def test_numbers_are_compared_as_numbers_whatever_their_type():
    data = keyed([1, 1, 2, 2])
    other = data.with_column(data.attribute("a"), pa.array([1.0, 9.0, 2.0, 8.0]))
    assert ta.ExactLinkage().measure(data, other).per_record.tolist() == [1, 0, 1, 0]
    money = keyed([Decimal("1.00"), Decimal("2.00"), Decimal("2.00")])
    noisy = keyed([Decimal("9.00"), Decimal("8.00"), Decimal("7.00")])
    assert ta.ExactLinkage().measure(*ta.pair(money, noisy, "position")).value == 0


def test_data_that_do_not_belong_together_are_refused():
    with pytest.raises(InputError, match="Nobody knows which records belong together"):
        ta.ExactLinkage().measure(keyed([1, 2, 3]), keyed([1, 2]))
    whole = keyed([1, 2, 3, 4])
    with pytest.raises(InputError, match="do not come from"):
        ta.ExactLinkage().measure(whole.take(np.array([0, 1])), whole.take(np.array([2, 3])))


def test_one_value_that_does_not_fit_does_not_hide_the_recoding_of_the_others():
    ages = [20, 21, 22, 33, 34, 35] * 3
    tens = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in ages]
    words = {age: f"w{age // 10}" for age in ages}  # labels that nobody can read
    coded = [words[age] for age in ages]
    for masked in (["30-39", *tens[1:]], ["w3", *coded[1:]]):
        found = ta.ExactLinkage().measure(*ta.pair(keyed(ages), keyed(masked), "position"))
        assert found.per_record.tolist() == [0.0, *(1 / masked.count(v) for v in masked[1:])]


def test_local_recoding_is_read():
    data = keyed([21, 21, 25, 38, 38])
    masked = keyed(["20-29", "20-24", "20-29", "10-19", "38"])
    found = ta.ExactLinkage().measure(*ta.pair(data, masked, "position"))
    assert found.per_record.tolist() == [0.5, 1.0, 0.5, 0.0, 1.0]
    codes = keyed(["53711", "53711", "53712", "60000"])
    starred = keyed(["5371*", "53711", "53712", "*"])
    assert ta.ExactLinkage().measure(*ta.pair(codes, starred, "position")).per_record.tolist() == [
        1.0,
        1.0,
        1.0,
        0.0,
    ]


def test_a_value_without_others_like_it_that_was_swapped_is_not_followed():
    data = keyed(["a", "a", "a", "b", "b", "c", "d"])
    swapped = keyed(["a", "a", "a", "b", "b", "d", "c"])
    found = ta.ExactLinkage().measure(*ta.pair(data.take(np.arange(7)), swapped, "position"))
    assert found.per_record.tolist() == [1 / 3] * 3 + [0.5] * 2 + [1.0, 1.0]


def test_an_attribute_with_one_value_hides_nobody():
    table = {"a": [1, 2, 3, 4], "b": [45] * 4}
    roles = {"a": "key", "b": "key"}
    data = ta.read(pa.table(table), roles=roles)
    masked = ta.read(pa.table({**table, "b": ["40-49"] * 4}), roles=roles)
    assert ta.ExactLinkage().measure(*ta.pair(data, masked, "position")).value == 1
