"""EZS noise: every value moves enough, sensitive cells by their levels, and totals hardly."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

import tacita as ta
from tacita.errors import InputError, ParameterError

KINDS = {"turnover": "continuous", "staff": "continuous", "w": "continuous"}
NOISE = {"least": 0.1, "most": 0.25}


def firms(seed, n=300, *, weighted=False, heavy=2.0):
    rng = np.random.default_rng(seed)
    columns = {
        "region": rng.choice(list("abcdef"), n),
        "sector": rng.choice(list("xyz"), n),
        "holding": rng.choice([f"h{number}" for number in range(max(n // 2, 1))], n),
        "turnover": np.round(rng.lognormal(3, heavy, n), 2) + 0.01,
        "staff": rng.integers(1, 500, n).astype(float),
    }
    roles = {}
    if weighted:
        columns["w"], roles = rng.integers(1, 20, n).astype(float), {"w": "weight"}
    return ta.read(pa.table(columns), kinds={k: KINDS[k] for k in columns if k in KINDS},
                   roles=roles)  # fmt: skip


def masked(data, seed=0, **options):
    chosen = {"attributes": ["turnover", "staff"], **NOISE, **options}
    return ta.EzsNoise(**chosen).mask(data, np.random.default_rng(seed))


def factors(data, after, name="turnover"):
    """Return f of every record, from w x' = x (w - 1 + f)."""
    weights = np.ones(len(data)) if data.weight is None else data.weight
    return weights * (after.numbers(name) / data.numbers(name) - 1) + 1


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from(["triangular", "uniform"]))
def test_values_move_within_the_shares_and_holdings_go_one_way(seed, weighted, distribution):
    data = firms(seed, 120, weighted=weighted)
    by = [None, ["region"], ["region", "sector"]][seed % 3]
    after = masked(data, seed, by=by, holding="holding", distribution=distribution,
                   sensitive=8.0 if by else None)  # fmt: skip
    f = factors(data, after)
    assert np.allclose(f, factors(data, after, "staff"), rtol=0, atol=1e-9)
    assert (np.abs(f - 1) >= 0.1 - 1e-9).all()
    assert (np.abs(f - 1) <= 0.25 + 1e-9).all()
    holding = data.column("holding").to_pylist()
    ways = {}
    for who, way in zip(holding, f > 1, strict=True):
        assert ways.setdefault(who, way) == way


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([1.0, 4.5, 10.0]))
def test_sensitive_cells_change_by_their_levels(seed, weighted, p):
    """Against the table, its margins and the p%-rule, cell by cell in fractions."""
    data = firms(seed, 60, weighted=weighted, heavy=2.5)
    after = masked(data, seed, attributes="turnover", by=["region", "sector"], holding="holding",
                   sensitive=p)  # fmt: skip
    rows = data.to_arrow().to_pylist()
    moved = after.numbers("turnover") - data.numbers("turnover")
    sensitive = 0
    for margin in ([], ["region"], ["sector"], ["region", "sector"]):
        cells = defaultdict(list)
        for row, change in zip(rows, moved, strict=True):
            cells[tuple(row[name] for name in margin)].append((row, change * row.get("w", 1)))
        for cell in cells.values():
            sizes = Counter()
            for row, _ in cell:
                sizes[row["holding"]] += Fraction(str(row["turnover"]))
            first, second = (*sorted(sizes.values(), reverse=True), 0)[:2]
            level = Fraction(str(p)) / 100 * first - (sum(sizes.values()) - first - second)
            if level > 0:
                assert abs(sum(change for _, change in cell)) >= level * (1 - Fraction(1, 10**9))
                sensitive += 1
    assert after.notes["sensitive_cells"] == sensitive


def test_there_are_sensitive_cells_to_check_and_they_are_counted():
    data = firms(1, 40, heavy=3.0)
    after = masked(data, by=["region", "sector"], holding="holding", sensitive=10.0)
    assert after is not data
    change = np.sign(factors(data, after) - 1)
    alone = {}
    pairs = zip(data.column("region").to_pylist(), data.column("sector").to_pylist(), strict=True)
    for pair, way in zip(pairs, change, strict=True):
        alone.setdefault(pair, []).append(way)
    # Cells of one or two records are sensitive by any rule, so all of them go one way.
    assert all(len(set(ways)) == 1 for ways in alone.values() if len(ways) <= 2)


def test_balanced_cells_and_totals_change_by_far_less():
    data = firms(7, 20_000, heavy=1.0)
    frame = data.to_pandas()

    def off(**options):
        """Return the mean relative change of the cells, and that of the total."""
        both = frame.assign(after=masked(data, 3, **options).numbers("turnover"))
        cells = both.groupby(["region", "sector"])[["turnover", "after"]].sum()
        relative = (cells.after / cells.turnover - 1).abs().mean()
        return relative, abs(both.after.sum() / both.turnover.sum() - 1)

    free, balanced = off(), off(by=["region", "sector"])
    assert balanced[0] < free[0] / 20
    assert balanced[1] < 1e-4
    with_holdings = off(by=["region", "sector"], holding="holding", sensitive=10.0)
    assert with_holdings[0] < free[0] / 2


def test_the_noise_of_a_cell_without_holdings_is_at_most_that_of_one_record():
    data = firms(11, 2000, heavy=1.5)
    after = masked(data, by=["region"])
    frame = data.to_pandas().assign(change=after.numbers("turnover") - data.numbers("turnover"))
    for _, cell in frame.groupby("region"):
        assert abs(cell.change.sum()) <= cell.change.abs().max() * (1 + 1e-9)


@pytest.mark.parametrize("distribution", ["triangular", "uniform"])
def test_changes_have_the_distribution_and_factors_mean_one(distribution):
    data = ta.read(pa.table({"x": np.ones(30_000)}), kinds={"x": "continuous"})
    method = ta.EzsNoise("x", least=0.1, most=0.3, distribution=distribution)
    f = method.mask(data, np.random.default_rng(5)).numbers("x")
    share = (np.abs(f - 1) - 0.1) / 0.2
    law = {"uniform": lambda d: np.clip(d, 0, 1), "triangular": lambda d: 1 - (1 - d) ** 2}
    assert kstest(share, law[distribution]).pvalue > 1e-4
    assert abs(f.mean() - 1) < 4 * f.std() / np.sqrt(30_000)


def test_only_the_own_part_of_a_weighted_record_has_noise():
    data = firms(2, 500, weighted=True)
    after = masked(data)
    moved = np.abs(after.numbers("turnover") / data.numbers("turnover") - 1)
    assert (moved <= 0.25 / data.weight + 1e-9).all()
    assert (moved[data.weight == 1] >= 0.1 - 1e-9).all()


def test_blanks_stay_and_records_without_a_holding_are_one_each():
    table = pa.table(
        {"a": ["x"] * 6, "who": ["h", None, None, "h", None, "h"], "v": [5.0, None, 7, 8, 9, 1]}
    )
    data = ta.read(table, kinds={"v": "continuous"})
    ways = set()
    for seed in range(20):
        after = ta.EzsNoise("v", **NOISE, holding="who").mask(data, np.random.default_rng(seed))
        assert np.isnan(after.numbers("v")[1])
        ups = after.numbers("v") > data.numbers("v")
        assert ups[0] == ups[3] == ups[5]
        ways.add((bool(ups[2]), bool(ups[4])))
    assert len(ways) == 4


def test_one_seed_gives_one_result_and_no_records_none():
    data = firms(4)
    one, same = (masked(data, 9, by=["region"], sensitive=5.0).numbers("staff") for _ in range(2))
    assert np.array_equal(one, same)
    assert len(masked(data.take(np.zeros(0, np.int64)))) == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"least": 0.3}, "must be below `most`"),
        ({"sensitive": 5.0}, "needs `by`"),
        ({"sensitive": 11.0, "by": ["region"]}, "must be 11 percent or more"),
        ({"most": 1.5}, "`most`"),
    ],
)
def test_parameters_that_do_not_fit(options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        masked(firms(0, 10), **options)


def test_data_that_do_not_fit():
    light = ta.read(
        pa.table({"turnover": [1.0, 2.0], "staff": [1.0, 2.0], "w": [0.5, 1.0]}),
        kinds=KINDS, roles={"w": "weight"},
    )  # fmt: skip
    with pytest.raises(InputError, match=r"1 or more; found 0\.5"):
        masked(light)
    with pytest.raises(InputError, match="no attribute `town`"):
        masked(firms(0, 10), by=["town"])
    huge = ta.read(pa.table({"x": [1.7e308] * 9}), kinds={"x": "continuous"})
    with pytest.raises(InputError, match="divide them by a power of ten"):
        ta.EzsNoise("x", least=0.5, most=0.6).mask(huge, np.random.default_rng(0))
