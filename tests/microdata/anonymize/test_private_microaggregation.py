from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tacita as ta
from tacita.errors import ParameterError, ProtectionError
from tacita.mechanisms.private.mechanisms import Laplace
from tacita.microdata.anonymize.private_clusters import numbers, sets
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


ITEMS = ("a", "b", "c", "d")
DOMAIN = {"word": ITEMS, "bag": ITEMS}


class Listening:
    """Takes the noise away, and keeps what it heard and by how much it was told that moves."""

    def __init__(self, monkeypatch):
        self.scores, self.sums = [], []
        monkeypatch.setattr(Laplace, "chosen", self._chosen())
        for module in (numbers, sets):
            monkeypatch.setattr(module, "noised", self.noised)

    def _chosen(self):
        def chosen(_, scores, sensitivity, cost):
            self.scores.append((list(scores), sensitivity.sum, cost))
            return int(np.argmax(scores))

        return chosen

    def noised(self, values, sensitivity, epsilon):
        self.sums.append((list(values), sensitivity, epsilon))
        return list(values)


def mixed(rows):
    age, word, bag, level = zip(*rows, strict=True)
    table = pa.table(
        {
            "age": pa.array(age, pa.float64()),
            "word": pa.array(word, pa.string()),
            "bag": pa.array(bag, pa.list_(pa.string())),
            "level": pa.array(level, pa.string()),
        }
    )
    kinds = {"age": "continuous", "word": "nominal", "bag": "set_valued"}
    return ta.read(
        table, kinds={**kinds, "level": "ordinal"}, orders={"level": ["lo", "mid", "hi"]}
    )


mixed_record = st.tuples(
    st.none() | st.integers(0, 9).map(float),
    st.sampled_from([None, *ITEMS, "stranger"]),
    st.none() | st.lists(st.sampled_from([*ITEMS, "stranger"]), max_size=4, unique=True),
    st.sampled_from([None, "lo", "mid", "hi"]),
)
RELEASED = [
    {"bounds": {"age": (0, 9)}, "attributes": ["word", "bag", "level"]},
    {"attributes": ["word", "level"]},
    {"attributes": ["word"]},
    {"attributes": ["level"]},
    {"attributes": ["bag"]},
]


@pytest.mark.parametrize("released", RELEASED)
@settings(max_examples=40, deadline=None)
@given(rows=st.lists(mixed_record, min_size=3, max_size=20), k=st.integers(1, 3), data=st.data())
def test_a_changed_record_moves_all_that_noise_hears_by_what_is_paid_for(released, rows, k, data):
    changed = rows.copy()
    changed[data.draw(st.integers(0, len(rows) - 1))] = data.draw(mixed_record)
    mixed_up = data.draw(st.permutations(changed))
    categories = {name: DOMAIN[name] for name in released["attributes"] if name in DOMAIN}
    heard = []
    with pytest.MonkeyPatch.context() as patch:
        for some in (rows, mixed_up):
            listening = Listening(patch)
            mask(mixed(some), categories=categories, epsilon=1.0, k=k, members=2, **loose(released))
            heard.append(listening)
    before, after = heard
    paid = Fraction(0)
    for (one, moved, cost), (other, *_) in zip(before.scores, after.scores, strict=True):
        paid += cost * Fraction(max(abs(a - b) for a, b in zip(one, other, strict=True)), moved)
    for (one, moved, epsilon), (other, *_) in zip(before.sums, after.sums, strict=True):
        apart = sum(abs(a - b) for a, b in zip(one, other, strict=True))
        paid += Fraction(epsilon) * Fraction(apart, moved)
    assert paid <= 1 + Fraction(1, 10**9)


def loose(released):
    return {"bounds": {}, **released}


def test_of_two_categories_the_rarer_is_chosen_as_often_as_permute_and_flip_says(chance):
    # Alone, all scores together move by the way from one category to the other: by 1 a member.
    # The rarer one, behind by 4 members, is proposed and taken with exp(-4 epsilon / 2) / 2.
    clusters = 400
    table = pa.table({"x": ["a", "a", "a", "a"] * clusters})
    data = ta.read(table, kinds={"x": "nominal"})
    made = mask(data, {}, attributes="x", categories={"x": ("a", "b")}, epsilon=0.5, k=4)
    rarer = Counter(made.column("x").to_pylist())["b"] // 4
    assert chance.allows(stats.binom(clusters, np.exp(-4 * 0.5 / 2) / 2), rarer)


def test_without_noise_a_cluster_has_its_nearest_category_and_most_frequent_members(monkeypatch):
    Listening(monkeypatch)
    rows = [(0.0, "a", ["a", "b"], "lo")] * 3 + [(0.0, "a", ["a"], "hi")] * 2
    rows += [(9.0, "d", ["d", "c", "b"], "hi")] * 3 + [(9.0, "c", None, "lo")] * 2
    names = {"attributes": ["word", "bag", "level"], "categories": DOMAIN}
    made = mask(mixed(rows), {"age": (0, 9)}, epsilon=1.0, k=5, members=3, **names)
    assert [made.column(name)[0].as_py() for name in names["attributes"]] == ["a", ["a", "b"], "lo"]
    assert [made.column(name)[9].as_py() for name in names["attributes"]] == ["d", ["b", "c"], "hi"]
    assert made.attribute("bag").kind.value == "set_valued"
    assert made.names == ["age", "word", "bag", "level"]


def test_distances_in_meaning_choose_the_middle_of_three_ranks(monkeypatch):
    Listening(monkeypatch)
    rows = [(0.0, "a", [], level) for level in ("lo", "lo", "mid", "hi", "hi")]
    made = mask(mixed(rows), {}, attributes="level", epsilon=1.0, k=5)
    assert set(made.column("level").to_pylist()) == {"mid"}  # not the most frequent, lo or hi


def test_with_little_noise_categories_keep_their_frequencies():
    toy = ta.example("toy", 2000)
    made = mask(toy, {}, attributes="disease", epsilon=1000.0, k=20)
    before, after = (Counter(one.column("disease").to_pylist()) for one in (toy, made))
    # A cluster of two categories has one of them: an error below k / 2 at each of 9 edges.
    unknown = before.pop(None, 0)
    assert sum(abs(before[one] - after[one]) for one in before) <= 9 * 20 + 2 * unknown


def test_the_guarantee_names_all_and_nothing_of_an_order_found_in_the_data_stays():
    private = ta.PrivateMicroaggregation(
        {"age": (0, 120)}, attributes=["disease", "education"], epsilon=1, k=50
    )
    made = ta.example("toy", 300).apply(private)
    assert made.guarantees[0].attributes == ("age", "disease", "education")
    assert ta.DifferentialPrivacy(1.0).check(made).holds
    assert sum(made.column(name).null_count for name in made.names) == 0
    assert type(private)(**private.parameters()) == private


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
    toy = ta.example("toy", 20)
    with pytest.raises(ParameterError, match=r"`disease` is nominal; .* belongs to `attributes`"):
        mask(toy, {"disease": (0, 9)}, epsilon=1, k=5)
    with pytest.raises(ParameterError, match=r"`age` is continuous; .* belongs to `bounds`"):
        mask(toy, {}, attributes="age", epsilon=1, k=5)
    with pytest.raises(ParameterError, match="needs `bounds` of numbers, or `attributes`"):
        ta.PrivateMicroaggregation(epsilon=1, k=5)
    with pytest.raises(ParameterError, match="`age` has `bounds`"):
        ta.PrivateMicroaggregation({"age": (0, 9)}, attributes="age", epsilon=1, k=5)
    with pytest.raises(ParameterError, match="possible values of `languages`"):
        mask(toy, {}, attributes="languages", epsilon=1, k=5)
    with pytest.raises(ParameterError, match=r"`categories` .* names `disease`"):
        mask(toy, {}, attributes="region", categories={"disease": ("flu",)}, epsilon=1, k=5)


def test_nothing_is_guaranteed_after_a_step_that_looked_at_other_records():
    private = ta.PrivateMicroaggregation({"age": (0, 120)}, epsilon=1, k=20)
    toy = ta.example("toy", 300)
    chosen = toy.apply(ta.LocalSuppression(k=2, attributes=["region", "education"]), seed=0)
    with pytest.raises(ProtectionError, match="guarantees nothing after `local_suppression`"):
        chosen.apply(private)
    capped = toy.apply(ta.TopCode("age", 85), seed=0).apply(private)
    assert capped.guarantees[0].epsilon == 1
