"""Groups of records over attributes of all kinds, and what stands for them."""

from __future__ import annotations

import datetime as dt
from math import fsum, log2
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.masking.partitions import mixed
from tacita.microdata.masking.partitions.mixed import MixedSpace, mixed_partition, representatives

SHARED = Path(__file__).parents[5] / "shared"
JOBS = {"care": ["doctor", "medic", "nurse"], "law": ["clerk", "judge"]}
LEAVES = [job for part in JOBS.values() for job in part]
SIZES = ["small", "medium", "large"]
KINDS = {
    "x": "continuous",
    "o": "ordinal",
    "j": "nominal",
    "f": "nominal",
    "d": "date",
    "s": "set_valued",
}
DRAWS = {
    "x": st.integers(-2, 2),
    "o": st.sampled_from(SIZES),
    "j": st.sampled_from(LEAVES),
    "f": st.sampled_from("abc"),
    "d": st.dates(dt.date(2020, 1, 1), dt.date(2020, 1, 4)),
    "s": st.sets(st.sampled_from("pqr"), max_size=2).map(sorted),
}


def read(**columns):
    """Read columns whose names tell their kinds; `j` has a hierarchy."""
    held = {"s": pa.list_(pa.string())}
    table = {name: pa.array(values, held.get(name)) for name, values in columns.items()}
    return ta.read(
        pa.table(table),
        kinds={name: KINDS[name] for name in columns},
        hierarchies={"j": {"tree": {"any": JOBS}}} if "j" in columns else {},
        orders={"o": SIZES} if "o" in columns else {},
    )


# -- groups, the slow way -------------------------------------------------------------------------


def above(job):
    group = next((part for part, jobs in JOBS.items() if job in jobs), None)
    return {job, "any"} if group is None else {job, group, "any"}


def apart(name, one, other):
    """Return the distance of two values of an attribute that is no number."""
    if name == "j":
        ours, theirs = above(one), above(other)
        return log2(1 + len(ours ^ theirs) / len(ours | theirs))
    if name == "s":
        total = len(one) + len(other)
        return len(set(one) ^ set(other)) / total if total else 0.0
    return float(one != other)


def square(name, one, other):
    return np.rint(apart(name, one, other) ** 2 * 2.0**32) / 2.0**32


def centre_of(name, values):
    """Return the value that costs least: of `j` perhaps a label."""
    among = sorted(set(map(tuple, values))) if name == "s" else sorted(set(values))
    among += [*sorted(JOBS), "any"] if name == "j" else []
    return min(among, key=lambda c: sum(square(name, c, value) for value in values))


class ByTheBook:
    """MDAV-generic with loops over records; only the numbers' unit is taken from the space."""

    def __init__(self, data, names):
        space = MixedSpace.of(data, names)
        self.names = space.names
        self.values = {name: data.column(name).to_pylist() for name in names}
        for place, column in enumerate(space.numbers.T):
            self.values[space.names[place]] = column.tolist()
        self.left = list(range(len(data)))

    def record(self, row):
        return {name: self.values[name][row] for name in self.names}

    def distance(self, point, row):
        total = 0.0
        for name in self.names:
            value = self.values[name][row]
            total += (
                (value - point[name]) ** 2 if name in "xdo" else square(name, value, point[name])
            )
        return total

    def centre(self):
        return {name: self.middle(name) for name in self.names}

    def middle(self, name):
        values = [self.values[name][row] for row in self.left]
        if name == "o":
            return sorted(values)[(len(values) - 1) // 2]
        return fsum(values) / len(values) if name in "xd" else centre_of(name, values)

    def farthest(self, point):
        return max(self.left, key=lambda row: (self.distance(point, row), -row))

    def cut_off(self, r, k):
        rest = [row for row in self.left if row != r]
        near = sorted(rest, key=lambda row: (self.distance(self.record(r), row), row))[: k - 1]
        self.left = [row for row in rest if row not in near]
        return [r, *near]


def brute_force(data, names, k):
    book, formed = ByTheBook(data, names), []
    while len(book.left) >= 3 * k:
        r = book.farthest(book.centre())
        formed.append(book.cut_off(r, k))
        formed.append(book.cut_off(book.farthest(book.record(r)), k))
    if len(book.left) >= 2 * k:
        formed.append(book.cut_off(book.farthest(book.centre()), k))
    groups = np.full(len(data), -1)
    for group, rows in enumerate([*formed, book.left]):
        groups[rows] = group
    return groups


@st.composite
def datasets(draw, least=1):
    names = draw(st.lists(st.sampled_from(sorted(DRAWS)), min_size=1, max_size=4, unique=True))
    size = draw(st.integers(least, 16))
    columns = {name: draw(st.lists(DRAWS[name], min_size=size, max_size=size)) for name in names}
    return read(**columns), names


@given(datasets(), st.integers(1, 4))
def test_groups_are_those_of_brute_force(drawn, k):
    data, names = drawn
    if len(data) < k:
        with pytest.raises(InputError, match=f"needs {k} records; there are {len(data)}"):
            mixed_partition(data, names, k)
        return
    groups = mixed_partition(data, names, k)
    assert groups.tolist() == brute_force(data, names, k).tolist()


@given(datasets(least=3), st.integers(1, 3))
def test_groups_have_k_to_2k_less_one_records(drawn, k):
    data, names = drawn
    sizes = np.bincount(mixed_partition(data, names, k))
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, 1)


def test_groups_at_a_size_where_distances_are_forgotten_and_found_again(monkeypatch):
    rng = np.random.default_rng(3)
    data = read(x=rng.integers(0, 5, 150), o=rng.choice(SIZES, 150), j=rng.choice(LEAVES, 150))
    expected = brute_force(data, ["x", "o", "j"], 3).tolist()
    assert mixed_partition(data, ["x", "o", "j"], 3).tolist() == expected
    monkeypatch.setattr(mixed, "HELD", 8)
    assert mixed_partition(data, ["x", "o", "j"], 3).tolist() == expected


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("Census", {3: 5.6922, 4: 7.4947, 5: 9.0884, 10: 14.1559}),
        ("Tarragona", {3: 16.9326, 4: 19.5460, 5: 22.4619, 10: 33.1929}),
    ],
)
def test_numbers_alone_give_the_published_losses_of_mdav(name, published):
    path = SHARED / "data" / "casc" / f"{name}.csv"
    if not path.exists():
        pytest.skip("the reference data are not here")
    table = pyarrow.csv.read_csv(path)
    kept = [c for c in table.column_names if not pa.types.is_string(table.column(c).type)]
    data = ta.read(table.select(kept))
    points = np.column_stack([data.numbers(column) for column in kept])
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    space = MixedSpace.of(data, kept)
    for k, loss in published.items():
        groups = space.partition(np.arange(len(data)), k)
        sums = np.stack([np.bincount(groups, column) for column in points.T], axis=1)
        means = sums / np.bincount(groups)[:, None]
        lost = 100 * np.square(points - means[groups]).sum() / np.square(points).sum()
        assert lost == pytest.approx(loss, abs=1e-3)


def test_numbers_alone_are_grouped_as_by_mdav():
    from tacita.kernels.mdav import mdav

    rng = np.random.default_rng(1)
    data = ta.read(pa.table({name: rng.normal(size=700) for name in "xyz"}))
    space = MixedSpace.of(data, list("xyz"))
    for k in (2, 3, 7):
        groups = space.partition(np.arange(700), k)
        assert groups.tolist() == mdav(space.numbers, k).tolist()


def test_the_groups_lose_less_than_random_ones(toy):
    names, k = ["age", "stratum", "disease", "languages", "born"], 3
    space = MixedSpace.of(toy, names)
    groups = space.partition(np.arange(len(toy)), k)

    def loss(groups):
        total = 0.0
        for column in space.numbers.T:
            means = np.bincount(groups, column) / np.bincount(groups)
            total += np.square(column - means[groups]).sum()
        for part in space.semantics:
            centroids = part.centroids(groups)
            total += np.square(part.between(part.codes, centroids[groups])).sum()
        return total

    rng = np.random.default_rng(0)
    assert loss(groups) < 0.6 * min(loss(rng.permutation(groups)) for _ in range(5))


# -- the space ------------------------------------------------------------------------------------


def test_numbers_are_standardized_and_ranks_run_from_nought_to_one():
    data = read(
        x=[1, 2, 6], o=["large", "small", "medium"], d=[dt.date(2020, 1, d) for d in (1, 3, 2)]
    )
    space = MixedSpace.of(data, ["o", "x", "d"])
    assert space.names == ("x", "d", "o")
    assert space.numbers[:, 0] == pytest.approx((np.array([1, 2, 6]) - 3) / np.sqrt(7))
    assert space.numbers[:, 1].tolist() == [-1, 1, 0]
    assert space.numbers[:, 2].tolist() == [1, 0, 0.5]


def test_some_records_are_grouped_in_the_unit_of_all():
    data = read(x=[0, 1, 10, 12, 1000, 5000], j=["doctor"] * 6)
    space = MixedSpace.of(data, ["x", "j"])
    rows = np.array([0, 1, 2, 3])
    assert space.partition(rows, 2).tolist() == [1, 1, 0, 0]
    assert space.partition(np.array([1, 3, 4, 5]), 2).tolist() == [1, 1, 0, 0]


def test_the_metric_and_the_unit_can_be_chosen():
    data = read(x=[1, 3, 5], j=["doctor", "nurse", "judge"])
    space = MixedSpace.of(data, ["x", "j"], metric="level", scale="range")
    assert space.numbers[:, 0].tolist() == [-0.5, 0, 0.5]
    assert space.semantics[0].distances()[0].tolist() == [0, 1, 0.5]  # doctor, judge, nurse


def test_constant_attributes_say_nothing():
    data = read(x=[7] * 6, f=list("aabbab"), o=["small"] * 6)
    assert mixed_partition(data, ["x", "f", "o"], 3).tolist() == [1, 1, 0, 0, 1, 0]


def test_blanks_are_refused_where_they_are():
    data = read(x=[1, None, 3], j=["doctor", "nurse", None])
    space = MixedSpace.of(data, ["x", "j"])
    with pytest.raises(InputError, match="`x` is blank in record 2; leave such records out"):
        space.partition(np.arange(3), 1)
    with pytest.raises(InputError, match="`j` is blank in record 3"):
        space.partition(np.array([0, 2]), 1)
    assert space.partition(np.array([0]), 1).tolist() == [0]


def test_infinite_numbers_and_a_k_of_nought_are_refused():
    data = read(x=[1.0, 2.0], f=["a", "b"])
    endless = data.with_column(data.attribute("x"), pa.array([1.0, -np.inf]))
    with pytest.raises(InputError, match="`x` is -inf in record 2"):
        mixed_partition(endless, ["x", "f"], 1)
    with pytest.raises(ParameterError, match="`k` must be 1 or more; found 0"):
        mixed_partition(data, ["x", "f"], 0)


def test_values_outside_the_order_are_refused():
    data = read(o=["small", "large"])
    strange = data.with_column(data.attribute("o"), pa.array(["small", "huge"]))
    with pytest.raises(InputError, match="Some values of `o` are not in its order"):
        mixed_partition(strange, ["o"], 1)


# -- representatives ------------------------------------------------------------------------------

GROUPS = np.array([0, 0, 0, 1, 1, -1])


def standing(name, values, how=None, **options):
    found = representatives(read(**{name: values}), name, GROUPS, how, **options)
    return found.to_pylist()


def test_numbers_have_a_mean_or_a_median():
    values = [1, 2, 6, 10, 20, 999]
    assert standing("x", values) == [3, 15]
    assert standing("x", values, "median") == [2, 15]
    assert standing("x", values, "mode") == [1, 10]
    weights = np.array([1.0, 1, 2, 3, 1, 5])
    assert standing("x", values, weights=weights) == [3.75, 12.5]
    assert standing("x", [1, None, 6, None, None, 4]) == [3.5, None]


def test_ordinal_values_have_a_lower_median():
    values = ["large", "small", "medium", "large", "small", "small"]
    assert standing("o", values) == ["medium", "small"]
    weights = np.array([3.0, 1, 1, 2, 1, 1])
    assert standing("o", values, weights=weights) == ["large", "large"]
    weights = np.array([0.3, 0.1, 0.2, 0.1, 0.1, 1])
    assert standing("o", values, weights=weights) == ["medium", "small"]
    assert standing("o", ["large", None, None, None, None, "small"]) == ["large", None]


def test_nominal_values_have_a_mode_or_a_semantic_centroid():
    assert standing("f", ["b", "b", "a", "d", "c", "a"]) == ["b", "c"]
    assert standing("f", ["b", "b", "a", "d", "c", "a"], "mode") == ["b", "c"]
    jobs = ["nurse", "doctor", "medic", "judge", "judge", "clerk"]
    assert standing("j", jobs) == ["care", "judge"]
    assert standing("j", jobs, "mode") == ["doctor", "judge"]
    assert standing("j", jobs, metric="level") == ["doctor", "judge"]
    assert standing("j", [None] * 5 + ["clerk"]) == [None, None]


def test_sets_have_the_one_in_the_middle():
    sets = [["p"], ["p", "q"], ["p", "q", "r"], [], ["p"], ["r"]]
    assert standing("s", sets) == [["p", "q"], []]


def test_dates_have_the_date_nearest_to_their_mean():
    dates = [dt.date(2020, 1, day) for day in (1, 2, 4, 10, 20, 30)]
    assert standing("d", dates) == [dt.date(2020, 1, 2), dt.date(2020, 1, 15)]
    assert standing("d", dates, "median") == [dt.date(2020, 1, 2), dt.date(2020, 1, 10)]
    assert standing("d", [None] * 3 + dates[3:]) == [None, dt.date(2020, 1, 15)]


@pytest.mark.parametrize("kind", [pa.date64(), pa.timestamp("ns", "UTC"), pa.timestamp("s")])
def test_dates_keep_their_type(kind):
    dates = pa.array([dt.datetime(2020, 1, day) for day in (1, 2, 3, 5, 7, 9)]).cast(kind)
    found = representatives(ta.read(pa.table({"d": dates})), "d", GROUPS)
    assert found.type == kind
    assert found.cast(pa.date32()).to_pylist() == [dt.date(2020, 1, 2), dt.date(2020, 1, 6)]


def test_dates_may_be_centuries_of_nanoseconds_apart():
    first, last = dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)
    dates = pa.array([first, first, last], pa.timestamp("ns"))
    found = representatives(ta.read(pa.table({"d": dates})), "d", np.zeros(3, np.int64))
    expected = first + (last - first) / 3
    assert abs(found.cast(pa.timestamp("us"), safe=False)[0].as_py() - expected) < dt.timedelta(
        0, 1
    )


def test_the_median_of_a_light_group_beside_a_heavy_one():
    table = pa.table({"o": [1, 2, 3, 1, 2, 3]})
    data = ta.read(table, kinds={"o": "ordinal"})
    groups, weights = np.repeat([0, 1], 3), np.repeat([9e14, 1e-3], 3)
    found = representatives(data, "o", groups, weights=weights)
    assert found.to_pylist() == [2, 2]


@pytest.mark.parametrize(
    ("name", "how", "others"),
    [
        ("o", "mean", "median, mode, semantic"),
        ("f", "median", "mode, semantic"),
        ("x", "semantic", "mean, median, mode"),
    ],
)
def test_what_values_of_a_kind_cannot_have_is_refused(name, how, others):
    values = {"o": ["small"] * 6, "f": ["a"] * 6, "x": [1] * 6}[name]
    with pytest.raises(ParameterError, match=f"have no {how}.* It can have: {others}"):
        standing(name, values, how)


@given(datasets(), st.randoms(use_true_random=False))
def test_representatives_are_those_of_each_group_alone(drawn, random):
    data, names = drawn
    groups = np.array([random.randint(-1, 3) for _ in range(len(data))])
    for name in names:
        found = representatives(data, name, groups).to_pylist()
        assert len(found) == groups.max() + 1
        for group, value in enumerate(found):
            rows = np.flatnonzero(groups == group)
            values = data.column(name).take(pa.array(rows)).to_pylist()
            if not values:
                assert value is None
            elif name == "x":
                assert value == pytest.approx(sum(values) / len(values), abs=1e-9)
            elif name == "o":
                assert value == sorted(values, key=SIZES.index)[(len(values) - 1) // 2]
            elif name == "d":
                days = np.mean([day.toordinal() for day in values])
                assert abs(value.toordinal() - days) <= 0.5 + 1e-9
            else:
                best = centre_of(name, values)
                assert value == (list(best) if name == "s" else best)
