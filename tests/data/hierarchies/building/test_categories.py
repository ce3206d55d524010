"""Rare categories gathered, and categories that are alike beside another attribute."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.api.hierarchies import hierarchy_from
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError


def classes(tree, level):
    """The values below every label."""
    found = {}
    for path in tree.paths:
        found.setdefault(path[level], set()).add(path[0])
    return {frozenset(members) for members in found.values()}


def test_rare_categories_are_gathered_first():
    values = "a" * 50 + "b" * 30 + "c" * 10 + "d" * 5 + "e" * 3
    made = hierarchy_from(list(values), by="frequencies", levels=2)
    assert made == Tree(
        (
            ("a", "a", "a", "*"),
            ("b", "b", "(other)", "*"),
            ("c", "c", "(other)", "*"),
            ("d", "(other)", "(other)", "*"),
            ("e", "(other)", "(other)", "*"),
        )
    )


@given(st.lists(st.sampled_from("abcdefghijkl"), min_size=2).filter(lambda x: len(set(x)) > 1))
def test_no_gathered_category_is_more_frequent_than_a_kept_one(values):
    made = hierarchy_from(values, by="frequencies", levels=3)
    for level in range(1, made.height):
        kept = [values.count(p[0]) for p in made.paths if p[level] == p[0]]
        rare = [values.count(p[0]) for p in made.paths if p[level] == "(other)"]
        assert min(kept) > max(rare)
        assert len(kept) < 8


def test_a_category_called_other_stays_itself():
    made = hierarchy_from(["(other)"] * 3 + ["a", "b", "*"], by="frequencies", levels=1)
    assert dict(zip(made.level(0), made.level(1), strict=True)) == {
        "(other)": "(other)",
        "a": "((other))",
        "b": "((other))",
        "*": "((other))",
    }
    assert made.root == "(*)"


def information(pairs):
    """The mutual information of two attributes, in nats times the number of records."""
    table = pd.DataFrame(pairs).groupby([0, 1]).size()
    counts = table.unstack(fill_value=0).to_numpy(float)
    share = counts / counts.sum()
    expected = share.sum(1, keepdims=True) * share.sum(0)
    inside = share > 0
    return counts.sum() * (share[inside] * np.log(share[inside] / expected[inside])).sum()


@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("xyz")), min_size=6).filter(
        lambda pairs: len({a for a, _ in pairs}) == 5
    )
)
def test_the_first_merge_loses_least_information(pairs):
    frame = pd.DataFrame(pairs, columns=["job", "ill"])
    made = hierarchy_from(frame, "job", by="clustering", over="ill", levels=2)
    (merged,) = (one for one in classes(made, 1) if len(one) > 1)

    def left(group):
        return information([(min(group) if a in group else a, b) for a, b in pairs])

    best = max(left(set(two)) for two in combinations("abcde", 2))
    assert left(merged) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("kind", ["text", "number", "blank"])
def test_categories_with_alike_distributions_are_gathered(kind):
    rng = np.random.default_rng(3)
    job = rng.integers(8, size=4000)
    high = rng.random(4000) < np.where(job % 2, 0.9, 0.1)
    ill = {
        "text": np.where(high, "flu", "none"),
        "number": np.where(high, 100.0, 0.0) + rng.random(4000),
        "blank": np.where(high, "flu", None),
    }[kind]
    frame = pd.DataFrame({"job": job.astype(str), "ill": ill})
    made = hierarchy_from(frame, "job", by="clustering", over="ill", levels=1)
    assert classes(made, 1) == {frozenset("0246"), frozenset("1357")}
    names = set(made.level(1))
    assert all(name.endswith(" and 3 more") for name in names)


def test_too_many_categories_are_refused():
    frame = pd.DataFrame({"code": [f"c{i}" for i in range(1001)], "ill": "x"})
    with pytest.raises(HierarchyError, match="1,000 categories at most; found 1,001"):
        hierarchy_from(frame, "code", by="clustering", over="ill")


def test_more_levels_than_there_are_classes_take_no_longer():
    data = pa.table({"a": list("aaabbc"), "b": [1, 1, 2, 2, 3, 3]})
    for options in ({"by": "frequencies"}, {"by": "clustering", "over": "b"}):
        few, many = (hierarchy_from(data, "a", levels=n, **options) for n in (3, 10**9))
        assert few == many
