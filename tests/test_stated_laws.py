"""Sentences of methods' pages that say *exactly, never, every, no*, tried on data that refute such.

What methods keep is promised in `keeps` and simulated elsewhere; these are the other sentences.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from tests.test_preserved import DATA, replace_numbers, skewed, tied, weights_of

import tacita as ta
from tacita.data.dataset import Dataset
from tacita.method import Method

NUMBERS = ["age", "income", "wealth"]
KEYS = ["age", "education", "region"]
WORDS = ["education", "region", "disease"]
BESIDE = ("zip", "born", "languages", "household", "stratum")  # what no law here is about
NOT_WEIGHTED = [source for source in DATA if source().weight is None]

every = pytest.mark.parametrize("source", DATA, ids=lambda source: source.__name__)
weighted = pytest.mark.parametrize(
    "source", [one for one in DATA if one not in NOT_WEIGHTED], ids=lambda source: source.__name__
)
unweighted = pytest.mark.parametrize("source", NOT_WEIGHTED, ids=lambda source: source.__name__)


def masked(method: Method, data: Dataset, seed: int = 1) -> Dataset:
    return method.mask(data, np.random.default_rng(seed))


def plain(data: Dataset) -> Dataset:
    return data.without([name for name in BESIDE if name in data.names])


def columns(data: Dataset, names: list[str] = NUMBERS) -> np.ndarray:
    return np.column_stack([data.numbers(name) for name in names])


@every
def test_sums_stay_sums_under_correlated_noise(source: Callable[[], Dataset]) -> None:
    """Of attributes that are blank in the same records."""
    data = source()
    values = columns(data)
    values[:, 2] = values[:, 1] - 100 * values[:, 0]
    values[np.isnan(values).any(axis=1)] = np.nan
    data = replace_numbers(data, **dict(zip(NUMBERS, values.T, strict=True)))
    noisy = columns(masked(ta.AddNoise(NUMBERS, kind="correlated", alpha=0.3), data))
    apart = noisy[:, 2] - (noisy[:, 1] - 100 * noisy[:, 0])
    assert np.nanmax(np.abs(apart)) <= 1e-9 * np.nanmax(np.abs(noisy))


@every
@pytest.mark.parametrize("of", ["records", "range"])
def test_a_value_is_swapped_within_p_per_cent(source: Callable[[], Dataset], of: str) -> None:
    data, p = source(), 10
    swapped = masked(ta.RankSwap(NUMBERS, p=p, of=of), data)
    for name in NUMBERS:
        old, new = data.numbers(name), swapped.numbers(name)
        np.testing.assert_array_equal(np.isnan(old), np.isnan(new))
        old, new = old[~np.isnan(old)], new[~np.isnan(new)]
        if of == "range":
            assert (np.abs(old - new) <= p / 100 * np.ptp(old) * (1 + 1e-12)).all()
        else:  # equal values share the ranks between their first and their last
            ends = [np.searchsorted(np.sort(old), x, side) for x in (old, new) for side in ENDS]
            apart = np.maximum(ends[2] - ends[1] + 1, ends[0] - ends[3] + 1)
            assert apart.max() <= p * len(old) // 100


ENDS = ("left", "right")


@every
def test_two_piece_factors_stay_in_their_bounds(source: Callable[[], Dataset]) -> None:
    data = source()
    method = ta.MultiplyNoise(NUMBERS, distribution="two_piece", least=0.1, most=0.3)
    old, new = columns(data), columns(masked(method, data))
    moved = np.abs(new / np.where(old == 0, np.nan, old) - 1)
    assert np.nanmin(moved) >= 0.1 - 1e-12
    assert np.nanmax(moved) <= 0.3 + 1e-12
    assert (new[old == 0] == 0).all()


@every
def test_what_is_no_outlier_is_exactly_what_it_was(source: Callable[[], Dataset]) -> None:
    data, share = source(), 0.05
    old = columns(data)
    new = columns(masked(ta.NoiseOutliers(NUMBERS, alpha=0.3, by="quantile", share=share), data))
    low, high = np.nanquantile(old, [share / 2, 1 - share / 2], axis=0)
    inner = (old >= low) & (old <= high)
    np.testing.assert_array_equal(old[inner], new[inner])


@every
def test_outlying_records_come_back_to_one_distance(source: Callable[[], Dataset]) -> None:
    data = source()
    old, new = columns(data), columns(masked(ta.CodeOutliers(NUMBERS, share=0.1), data))
    known = ~np.isnan(old).any(axis=1)
    np.testing.assert_array_equal(old[~known], new[~known])
    old, new = old[known], new[known]
    middle, unit = old.mean(axis=0), old.std(axis=0, ddof=1)
    unit[unit == 0] = 1
    inverse = np.linalg.pinv(np.cov(((old - middle) / unit).T), rcond=1e-9, hermitian=True)
    before, after = (
        np.sqrt(np.einsum("ij,jk,ik->i", z, inverse, z))
        for z in ((old - middle) / unit, (new - middle) / unit)
    )
    moved = (old != new).any(axis=1)
    assert moved.any()
    np.testing.assert_allclose(after[moved], after[moved][0], rtol=1e-6)
    assert before[~moved].max() <= after[moved][0] * (1 + 1e-6)


@every
def test_establishments_have_one_factor_and_holdings_one_direction(
    source: Callable[[], Dataset],
) -> None:
    data, names = source(), ["income", "wealth"]
    method = ta.EzsNoise(names, least=0.1, most=0.3, holding="region")
    old, new = columns(data, names), columns(masked(method, data), names)
    weights = weights_of(data, used=True)[:, None]
    factors = weights * (new / np.where(old == 0, np.nan, old) - 1)
    assert ((np.abs(factors) >= 0.1 - 1e-9) | np.isnan(factors)).all()
    assert ((np.abs(factors) <= 0.3 + 1e-9) | np.isnan(factors)).all()
    assert np.nanmax(np.abs(factors[:, 0] - factors[:, 1])) <= 1e-9 * weights.max()
    ways = defaultdict(set)
    for holding, factor in zip(data.column("region").to_pylist(), factors, strict=True):
        if holding is not None:
            ways[holding].update(np.sign(factor[~np.isnan(factor)]))
    assert all(len(signs) == 1 for signs in ways.values())


@every
def test_swapped_areas_keep_households_persons_and_what_is_similar(
    source: Callable[[], Dataset],
) -> None:
    data = source()
    method = ta.SwapRecords(["region"], keys=["education"], rate=0.3, similar=["disease"])
    assert areas(masked(method, data)) == areas(data)


def areas(data: Dataset) -> tuple[Counter, Counter]:
    where, what, home = (
        data.column(name).to_pylist() for name in ("region", "disease", "household")
    )
    homes = {pair for pair in zip(where, home, strict=True) if None not in pair}
    return Counter(zip(where, what, strict=True)), Counter(area for area, _ in homes)


@every
@pytest.mark.parametrize("matching", ["strict", "one_sided"])
def test_every_record_fits_a_class_of_k(source: Callable[[], Dataset], matching: str) -> None:
    data, k = source(), 3
    method = ta.LocalSuppression(k, attributes=WORDS, matching=matching)
    released = masked(method, data)
    counts = Counter(zip(*(released.column(name).to_pylist() for name in WORDS), strict=True))
    for values in counts:
        fits = [
            many
            for other, many in counts.items()
            if all(a is None or a == b for a, b in zip(values, other, strict=True))
        ]
        assert max(fits if matching == "one_sided" else [counts[values]]) >= k
    found = method.find(data)
    assert found.bound <= found.cost


@every
@pytest.mark.parametrize("algorithm", ["mdav", "v_mdav", "single_axis", "mu_approx"])
def test_improved_groups_are_never_worse(source: Callable[[], Dataset], algorithm: str) -> None:
    data = source()
    lost = []
    for improve in (False, True):
        method = ta.Microaggregate(NUMBERS, k=3, algorithm=algorithm, improve=improve)
        gaps = (columns(masked(method, data)) - columns(data)) / [
            np.nanstd(data.numbers(name)) or 1 for name in NUMBERS
        ]
        lost.append(np.nansum(gaps**2))
    assert lost[1] <= lost[0] * (1 + 1e-9)


@every
def test_optimal_groups_lose_least_of_each_attribute(source: Callable[[], Dataset]) -> None:
    data = source()
    for name in NUMBERS:
        lost = {
            algorithm: np.nansum(
                (masked(ta.Microaggregate([name], k=3, algorithm=algorithm), data).numbers(name)
                 - data.numbers(name)) ** 2
            )
            for algorithm in ("optimal", "mdav", "individual_ranking", "v_mdav")
        }  # fmt: skip
        assert lost["optimal"] <= min(lost.values()) * (1 + 1e-9) + 1e-12


@every
@pytest.mark.parametrize("name", ["mondrian", "sorted_clusters", "microaggregation"])
def test_classes_of_k_leave_nobody_out(source: Callable[[], Dataset], name: str) -> None:
    data = plain(source())
    released = masked(ta.methods()[name](to=[ta.KAnonymity(3, keys=KEYS)]), data)
    assert len(released) == len(data)
    assert released.classes(KEYS).size_of_record.min() >= 3


@every
def test_local_recoding_never_loses_more_than_the_best_node(
    source: Callable[[], Dataset],
) -> None:
    data, how = plain(source()), {"to": [ta.KAnonymity(3, keys=KEYS)], "suppression_limit": 0.1}
    local, node = (
        ta.GeneralizationLoss().measure(data, masked(method(**how), data)).value
        for method in (ta.LocalRecoding, ta.Lattice)
    )
    assert float(local) <= float(node) + 1e-12


@every
def test_buckets_have_l_values_that_all_differ(source: Callable[[], Dataset]) -> None:
    data, l = source(), 3  # noqa: E741 - as the field calls it
    released = masked(ta.Anatomy(l, "disease"), data)
    buckets = defaultdict(list)
    for bucket, value in zip(
        *(released.column(name).to_pylist() for name in ("bucket", "disease")), strict=True
    ):
        buckets[bucket].append(value)
    assert len(buckets) == len(data) // l
    assert all(len(set(values)) == len(values) >= l for values in buckets.values())


@every
@pytest.mark.parametrize("t", [0.05, 0.2])
def test_close_clusters_leave_nobody_out_and_are_within_t(
    source: Callable[[], Dataset], t: float
) -> None:
    data, keys = source(), ["age", "education"]
    models = [ta.KAnonymity(3, keys=keys), ta.TCloseness(t, attribute=["income"], keys=keys)]
    released = masked(ta.CloseClusters(to=models), data)
    assert len(released) == len(data)
    assert all(model.check(released).holds for model in models)
    assert float(models[1].check(released).value) <= released.notes["t"] + 1e-9


@every
@pytest.mark.parametrize("name", ["sequential_trees", "gaussian_copula", "bayesian_network"])
def test_drawn_records_stay_in_range_keep_rules_and_copy_nobody(
    source: Callable[[], Dataset], name: str
) -> None:
    data = plain(source())
    rule = "age < 30 -> education != 'secondary'"
    made = masked(ta.methods()[name](rules=[rule]), data)
    for attribute in NUMBERS:
        old, new = data.numbers(attribute), made.numbers(attribute)
        room = 1e-12 * np.nanmax(np.abs(old))
        assert np.nanmin(new) >= np.nanmin(old) - room
        assert np.nanmax(new) <= np.nanmax(old) + room
    words = made.column("education").to_pylist()
    assert "secondary" not in [
        word for age, word in zip(made.numbers("age"), words, strict=True) if age < 30
    ]
    names = [n for n in made.names if n != "weight"]
    known, shown = (
        [str(row) for row in one.table.select(names).to_pylist()] for one in (data, made)
    )
    alone = {row for row, many in Counter(known).items() if many == 1}
    assert not alone & set(shown)


@every
@pytest.mark.parametrize("start", ["masked", "affine"])
def test_post_masking_is_never_worse(source: Callable[[], Dataset], start: str) -> None:
    data = source().without([name for name in source().names if name not in NUMBERS])
    coarse = masked(ta.Microaggregate(NUMBERS, k=3), data)
    done = ta.PostMasking(NUMBERS, start=start, sweeps=5, rounds=2).improve(data, coarse)
    assert done.after.score <= done.before.score
    assert done.after.risk <= done.before.risk
    assert done.error_after <= done.error_before
    for name in NUMBERS:
        old, new = coarse.numbers(name), done.data.numbers(name)
        assert np.nanmin(new) >= 0 or np.nanmin(old) < 0
        if start == "masked":
            known = ~np.isnan(old)
            assert (new[old == 0] == 0).all()
            assert len(set(zip(old[known], new[known], strict=True))) == len(set(old[known]))


@unweighted
def test_a_hybrid_of_pairs_has_no_larger_variance(source: Callable[[], Dataset]) -> None:
    data = source()
    mixed = masked(ta.Hybrid(NUMBERS, alpha=0.5), data)
    for name in NUMBERS:
        assert np.nanvar(mixed.numbers(name)) <= np.nanvar(data.numbers(name)) * (1 + 1e-9)


@weighted
def test_weights_of_imputed_records_add_up_to_the_population(
    source: Callable[[], Dataset],
) -> None:
    method = ta.MultipleImputation(["income", "education"], background=["age"], population=5000)
    weight = masked(method, source()).weight
    assert weight is not None
    assert weight.sum() == pytest.approx(5000)
    assert np.ptp(weight) == 0


def test_rounding_together_differs_from_rounding_apart_where_its_page_says_so() -> None:
    """Values halfway between two points, and an attribute that does not vary."""
    points = {"age": [0, 20, 40], "income": [0, 10]}
    grid = {"age": [0, 0, 20, 20, 40, 40], "income": [0, 10, 0, 10, 0, 10]}
    age = np.tile([10.0, 31.0], len(skewed()) // 2)
    data = replace_numbers(skewed(), age=age, income=np.full(len(age), 7.0))
    together = masked(ta.RoundRecords(grid), data)
    apart = {name: masked(ta.RoundValues([name], points=points[name]), data) for name in points}
    assert together.numbers("age").tolist()[:2] == [0, 40]
    assert apart["age"].numbers("age").tolist()[:2] == [20, 40]
    assert set(together.numbers("income")) == {0}
    assert set(apart["income"].numbers("income")) == {10}


def test_doubles_that_are_whole_do_not_stay_so_in_a_latin_hypercube() -> None:
    data = tied()
    assert (data.numbers("age") % 1 == 0).all()
    assert (masked(ta.LatinHypercube(["age", "income"]), data).numbers("age") % 1 != 0).any()


def test_sorted_clusters_may_lose_more_than_intervals() -> None:
    """What the page of `coarsen` must not deny."""
    data, names = tied(), ["age", "income"]
    lost = [
        ta.RangeDistance(names).measure(data, masked(method, data)).value
        for method in (ta.Coarsen(50, names), ta.SortedClusters(to=[ta.KAnonymity(5, keys=names)]))
    ]
    assert lost[0] < lost[1]
