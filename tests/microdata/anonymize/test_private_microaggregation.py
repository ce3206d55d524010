from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tacita as ta
from tacita.errors import ParameterError, ProtectionError
from tacita.microdata.anonymize.private_microaggregation import insensitive_clusters


def read(**columns):
    return ta.read(pa.table(columns), kinds=dict.fromkeys(columns, "continuous"))


def mask(data, bounds, **options):
    return ta.PrivateMicroaggregation(bounds, **options).mask(data, np.random.default_rng(0))


def members(records, labels):
    return [Counter(map(tuple, records[labels == c].tolist())) for c in range(labels.max() + 1)]


record = st.tuples(st.integers(0, 5), st.integers(0, 5))


@settings(max_examples=100, deadline=None)
@given(st.lists(record, min_size=1, max_size=30), st.integers(1, 5), st.data())
def test_a_changed_record_changes_every_cluster_in_one_record_at_most(rows, k, data):
    k = min(k, len(rows))
    place = data.draw(st.integers(0, len(rows) - 1))
    changed = rows.copy()
    changed[place] = data.draw(record)
    mixed = data.draw(st.permutations(changed))  # the order of the file must not matter
    parts = [members(r, insensitive_clusters(r, k)) for r in map(np.array, (rows, mixed))]
    for before, after in zip(*parts, strict=True):
        assert (before - after).total() <= 1
        assert (after - before).total() <= 1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.integers(1, 5), st.data())
def test_of_one_attribute_all_sums_together_move_by_the_range(values, k, data):
    k = min(k, len(values))
    changed = values.copy()
    changed[data.draw(st.integers(0, len(values) - 1))] = data.draw(st.integers(0, 50))
    columns = np.array(values), np.array(changed)
    before, after = (np.bincount(insensitive_clusters(c[:, None], k), c) for c in columns)
    assert np.abs(before - after).sum() <= 50


def test_clusters_have_k_records_and_the_last_what_is_over():
    labels = insensitive_clusters(np.arange(11)[:, None], 3)
    assert np.bincount(labels).tolist() == [3, 3, 5]


@pytest.mark.parametrize(
    ("names", "averages", "scale"),
    [(["x"], 4000, 2e9 / 5 / 1e4), (["x", "y"], 2000, 2 * 2000 * (2e9 / 5) / 1e4)],
)
def test_averages_get_noise_of_the_composed_scale(chance, names, averages, scale):
    data = read(**{name: [0.0] * 5 * averages for name in names})
    masked = mask(data, dict.fromkeys(names, (-1e9, 1e9)), epsilon=1e4, k=5)
    noise = np.concatenate([masked.numbers(name)[::5] for name in names])
    assert chance.allows(stats.gamma(len(noise), scale=scale), np.abs(noise).sum())


def test_it_errs_less_than_noise_for_every_record():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 100, (2, 1000))
    bounds = {"x": (0.0, 100.0), "y": (0.0, 100.0)}
    masked = mask(read(x=x, y=y), bounds, epsilon=1.0, k=200)
    plain = rng.laplace(scale=2 * 100 / 1.0, size=(2, 1000))
    for name, original, noise in zip(bounds, (x, y), plain, strict=True):
        error = np.square(masked.numbers(name) - original[masked.source_rows]).mean()
        # Both stay within the bounds, as anybody may clamp what was released.
        clamped = np.square(np.clip(original + noise, 0, 100) - original).mean()
        assert error < clamped


def test_of_one_attribute_much_is_kept(chance):
    x = np.random.default_rng(0).uniform(0, 100, 8000)
    masked = mask(read(x=x), {"x": (0.0, 100.0)}, epsilon=1.0, k=50)
    error = np.abs(masked.numbers("x") - x[masked.source_rows]).mean()
    groups = np.sort(x).reshape(160, 50)
    averaged = np.abs(groups - groups.mean(axis=1, keepdims=True)).mean()
    # The rest is noise of 160 averages, of scale 2.
    assert chance.allows_up_to(stats.gamma(160, scale=2 / 160), error - averaged)


def test_only_averages_leave_and_nothing_tells_who_is_where():
    frame = ta.example("toy", 300).to_pandas().set_index("id")
    data = ta.read(frame, kinds={"age": "continuous"})
    masked = mask(data, {"age": (0, 120)}, epsilon=1.0, k=60)
    assert masked.names == ["age"]
    runs = masked.numbers("age").reshape(5, 60)
    assert (runs == runs[:, :1]).all()
    assert masked.to_native().index.tolist() == list(range(300))
    assert ta.DifferentialPrivacy(1.0).check(masked).holds
    assert not ta.DifferentialPrivacy(0.9).check(masked).holds


def test_blanks_and_values_out_of_bounds_count_as_the_middle_and_the_bound():
    data = read(x=[None, 5000.0, -3.0, 40.0])
    masked = mask(data, {"x": (0.0, 100.0)}, epsilon=1e9, k=1)
    assert np.allclose(masked.numbers("x"), [0.0, 40.0, 50.0, 100.0], atol=0.001)


def test_what_cannot_be_is_said():
    with pytest.raises(ParameterError, match="lowest and a higher value for `x`; found 3 and 3"):
        ta.PrivateMicroaggregation({"x": (3, 3)}, epsilon=1, k=2)
    with pytest.raises(ProtectionError, match="k = 5 records; found 2"):
        mask(read(x=[1.0, 2.0]), {"x": (0, 9)}, epsilon=1, k=5)
    with pytest.raises(ParameterError, match="applies to continuous"):
        mask(ta.example("toy", 20), {"disease": (0, 9)}, epsilon=1, k=5)


def test_nothing_is_guaranteed_after_a_step_that_looked_at_other_records():
    private = ta.PrivateMicroaggregation({"age": (0, 120)}, epsilon=1, k=20)
    toy = ta.example("toy", 300)
    chosen = toy.apply(ta.LocalSuppression(k=2, attributes=["region", "education"]), seed=0)
    with pytest.raises(ProtectionError, match="guarantees nothing after `local_suppression`"):
        chosen.apply(private)
    capped = toy.apply(ta.TopCode("age", 85), seed=0).apply(private)
    assert capped.guarantees[0].epsilon == 1
