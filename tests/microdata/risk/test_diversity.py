from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from math import exp, log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError

SHARED = Path(__file__).parents[4] / "shared"
KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
REFERENCE = {"testdata": 60, "testdata2": 60}  # rows of sdcMicro's `ldiversity`


def read(columns: dict[str, list], confidential: str = "xyz") -> ta.Microdata:
    roles = {name: "confidential" if name in confidential else "key" for name in columns}
    return ta.read(
        pa.table(columns), roles=roles, kinds={n: "nominal" for n in columns if n in "xyz"}
    )


def measured(data: ta.Microdata, **parameters):
    return ta.Diversity(**parameters).measure(data, data)


# -- the definitions, slowly ----------------------------------------------------------------------


def spread(values: list, c: Fraction) -> tuple[int, float, int]:
    """Return distinct, entropy and recursive l of the values in one class."""
    often = sorted(Counter(values).values(), reverse=True)
    shares = [count / len(values) for count in often]
    fulfilled = [size for size in range(2, len(often) + 1) if often[0] < c * sum(often[size - 1 :])]
    return len(often), exp(-sum(p * log(p) for p in shares)), max(fulfilled, default=1)


def in_class(rows: list[dict], row: dict, known: list[str], name: str) -> list:
    return [other[name] for other in rows if all(other[k] == row[k] for k in known)]


def slowly(rows: list[dict], keys: list[str], names: list[str], c: Fraction) -> list[list]:
    """Return distinct, entropy, recursive, multi-entropy, multi-recursive l of every record."""
    made = []
    for row in rows:
        single = [spread(in_class(rows, row, keys, name), c) for name in names]
        mates = [other for other in rows if all(other[k] == row[k] for k in keys)]
        multi = [
            spread(in_class(mates, mate, [n for n in names if n != name], name), c)
            for mate in mates
            for name in names
        ]
        lowest = [min(one[place] for one in single) for place in range(3)]
        made.append([*lowest, *(min(one[place] for one in multi) for place in (1, 2))])
    return made


# -- by hand --------------------------------------------------------------------------------------


def test_conditions_have_one_class_of_a_single_condition():
    data = ta.example("conditions_4_anonymous")
    found = measured(data)
    assert found.value == Fraction(4, 12)
    assert found.per_record.tolist() == [2] * 4 + [3] * 4 + [1] * 4
    assert found.parts == {"Condition": pytest.approx(1 / 3)}
    assert found.sentence == (
        "4 of 12 records are in classes of Age, Zip code, Nationality with fewer than 2 values of "
        "Condition"
    )
    # Frequencies 2, 2; 2, 1, 1; 4. Entropy: 2; 2 sqrt(2); 1. Recursive with c = 2: 2; 2; 1.
    assert found.figures["distinct_mean"] == 2
    assert found.figures["entropy_max"] == pytest.approx(8**0.5, abs=1e-15)
    assert found.figures["entropy_mean"] == pytest.approx((2 + 8**0.5 + 1) / 3)
    assert found.figures["recursive_mean"] == Fraction(5, 3)
    assert "multi_entropy_min" not in found.figures


def test_more_values_are_asked_for_by_l():
    data = ta.example("conditions_4_anonymous")
    assert measured(data, l=3).value == Fraction(8, 12)
    assert measured(data, l=4).value == 1


@pytest.mark.parametrize(
    ("c", "expected"),
    [(1.1, 1), (1.11, 2), (2.2, 2), (2.21, 3), (11, 3), (11.01, 4), (1e-300, 1), (1e300, 4)],
)
def test_the_boundary_of_the_recursion_is_exact(c, expected):
    """Frequencies 11, 5, 4, 1: r_1 = 11 is compared with c times 10, 5 and 1, as decimals."""
    data = read({"a": [0] * 21, "x": ["p"] * 11 + ["q"] * 5 + ["r"] * 4 + ["s"]})
    assert measured(data, c=c).figures["recursive_max"] == expected


def test_the_constant_is_the_decimal_number_that_was_written():
    """Not the double nearest to it: 1.1 times 50 is 55, of doubles a little more."""
    data = read({"a": [0] * 105, "x": ["p"] * 55 + ["q"] * 50})
    assert 1.1 * 50 > 55
    assert measured(data, c=1.1).figures["recursive_max"] == 1


def test_knowing_the_other_attribute_leaves_less():
    columns = {"a": [0] * 4, "x": ["p", "p", "q", "q"], "y": ["s", "s", "t", "u"]}
    found = measured(read(columns))
    assert found.value == 0
    assert found.figures["distinct_min"] == 2
    # Whoever knows y = s knows x = p.
    assert found.figures["multi_entropy_max"] == 1
    assert found.figures["multi_recursive_max"] == 1


def test_the_worst_attribute_counts():
    columns = {"a": [0, 0, 1, 1], "x": ["p", "q", "p", "p"], "y": ["s", "s", "t", "u"]}
    found = measured(read(columns))
    assert found.value == 1
    assert found.parts == {"x": 0.5, "y": 0.5}
    assert found.details.column("share").to_pylist() == [0.5, 0.5]
    assert found.details.column("attribute").to_pylist() == ["x", "y"]
    assert measured(read(columns), attributes="x").value == Fraction(1, 2)


def test_blanks_are_together_one_value():
    columns = {"a": [0, 0, 0, 1, 1], "x": ["p", None, None, None, None]}
    found = measured(read(columns))
    assert found.per_record.tolist() == [2, 2, 2, 1, 1]
    assert found.value == Fraction(2, 5)
    # sdcMicro leaves the blanks out of this one and would find 1.
    assert measured(read({"a": [0] * 4, "x": ["p", "p", None, None]})).figures["recursive_min"] == 2


def test_an_attribute_with_both_roles_is_seen_by_the_other_keys():
    table = pa.table({"a": [0, 0, 1], "x": ["p", "q", "p"]})
    data = ta.read(table, roles={"a": "key", "x": ["key", "confidential"]})
    assert measured(data).per_record.tolist() == [2, 2, 1]
    assert measured(data, keys="x").per_record.tolist() == [2, 2, 2]


def test_weights_do_not_count():
    data = ta.example("toy", 60)
    plain = data.without(data.with_role(ta.Role.WEIGHT))
    assert measured(data).to_dict() == measured(plain).to_dict()


def test_an_attribute_that_was_dropped_is_left_out():
    data = ta.example("toy", 60)
    found = ta.Diversity().measure(data, data.without(["income"]))
    assert list(found.parts) == ["disease"]
    with pytest.raises(InputError, match="no confidential attribute"):
        ta.Diversity().measure(data, data.without(["income", "disease"]))


def test_without_records_nothing_is_defined():
    data = ta.example("toy", 60).take(np.arange(0))
    found = measured(data)
    assert found.value is None
    assert set(found.figures.values()) == {None}


@pytest.mark.parametrize("wrong", [{"l": 1}, {"c": 0}, {"attributes": []}])
def test_refuses_parameters_without_meaning(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ta.Diversity(**wrong)


# -- laws -----------------------------------------------------------------------------------------

VALUES = st.sampled_from(["p", "q", "r", "s", None])
ROWS = st.lists(
    st.fixed_dictionaries({"a": st.integers(0, 2), "x": VALUES, "y": VALUES, "z": VALUES}),
    min_size=1,
    max_size=25,
)


@given(ROWS, st.sampled_from(["x", "xy", "xyz"]), st.sampled_from([0.5, 1, 2, 3.3]))
def test_agrees_with_the_definitions(rows, names, c):
    columns = {name: [row[name] for row in rows] for name in ("a", *names)}
    columns = {n: pa.array(v, pa.int64() if n == "a" else pa.string()) for n, v in columns.items()}
    found = measured(read(columns), c=c)
    expected = slowly(rows, ["a"], list(names), Fraction(str(c)))
    assert found.per_record.tolist() == [row[0] for row in expected]
    assert found.value == Fraction(sum(row[0] < 2 for row in expected), len(rows))
    ways = ["distinct", "entropy", "recursive", "multi_entropy", "multi_recursive"]
    for place, way in enumerate(ways if len(names) > 1 else ways[:3]):
        numbers = [row[place] for row in expected]
        assert found.figures[f"{way}_min"] == pytest.approx(min(numbers), abs=1e-12)
        assert found.figures[f"{way}_max"] == pytest.approx(max(numbers), abs=1e-12)
        mean = sum(numbers) / len(numbers)
        assert float(found.figures[f"{way}_mean"]) == pytest.approx(mean, abs=1e-12)


@given(ROWS)
def test_distinct_bounds_the_stricter_ways_of_counting(rows):
    columns = {n: pa.array([row[n] for row in rows], pa.string()) for n in "xy"}
    figures = measured(read({"a": [row["a"] for row in rows], **columns})).figures
    for end in ("min", "mean", "max"):
        assert 1 <= figures[f"multi_entropy_{end}"] <= figures[f"entropy_{end}"] + 1e-12
        assert figures[f"entropy_{end}"] <= figures[f"distinct_{end}"] + 1e-12
        assert 1 <= figures[f"recursive_{end}"] <= figures[f"distinct_{end}"]


def test_generalizing_keys_never_lowers_diversity(patients):
    method = ta.Diversity(l=5, keys=["patzip", "sex"])
    before = method.measure(patients, patients)
    shares = {before.value}
    for level in range(6):
        after = method.measure(patients, patients.apply(ta.Generalize("patzip", level)))
        assert after.value <= before.value
        assert (after.per_record >= before.per_record).all()
        shares.add(after.value)
        before = after
    assert len(shares) > 2


# -- sdcMicro -------------------------------------------------------------------------------------


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data are not here")
@pytest.mark.parametrize("dataset", REFERENCE)
def test_figures_are_those_of_sdcmicro(dataset):
    data = ta.read(SHARED / f"data/casc/{dataset}.csv", roles=dict.fromkeys(KEYS, "key"))
    with (SHARED / "reference/sdcmicro/figures.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == "ldiversity"]
    rows = [row for row in rows if row["dataset"] == dataset]
    assert len(rows) == REFERENCE[dataset]
    figures = {}
    for row in rows:
        name = row["params"].split("ldiv_index=")[1].partition(";")[0]
        if name not in figures:
            figures[name] = measured(data, attributes=name).figures
        way, end = row["metric"].removeprefix(f"{name}_").lower().split("_ldiversity_")
        if way.startswith("multi"):  # of one attribute there is none; sdcMicro writes 0
            assert float(row["value"]) == 0
            assert not any(figure.startswith("multi") for figure in figures[name])
        else:
            assert float(figures[name][f"{way}_{end}"]) == pytest.approx(
                float(row["value"]), abs=1e-9
            )
