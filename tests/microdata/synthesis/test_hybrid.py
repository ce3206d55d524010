from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import tacita as ta
from tacita.data.attribute import Kind
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.microdata.synthesis.arranging.partners import partners
from tacita.microdata.synthesis.hybrid import Hybrid

TARRAGONA = Path(__file__).parents[4] / "shared/data/casc/Tarragona.csv"


@pytest.fixture(scope="module")
def firms():
    rng = np.random.default_rng(0)
    staff = rng.lognormal(3.0, size=300)
    return ta.read(pa.table({"staff": staff, "sales": staff * rng.lognormal(size=300) * 1000}))


def values(data):
    return np.column_stack([data.numbers(name) for name in ("staff", "sales")])


def numbers(data):
    return np.column_stack([data.numbers(name) for name in data.names])


@pytest.mark.parametrize("generator", ["latin_hypercube", "cholesky"])
def test_a_record_lies_between_itself_and_its_own_synthetic_one(firms, generator):
    partner = values(firms.apply(Hybrid(firms.names, alpha=0, generator=generator), seed=1))
    mixed = values(firms.apply(Hybrid(firms.names, alpha=0.3, generator=generator), seed=1))
    np.testing.assert_allclose(mixed, 0.3 * values(firms) + 0.7 * partner)
    # With alpha = 0 the synthetic records themselves are released, each once.
    assert len(np.unique(partner, axis=0)) == len(partner)
    units = values(firms).std(axis=0)
    distances = cdist(values(firms) / units, partner / units, "sqeuclidean")
    rows, columns = linear_sum_assignment(distances)
    assert np.trace(distances) == pytest.approx(distances[rows, columns].sum())


@pytest.mark.parametrize("generator", ["latin_hypercube", "cholesky"])
@pytest.mark.parametrize("alpha", [0, 0.4])
def test_means_stay_and_the_variance_is_that_of_the_formula(firms, generator, alpha):
    partner = values(firms.apply(Hybrid(firms.names, alpha=0, generator=generator), seed=1))
    made = values(firms.apply(Hybrid(firms.names, alpha=alpha, generator=generator), seed=1))
    own = values(firms)
    np.testing.assert_allclose(made.mean(axis=0), own.mean(axis=0), rtol=1e-11)
    for before, after, other in zip(own.T, made.T, partner.T, strict=True):
        r = np.corrcoef(before, other)[0, 1]
        share = 1 - 2 * alpha * (1 - alpha) * (1 - r)
        assert after.var() / before.var() == pytest.approx(share, rel=1e-9)


def test_tarragona_loses_less_than_a_fourth_of_its_variances():
    if not TARRAGONA.exists():
        pytest.skip("the reference files are not beside this repository")
    data = ta.read(TARRAGONA)
    made = data.apply(Hybrid(data.names), seed=0)
    before, after = numbers(data), numbers(made)
    np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-10)
    shares = after.var(axis=0) / before.var(axis=0)
    assert shares.min() > 0.75
    assert shares.max() < 1
    restored = numbers(data.apply(Hybrid(data.names, rescale=True), seed=0))
    np.testing.assert_allclose(restored.mean(axis=0), before.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(restored.var(axis=0), before.var(axis=0), rtol=1e-10)


def test_many_records_are_paired_one_to_one_in_parts():
    rng = np.random.default_rng(0)
    own, made = rng.normal(size=(2, 1500, 3)) * [1, 5, 2]
    found = partners(own, made)
    assert sorted(found) == list(range(1500))
    squares = cdist(own, made, "sqeuclidean")
    best = squares[linear_sum_assignment(squares)].mean()
    assert best <= squares[np.arange(1500), found].mean() < 1.5 * best < squares.mean() / 10


def test_the_pairs_of_few_records_are_the_best_of_all_orders():
    rng = np.random.default_rng(1)
    own, made = rng.normal(size=(2, 6, 2))
    totals = [np.square(own - made[list(order)]).sum() for order in permutations(range(6))]
    assert np.square(own - made[partners(own, made)]).sum() == pytest.approx(min(totals))


def test_multiplying_mixes_logarithms(firms):
    nearest, mixed = (
        values(firms.apply(Hybrid(firms.names, alpha=alpha, combine="multiplicative"), seed=1))
        for alpha in (0, 0.25)
    )
    np.testing.assert_allclose(mixed, values(firms) ** 0.25 * nearest**0.75)
    assert (mixed > 0).all()


def test_more_of_the_original_is_nearer_to_it(firms):
    moved = [
        np.abs(values(firms.apply(Hybrid(firms.names, alpha=alpha), seed=1)) - values(firms)).sum()
        for alpha in (0.1, 0.5, 0.9)
    ]
    assert moved[0] > moved[1] > moved[2] > 0


@pytest.mark.parametrize("generator", ["latin_hypercube", "cholesky"])
def test_means_stay_where_blanks_depend_on_values(generator):
    rng = np.random.default_rng(0)
    a = rng.lognormal(size=500)
    b = a + rng.normal(size=500)
    blank = a > np.quantile(a, 0.8)
    data = ta.read(pa.table({"a": a, "b": pa.array(b, mask=blank)}))
    made = data.apply(Hybrid(["a", "b"], generator=generator), seed=0)
    assert (np.isnan(made.numbers("b")) == blank).all()
    assert made.numbers("a").mean() == pytest.approx(a.mean(), rel=1e-12)
    assert np.nanmean(made.numbers("b")) == pytest.approx(b[~blank].mean(), rel=1e-12)


def test_few_records_with_the_same_blanks_take_the_nearest_of_others():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 100))
    b[:20] = np.nan
    data = ta.read(pa.table({"a": a, "b": pa.array(b, from_pandas=True)}))
    made = data.apply(Hybrid(["a", "b"], alpha=0), seed=0)
    assert (np.isnan(made.numbers("b")) == np.isnan(b)).all()
    taken = made.numbers("a")[:20]
    assert len(set(taken)) == 20
    assert set(taken) <= set(made.numbers("a")[20:])
    assert np.abs(taken - a[:20]).max() < 0.7  # the nearest of 80 in one attribute


@pytest.mark.parametrize("rescale", [False, True])
def test_weighted_totals_stay(firms, rescale):
    weight = np.where(firms.numbers("staff") > 20, 20.0, 1.0)
    table = firms.table.append_column("w", pa.array(weight))
    data = ta.read(table, roles={"w": "weight"})
    made = data.apply(Hybrid(firms.names, weighted=True, rescale=rescale), seed=0)
    for before, after in zip(values(data).T, values(made).T, strict=True):
        assert weight @ after == pytest.approx(weight @ before, rel=1e-11)
        spreads = [np.cov(column, aweights=weight) for column in (before, after)]
        assert (spreads[1] == pytest.approx(spreads[0])) == rescale


def test_applies_to_what_figure_13_says_and_refuses_what_has_no_logarithm():
    assert Hybrid.applies_to == {Kind.CONTINUOUS}
    data = ta.read(pa.table({"a": [3.0, 0.0, 5.0, 7.0]}))
    with pytest.raises(InputError, match="`a` is 0 in record 2"):
        data.apply(Hybrid("a", combine="multiplicative"), seed=0)
    with pytest.raises(ParameterError, match="`alpha` of `hybrid`"):
        Hybrid("a", alpha=1)


def test_a_record_that_breaks_rules_gets_the_next_nearest_partner(firms):
    options = {"alpha": 0, "generator": "cholesky"}
    free = firms.apply(Hybrid(firms.names, **options), seed=1)
    kept = firms.apply(Hybrid(firms.names, rules=["staff > 0", "sales > 0"], **options), seed=1)
    before, after = values(free), values(kept)
    broken = (before <= 0).any(axis=1)
    assert kept.notes["broke_rules"] == broken.sum() > 0
    assert (after > 0).all()
    assert (after[~broken] == before[~broken]).all()
    # No synthetic record that keeps the rules is nearer than the one that was taken.
    units = values(firms).std(axis=0)
    allowed = before[~broken] / units
    for own, taken in zip(values(firms)[broken] / units, after[broken] / units, strict=True):
        assert np.linalg.norm(own - taken) <= np.linalg.norm(own - allowed, axis=1).min() + 1e-9


def test_rules_that_no_partner_keeps_are_told(firms):
    with pytest.raises(ProtectionError, match="300 of 300 records break the rules"):
        firms.apply(Hybrid(firms.names, rules="staff < 0", alpha=0.5), seed=1)


@pytest.mark.parametrize("generator", ["cholesky", "latin_hypercube"])
def test_under_weights_means_stay_and_variances_may_go_either_way(generator):
    """Partners do not share weights, so that the formula for the variance does not hold."""
    rng = np.random.default_rng(7)
    skewed, weights = np.exp(1.5 * rng.normal(size=(2, 400))), rng.choice([1.0, 20.0], 400)
    names = ["x", "y"]
    data = ta.read(pa.table({"x": skewed[0], "y": skewed[1], "w": weights}), roles={"w": "weight"})
    made = data.apply(ta.Hybrid(names, generator=generator, alpha=0.5), seed=2)
    far = data.apply(ta.Hybrid(names, generator=generator, alpha=0.5, rescale=True), seed=2)
    shares = []
    for name, before in zip(names, skewed, strict=True):
        mean = np.average(before, weights=weights)
        spread = np.average((before - mean) ** 2, weights=weights)
        for one in (made, far):
            assert np.average(one.numbers(name), weights=weights) == pytest.approx(mean)
            varied = np.average((one.numbers(name) - mean) ** 2, weights=weights)
            shares.append(varied / spread)
    assert shares[1::2] == pytest.approx([1, 1])
    assert generator != "cholesky" or max(shares[::2]) > 1
