from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError

PRINTED = [3, 5, 8, 11]  # the records that Fig. 14 blanks


def read(x, g=None, kinds=None):
    columns = {"x": pa.array(x)} | ({} if g is None else {"g": pa.array(g)})
    return ta.read(pa.table(columns), kinds={"x": "continuous", **(kinds or {})})


def imputed(data, **parameters):
    return data.apply(ta.BlankAndImpute("x", **parameters), seed=1).column("x").to_pylist()


def test_the_printed_example():
    """Seed 001, Fig. 14, corrected: DH by Disease, Chol by Race, Temp by month and year of birth."""
    medical = ta.example("medical")
    safe = medical
    for name, by, levels in [
        ("DH", "Disease", None),
        ("Chol", "Race", None),
        ("Temp", "DoB", {"DoB": 1}),
    ]:
        safe = safe.apply(ta.BlankAndImpute(name, records=PRINTED, by=by, levels=levels))
    rows = np.array(PRINTED) - 1
    wanted = {
        "DH": [23.5, 2.5, 19.5, 13 / 3],
        "Chol": [227.5, 216.25, 216.25, 670 / 3],
        "Temp": [37.75, 36.75, 37.3, 36.9],
    }
    others = np.setdiff1d(np.arange(11), rows)
    for name, values in wanted.items():
        assert safe.numbers(name)[rows] == pytest.approx(values)
        assert (safe.numbers(name)[others] == medical.numbers(name)[others]).all()
    # As printed, in whole numbers.
    assert [f"{value:.0f}" for value in safe.numbers("Chol")[rows]] == ["228", "216", "216", "223"]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=30),
    st.booleans(),
    st.integers(0, 9),
)
def test_means_of_groups_by_brute_force(records, others_only, seed):
    x, g = (list(part) for part in zip(*records, strict=True))
    data = read(x, g, {"g": "nominal"})
    method = ta.BlankAndImpute("x", share=0.4, by="g", others_only=others_only)
    released = method.mask(data, np.random.default_rng(seed)).numbers("x")
    rows = np.random.default_rng(seed).choice(len(x), round(0.4 * len(x)), replace=False)
    for row, value in enumerate(released):
        if row not in rows:
            assert value == x[row]
            continue
        used = [i for i in range(len(x)) if not (others_only and i in rows)]
        group = [x[i] for i in used if g[i] == g[row]] or [x[i] for i in used]
        assert value == pytest.approx(np.mean(group))


def test_a_group_alone_is_told():
    data = read([1.0, 5.0, 9.0], ["a", "b", "b"])
    safe = data.apply(ta.BlankAndImpute("x", records=[1, 2], by="g"))
    assert safe.column("x").to_pylist() == [1.0, 7.0, 9.0]
    assert safe.notes["imputed"] == {"x": {"records": 2, "unchanged": 1, "from_all_records": 0}}
    others = data.apply(ta.BlankAndImpute("x", records=[1, 2], by="g", others_only=True))
    assert others.column("x").to_pylist() == [9.0, 9.0, 9.0]
    assert others.notes["imputed"]["x"]["from_all_records"] == 1


def test_categories_have_medians_and_modes():
    nominal = read(["b", "a", "a", "c"], kinds={"x": "nominal"})
    assert imputed(nominal, records=[4]) == ["b", "a", "a", "a"]
    order = ["low", "middle", "high"]
    table = pa.table({"x": ["low", "low", "high", "high", "middle"]})
    ordinal = ta.read(table, kinds={"x": "ordinal"}, orders={"x": order})
    assert imputed(ordinal, records=[1]) == ["middle", "low", "high", "high", "middle"]


def test_donors_are_others_of_the_group():
    x, g = list(range(200)), [row % 4 for row in range(200)]
    data = read(x, g, {"g": "nominal"})
    method = ta.BlankAndImpute("x", share=0.3, by="g", how="hot_deck")
    released = method.mask(data, np.random.default_rng(3)).column("x")
    rows = set(np.random.default_rng(3).choice(200, 60, replace=False).tolist())
    assert released.type == pa.int64()
    for row, value in enumerate(released.to_pylist()):
        assert value == row if row not in rows else value not in rows and value % 4 == row % 4


def test_a_group_without_donors_takes_from_all():
    safe = read([1, 2, 3], ["a", "b", "b"]).apply(
        ta.BlankAndImpute("x", records=[1], by="g", how="hot_deck"), seed=1
    )
    assert safe.column("x")[0].as_py() in {2, 3}
    assert safe.notes["imputed"]["x"]["from_all_records"] == 1


def test_the_hot_deck_keeps_the_mean():
    """Chosen at random and filled from the others, 300 times: within 3 standard errors."""
    values = np.random.default_rng(0).lognormal(size=200)
    data, rng = read(values), np.random.default_rng(2)
    method = ta.BlankAndImpute("x", share=0.5, how="hot_deck")
    means = np.array([method.mask(data, rng).numbers("x").mean() for _ in range(300)])
    assert abs(means.mean() - values.mean()) < 3 * means.std(ddof=1) / np.sqrt(300)


def test_regression_finds_the_line():
    g = np.arange(10.0)
    x = 3 + 2 * g
    x[4] = 1000  # is deleted, so that it does not count
    assert imputed(read(x, g), records=[5], how="regression", by="g")[4] == pytest.approx(11)


def test_regression_by_categories_is_the_mean_of_others():
    data = read([1.0, 3.0, 10.0, 20.0, 99.0], ["a", "a", "b", "b", "b"])
    assert imputed(data, records=[5], how="regression", by="g")[4] == pytest.approx(15)


def test_residuals_are_those_of_others():
    rng = np.random.default_rng(1)
    g = rng.normal(size=400)
    data = read(5 * g + rng.choice([-1.0, 1.0], 400), g)
    plain, noisy = (
        data.apply(
            ta.BlankAndImpute("x", share=0.5, how="regression", by="g", residuals=residuals), seed=4
        ).numbers("x")
        for residuals in (False, True)
    )
    added = (noisy - plain)[noisy != plain]
    assert len(added) == 200
    assert np.abs(np.abs(added) - 1).max() < 0.2


def test_blanks_stay_and_are_no_values():
    data = read([None, 2.0, 4.0, None])
    assert imputed(data, records=[1, 2]) == [None, 3.0, 4.0, None]
    assert imputed(data, share=1.0) == [None, 3.0, 3.0, None]


def test_several_attributes_lose_the_same_records(toy):
    safe = toy.apply(ta.BlankAndImpute(["age", "disease"], share=0.3, how="hot_deck"), seed=1)
    age, disease = (
        np.array(safe.column(n).to_pylist()) != np.array(toy.column(n).to_pylist())
        for n in ("age", "disease")
    )
    assert age.sum() > 80
    assert (age | disease).sum() <= 90


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "needs one of `share` and `records`"),
        ({"share": 0.5, "records": [1]}, "needs one of `share` and `records`"),
        ({"share": 0.5, "how": "regression"}, "needs attributes to predict by"),
        ({"share": 0.5, "how": "hot_deck", "others_only": True}, "is for means"),
        ({"share": 0.5, "residuals": True}, "is for regression"),
        ({"share": 0.5, "levels": {"g": 1}}, "has `g`, not in `by`"),
        ({"share": 0.5, "by": "x"}, "names `x`, which is blanked itself"),
        ({"records": [0]}, "greater than or equal to 1"),
    ],
)
def test_parameters_that_contradict_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ta.BlankAndImpute("x", **parameters)


def test_what_cannot_be_imputed_is_refused():
    with pytest.raises(ParameterError, match="names record 4 of 3"):
        imputed(read([1, 2, 3]), records=[4])
    for parameters in ({"how": "hot_deck"}, {"others_only": True}):
        with pytest.raises(ProtectionError, match="deletes every value of `x`"):
            imputed(read([1, 2]), share=1.0, **parameters)
    with pytest.raises(ParameterError, match="predicts numbers; `x` is nominal"):
        imputed(read(["a", "b"], [1, 2], {"x": "nominal"}), records=[1], how="regression", by="g")


def test_of_a_share_of_few_records_one_is_chosen():
    before = [1.0, 5.0, 90.0]  # of which none is the mean
    after = imputed(read(before), share=0.01)
    assert np.count_nonzero(np.array(after) != before) == 1
    assert imputed(read(pa.array([], pa.float64())), share=0.01) == []


def test_whole_numbers_that_would_change_are_refused():
    data = read([2**53 + 1, 1, 5])
    assert imputed(data, records=[2], how="hot_deck")[0] == 2**53 + 1
    with pytest.raises(InputError, match="`x` holds whole numbers beyond 2\\^53"):
        imputed(data, records=[2])


def test_predictions_that_have_no_double_are_refused():
    data = read([1.7e308, -1.7e308, 1.7e308, -1.7e308, 1.0], g=[1.0, 2.0, 3.0, 4.0, 50.0])
    with pytest.raises(InputError, match="squares or sums have no double"):
        imputed(data, records=[5], how="regression", by="g", residuals=True)
