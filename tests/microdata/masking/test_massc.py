from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError

KEYS = ["education", "region"]
RATES = {"substitution": [0.3, 0.15, 0.05], "sampling": [0.8, 0.9, 0.98]}


def totals(data, name, weights):
    """Return the weighted total of every category, blanks too."""
    table = pa.table({"value": data.column(name), "weight": weights})
    found = table.group_by("value").aggregate([("weight", "sum")])
    return dict(zip(*(column.to_pylist() for column in found.columns), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_calibrated_totals_are_those_of_the_original(seed, toy):
    given = RATES if seed % 2 else {"limits": [12], "risk": 0.1}
    method = ta.Massc(KEYS, calibrate=[*KEYS, "stratum", "disease", "age"], **given)
    safe = toy.apply(method, seed=seed)
    assert len(safe) < len(toy)
    assert (safe.weight > 0).all()
    for name in (*KEYS, "stratum", "disease"):
        before, after = totals(toy, name, toy.weight), totals(safe, name, safe.weight)
        assert after == pytest.approx(before, rel=0, abs=1e-6)
    ages = (float(data.numbers("age") @ data.weight) for data in (toy, safe))
    assert next(ages) == pytest.approx(next(ages), rel=0, abs=1e-6)


def test_without_weights_totals_are_counts(toy):
    bare = toy.without(["weight"])
    safe = bare.apply(ta.Massc(KEYS, weight="w"), seed=1)
    assert safe.names[-1] == "w"
    assert safe.weight.sum() == pytest.approx(300)
    before = totals(bare, "region", np.ones(300))
    assert totals(safe, "region", safe.weight) == pytest.approx(before, rel=0, abs=1e-6)


def test_strata_are_by_the_size_of_classes(toy):
    sizes = toy.classes(KEYS).size_of_record
    safe = toy.apply(ta.Massc(KEYS, limits=[10, 20], **RATES), seed=1)
    told = safe.notes["strata"]
    wanted = [(sizes <= 10).sum(), ((sizes > 10) & (sizes <= 20)).sum(), (sizes > 20).sum()]
    assert [one["records"] for one in told] == wanted
    shares = zip(wanted, (0.8, 0.9, 0.98), strict=True)
    assert [one["kept"] for one in told] == [round(n * share) for n, share in shares]
    assert [one["undisturbed"] for one in told] == pytest.approx([0.56, 0.765, 0.931])
    assert len(safe) == sum(one["kept"] for one in told)


def test_substitutes_come_from_the_same_stratum_and_differ_little(toy):
    """With everything kept, what changed is a share of each stratum, mostly in one attribute."""
    method = ta.Massc(KEYS, limits=[12], substitution=[0.5, 0.1], sampling=[1, 1])
    safe = toy.apply(method, seed=2)
    small = toy.classes(KEYS).size_of_record <= 12
    changed = np.column_stack(
        [np.asarray(pc.not_equal(safe.column(n), toy.column(n)).fill_null(False)) for n in KEYS]
    )
    assert [one["substituted"] for one in safe.notes["strata"]] == [
        round(0.5 * small.sum()),
        round(0.1 * (~small).sum()),
    ]
    assert changed.any(axis=1).sum() <= sum(o["substituted"] for o in safe.notes["strata"])
    assert changed.sum(axis=1).max() >= 1
    assert np.mean(changed.sum(axis=1)[changed.any(axis=1)] == 1) > 0.8
    met = {tuple(row.values()) for row in toy.table.select(KEYS).to_pylist()}
    whole = [r for r in safe.table.select(KEYS).to_pylist() if None not in r.values()]
    assert {tuple(row.values()) for row in whole} <= met
    for name in set(toy.names) - {*KEYS, "weight"}:
        assert safe.column(name).equals(toy.column(name))


def test_with_nothing_to_do_nothing_is_done(toy):
    method = ta.Massc(KEYS, substitution=[0, 0, 0], sampling=[1, 1, 1])
    safe = toy.apply(method, seed=1)
    np.testing.assert_allclose(safe.weight, toy.weight, rtol=1e-9)
    assert safe.without(["weight"]).table.equals(toy.without(["weight"]).table)


@pytest.mark.parametrize("rates", [{"substitution": [0, 0], "sampling": [0.6, 0.8]}, {"risk": 0.4}])
def test_estimates_of_what_is_not_substituted_are_unbiased(rates):
    """Totals of what is not calibrated lie within 3 standard errors over 200 releases."""
    rng = np.random.default_rng(0)
    x = rng.lognormal(size=400)
    columns = {"k": [f"k{i % 20}" for i in range(400)], "l": [f"l{i // 20}" for i in range(400)]}
    data = ta.read(pa.table({**columns, "x": x, "n": np.ones(400)}), kinds={"n": "continuous"})
    method = ta.Massc(["k", "l"], limits=[1], calibrate=["n"], **rates)
    found = []
    for _ in range(200):
        safe = method.mask(data, rng)
        found.append(float(safe.weight @ safe.numbers("x")))
    assert len(safe) < 400
    assert abs(np.mean(found) - x.sum()) < 3 * np.std(found, ddof=1) / np.sqrt(200)


def test_a_category_that_was_lost_is_named():
    data = ta.read(pa.table({"k": ["a"] * 50 + ["b", "c", "d", "e"]}))
    with pytest.raises(ProtectionError, match=r"No record with '[b-e]' of `k` was kept"):
        data.apply(ta.Massc("k", sampling=[0.25, 1, 1], substitution=[0, 0, 0]), seed=1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"limits": [4, 1]}, "`limits` of `massc` must ascend"),
        (
            {"limits": [3], **RATES},
            "`substitution` of `massc` needs a share for each of 2 risk strata",
        ),
        ({**RATES, "sampling": [0.5]}, "`sampling` of `massc` needs a share for each of 3"),
        ({"sampling": [0.5, 1, 1]}, "needs `substitution` and `sampling` together, or `risk`"),
        ({**RATES, "risk": 0.2}, "`risk` of `massc` sets the rates"),
        ({"risk": 0}, "greater than 0"),
        ({"sampling": [0, 1, 1]}, "greater than 0"),
    ],
)
def test_parameters_that_contradict_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ta.Massc("k", **parameters)


def test_data_that_do_not_fit_are_refused(toy):
    with pytest.raises(ParameterError, match=r"applies to .*; `age` is continuous"):
        toy.apply(ta.Massc())
    with pytest.raises(ParameterError, match="takes categories and numbers; `born` is date"):
        toy.apply(ta.Massc(KEYS, calibrate="born"))
    bare = toy.without(["weight"])
    with pytest.raises(ParameterError, match="names `age`, which is in the data already"):
        bare.apply(ta.Massc(KEYS, weight="age"))
    with pytest.raises(InputError, match="No attribute has the role `key`"):
        ta.read(pa.table({"x": ["a"]})).apply(ta.Massc())


def test_totals_that_have_no_double_are_refused(toy):
    huge = ta.read(toy.table.append_column("huge", pa.array([1.7e308] * len(toy))))
    with pytest.raises(InputError, match="squares or sums have no double"):
        huge.apply(ta.Massc(KEYS, calibrate=["huge"], weight="w"), seed=0)


def found_by_an_intruder(data, keys, method, runs):
    """Return how often each respondent is found by who takes a record with his values."""
    own = list(zip(*(data.column(key).to_pylist() for key in keys), strict=True))
    rate = np.zeros(len(data))
    for seed in range(runs):
        safe = method.mask(data, np.random.default_rng(seed))
        released = list(zip(*(safe.column(key).to_pylist() for key in keys), strict=True))
        often = Counter(released)
        for row, source in zip(released, safe.source_rows.tolist(), strict=True):
            rate[source] += (row == own[source]) / often[row]
    return rate / runs


@pytest.mark.parametrize("risk", [0.15, 0.3, 0.5])
def test_nobody_is_found_more_often_than_the_bound_says(risk):
    """Uniques, pairs and larger classes, of them some with blanks, some that nobody can replace."""
    keys = [(place, number) for place in range(20) for number in range(20)]
    sizes = [1] * 200 + [2] * 100 + [3] * 60 + [9] * 38 + [1, 2]
    rows = [key for key, often in zip(keys, sizes, strict=True) for _ in range(often)]
    rows += [(place, None) for place in range(10)] + [(None, 1)] * 2
    names = [
        [None if one is None else f"v{one}" for one in part] for part in zip(*rows, strict=True)
    ]
    table = pa.table({"p": names[0], "q": names[1], "n": np.ones(len(rows))})
    kinds = {"p": "nominal", "q": "nominal", "n": "continuous"}
    data, runs = ta.read(table, kinds=kinds), 12
    method = ta.Massc(["p", "q"], risk=risk, calibrate=["n"])
    rate = found_by_an_intruder(data, ["p", "q"], method, runs)
    size = data.classes(["p", "q"]).size_of_record
    for often in (1, 2, 3, 9):
        some = rate[size == often]
        assert some.mean() <= risk + 6 * np.sqrt(risk * (1 - risk) / (runs * len(some)))
    # A unique respondent is found as often as that, but where another one got his values.
    assert rate[size == 1].mean() > 0.7 * risk
