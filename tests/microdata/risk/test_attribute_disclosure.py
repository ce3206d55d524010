from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError

CANCERS = ["Breast Cancer", "Kidney Cancer", "Stomach Cancer"]


def read(keys: list, values: list, **said) -> ta.Microdata:
    table = pa.table({"key": keys, "value": values})
    return ta.read(table, roles={"key": "key", "value": "confidential"}, **said)


def measured(data, **said):
    return ta.AttributeDisclosure(**said).measure(data, data)


def test_high_charges_of_the_first_printed_cluster():
    data = ta.example("discharges_3_anonymous")
    found = measured(data, attributes=["Charges"], above=250_000)
    assert found.value == 1
    assert found.per_record.tolist() == [True] * 3 + [False] * 3


def test_charges_that_the_second_cluster_has_too_are_not_disclosed_there():
    data = ta.example("discharges_3_anonymous")
    assert measured(data, attributes=["Charges"], above=100_000).value == Fraction(3, 4)
    assert measured(data, attributes=["Charges"], below=30_000).value == 0
    assert measured(data, attributes=["Charges"], above=30_000, below=110_000).value == 0


def test_cancer_of_the_second_printed_cluster():
    data = ta.example("discharges_3_anonymous")
    found = measured(data, attributes=["Diagnosis"], values=CANCERS)
    assert found.value == 1
    assert found.per_record.tolist() == [False] * 3 + [True] * 3
    assert measured(data, attributes=["Diagnosis"]).value == 0


def test_the_third_printed_class_all_have_aids():
    found = measured(ta.example("conditions_4_anonymous"))
    assert found.value == Fraction(4, 12)
    assert found.figures["worst_value"] == Fraction(4, 5)
    rows = {row["value"]: row for row in found.details.to_pylist()}
    assert (rows["AIDS"]["records"], rows["AIDS"]["disclosed"]) == (5, 4)


def test_numbers_are_protected_above_their_ninetieth_percentile():
    data = read([0, 0, 1, 1, 2, 2, 3, 3, 4, 5], list(range(10)))
    found = measured(data)
    assert found.value == 1
    assert found.per_record.tolist() == [False] * 9 + [True]
    assert found.details.to_pylist()[0]["value"] == "above 8"


def test_a_blank_makes_its_class_diverse():
    found = measured(read([1, 1, 2, 2, 3], ["a", None, "a", "a", None]))
    assert found.value == Fraction(2, 3)
    assert found.per_record.tolist() == [False, False, True, True, False]


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["a", "b", None])), min_size=1, max_size=15
    )
)
def test_it_counts_as_the_definition_says(rows):
    classes = defaultdict(list)
    for key, value in rows:
        classes[key].append(value)
    data = read([key for key, _ in rows], pa.array([value for _, value in rows], pa.string()))
    every = disclosed = 0
    for z in ("a", "b"):
        having = sum(value == z for _, value in rows)
        alike = sum(len(c) for c in classes.values() if set(c) == {z})
        found = measured(data, values=[z])
        assert found.value == (Fraction(alike, having) if having else None)
        every, disclosed = every + having, disclosed + alike
    assert measured(data).value == (Fraction(disclosed, every) if every else None)


def test_the_worst_attribute_counts():
    table = pa.table({"k": [1, 1, 2, 2], "a": list("xxyz"), "b": list("xyyz")})
    roles = {"k": "key", "a": "confidential", "b": "confidential"}
    found = measured(ta.read(table, roles=roles))
    assert found.value == Fraction(1, 2)
    assert found.parts == {"a": 0.5, "b": 0.0}


def test_it_says_what_it_cannot_protect():
    data = read([1, 2], ["a", "b"])
    with pytest.raises(ParameterError, match="not both"):
        measured(data, values=["a"], above=3)
    with pytest.raises(InputError, match="no continuous confidential"):
        measured(data, above=3)
    with pytest.raises(InputError, match="no confidential attribute"):
        measured(ta.read(pa.table({"k": [1]}), roles={"k": "key"}))


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ([1.0, 1.0, 2.0], 1.0),
        ([1, 1, 2], 1.0),
        ([1, 1, 2], "1"),
        ([1e-7, 1e-7, 2.0], 1e-7),
        ([True, True, False], "True"),
        (["AIDS", "AIDS", "flu"], "Aids"),
        ([["flu", "AIDS"], ["AIDS"], ["flu"]], "AIDS"),
    ],
)
def test_a_protected_value_is_found_however_it_is_spelled(column, said):
    table = pa.table({"key": ["p", "p", "q"], "value": column})
    data = ta.read(table, roles={"key": "key", "value": "confidential"})
    found = ta.AttributeDisclosure(values=[said]).measure(data, data)
    assert (found.value, found.per_record.tolist()) == (1, [True, True, False])


def test_top_coded_numbers_are_a_range_of_their_own():
    table = pa.table({"key": ["a", "a", "b", "b"], "value": [80.0, 80.0, 80.0, 5.0]})
    data = ta.read(table, roles={"key": "key", "value": "confidential"})
    found = ta.AttributeDisclosure().measure(data, data)
    assert (found.value, found.per_record.tolist()) == (Fraction(2, 3), [True, True, False, False])
