"""What can be computed with nominal values along a hierarchy."""

from __future__ import annotations

import datetime as dt
from math import log2, sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.attribute import Attribute, Kind
from tacita.data.hierarchies.dates import Dates
from tacita.data.hierarchies.intervals import Intervals
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, InputError
from tacita.microdata.comparing import semantics as module
from tacita.microdata.comparing.nodes import Nodes
from tacita.microdata.comparing.semantics import Semantics, ranked, tally

JOBS = Tree.from_nested(
    {"any": {"care": ["nurse", "doctor", "medic"], "law": ["judge", "clerk"], "none": ["none"]}}
)


def jobs(values, metric="ancestors", hierarchy=JOBS):
    return Semantics.of(Attribute("job", hierarchy=hierarchy), pa.array(values), metric)


def node(semantics, word):
    words = semantics.values.cast(pa.string()).to_pylist() + semantics.labels.to_pylist()
    return words.index(word)


def distance(semantics, one, other):
    places = (np.array([node(semantics, word)]) for word in (one, other))
    return semantics.distances(*places)[0, 0]


# -- random hierarchies of uneven depth -----------------------------------------------------------

SHAPES = st.recursive(st.just([]), lambda below: st.lists(below, min_size=1, max_size=3))


def tree_of(shape):
    """Number the leaves of nested lists; one at least, and a root above."""
    count = iter(range(1000))

    def said(part):
        if not part:
            return f"v{next(count)}"
        return {f"L{next(count)}": [said(below) for below in part]}

    return Tree.from_nested(said([shape] if shape == [] else shape))


TREES = SHAPES.map(tree_of)
METRICS = st.sampled_from(["ancestors", "level"])


@st.composite
def columns(draw, metrics=METRICS):
    """Draw a hierarchy (or none), some records and a metric."""
    tree = draw(TREES)
    leaves = tree.level(0)
    records = draw(st.lists(st.sampled_from([*leaves, None]), min_size=1, max_size=12))
    column = pa.array(records, pa.string())
    attribute = Attribute("a", hierarchy=draw(st.sampled_from([tree, None])))
    return Semantics.of(attribute, column, draw(metrics)), tree


def all_distances(semantics):
    nodes = np.arange(len(semantics))
    return semantics.distances(nodes, nodes)


# -- comparison -----------------------------------------------------------------------------------


def test_the_ancestors_that_two_values_do_not_share_tell_how_far_apart_they_are():
    found = jobs(["nurse", "doctor", "judge", "none"])
    assert distance(found, "nurse", "nurse") == 0
    assert distance(found, "nurse", "doctor") == pytest.approx(log2(1 + 2 / 4))
    assert distance(found, "nurse", "care") == pytest.approx(log2(1 + 1 / 3))
    assert distance(found, "nurse", "any") == pytest.approx(log2(1 + 2 / 3))
    assert distance(found, "nurse", "judge") == pytest.approx(log2(1 + 4 / 5))
    # `none` repeats itself on the level that it lacks, and is one node all the same.
    assert distance(found, "nurse", "none") == pytest.approx(log2(1 + 3 / 4))


def test_the_level_of_the_lowest_common_ancestor_is_the_other_distance():
    found = jobs(["nurse", "doctor", "judge"], "level")
    assert distance(found, "nurse", "doctor") == 0.5
    assert distance(found, "nurse", "care") == 0.5
    assert distance(found, "nurse", "judge") == 1
    assert distance(found, "care", "law") == 1


@given(columns(st.just("level")))
def test_levels_are_those_of_nodes(drawn):
    found, tree = drawn
    if not len(found.labels):
        return
    words = found.values.to_pylist() + found.labels.to_pylist()
    nodes = Nodes.of(tree, found.values)
    for place, word in enumerate(words):
        ours = found.distances(np.array([place]), np.arange(len(found)))[0]
        assert ours == pytest.approx(nodes.distance([word] * len(words), words))


@given(columns(st.just("ancestors")))
def test_ancestors_are_counted_as_sets(drawn):
    found, tree = drawn
    if not len(found.labels):
        return
    above = {}
    for path in tree.paths:
        for level, label in enumerate(path):
            above.setdefault(label, set(path[level:]))
    words = found.values.to_pylist() + found.labels.to_pylist()
    expected = [
        [log2(1 + len(above[a] ^ above[b]) / len(above[a] | above[b])) for b in words]
        for a in words
    ]
    assert all_distances(found) == pytest.approx(np.array(expected))


@given(columns())
def test_distances_are_distances(drawn):
    apart = all_distances(drawn[0])
    assert np.array_equal(apart, apart.T)
    assert np.array_equal(apart == 0, np.eye(len(apart), dtype=bool))
    assert apart.max(initial=0) <= 1
    for middle in range(len(apart)):
        assert (apart <= apart[:, [middle]] + apart[[middle], :] + 1e-12).all()


def test_without_a_hierarchy_values_are_equal_or_not():
    found = jobs(["b", "a", None, "b"], hierarchy=None)
    assert found.distances().tolist() == [[0, 1], [1, 0]]
    assert found.codes.tolist() == [1, 0, -1, 1]
    assert len(found.labels) == 0


@pytest.mark.parametrize(
    ("hierarchy", "values", "closer"),
    [
        (Prefix(3), ["111", "112", "211"], True),
        (Intervals([5, 10]), [1, 3, 8], True),
        (
            Dates(("month", "year")),
            [dt.date(2020, 1, d) for d in (1, 9)] + [dt.date(2021, 1, 1)],
            1,
        ),
        (Tree.from_nested({"all": {"odd": ["1", "3"], "even": ["2"]}}), [1, 3, 2], True),
        (None, [True, True, False], True),
    ],
)
def test_any_hierarchy_and_any_type_will_do(hierarchy, values, closer):
    found = jobs(values, hierarchy=hierarchy)
    apart = found.distances(found.codes, found.codes)
    assert (apart[0, 1] < apart[0, 2]) == closer
    assert found.take(found.codes).to_pylist() == values


def test_labels_among_the_values_are_what_they_are():
    found = jobs(["nurse", "care", "judge"])
    assert "care" not in found.labels.to_pylist()
    assert distance(found, "nurse", "care") == pytest.approx(log2(4 / 3))
    all_nodes = jobs(["nurse", "doctor", "medic", "care", "any"])
    assert len(all_nodes.labels) == 0
    centroids = all_nodes.centroids(np.array([0, 0, 0, 1, 1]))
    assert all_nodes.take(centroids).to_pylist() == ["care", "any"]


def test_a_label_on_several_levels_is_one_node():
    places = Tree((("x", "B", "B", "all"), ("y", "B", "B", "all"), ("B", "C", "D", "all")))
    found = jobs(["x", "y", "B"], hierarchy=places)
    assert distance(found, "x", "B") == pytest.approx(log2(1 + 1 / 3))
    assert distance(found, "x", "y") == pytest.approx(log2(1 + 2 / 4))


def test_values_that_the_hierarchy_does_not_know_are_refused():
    with pytest.raises(HierarchyError, match="does not cover 'baker': `job` has them"):
        jobs(["nurse", "baker"])


# -- aggregation ----------------------------------------------------------------------------------


def test_three_of_a_kind_have_their_kind_in_the_middle_where_a_mode_would_be_arbitrary():
    assert jobs(["nurse", "doctor", "medic"]).mean() == "care"
    assert jobs(["nurse", "doctor", "medic"], hierarchy=None).mean() == "doctor"
    assert jobs(["nurse", "doctor", "medic"], "level").mean() == "doctor"
    assert jobs(["nurse", "nurse", "judge"]).mean() == "nurse"


def test_marginality_is_the_sum_of_distances():
    found = jobs(["nurse", "nurse", "judge", None])
    costs = found.costs(power=1)
    far = log2(1 + 4 / 5)
    assert costs[node(found, "nurse")] == pytest.approx(far)
    assert costs[node(found, "judge")] == pytest.approx(2 * far)
    assert costs[node(found, "care")] == pytest.approx(2 * log2(4 / 3) + log2(1 + 3 / 4))


@given(columns(), st.sampled_from([1, 2]))
def test_no_node_costs_less_than_the_centroid(drawn, power):
    found, _ = drawn
    known = found.codes[found.codes >= 0]
    if not len(known):
        with pytest.raises(InputError, match="all of them are blank"):
            found.centroid()
        return
    expected = [sum(found.distances(np.array([c]), known)[0] ** power) for c in range(len(found))]
    assert found.costs(power=power) == pytest.approx(expected)
    best = found.centroid(power=power)
    assert expected[best] <= min(expected) + 1e-9
    assert not any(expected[c] < expected[best] - 1e-9 for c in range(best))


@given(columns(), st.data())
def test_centroids_of_groups_are_those_of_their_records(drawn, data):
    found, _ = drawn
    size = len(found.codes)
    groups = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=size, max_size=size)))
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)), float)
    for given_weights, used in ((None, np.ones(size)), (weights, weights)):
        expected = []
        for group in range(groups.max(initial=-1) + 1):
            mass = found.mass(np.where(groups == group, used, 0.0))
            expected.append(found.centroid(mass) if mass.any() else -1)
        assert found.centroids(groups, given_weights).tolist() == expected


def test_the_work_may_be_cut_into_parts(monkeypatch):
    rng = np.random.default_rng(0)
    values = rng.choice(JOBS.level(0), 200)
    found, groups = jobs(values), rng.integers(0, 40, 200)
    costs, centroids = found.costs(), found.centroids(groups)
    for cells in (1, 7, 16):
        monkeypatch.setattr(module, "CELLS", cells)
        assert np.array_equal(found.costs(), costs)
        assert np.array_equal(found.centroids(groups), centroids)


def test_centroids_are_named_as_text_if_one_is_a_label():
    digits = Tree.from_nested({"all": {"odd": ["1", "3", "5"], "even": ["2", "4"]}})
    found = Semantics.of(Attribute("n", hierarchy=digits), pa.array([1, 3, 5, 2]))
    assert found.take(np.array([0, 1, -1])).to_pylist() == [1, 2, None]
    centroids = found.centroids(np.array([0, 0, 0, 1]))
    assert found.take(centroids).to_pylist() == ["odd", "2"]


@given(columns(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(drawn, random):
    found, tree = drawn
    records = found.take(found.codes).to_pylist()
    if not any(records):
        return
    random.shuffle(records)
    hierarchy = tree if len(found.labels) else None
    again = jobs(pa.array(records, pa.string()), "ancestors", hierarchy)
    first = jobs(found.take(found.codes), "ancestors", hierarchy)
    assert again.mean() == first.mean()
    assert again.variance() == first.variance()
    assert again.order().tolist() == first.order().tolist()


def test_ties_stay_ties_among_many_records():
    found = jobs(["doctor", "judge", "medic"] * 100_001, "level")
    assert found.centroid() == node(found, "doctor")
    costs = found.costs()
    assert costs[node(found, "doctor")] == costs[node(found, "medic")]


# -- order, variance, covariance ------------------------------------------------------------------


def test_values_are_sorted_from_the_farthest():
    found = jobs(["nurse", "nurse", "doctor", "medic", "judge", "clerk"])
    words = found.take(found.order()).to_pylist()
    assert found.mean() == "care"
    # `clerk` and `judge` are equally far from `care`; the lower one leads, its sibling follows.
    assert words == ["clerk", "judge", "doctor", "medic", "nurse"]


@given(columns())
def test_the_order_holds_every_value_once_by_the_distance_from_the_first(drawn):
    found, _ = drawn
    if not len(found.values):
        return
    order = found.order()
    assert sorted(order.tolist()) == list(range(len(found.values)))
    away = found.distances(order[:1], order)[0]
    assert (np.diff(away) >= 0).all()
    middle = found.distances(np.array([found.centroid()]))[0]
    assert middle[order[0]] == middle.max()


def test_the_variance_is_the_mean_square_about_the_mean():
    found = jobs(["nurse", "doctor", "medic", None])
    assert found.variance() == pytest.approx(log2(4 / 3) ** 2)
    assert jobs(["a", "a", "b", "c"], hierarchy=None).variance() == 0.5
    weighted = jobs(["a", "b"], hierarchy=None)
    assert weighted.variance(weighted.mass(np.array([3.0, 1.0]))) == 0.25


@given(columns())
def test_the_variance_is_nil_where_all_are_equal_and_below_one(drawn):
    found, _ = drawn
    if len(found.values):
        assert (found.variance() == 0) == (len(found.values) == 1)
        assert found.variance() < 1


def distance_covariance(ones, others):
    """Compute Szekely and Rizzo's V from all pairs of records."""
    centred = []
    for apart in (ones, others):
        rows, cols = apart.mean(axis=1, keepdims=True), apart.mean(axis=0, keepdims=True)
        centred.append(apart - rows - cols + apart.mean())
    return sqrt(max((centred[0] * centred[1]).mean(), 0.0))


def test_the_covariance_of_equal_halves():
    found = jobs(["a", "b"], hierarchy=None)
    assert found.covariance(found) == pytest.approx(0.5)
    assert found.correlation(found) == pytest.approx(1)


@given(columns(), columns(), st.randoms(use_true_random=False))
def test_the_covariance_is_that_of_all_pairs(first, second, random):
    size = min(len(first[0].codes), len(second[0].codes))
    one, other = (
        Semantics(s.values, s.labels, s.codes[:size], s.candidates, s.between)
        for s in (first[0], second[0])
    )
    there = (one.codes >= 0) & (other.codes >= 0)
    if not there.any():
        with pytest.raises(InputError, match="records with both values"):
            one.correlation(other)
        return
    weights = np.array([random.randint(1, 3) for _ in range(size)])
    for counted, times in ((None, there * 1), (weights, there * weights)):
        rows = np.repeat(np.arange(size), times)
        tables = [part.distances(part.codes[rows], part.codes[rows]) for part in (one, other)]
        expected = distance_covariance(*tables)
        given_weights = None if counted is None else counted.astype(float)
        # A root turns a rounding of 1e-16 into 1e-8.
        assert one.covariance(other, given_weights) == pytest.approx(expected, abs=1e-7)
        spreads = [distance_covariance(table, table) for table in tables]
        if min(spreads) > 1e-6:
            correlation = one.correlation(other, given_weights)
            assert correlation == pytest.approx(expected / sqrt(spreads[0] * spreads[1]), abs=1e-6)
            assert -1e-9 <= correlation <= 1 + 1e-6


def test_independent_attributes_have_no_covariance():
    one = jobs([job for job in ("nurse", "doctor", "judge") for _ in range(4)])
    other = jobs(list("abcd") * 3, hierarchy=None)
    assert one.covariance(other) == pytest.approx(0, abs=1e-7)
    assert one.correlation(other) == pytest.approx(0, abs=1e-6)
    constant = jobs(["x"] * 12, hierarchy=None)
    assert one.correlation(constant) == 0


def test_a_covariance_of_too_many_values_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", 2)
    found = jobs(["a", "b", "c"], hierarchy=None)
    with pytest.raises(InputError, match=r"at most 2 different values .* there are 3"):
        found.covariance(found)


# -- sets -----------------------------------------------------------------------------------------


def sets(values, hierarchy=None, metric="ancestors"):
    attribute = Attribute("jobs", kind=Kind.SET_VALUED, hierarchy=hierarchy)
    return Semantics.of(attribute, pa.array(values, pa.list_(pa.string())), metric)


def test_sets_are_as_far_apart_as_their_members_from_the_nearest_of_the_other():
    found = sets([["a", "b"], ["b"], [], ["c", "a"], None, ["b", "a"]])
    assert found.codes[0] == found.codes[5]
    assert found.codes[4] == -1
    apart = found.distances(found.codes[:4], found.codes[:4])
    assert apart[0] == pytest.approx([0, 1 / 3, 1, 2 / 4])
    assert apart[2].tolist() == [1, 1, 0, 1]
    assert np.array_equal(apart, apart.T)


def test_members_of_sets_are_compared_along_the_hierarchy():
    found = sets([["nurse", "judge"], ["doctor"]], JOBS)
    near, far = log2(1 + 2 / 4), log2(1 + 4 / 5)
    assert distance_of_sets(found, 0, 1) == pytest.approx((near + far + near) / 3)


def distance_of_sets(found, one, other):
    return found.distances(found.codes[[one]], found.codes[[other]])[0, 0]


@given(
    st.lists(st.lists(st.sampled_from(JOBS.level(0)), unique=True, max_size=4), max_size=8), METRICS
)
def test_the_distance_of_sets_by_hand(values, metric):
    found = sets(values, JOBS, metric)
    single = jobs(JOBS.level(0), metric)
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            ours, theirs = (
                [min((distance(single, a, b) for b in y), default=1) for a in x]
                for x, y in ((one, other), (other, one))
            )
            expected = (sum(ours) + sum(theirs)) / max(len(one) + len(other), 1)
            assert distance_of_sets(found, i, j) == pytest.approx(expected)
            assert (distance_of_sets(found, i, j) == 0) == (set(one) == set(other))


def test_sets_of_one_are_as_far_apart_as_their_members():
    found, single = sets([["nurse"], ["judge"]], JOBS), jobs(["nurse", "judge"])
    assert distance_of_sets(found, 0, 1) == pytest.approx(distance(single, "nurse", "judge"))


def test_a_centroid_of_sets_is_one_of_them():
    found = sets([["a"], ["a", "b"], ["a", "b", "c"], ["z"]])
    assert found.mean() == ["a", "b"]
    assert found.take(found.centroids(np.array([0, 0, 0, 1]))).to_pylist() == [["a", "b"], ["z"]]


def test_members_that_are_blank_or_repeated_do_not_count():
    found = sets([["a", None, "a"], ["a"], [None], []])
    assert found.distances(found.codes, found.codes).tolist() == [
        [0, 0, 1, 1],
        [0, 0, 1, 1],
        [1, 1, 0, 0],
        [1, 1, 0, 0],
    ]


def test_of_few_members_any_number_of_sets_is_compared(monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", 2)
    found = sets([["a"], ["b"], ["a", "b"]])
    assert found.mean() == ["a", "b"]
    with pytest.raises(InputError, match=r"at most 2 different members of the sets of `jobs` "):
        sets([["a"], ["b"], ["c"]])


# -- what it is made of ---------------------------------------------------------------------------


def test_values_are_ranked_by_themselves_not_as_text():
    codes, values = ranked(pa.array([10, 9, None, 10]))
    assert (codes.tolist(), values.to_pylist()) == ([1, 0, -1, 1], [9, 10])


def test_an_empty_column_has_no_values():
    found = jobs(pa.array([], pa.string()))
    assert (len(found), found.centroids(np.array([], np.int64)).tolist()) == (0, [])
    assert len(found.costs()) == 0


def test_a_tally_counts_or_adds_up():
    groups, codes = np.array([1, 0, 1, 1, -1, 0]), np.array([2, 0, -1, 2, 2, 0])
    found = tally(groups, codes, np.array([1.0, 2, 4, 8, 16, 32]))
    assert [part.tolist() for part in found] == [[0, 1], [0, 2], [34, 9]]
