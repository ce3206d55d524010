import numpy as np
import pyarrow as pa
import pytest
from scipy.spatial.distance import cdist

import tacita as ta
from tacita.data.attribute import Kind
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.microdata.synthesis.hybrid import Hybrid


@pytest.fixture(scope="module")
def firms():
    rng = np.random.default_rng(0)
    staff = rng.lognormal(3.0, size=300)
    return ta.read(pa.table({"staff": staff, "sales": staff * rng.lognormal(size=300) * 1000}))


def values(data):
    return np.column_stack([data.numbers(name) for name in ("staff", "sales")])


@pytest.mark.parametrize("generator", ["latin_hypercube", "cholesky"])
def test_a_record_lies_between_itself_and_the_nearest_synthetic_one(firms, generator):
    nearest = values(firms.apply(Hybrid(firms.names, alpha=0, generator=generator), seed=1))
    mixed = values(firms.apply(Hybrid(firms.names, alpha=0.3, generator=generator), seed=1))
    np.testing.assert_allclose(mixed, 0.3 * values(firms) + 0.7 * nearest)
    # With alpha = 0 the synthetic records themselves are released: none is nearer than its own.
    units = values(firms).std(axis=0)
    distances = cdist(values(firms) / units, nearest / units)
    np.testing.assert_allclose(distances.min(axis=1), np.diag(distances))


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


def test_blanks_stay_and_pairs_go_by_what_is_known():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 100))
    b[:20] = np.nan
    data = ta.read(pa.table({"a": a, "b": pa.array(b, from_pandas=True)}))
    made = data.apply(Hybrid(["a", "b"], alpha=0), seed=0)
    assert (np.isnan(made.numbers("b")) == np.isnan(b)).all()
    assert np.abs(made.numbers("a") - a)[:20].max() < 0.7  # the nearest of 100 in one attribute


def test_weights_move_the_synthetic_records():
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=400), "w": np.ones(400)}
    columns["w"][columns["a"] > 0] = 9.0
    data = ta.read(pa.table(columns), roles={"w": "weight"})
    below = [
        np.unique(data.apply(Hybrid("a", alpha=0, weighted=weighted), seed=0).numbers("a"))
        for weighted in (False, True)
    ]
    assert np.mean(below[0] < 0) > 2 * np.mean(below[1] < 0)


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
