import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.attribute import Kind
from tacita.errors import ParameterError, ProtectionError
from tacita.microdata.synthesis.matching_moments.within_groups import LARGE, redrawn
from tacita.microdata.synthesis.microhybrid import Microhybrid


@given(st.integers(3, 12), st.integers(1, 4), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_every_group_keeps_its_means_and_covariances(size, columns, weighted, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(3 * size + 1, columns)) * 10.0 ** rng.integers(-3, 6, columns)
    labels = rng.permutation(np.append(np.repeat(np.arange(3), size), 0))
    weights = rng.uniform(1, 5, len(values)) if weighted else None
    made = redrawn(values, labels, rng, weights)
    units = values.std(axis=0)
    for group in range(3):
        here = labels == group
        counts = None if weights is None else weights[here]
        for one, other in ((values[here], made[here]),):
            means = [np.average(each, axis=0, weights=counts) for each in (one, other)]
            np.testing.assert_allclose(means[0] / units, means[1] / units, atol=1e-9)
            products = [np.cov((each / units).T, aweights=counts, ddof=0) for each in (one, other)]
            np.testing.assert_allclose(*products, atol=1e-9)
    assert not np.isin(made, values).any()


def test_a_large_group_is_drawn_by_its_moments():
    rng = np.random.default_rng(0)
    values = rng.gamma(1.0, size=(LARGE + 500, 3))
    labels = (np.arange(len(values)) < LARGE).astype(int)
    made = redrawn(values, labels, rng)
    for group in (0, 1):
        one, other = values[labels == group], made[labels == group]
        np.testing.assert_allclose(one.mean(axis=0), other.mean(axis=0))
        np.testing.assert_allclose(np.cov(one.T), np.cov(other.T), atol=1e-12)


@pytest.fixture(scope="module")
def firms():
    rng = np.random.default_rng(0)
    columns = {name: rng.lognormal(size=200) for name in ("wage", "profit")}
    return ta.read(pa.table(columns | {"region": np.repeat(["north", "south"], 100)}))


def test_subdomains_and_the_file_keep_means_and_covariances(firms):
    made = firms.apply(Microhybrid(["wage", "profit"], k=6, within="region"), seed=1)
    before, after = (
        np.column_stack([data.numbers(name) for name in ("wage", "profit")])
        for data in (firms, made)
    )
    for rows in (slice(0, 100), slice(100, 200), slice(None)):
        np.testing.assert_allclose(before[rows].mean(axis=0), after[rows].mean(axis=0), rtol=1e-9)
        np.testing.assert_allclose(np.cov(before[rows].T), np.cov(after[rows].T), rtol=1e-9)
    assert not np.isin(after, before).any()
    assert 200 // 12 <= made.notes["groups"] <= 200 // 6


def test_larger_groups_move_records_farther(firms):
    moved = []
    for k in (3, 100):
        made = firms.apply(Microhybrid("wage", k=k), seed=1)
        moved.append(np.abs(made.numbers("wage") - firms.numbers("wage")).mean())
    assert moved[0] < moved[1] / 5


def test_applies_to_numbers_and_says_what_it_cannot(firms):
    assert Microhybrid.applies_to == {Kind.CONTINUOUS}
    with pytest.raises(ParameterError, match="`k` of `microhybrid`"):
        Microhybrid("wage", k=2)
    with pytest.raises(ProtectionError, match="at least k = 101 records in every subdomain"):
        firms.apply(Microhybrid("wage", k=101, within="region"), seed=1)
