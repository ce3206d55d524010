from __future__ import annotations

from collections import Counter
from datetime import date
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.risk import distance_linkage
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.microdata.risk.linking import pairing

SHARED = Path(__file__).parents[4] / "shared"
NOISE = "reference/sdcmicro/Tarragona_addNoise_additive10_seed123.csv"
DISTANCES = ["standardized", "mahalanobis", "gower", "euclidean", "manhattan"]


def keyed(**columns: list) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def changed(data: ta.Microdata, **columns: list) -> ta.Microdata:
    for name, values in columns.items():
        attribute = data.attribute(name)
        column = pa.array(values)
        if pa.types.is_string(column.type) and attribute.kind == "continuous":
            attribute = attribute.recoded()
        data = data.with_column(attribute, column)
    return data


def slowly(distances: np.ndarray, own: np.ndarray) -> Fraction:
    """Share the links of a matrix of distances, released by original."""
    total = Fraction(0)
    for row, owner in zip(distances, own, strict=True):
        near = np.flatnonzero(row <= row.min() * (1 + 1e-9))
        total += Fraction(int(owner in near), len(near))
    return total / len(own)


# -- the nearest ----------------------------------------------------------------------------------


def test_a_worked_example():
    data = keyed(x=[0.0, 10.0, 20.0, 30.0], y=[0.0, 0.0, 10.0, 10.0])
    noisy = changed(data, x=[1.0, 14.0, 12.0, 30.0], y=[0.0, 0.0, 0.0, 10.0])
    found = DistanceLinkage(distance="euclidean").measure(data, noisy)
    # 14 is 4 from its owner; 12 at y = 0 is 2 from the second and far from its own; 30 is exact.
    assert found.value == Fraction(3, 4)
    assert found.per_record.tolist() == [1, 1, 0, 1]
    assert found.figures["total_distance"] == 1 + 4 + 2 + 0
    assert found.details["nearest"].to_pylist() == [0, 1, 1, 3]
    assert found.details["own_distance"].to_pylist()[2] == np.hypot(8, 10)
    assert found.interval.lower < 0.75 < found.interval.upper


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc")), min_size=1, max_size=20))
def test_unmasked_data_are_linked_one_in_the_class(rows):
    data = keyed(x=[x for x, _ in rows], c=[c for _, c in rows])
    expected = sum(Fraction(1, Counter(rows)[row]) for row in rows) / len(rows)
    for distance in DISTANCES:
        assert DistanceLinkage(distance=distance).measure(data, data).value == expected


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["standardized", "gower", "euclidean", "manhattan"]))
def test_links_are_those_of_all_pairs_compared(seed, distance):
    rng = np.random.default_rng(seed)
    known = rng.integers(0, 8, (40, 2)).astype(float)
    released = known + rng.integers(-2, 3, known.shape)
    words, other = rng.choice(["u", "v", "w"], (2, 40))
    data = keyed(x=known[:, 0], y=known[:, 1], c=words.tolist())
    masked = changed(data, x=released[:, 0], y=released[:, 1], c=other.tolist())
    gaps = np.abs(released[:, None] - known[None])
    if distance == "standardized":
        gaps = gaps / known.std(axis=0, ddof=1)
    if distance == "gower":
        gaps = gaps / np.ptp(np.vstack([known, released]), axis=0)
    differs = (other[:, None] != words[None]).astype(float)
    power = 1 if distance in ("gower", "manhattan") else 2
    sums = (gaps**power).sum(axis=2) + differs
    found = DistanceLinkage(distance=distance).measure(data, masked)
    every = sums ** (1 / power) / (3 if distance == "gower" else 1)
    assert found.value == slowly(every, np.arange(40))
    assert found.figures["mean_distance"] == pytest.approx(every.min(axis=1).mean())
    two = [(row < row[i] * (1 - 1e-9)).sum() for i, row in enumerate(every)]
    tied = [(abs(row - row[i]) <= 1e-9 * row[i]).sum() for i, row in enumerate(every)]
    among = sum(min(1, max(0, 2 - n) / t) for n, t in zip(two, tied, strict=True))
    assert found.figures["right_among_two"] == pytest.approx(among)


def test_mahalanobis_is_the_distance_by_the_inverse_covariance():
    rng = np.random.default_rng(0)
    known = rng.normal(size=(60, 2)) @ np.array([[1, 3], [0, 0.2]])
    released = known + rng.normal(size=known.shape) * 0.3
    data = keyed(x=known[:, 0], y=known[:, 1])
    found = DistanceLinkage(distance="mahalanobis").measure(
        data, changed(data, x=released[:, 0], y=released[:, 1])
    )
    inverse = np.linalg.inv(np.cov(known.T, ddof=0))
    gaps = released[:, None] - known[None]
    every = np.sqrt(np.einsum("abi,ij,abj->ab", gaps, inverse, gaps))
    assert found.value == slowly(every, np.arange(60))
    assert found.figures["total_distance"] == pytest.approx(every.min(axis=1).sum())


def test_units_do_not_matter_to_mahalanobis():
    turnover, rate = [1e9, 1e9, 5e9, 5e9, 9e9, 9e9], [0.1, 0.2, 0.3, 0.4, 0.7, 0.6]
    data = keyed(x=turnover, y=rate)
    assert DistanceLinkage(distance="mahalanobis").measure(data, data).value == 1


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_largest_numbers_are_linked(distance):
    data = keyed(x=[-1.7e308, 1.7e308, 0.0, 1e300], y=[1.0, 2.0, 3.0, 4.0])
    assert DistanceLinkage(distance=distance).measure(data, data).value == 1


def test_a_constant_and_a_repeated_attribute_do_not_hurt_mahalanobis():
    x = [1.0, 2.0, 4.0]
    data = keyed(x=x, same=[5.0] * 3, twice=[2 * v for v in x])
    assert DistanceLinkage(distance="mahalanobis").measure(data, data).value == 1


def test_standard_deviations_use_the_sampling_weights():
    table = pa.table({"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 5.0], "w": [1.0, 1.0, 8.0]})
    roles = {"x": "key", "y": "key", "w": "weight"}
    data = ta.read(table, roles=roles)
    far = data.with_column(data.attribute("x"), pa.array([0.5, 1.0, 2.0]))
    found = DistanceLinkage(["x"]).measure(data, far).details["own_distance"][0].as_py()
    counts = np.array([1, 1, 8]) * 3 / 10
    mean = (counts * [0, 1, 2]).sum() / 3
    spread = np.sqrt((counts * np.square(np.array([0, 1, 2]) - mean)).sum() / 2)
    assert found == pytest.approx(0.5 / spread)


def test_importance_decides_between_attributes():
    data = keyed(x=[0.0, 10.0], c=["a", "b"])
    mixed = changed(data, x=[9.0, 1.0])
    plain = DistanceLinkage(distance="manhattan")
    assert plain.measure(data, mixed).value == 0
    by_category = DistanceLinkage(distance="manhattan", importance={"c": 100})
    assert by_category.measure(data, mixed).value == 1
    with pytest.raises(ParameterError, match="importance"):
        DistanceLinkage(distance="mahalanobis", importance={"x": 2}).measure(data, mixed)
    with pytest.raises(InputError, match="no attribute `z`"):
        DistanceLinkage(importance={"z": 2}).measure(data, mixed)


# -- kinds of attributes --------------------------------------------------------------------------


def test_intervals_contain_what_they_say_and_no_more():
    data = keyed(age=[20, 25, 29, 30, 31, 85])
    coarse = changed(data, age=["[20,30)", "[20,30)", "[20,30)", "[30,40)", "[30,40)", ">=85"])
    found = DistanceLinkage().measure(data, coarse)
    assert found.per_record.tolist() == [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1]
    shifted = changed(data, age=["[30,40)", "<20", "(29,31)", "85+", "30", "31-40"])
    per_record = DistanceLinkage().measure(data, shifted).per_record.tolist()
    assert per_record == [0, 0, 0, 0, 0, 0]
    halves = keyed(x=[1.5, 2.0, 2.5])
    cut = changed(halves, x=["[1.5,2)", "[2,3)", "[2,3)"])
    assert DistanceLinkage().measure(halves, cut).per_record.tolist() == [1, 0.5, 0.5]


def test_generalized_categories_are_as_far_as_they_were_lifted():
    tree = {"any": {"care": ["nurse", "doctor"], "law": ["judge", "clerk"]}}
    table = pa.table({"job": ["nurse", "doctor", "judge", "clerk"]})
    data = ta.read(table, roles={"job": "key"}, hierarchies={"job": {"tree": tree}})
    lifted = data.apply(ta.Generalize("job", level=1))
    found = DistanceLinkage(distance="gower").measure(data, lifted)
    assert found.value == Fraction(1, 2)
    assert found.figures["mean_distance"] == 0.5
    gone = data.apply(ta.Generalize("job", level=2))
    assert DistanceLinkage().measure(data, gone).value == Fraction(1, 4)
    wrong = data.with_column(data.attribute("job"), pa.array(["doctor", "law", "any", "clerk"]))
    per_record = DistanceLinkage().measure(data, wrong).per_record.tolist()
    assert per_record == [0, 0, 1 / 4, 1]


def test_ordered_categories_are_steps_apart():
    order = ["low", "middle", "high"]
    table = pa.table({"e": ["low", "middle", "high", "high"], "x": [0.0, 0.0, 0.0, 0.0]})
    data = ta.read(
        table, roles={"e": "key", "x": "key"}, kinds={"e": "ordinal"}, orders={"e": order}
    )
    moved = data.with_column(data.attribute("e"), pa.array(["middle", "middle", "low", "high"]))
    found = DistanceLinkage().measure(data, moved)
    assert found.per_record.tolist() == [0, 1, 0, 0.5]
    assert found.details["own_distance"].to_pylist() == [0.5, 0, 1, 0]
    merged = data.with_column(
        data.attribute("e").recoded(), pa.array(["less", "less", "more", "more"])
    )
    assert DistanceLinkage().measure(data, merged).value == Fraction(1, 2)


def test_dates_are_days_and_calendar_units_ranges_of_days():
    data = keyed(born=[date(1970, 1, 31), date(1970, 2, 1), date(1971, 5, 5)])
    moved = changed(data, born=[date(1970, 2, 3), date(1970, 2, 2), date(1971, 1, 1)])
    found = DistanceLinkage(distance="euclidean").measure(data, moved)
    assert found.per_record.tolist() == [0, 1, 1]
    assert found.details["own_distance"].to_pylist() == [3, 1, 124]
    months = data.apply(ta.Recode("born", unit="month"))
    assert DistanceLinkage().measure(data, months).value == 1
    years = data.apply(ta.Recode("born", unit="year"))
    assert DistanceLinkage().measure(data, years).value == Fraction(2, 3)


def test_sets_are_compared_by_jaccard():
    data = keyed(s=[["a", "b"], ["a"], ["c"]])
    moved = changed(data, s=[["a", "b", "c"], ["b", "a"], ["c"]])
    found = DistanceLinkage().measure(data, moved)
    assert found.per_record.tolist() == [1, 0, 1]
    assert found.details["own_distance"].to_pylist() == pytest.approx([1 / 3, 1 / 2, 0])


def test_labels_of_a_recoding_stand_for_what_became_them():
    data = keyed(c=["red", "pink", "blue", "navy"])
    merged = changed(data, c=["R", "R", "B", "B"])
    assert DistanceLinkage().measure(data, merged).value == Fraction(1, 2)


def test_a_released_blank_tells_nothing_and_an_original_blank_fits_nothing_else():
    data = keyed(x=[1.0, 2.0, None, 4.0], c=["a", "b", "c", None])
    gone = changed(data, x=[None, 2.0, None, 4.0])
    found = DistanceLinkage(["x"]).measure(data, gone)
    assert found.per_record.tolist() == [1 / 4, 1, 1 / 4, 1]
    both = DistanceLinkage().measure(data, changed(data, c=[None, "b", "c", None]))
    assert both.value == 1


def test_a_dropped_attribute_links_nobody():
    data = keyed(x=[1, 2], y=[1, 1])
    found = DistanceLinkage().measure(data, data.apply(ta.Drop(["x"])))
    assert found.value == Fraction(1, 2)
    with pytest.raises(InputError, match="linked only by attributes that are released"):
        DistanceLinkage(["x"]).measure(data, data.apply(ta.Drop(["x"])))
    with pytest.raises(InputError, match="role `key`"):
        DistanceLinkage().measure(ta.read(pa.table({"x": [1]})), ta.read(pa.table({"x": [1]})))


def test_fewer_released_records_are_linked_among_all_originals():
    data = keyed(x=list(range(20)))
    sample = data.apply(ta.Sample(size=5), seed=1)
    found = DistanceLinkage().measure(data, sample)
    assert found.value == 1
    assert found.details["nearest"].to_pylist() == sample.source_rows.tolist()


def test_a_sample_of_the_records_estimates_the_share_of_all():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 2))
    data = keyed(x=x[:, 0], y=x[:, 1])
    noisy = changed(data, x=x[:, 0] + rng.normal(size=3000) * 0.02)
    whole = DistanceLinkage(sample=None).measure(data, noisy)
    part = DistanceLinkage(sample=600, seed=4).measure(data, noisy)
    assert part.interval.lower <= float(whole.value) <= part.interval.upper
    assert "random sample of 600 of 3,000" in part.sentence
    assert part.per_record is None
    rows = part.details["record"].to_numpy()
    assert np.array_equal(part.details["probability"].to_numpy(), whole.per_record[rows])


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 6), st.integers(0, 3))
def test_k_anonymity_bounds_the_links_by_one_in_k(k, seed):
    data = ta.example("toy", 120, seed=seed)
    safe = data.anonymize(ta.KAnonymity(k), suppression_limit=1.0)
    if len(safe):
        for way in ("nearest", "one_to_one"):
            assert DistanceLinkage(assignment=way).measure(data, safe).value <= Fraction(1, k)


# -- one to one -----------------------------------------------------------------------------------


def test_one_to_one_takes_nobody_twice():
    data = keyed(x=[0.0, 10.0, 20.0])
    noisy = changed(data, x=[9.0, 11.0, 30.0])
    assert DistanceLinkage().measure(data, noisy).value == Fraction(2, 3)
    found = DistanceLinkage(distance="euclidean", assignment="one_to_one").measure(data, noisy)
    assert sorted(found.details["nearest"].to_pylist()) == [0, 1, 2]
    assert found.figures["total_distance"] == 20
    squeezed = changed(data, x=[9.0, 10.0, 11.0])
    found = DistanceLinkage(assignment="one_to_one").measure(data, squeezed)
    assert found.value == 1


def test_records_that_cannot_be_told_apart_share_their_links():
    data = keyed(x=[1.0, 2.0, 3.0, 4.0])
    merged = changed(data, x=[1.5, 1.5, 3.5, 3.5])
    found = DistanceLinkage(assignment="one_to_one").measure(data, merged)
    assert found.per_record.tolist() == [0.5] * 4
    same = keyed(x=[1.0, 1.0, 2.0])
    found = DistanceLinkage(assignment="one_to_one").measure(same, same)
    assert found.per_record.tolist() == [0.5, 0.5, 1]


def test_large_problems_choose_among_the_nearest(monkeypatch):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 2))
    data = keyed(x=x[:, 0], y=x[:, 1], c=rng.choice(["a", "b"], 300).tolist())
    noisy = changed(data, x=x[:, 0] + rng.normal(size=300) * 0.1)
    method = DistanceLinkage(assignment="one_to_one")
    exact = method.measure(data, noisy)
    monkeypatch.setattr(pairing, "EXACTLY", 10)
    among = method.measure(data, noisy)
    assert sorted(among.details["nearest"].to_pylist()) == list(range(300))
    assert "one to one among the 20 nearest" in among.sentence
    assert among.figures["total_distance"] == pytest.approx(exact.figures["total_distance"])
    constant = keyed(x=[1.0] * 50)
    assert method.measure(constant, constant).value == Fraction(1, 50)


def test_a_sample_for_one_to_one_is_of_both_files():
    rng = np.random.default_rng(1)
    data = keyed(x=rng.normal(size=200))
    shuffled = data.take(rng.permutation(200))
    found = DistanceLinkage(assignment="one_to_one", sample=50).measure(data, shuffled)
    assert found.value == 1
    assert found.details["nearest"].to_pylist() == found.details["own"].to_pylist()
    assert found.details["own"].to_numpy().tolist() == [
        shuffled.source_rows[row] for row in found.details["record"].to_pylist()
    ]


def test_one_to_one_needs_a_respondent_for_everybody():
    data = keyed(x=[1.0, 2.0])
    twice = data.take(np.array([0, 0, 1]))
    assert DistanceLinkage().measure(data, twice).value == 1
    with pytest.raises(InputError, match="found 3 records of 2"):
        DistanceLinkage(assignment="one_to_one").measure(data, twice)


def test_numbers_beyond_measure_are_survived():
    data = keyed(x=[1e300, -1e300, 1e200, 0.0])
    assert DistanceLinkage(distance="euclidean").measure(data, data).value is not None
    constant = keyed(x=[5.0] * 4)
    for distance in DISTANCES:
        assert DistanceLinkage(distance=distance).measure(constant, constant).value == Fraction(
            1, 4
        )


@pytest.mark.parametrize(
    ("distance", "matches", "total"),
    [
        ("gower", 557, 4.4076051078685294),
        ("euclidean", 302, 75475206.132372603),
        ("manhattan", 377, 170525450.55721599),
    ],
)
def test_sdcmicro_assigns_one_to_one(distance, matches, total):
    """Tarragona holds equal records, whose links we share and sdcMicro gives to one of them."""
    if not (SHARED / NOISE).exists():
        pytest.skip("the reference data are not here")
    data, noisy = ta.read(SHARED / "data/casc/Tarragona.csv"), ta.read(SHARED / NOISE)
    method = DistanceLinkage(data.names, distance=distance, assignment="one_to_one")
    found = method.measure(*ta.pair(data, noisy, "position"))
    assert found.figures["total_distance"] == pytest.approx(total, rel=1e-12)
    assert found.figures["mean_distance"] == pytest.approx(total / 834, rel=1e-12)
    assert found.figures["certain_links"] <= matches <= found.figures["owner_among_guesses"]
    assert abs(found.figures["right_links"] - matches) <= 1


def test_fewer_records_are_linked_where_categories_combine_in_very_many_ways(monkeypatch):
    codes = [f"c{i}" for i in range(60_000)]
    data = ta.read(pa.table({"code": codes, "x": np.arange(60_000.0)}))
    linkage = ta.DistanceLinkage(["code", "x"])
    assert linkage._affordable(data, ["code", "x"]) == 10**8 // 60_000
    assert ta.DistanceLinkage(["x"]).measure(data, data).figures["linked"] == 10_000
    # That many would take half a minute: so few as to be linked at once take the same way.
    monkeypatch.setattr(distance_linkage, "COMPARISONS", 6 * 10**6)
    monkeypatch.setattr(distance_linkage, "FEWEST", 1)
    found = linkage.measure(data, data)
    assert found.figures["linked"] == 100
    assert found.value == 1


def test_a_one_to_one_sample_says_that_it_overstates():
    data = ta.example("toy", 300)
    found = ta.DistanceLinkage(["age"], assignment="one_to_one", sample=50).measure(data, data)
    assert "overstates" in found.sentence
