"""SMIKe: sensitive cases, mixing sets, and the loop that tunes them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.attribute import Kind
from tacita.errors import InputError, ProtectionError
from tacita.microdata.synthesis.imputing.mixing import MixingSets


@pytest.fixture(scope="module")
def people():
    """A thousand records; one of the combinations of keys has two records, another one."""
    rng = np.random.default_rng(0)
    pay = rng.normal(30, 5, 1000)
    sex = np.where(rng.random(1000) < 0.5, "f", "m")
    town = np.where(rng.random(1000) < 1 / (1 + np.exp(-(pay - 30) / 5)), "north", "south")
    town[[3, 500]], town[77] = "isle", "rock"
    sex[[3, 500]] = "f"
    table = pa.table({"sex": sex, "town": town, "pay": pay})
    return ta.read(table, roles={"sex": "key", "town": "key", "pay": "confidential"})


def test_applies_to_every_kind_as_figure_13_says():
    assert ta.Smike.applies_to == frozenset(Kind)


def test_mixing_sets_are_the_nearest_others():
    rng = np.random.default_rng(1)
    table = pa.table({"a": rng.normal(size=60), "b": rng.choice(["u", "v"], 60)})
    data = ta.read(table)
    sensitive = np.arange(60) < 4
    a, b = data.numbers("a") / data.numbers("a").std(ddof=1), np.array(data.column("b").to_pylist())
    expected = set(range(4))
    for row in range(4):
        away = (a[4:] - a[row]) ** 2 + (b[4:] != b[row])
        expected |= set((4 + np.argsort(away, kind="stable")[:3]).tolist())
    found = MixingSets(data, ["a", "b"], sensitive).union(3)
    assert found.tolist() == sorted(expected)


def test_only_keys_of_sensitive_records_and_their_mixing_sets_change(people):
    made = people.apply(ta.Smike(), seed=1)
    mixed = MixingSets(people, ["pay"], np.isin(np.arange(1000), [3, 77, 500])).union(5)
    assert made.notes["sensitive"] == 3
    assert made.notes["mixed"] == made.notes["replaced"] == len(mixed)
    assert made.column("pay") == people.column("pay")
    outside = np.setdiff1d(np.arange(1000), mixed)
    for key in ("sex", "town"):
        before, after = (np.array(d.column(key).to_pylist()) for d in (people, made))
        assert (before[outside] == after[outside]).all()
        assert (before[mixed] != after[mixed]).any()


def test_a_rare_combination_may_be_anybodys_of_the_mixing_set(people):
    """In some copies, records hold the rare keys that never did."""
    made = [people.apply(ta.Smike(mixing=2), seed=seed) for seed in range(8)]
    holders = {
        row
        for one in made
        for row, town in enumerate(one.column("town").to_pylist())
        if town in ("isle", "rock")
    }
    assert holders - {3, 77, 500}


def test_a_share_of_the_mixed_records_is_imputed(people):
    made = people.apply(ta.Smike(share=0.5), seed=1)
    assert made.notes["replaced"] == round(made.notes["mixed"] / 2)


def test_the_loop_tunes_the_mixing_sets(people):
    first = people.apply(ta.Smike(mixing=100, loss_at_most=1), seed=1)
    bound = first.notes["losses"][0] * 0.6
    tuned = people.apply(ta.Smike(mixing=100, loss_at_most=bound, rounds=8), seed=1)
    assert tuned.notes["mixing"] < 100
    assert len(tuned.notes["losses"]) > 1
    assert tuned.notes["losses"][-1] <= bound < min(tuned.notes["losses"][:-1])


def test_sizes_are_tried_in_turn():
    sizes = ta.Smike(mixing=4, rounds=5)._sizes
    assert list(sizes(1000)) == [4, 8, 2, 16, 1]
    assert list(sizes(6)) == [4, 6, 2, 1]


def test_refuses_a_quality_that_is_never_reached(people):
    with pytest.raises(ProtectionError, match=r"loses at least .* `loss_at_most` is 0"):
        people.apply(ta.Smike(loss_at_most=0), seed=1)


def test_nothing_sensitive_changes_nothing(people):
    made = people.apply(ta.Smike("sex"), seed=1)
    assert made.notes == {"sensitive": 0, "replaced": 0}
    assert made.table == people.table


def test_refuses_no_keys_and_keys_that_are_given(people):
    with pytest.raises(InputError, match="no attribute has that role"):
        ta.read(pa.table({"x": [1.0]})).apply(ta.Smike())
    with pytest.raises(InputError, match="`sex` is imputed and given"):
        people.apply(ta.Smike(given="sex"))
