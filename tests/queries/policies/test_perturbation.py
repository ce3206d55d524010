"""Perturbed answers: what belongs to the records, how far it is from the truth, and no bias."""

# ruff: noqa: S608 - the texts are the tests' own

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.cell_keys import perturbation_table
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.expanding import expand
from tacita.queries.guard import Guard
from tacita.queries.language.parse import parse
from tacita.queries.perturbing.contributions import Contributions
from tacita.queries.perturbing.keys import RecordKeys
from tacita.queries.policies.cell_key_noise import CellKeyNoise
from tacita.queries.policies.random_sample import RandomSample
from tacita.queries.policies.record_set_noise import RecordSetNoise
from tacita.queries.policies.rounded_answers import RoundedAnswers
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic
from tacita.queries.updating import updated

KEYED = {"key_from": "TACITA_TEST_NOISE"}
POLICIES = [
    RecordSetNoise(2, **KEYED),
    RecordSetNoise(2, distribution="laplace", **KEYED),
    CellKeyNoise(5, variance=3, smallest=2, **KEYED),
    CellKeyNoise(5, variance=3, magnitudes=(0.4, 0.2), **KEYED),
    RandomSample(0.7, **KEYED),
    RoundedAnswers(5, values={"salary": 1000}, **KEYED),
    RoundedAnswers(5, values={"salary": 1000}, way="nearest", **KEYED),
]
REWRITES = [
    "sector = 'IT' OR sector = 'HC'",
    "sector IN ('HC', 'IT')",
    "NOT sector = 'Fin'",
    "(region = 'BCN' AND sector <> 'Fin') OR (region <> 'BCN' AND sector <> 'Fin')",
    "CASE WHEN sector = 'Fin' THEN 0 ELSE 1 END = 1",
]


@pytest.fixture(autouse=True)
def secret(monkeypatch) -> None:
    monkeypatch.setenv("TACITA_TEST_NOISE", "correct horse battery staple")


def ids(policy) -> str:
    ways = (getattr(policy, one, "") for one in ("way", "distribution", "magnitudes"))
    return f"{policy.name}-{''.join(str(way) for way in ways if way)}"


def asked(data, policy, statistic: str, where: str = "1 = 1"):
    sql = f"SELECT {statistic} FROM salaries WHERE {where}"
    return Guard(data, [policy]).ask(sql, user="ana").value


@pytest.fixture(scope="module")
def wide() -> PublicClasses:
    """Six hundred classes of five records each."""
    rng = np.random.default_rng(8)
    values = np.round(rng.lognormal(10, 0.5, 3000))
    table = pa.table({"group": np.arange(3000) % 600, "x": values, "sex": ["f", "m"] * 1500})
    roles = {"group": "key", "x": "confidential", "sex": "confidential"}
    return PublicClasses.of(ta.read(table, roles=roles), "wide")


def released(data: PublicClasses, policy, statistic: Asked, sets) -> np.ndarray:
    watcher = policy.watch(data)
    cells = [Cell(statistic, QuerySet(data, places=np.sort(places))) for places in sets]
    return np.array([one.value for one in watcher.release(cells)], float)


def truths(data: PublicClasses, name: str | None, sets) -> np.ndarray:
    amounts = data.sizes if name is None else np.asarray(data.totals(name).sums)
    return np.array([amounts[places].sum() for places in sets], float)


def random_sets(number: int, size: int = 60) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.choice(600, size, replace=False) for _ in range(number)]


@pytest.mark.parametrize("policy", POLICIES, ids=ids)
@pytest.mark.parametrize("statistic", ["count(*)", "sum(salary)", "avg(salary)"])
def test_one_set_has_one_answer_in_all_words(policy, statistic, salaries):
    told = {asked(salaries, policy, statistic, where) for where in REWRITES}
    assert len(told) == 1


@pytest.mark.parametrize("policy", POLICIES, ids=ids)
def test_a_group_is_the_set_of_its_records(policy, salaries):
    sql = "SELECT sector, count(*) AS n FROM salaries GROUP BY ROLLUP(sector)"
    rows = dict(Guard(salaries, [policy]).ask(sql, user="ana").rows)
    for sector in ("IT", "HC", "Fin"):
        assert rows[sector] == asked(salaries, policy, "count(*)", f"sector = '{sector}'")
    assert rows[None] == asked(salaries, policy, "count(*)")


@pytest.mark.parametrize("policy", POLICIES, ids=ids)
def test_the_order_of_the_source_makes_no_difference(policy, employees, salaries):
    turned = PublicClasses.of(employees.take(np.arange(14, -1, -1)), "salaries")
    assert asked(turned, policy, "count(*)") == asked(salaries, policy, "count(*)")


@pytest.mark.parametrize("policy", POLICIES, ids=ids)
def test_confidential_conditions_need_permission(policy, salaries):
    where = "salary > 100000"
    assert asked(salaries, policy, "count(*)", where) is None
    open_ = type(policy)(**{**policy.parameters(), "confidential_sets": True})
    assert asked(salaries, open_, "count(*)", where) is not None


@pytest.mark.parametrize("policy", [*POLICIES[:5], RoundedAnswers(7, **KEYED)], ids=ids)
def test_noise_has_no_bias(policy, wide):
    sets = random_sets(600)
    error = released(wide, policy, Asked(Statistic.COUNT), sets) - truths(wide, None, sets)
    assert abs(error.mean()) <= 3 * error.std() / np.sqrt(600)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "uniform"])
def test_noise_of_sums_has_the_scale_of_the_largest_contribution(distribution, wide):
    sets = random_sets(800)
    policy = RecordSetNoise(1.5, distribution=distribution, **KEYED)
    largest = [wide.numbers("x")[np.isin(wide.of_record, places)].max() for places in sets]
    sums = released(wide, policy, Asked(Statistic.SUM, "x"), sets)
    z = (sums - truths(wide, "x", sets)) / (1.5 * np.array(largest))
    kurtosis = (z**4).mean() / (z**2).mean() ** 2
    assert abs(z.mean()) < 3 / np.sqrt(800)
    assert abs(z.var() - 1) < 3 * np.sqrt((kurtosis - 1) / 800)


def test_gaussian_noise_has_the_normal_law(wide):
    """Kolmogorov and Smirnov: the two parts together are normal again."""
    sets = random_sets(800)
    policy = RecordSetNoise(1000, **KEYED)  # so large that rounding does not matter
    counts = released(wide, policy, Asked(Statistic.COUNT), sets)
    z = np.sort((counts - truths(wide, None, sets)) / 1000)
    steps = np.arange(801) / 800
    law = np.array([NormalDist().cdf(one) for one in z])
    distance = max((steps[1:] - law).max(), (law - steps[:-1]).max())
    assert distance < 1.95 / np.sqrt(800)  # the 99.9 % point


def test_noise_of_counts_has_the_law_of_the_table(wide):
    """Chi-square against the perturbation table."""
    policy = CellKeyNoise(5, variance=3, **KEYED)
    sets = random_sets(1000, size=3)
    noise = released(wide, policy, Asked(Statistic.COUNT), sets) - truths(wide, None, sets)
    drawn = np.bincount(noise.astype(int) + 5, minlength=11)
    expected = 1000 * perturbation_table(5, 3.0).chances[-1]
    assert ((drawn - expected) ** 2 / expected).sum() < 29.6  # the 99.9 % point of chi2(10)


def test_a_mean_is_the_noisy_sum_over_the_noisy_count(salaries):
    policy = POLICIES[0]
    total, number, mean = (
        asked(salaries, policy, f"{one}(salary)", "sector = 'IT'")
        for one in ("sum", "count", "avg")
    )
    assert mean == total / max(number, 1)


def test_records_without_a_contribution_change_a_part_of_the_noise():
    """A blank changes the part of the chosen records, and not that of the contributing ones."""
    table = pa.table({"id": list(range(40)), "x": [None, 0.0, *np.full(38, 7.0)]})
    data = PublicClasses.of(ta.read(table, roles={"id": "key", "x": "confidential"}), "t")
    rest = list(range(2, 40))
    sums = released(data, POLICIES[0], Asked(Statistic.SUM, "x"), [rest, [0, *rest], [0, 1, *rest]])
    assert len(set(sums.tolist())) == 3
    asked = Asked(Statistic.SUM, "x")
    contributions = Contributions(asked, data, RecordKeys(data, b"k" * 32))
    sets = [QuerySet(data, places=np.array(one)) for one in (rest, [0, 1, *rest])]
    assert contributions.of(sets[0]) == contributions.of(sets[1])
    there = QuerySet(data, places=sets[1].places, among=np.ones(40, bool))
    assert contributions.of(there) == contributions.of(sets[0])  # also record by record


def test_an_all_zero_set_is_not_told_by_an_exact_zero():
    table = pa.table({"id": list(range(40)), "x": [0.0] * 20 + [9.0] * 20})
    data = PublicClasses.of(ta.read(table, roles={"id": "key", "x": "confidential"}), "t")
    sets = [list(range(start, start + 10)) for start in range(11)]
    assert (released(data, POLICIES[0], Asked(Statistic.SUM, "x"), sets) != 0).sum() > 7


def test_sums_have_the_digits_of_the_data(wide, salaries):
    sums = released(wide, POLICIES[0], Asked(Statistic.SUM, "x"), random_sets(50))
    assert (sums == np.round(sums)).all()
    thirds = pa.table({"id": [1, 2], "x": [1 / 3, 2 / 3]})
    data = PublicClasses.of(ta.read(thirds, roles={"id": "key", "x": "confidential"}), "t")
    (told,) = released(data, POLICIES[0], Asked(Statistic.SUM, "x"), [[0, 1]])
    assert told == round(told, 6)


def slow_noise(data, secret: bytes, places, shares, spread: float) -> float:
    """The noise of a sum by its definition, record by record."""
    keys = RecordKeys(data, secret)
    rows = [row for row in range(data.records) if data.of_record[row] in places]
    x = np.nan_to_num(data.numbers("x"))
    there = [row for row in rows if x[row]]
    contributing, chosen = (
        sum(int(keys.of_record[row]) for row in some) % 2**64 for some in (there, rows)
    )
    usual = np.abs(x[x != 0]).mean()
    noise = 0.0
    largest = sorted(there, key=lambda row: (-abs(x[row]), int(keys.of_record[row])))
    for place, (share, row) in enumerate(zip(shares, largest, strict=False)):
        size = max(abs(x[row]), usual) if place == 0 else abs(x[row])
        way = 1 if keys.uniform("direction x", int(keys.of_record[row])) >= 0.5 else -1
        drawn = keys.uniform(f"contributing {place} x", contributing)
        drawn += keys.uniform(f"chosen {place} x", chosen)
        noise += share * way * (1 + spread * (drawn - 1)) * size
    return noise


def test_noise_of_sums_is_that_of_the_largest_contributions(wide, monkeypatch):
    policy = CellKeyNoise(5, variance=3, magnitudes=(0.4, 0.2, 0.1), spread=0.3)
    secret = b"s" * 32
    monkeypatch.setattr("tacita.queries.policies.cell_key_noise.noise_key", lambda *_: secret)
    sets = [*random_sets(6, size=4), np.array([17])]
    sums = released(wide, policy, Asked(Statistic.SUM, "x"), sets)
    for told, truth, places in zip(sums, truths(wide, "x", sets), sets, strict=True):
        noise = slow_noise(wide, secret, set(places.tolist()), (0.4, 0.2, 0.1), 0.3)
        assert told == round(truth + noise)


def test_sums_by_records_have_the_noise_of_sums_by_classes(wide):
    """A condition on a confidential attribute that all fulfil makes no difference."""
    policy = CellKeyNoise(5, variance=3, magnitudes=(0.4, 0.2), confidential_sets=True, **KEYED)
    watcher, places = policy.watch(wide), np.arange(40)
    all_of_them = QuerySet(wide, places=places, among=np.ones(wide.records, bool))
    cells = [
        Cell(Asked(Statistic.SUM, "x"), one) for one in (QuerySet(wide, places=places), all_of_them)
    ]
    one, other = watcher.release(cells)
    assert one.value == other.value


def test_the_direction_of_a_large_record_cannot_be_averaged_away():
    """Many sets around one large record: its share stays, up or down."""
    rng = np.random.default_rng(1)
    table = pa.table({"id": np.arange(200), "x": [1_000_000, *rng.integers(100, 999, 199)]})
    data = PublicClasses.of(ta.read(table, roles={"id": "key", "x": "confidential"}), "t")
    sets = [np.append(0, 1 + rng.choice(199, 30, replace=False)) for _ in range(200)]
    policy = CellKeyNoise(5, variance=3, magnitudes=(0.3,), spread=0.5, **KEYED)
    noise = released(data, policy, Asked(Statistic.SUM, "x"), sets) - truths(data, "x", sets)
    assert len(set(np.sign(noise))) == 1
    assert abs(abs(noise.mean()) - 300_000) < 3 * noise.std() / np.sqrt(200)
    assert abs(noise.std() / (300_000 * 0.5 / np.sqrt(6)) - 1) < 0.2  # a triangle's deviation
    assert (np.abs(noise) <= 450_001).all()


def test_directions_are_even_among_records_and_other_for_other_attributes(wide):
    policy = CellKeyNoise(5, variance=3, magnitudes=(0.3,), **KEYED)
    sets = [np.array([place]) for place in range(600)]
    noise = released(wide, policy, Asked(Statistic.SUM, "x"), sets) - truths(wide, "x", sets)
    assert abs(np.sign(noise).mean()) < 3 / np.sqrt(600)
    of_groups = released(wide, policy, Asked(Statistic.SUM, "group"), sets[1:])
    other = of_groups - 5 * np.arange(1, 600)
    assert abs((np.sign(other) == np.sign(noise[1:])).mean() - 0.5) < 3 * 0.5 / np.sqrt(600)


def test_a_sum_of_zeros_has_noise_and_weights_of_one_make_no_difference():
    table = pa.table({"id": list(range(40)), "x": [0.0] * 20 + [900.0] * 20, "w": [1.0] * 40})
    roles = {"id": "key", "x": "confidential", "w": "weight"}
    data = PublicClasses.of(ta.read(table, roles=roles), "t")
    policy = CellKeyNoise(5, variance=3, magnitudes=(0.3,), **KEYED)
    sets = [list(range(start, start + 10)) for start in range(11)]
    plain = released(data, policy, Asked(Statistic.SUM, "x"), sets)
    assert (plain != 0).all()
    weighted = released(data, policy, Asked(Statistic.SUM, "x", weighted=True), sets)
    assert (plain == weighted).all()


def test_sums_are_left_to_others_without_magnitudes(salaries):
    assert asked(salaries, POLICIES[2], "sum(salary)") is None
    total, number, mean = (
        asked(salaries, POLICIES[3], one, "sector = 'IT'")
        for one in ("sum(salary)", "count(salary)", "avg(salary)")
    )
    assert mean == total / max(number, 1)


@settings(max_examples=50, deadline=None)
@given(st.sets(st.integers(0, 599), min_size=1, max_size=50), st.booleans())
def test_rounded_answers_are_multiples_around_the_truth(wide, places, random):
    policy = RoundedAnswers(7, values={"x": 500}, way="random" if random else "nearest")
    chosen = QuerySet(wide, places=np.array(sorted(places)))
    watcher = policy.watch(wide)
    for statistic, base in ((Asked(Statistic.COUNT), 7), (Asked(Statistic.SUM, "x"), 500)):
        (told,) = watcher.release([Cell(statistic, chosen)])
        (truth,) = truths(wide, statistic.attribute, [chosen.places])
        assert told.value % base == 0
        assert abs(told.value - truth) <= (base if random else base / 2)
        assert told.lower <= truth <= told.upper


def test_sample_sums_have_no_bias_and_their_standard_error(wide):
    share, sets = 0.8, random_sets(600)
    sums = released(wide, RandomSample(share, **KEYED), Asked(Statistic.SUM, "x"), sets)
    squares = np.add.reduceat(wide.numbers("x") ** 2, wide.starts[:-1])
    errors = [np.sqrt((1 - share) / share * squares[places].sum()) for places in sets]
    z = (sums - truths(wide, "x", sets)) / np.array(errors)
    assert abs(z.mean()) < 3 / np.sqrt(600)
    assert abs(z.var() - 1) < 3 * np.sqrt(2 / 600)


def test_samples_of_sets_that_differ_in_one_class_are_independent(wide):
    policy = RandomSample(0.5, **KEYED).watch(wide)._perturbation
    one, other = (policy._sample(QuerySet(wide, places=np.arange(start, 600))) for start in (0, 1))
    assert abs((one == other).mean() - 0.5) < 3 * 0.5 / np.sqrt(3000)


def test_a_sample_answers_moments_and_no_values_of_records(salaries):
    policy = RandomSample(0.9, **KEYED)
    assert asked(salaries, policy, "var_samp(salary)") > 0
    for statistic in ("max(salary)", "median(salary)"):
        assert asked(salaries, policy, statistic) is None


@pytest.mark.parametrize("policy", [POLICIES[0], *POLICIES[3:]], ids=ids)  # those of sums
def test_an_empty_set_is_told_only_where_everybody_knows_it(policy, salaries):
    """A sum over nobody is blank if public conditions choose nobody, and else a number."""
    open_ = type(policy)(**{**policy.parameters(), "confidential_sets": True})
    assert asked(salaries, open_, "sum(salary)", "sector = 'Law'") is None
    assert asked(salaries, open_, "sum(salary)", "sector = 'IT' AND salary > 900000") is not None
    assert asked(salaries, open_, "count(*)", "sector = 'Law'") == 0


def test_records_that_stay_keep_their_noise(employees, salaries):
    policy = CellKeyNoise(5, variance=3, **KEYED)
    where = "sector = 'HC'"
    before = asked(salaries, policy, "count(*)", where)
    update = updated(salaries, employees, employees.take(np.arange(3, 15)), "id")
    guard = Guard(salaries, [policy])
    guard.move(update)
    sql = f"SELECT count(*) FROM salaries WHERE {where}"
    assert guard.ask(sql, user="ana").value == before


@pytest.mark.parametrize("policy", POLICIES, ids=ids)
def test_what_was_decided_before_an_update_is_answered_from_the_old_data(
    policy, employees, salaries
):
    watcher = policy.watch(salaries)
    cells = expand(
        parse("SELECT count(*) FROM salaries GROUP BY sector, region", salaries), salaries
    )
    before = watcher.release(cells)
    watcher.move(updated(salaries, employees, employees.take(np.arange(4)), "id"))
    assert watcher.release(cells) == before


def test_the_key_decides(salaries, monkeypatch):
    policy = RecordSetNoise(50, **KEYED)
    one = asked(salaries, policy, "count(*)")
    monkeypatch.setenv("TACITA_TEST_NOISE", "another secret altogether")
    assert asked(salaries, policy, "count(*)") != one
    monkeypatch.setenv("TACITA_TEST_NOISE", "short")
    with pytest.raises(ParameterError, match="TACITA_TEST_NOISE, which is too short"):
        policy.watch(salaries)
    drawn = {asked(salaries, RecordSetNoise(50), "count(*)") for _ in range(6)}
    assert len(drawn) > 1


def test_policies_are_chained_and_each_answer_says_which_acted(salaries):
    policies = [
        CellKeyNoise(5, variance=3, **KEYED),
        RoundedAnswers(10, values={"salary": 10_000}, way="nearest"),
        ta.QuerySetSize(3),
    ]
    guard = Guard(salaries, policies)
    sql = "SELECT count(*), sum(salary) FROM salaries WHERE sector = 'IT'"
    number, total = guard.ask(sql, user="ana").rows[0]
    assert total == 950_000  # of 949,000
    assert number == asked(salaries, policies[0], "count(*)", "sector = 'IT'")
    one = sql.replace("'IT'", "'Fin' AND region = 'TGN'")
    assert guard.ask(one, user="ana").is_refused
    told = guard.explain(sql, user="ana")
    assert told["cell_key_noise"]["largest_noise"] == 5
    assert told["rounded_answers"] == {"way": "nearest", "counts": 10, "salary": 10_000}


def test_bases_are_of_numbers(salaries, wide):
    with pytest.raises(ParameterError, match=r"`celery` is none of them \(salary\)"):
        RoundedAnswers(5, values={"celery": 10}).watch(salaries)
    with pytest.raises(ParameterError, match="variance must be above"):
        CellKeyNoise(5, variance=25)
    with pytest.raises(InputError):
        released(wide, POLICIES[0], Asked(Statistic.SUM, "sex"), [[0]])
