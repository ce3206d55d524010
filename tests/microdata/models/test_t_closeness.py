from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.anonymize.promises import without_broken

SHARED = Path(__file__).parents[4] / "shared"
ADULT_KEYS = [
    *("sex", "age", "race", "marital-status"),
    *("education", "native-country", "workclass", "salary-class"),
]
TREE = {"any": {"A": {"A1": ["p", "q"], "A2": ["r"]}, "B": {"B1": ["s"]}}}
PATHS = {"p": ("A1", "A"), "q": ("A1", "A"), "r": ("A2", "A"), "s": ("B1", "B")}
VALUES = ("p", "q", "r", "s", None)
ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(VALUES)), min_size=1, max_size=25)


def read(rows, **said) -> ta.Microdata:
    a, x = (list(part) for part in zip(*rows, strict=True))
    return ta.read(pa.table({"a": a, "x": x}), roles={"a": "key", "x": "confidential"}, **said)


def shares(values) -> dict:
    return {value: Fraction(n, len(values)) for value, n in Counter(values).items()}


def by_class(rows) -> dict[int, list]:
    classes: dict[int, list] = {}
    for a, x in rows:
        classes.setdefault(a, []).append(x)
    return classes


def ordered(p, q, order) -> Fraction:
    gaps = [p.get(value, 0) - q[value] for value in order if value in q]
    sums = [abs(sum(gaps[: i + 1])) for i in range(len(gaps))]
    return sum(sums, Fraction(0)) / max(len(gaps) - 1, 1)


def equal(p, q) -> Fraction:
    return sum((abs(p.get(value, 0) - q[value]) for value in q), Fraction(0)) / 2


def hierarchical(p, q) -> Fraction:
    """Li, Li and Venkatasubramanian's recursion over the nodes of the tree."""

    def extra(node) -> Fraction:
        return sum((p.get(v, Fraction(0)) - q.get(v, Fraction(0)) for v in node), Fraction(0))

    nodes = {}  # the leaves below each inner node, its children and its height
    for height in (1, 2):
        for value, path in PATHS.items():
            child = value if height == 1 else path[0]
            nodes.setdefault((height, path[height - 1]), {}).setdefault(child, []).append(value)
    nodes[3, "any"] = {"A": ["p", "q", "r"], "B": ["s"], None: [None]}
    cost = Fraction(0)
    for (height, _), children in nodes.items():
        extras = [extra(child) for child in children.values()]
        positive = sum((e for e in extras if e > 0), Fraction(0))
        negative = -sum((e for e in extras if e < 0), Fraction(0))
        cost += Fraction(height, 3) * min(positive, negative)
    return cost


@given(ROWS)
def test_the_equal_distance_is_half_the_sum_of_the_differences(rows):
    q = shares([x for _, x in rows])
    furthest = max(equal(shares(found), q) for found in by_class(rows).values())
    data = read(rows, kinds={"x": "nominal"})
    assert ta.TCloseness(0.5).check(data).value == furthest


@given(ROWS)
def test_the_ordered_distance_is_that_of_the_cumulated_shares(rows):
    q = shares([x for _, x in rows])
    furthest = max(ordered(shares(found), q, VALUES) for found in by_class(rows).values())
    data = read(rows, kinds={"x": "ordinal"}, orders={"x": list("pqrs")})
    assert ta.TCloseness(0.5).check(data).value == furthest


@given(ROWS)
def test_the_hierarchical_distance_is_the_printed_recursion(rows):
    q = shares([x for _, x in rows])
    furthest = max(hierarchical(shares(found), q) for found in by_class(rows).values())
    data = read(rows, kinds={"x": "nominal"}, hierarchies={"x": {"tree": TREE}})
    assert ta.TCloseness(0.5).check(data).value == furthest


@given(ROWS, st.lists(st.integers(1, 9), min_size=5, max_size=5))
def test_a_given_distribution_takes_the_place_of_the_whole_file(rows, counts):
    given_counts = dict(zip(VALUES, counts, strict=True))
    q = {value: Fraction(count, sum(counts)) for value, count in given_counts.items()}
    data = read(rows, kinds={"x": "ordinal"}, orders={"x": list("pqrs")})
    verdict = ta.TCloseness(0.5, distribution=given_counts).check(data)
    assert verdict.value == max(ordered(shares(x), q, VALUES) for x in by_class(rows).values())
    plain = ta.TCloseness(0.5, distance="equal", distribution=given_counts).check(data)
    assert plain.value == max(equal(shares(found), q) for found in by_class(rows).values())


@given(ROWS)
def test_the_distance_itself_is_close_enough_and_less_is_not(rows):
    data = read(rows, kinds={"x": "ordinal"}, orders={"x": list("pqrs")})
    reached = ta.TCloseness(0).check(data).value
    if (reached * 10**9).denominator == 1:  # it can be written as a decimal number
        assert ta.TCloseness(float(reached)).check(data)
    if reached > 1e-9:
        assert not ta.TCloseness(float(reached) - 1e-12).check(data)


def test_the_incomes_of_the_paper():
    """Li et al., section 4.3: 3k to 11k; {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 0.167."""
    incomes = [3, 4, 5, 6, 7, 8, 9, 10, 11]
    whole = dict.fromkeys(incomes, 1)
    low = read([(0, x) for x in (3, 4, 5)])
    mixed = read([(0, x) for x in (6, 8, 11)])
    model = ta.TCloseness(0.2, distribution=whole)
    assert model.check(low).value == Fraction(3, 8)
    assert model.check(mixed).value == Fraction(1, 6)
    assert (model.check(low).holds, model.check(mixed).holds) == (False, True)


@pytest.mark.parametrize(("k", "t"), [(2, 0.25), (3, 0.17), (5, 0.10), (10, 0.05)])
def test_one_record_of_each_of_k_parts_reaches_the_printed_bound(k, t):
    """Sanchez et al. 2016, eq. 6: t <= (n - k) / (2 (n - 1) k), which Table S9 rounds.

    The furthest class of k records, one of each of k equal parts of n distinct values, has the
    lowest value of every part.
    """
    n = 10 * k
    values = np.arange(n)
    lowest = values[:: n // k]
    verdict = ta.TCloseness(t, distribution=dict.fromkeys(values.tolist(), 1)).check(
        read([(0, int(x)) for x in lowest])
    )
    assert verdict.value == Fraction(n - k, 2 * (n - 1) * k)
    full = 3_985_166
    assert round((full - k) / (2 * (full - 1) * k), 2) == t


def test_a_tie_is_close_enough():
    """0.1 + 0.2 is not 0.3 in doubles; of shares it is."""
    rows = [(0, "p")] * 10 + [(1, "q")] * 3 + [(1, "p")] * 7
    data = read(rows, kinds={"x": "nominal"})
    distances = ta.TCloseness(0.15).check(data)
    assert distances.value == Fraction(3, 20)
    assert distances.holds
    assert not ta.TCloseness(0.1499999999999999).check(data)


def test_the_distance_follows_from_what_the_attribute_is():
    rows = [(0, "p"), (0, "q"), (1, "r"), (1, "s")]
    plain = read(rows)
    tree = read(rows, hierarchies={"x": {"tree": TREE}})
    ranks = read(rows, kinds={"x": "ordinal"}, orders={"x": list("pqrs")})
    found = [ta.TCloseness(0).check(data).value for data in (plain, tree, ranks)]
    # p, q beside r, s: half is too much. Two thirds of the way up for r, all of it for s.
    assert found == [Fraction(1, 2), Fraction(5, 12), Fraction(1, 3)]


def test_a_distance_needs_what_it_measures():
    data = read([(0, "p"), (1, "q")])
    with pytest.raises(ParameterError, match=r"needs values with an order; `x` is nominal"):
        ta.TCloseness(0.1, distance="ordered").check(data)
    with pytest.raises(ParameterError, match="needs a hierarchy, and `x` has none"):
        ta.TCloseness(0.1, distance="hierarchical").check(data)
    with pytest.raises(InputError, match="it lacks 'q'"):
        ta.TCloseness(0.1, distribution={"p": 1}).check(data)


def test_many_values_and_many_classes():
    """A class costs its own entries, not all values; a slow sum agrees."""
    rng = np.random.default_rng(3)
    x, a = rng.integers(0, 30_000, 40_000), rng.integers(0, 20_000, 40_000)
    data = ta.read(pa.table({"a": a, "x": x}), roles={"a": "key", "x": "confidential"})
    verdict = ta.TCloseness(0.5).check(data)
    values, codes = np.unique(x, return_inverse=True)
    cumulated = np.cumsum(np.bincount(codes)) / len(x)
    rows = codes[a == verdict.worst["a"]]
    own = np.cumsum(np.bincount(rows, minlength=len(values))) / len(rows)
    assert float(verdict.value) == pytest.approx(np.abs(own - cumulated).sum() / (len(values) - 1))


REFERENCE = [
    ("k=5+l=3", ta.LDiversity(3), None),
    ("k=5+t=0.2", ta.TCloseness(0.2, distance="equal"), "equal"),
    ("k=5+cl=4:3", ta.LDiversity(3, kind="recursive", c=4), None),
    ("k=5+ht=0.2", ta.TCloseness(0.2, distance="hierarchical"), "hierarchical"),
]


@pytest.fixture(scope="module")
def adult() -> ta.Microdata:
    if not SHARED.exists():
        pytest.skip("the reference data are not here")
    folder, names = SHARED / "data/adult", [*ADULT_KEYS, "occupation"]
    return ta.read(
        folder / "adult.csv",
        roles={**dict.fromkeys(ADULT_KEYS, "key"), "occupation": "confidential"},
        kinds=dict.fromkeys(names, "nominal"),
        hierarchies={name: str(folder / f"adult_hierarchy_{name}.csv") for name in names},
    )


@pytest.mark.parametrize(("privacy", "model", "distance"), REFERENCE)
def test_adult_at_the_levels_of_arx(privacy, model, distance, adult):
    """The records that ARX leaves out, which compares with the distribution of its input."""
    if distance:
        whole = Counter(adult.column("occupation").to_pylist())
        model = ta.TCloseness(0.2, distance=distance, distribution=whole)
    with (SHARED / "reference/arx.csv").open() as file:
        rows = [r for r in csv.DictReader(file) if r["privacy"] == privacy]
    rows = [r for r in rows if r["dataset"] == "adult" and r["local_recoding"] == "none"]
    assert len(rows) == 2
    for row in rows:
        masked = adult
        levels = row["optimum_levels"].split("|")
        for key, level in zip(row["qi_order"].split("|"), levels, strict=True):
            masked = masked.apply(ta.Generalize(key, level=int(level)), seed=0)
        safe = without_broken(masked, [ta.KAnonymity(5), model])
        sizes = safe.classes(ADULT_KEYS).counts
        assert len(masked) - len(safe) == int(row["suppressed"])
        assert (len(sizes), sizes.min(), sizes.max()) == tuple(
            int(row[name]) for name in ("classes", "min_class", "max_class")
        )
