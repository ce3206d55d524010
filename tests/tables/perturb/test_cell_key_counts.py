"""Counts with noise by cell keys: the law of the noise, and the same noise in every table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.cell_keys import PerturbationTable, perturbation_table
from tacita.tables.cells import Cells
from tacita.tables.formats import cell_key_tags
from tacita.tables.linked import LinkedTables
from tacita.tables.perturb.cell_key_counts import CellKeyCounts, _least
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.tabulate import tabulate

SECRET = b"sixteen bytes or more"
STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "tauargus"


def records(rng, n=400):
    return pa.table(
        {
            "town": rng.choice(["a", "b", "c"], n),
            "age": rng.choice(["old", "young"], n),
            "sex": rng.choice(["f", "m"], n),
            "key": rng.random(n),
        }
    )


def by_codes(table, values):
    """Return values by the codes of a cell; an attribute that is at its total is left out."""
    names = [dimension.name for dimension in table.dimensions]
    told = (zip(names, table.codes_of(row), strict=True) for row in range(len(table)))
    return {
        frozenset(pair for pair in codes if pair[1] != "Total"): value
        for codes, value in zip(told, values, strict=True)
    }


def without_relations(cells):
    return System(cells, csr_array((0, len(cells)), dtype=np.int64), np.zeros(0))


def perturbed(table, **options):
    return CellKeyCounts(**options).perturb(table.system(), np.random.default_rng(0))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([SECRET, "key"]))
def test_a_cell_has_the_same_key_and_noise_in_any_table(seed, keys):
    data = records(np.random.default_rng(seed))
    large = tabulate(data, ["town", "age", "sex"], keys=keys)
    for by in (["town"], ["sex", "age"], ["age", "town"]):
        small = tabulate(data, by, keys=keys)
        known = by_codes(large, large.cells.cell_key)
        assert all(known[k] == key for k, key in by_codes(small, small.cells.cell_key).items())
        told = by_codes(large, perturbed(large).value)
        assert all(told[k] == v for k, v in by_codes(small, perturbed(small).value).items())


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_keys_do_not_depend_on_the_order_of_records_or_on_others(seed):
    rng = np.random.default_rng(seed)
    data = records(rng)
    whole = tabulate(data, ["town", "age"], keys=SECRET)
    known = by_codes(whole, whole.cells.cell_key)
    mixed = tabulate(data.take(pa.array(rng.permutation(400))), ["town", "age"], keys=SECRET)
    assert by_codes(mixed, mixed.cells.cell_key) == known
    fewer = data.filter(pc.not_equal(data["town"], "c"))
    part = tabulate(fewer, ["town", "age"], keys=SECRET)
    inside = by_codes(part, part.cells.cell_key)
    for codes in inside:
        if any(name == "town" for name, _ in codes):
            assert inside[codes] == known[codes]


def test_keys_are_sums_of_record_keys_modulo_one():
    rng = np.random.default_rng(3)
    data = records(rng)
    table = tabulate(data, ["town", "age"], keys="key")
    frame = data.to_pandas()
    for row in range(len(table)):
        town, age = table.codes_of(row)
        chosen = frame[
            ((town == "Total") | (frame.town == town)) & ((age == "Total") | (frame.age == age))
        ]
        gap = abs(chosen.key.sum() % 1 - table.cells.cell_key[row])
        assert min(gap, 1 - gap) < 1e-10


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), st.floats(0.1, 0.9), st.integers(0, 2**32))
def test_every_count_has_the_noise_that_its_key_chooses(largest, place, seed):
    """Against one look-up a cell."""
    variance = place * largest
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2 * largest + 3, 200).astype(float)
    cells = Cells.of(values, cell_key=rng.random(200))
    told = CellKeyCounts(largest, variance=variance).perturb(without_relations(cells), rng)
    noise = perturbation_table(largest, variance)
    slow = [noise.noise(int(v), k) for v, k in zip(values, cells.cell_key, strict=True)]
    assert told.change.tolist() == slow
    assert (told.value >= 0).all()
    assert (told.value[values == 0] == 0).all()
    assert told.loss == np.abs(slow).sum()
    assert told.remarks == ()


def test_noise_has_mean_0_and_the_variance_over_random_keys():
    rng, n = np.random.default_rng(1), 200_000
    cells = Cells.of(np.full(n, 40.0), cell_key=rng.random(n))
    system = without_relations(cells)
    change = CellKeyCounts(6, variance=4.5).perturb(system, rng).change
    assert abs(change.mean()) < 3 * np.sqrt(4.5 / n)
    assert abs(change.var() - 4.5) < 3 * change.var() * np.sqrt(2 / n) * 2


def test_small_counts_do_not_occur():
    rng = np.random.default_rng(2)
    cells = Cells.of(rng.integers(0, 12, 5000).astype(float), cell_key=rng.random(5000))
    told = CellKeyCounts(6, variance=4.0, smallest=2).perturb(without_relations(cells), rng)
    assert not np.isin(told.value, [1, 2]).any()


def test_cells_that_must_be_published_stay_and_linked_tables_are_one():
    data = records(np.random.default_rng(5))
    one = tabulate(data, ["town", "age"], keys=SECRET)
    two = tabulate(data, ["town", "sex"], keys=SECRET)
    status = one.cells.status.copy()
    status[0] = Status.PUBLISHED
    system = LinkedTables([one.with_cells(status=status), two]).system()
    told = CellKeyCounts().perturb(system, np.random.default_rng(0))
    assert told.change[0] == 0
    assert not told.is_additive
    assert "not the sums" in told.remarks[0]


def test_weighted_counts_get_noise_of_the_count_they_round_to():
    """A respondent of weight 0.2 is one of 1 at least, and not as if nobody were there."""
    cells = Cells.of([7.4, 0.2, 0.0], cell_key=[0.999, 0.999, 0.999])
    told = CellKeyCounts(3, variance=1.0).perturb(without_relations(cells), np.random.default_rng())
    assert told.change[0] == pytest.approx(perturbation_table(3, 1.0).noise(7, 0.999))
    assert told.change[1] == pytest.approx(perturbation_table(3, 1.0).noise(1, 0.999))
    assert told.change[1] != 0
    assert told.change[2] == 0


@pytest.mark.parametrize(("weight", "is_told"), [(1.0, False), (3.0, False), (20.0, True)])
def test_respondents_that_weigh_more_than_the_noise_are_told(weight, is_told):
    data = records(np.random.default_rng(5)).append_column("w", pa.array([weight] * 400))
    weighted = ta.read(data, roles={"w": "weight"})
    told = perturbed(tabulate(weighted, ["town"], keys="key"), largest=3, variance=1.0)
    assert any("does not hide one of them" in remark for remark in told.remarks) == is_told
    others = tabulate(weighted, ["town"], keys="key", weighting="represented")
    told = perturbed(others, largest=3, variance=1.0)
    assert not any("does not hide" in remark for remark in told.remarks)


def test_tables_without_keys_are_refused_with_what_to_do():
    table = tabulate(records(np.random.default_rng(0)), ["town"])
    with pytest.raises(InputError, match=r"no cell has one\. Tabulate microdata with `keys`"):
        perturbed(table)
    keys = np.full(len(table), 0.5)
    keys[2] = np.nan
    with pytest.raises(InputError, match=r"\(town b\) has none"):
        perturbed(table.with_cells(cell_key=keys))
    hidden = np.full(len(table), Status.SENSITIVE, np.int8)
    blank = table.with_cells(value=np.full(len(table), np.nan), status=hidden)
    with pytest.raises(InputError, match="has no value"):
        perturbed(blank)


def test_amounts_below_0_are_refused():
    cells = Cells.of([-3.0], cell_key=[0.5])
    with pytest.raises(InputError, match="cell_key_magnitudes"):
        CellKeyCounts().perturb(without_relations(cells), np.random.default_rng())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"largest": 2, "variance": 5.0}, "variance must be above"),
        ({"p_table": "f.txt", "variance": 2.0}, "`variance` of `cell_key_counts` is said by"),
        ({"largest": 0}, "`largest`"),
    ],
)
def test_parameters_that_do_not_fit(options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        CellKeyCounts(**options)


@pytest.mark.parametrize(
    ("keys", "error", "sentence"),
    [
        (b"short", ParameterError, "16 bytes or more; found 5"),
        ("kay", InputError, "no attribute `kay`"),
        ("town", InputError, "must hold numbers"),
    ],
)
def test_keys_that_cannot_be_used(keys, error, sentence):
    with pytest.raises(error, match=sentence):
        tabulate(records(np.random.default_rng(0)), ["age"], keys=keys)


@pytest.mark.parametrize("wrong", [1.0, -0.1, None])
def test_record_keys_are_from_0_on_and_below_1(wrong):
    data = pa.table({"a": ["x", "x"], "key": [0.5, wrong]})
    with pytest.raises(InputError, match="a number from 0 on and below 1; found"):
        tabulate(data, ["a"], keys="key")


def test_published_tables_do_not_tell_the_keys():
    table = tabulate(records(np.random.default_rng(0)), ["town"], keys=SECRET)
    assert np.isnan(table.published().cells.cell_key).all()
    assert "cell_key" not in table.to_arrow().column_names


def test_a_published_0_does_not_tell_whether_it_was_one():
    data = pa.table({"town": ["a", "a", "b", "c"], "age": ["o", "y", "o", "y"], "key": [0.1] * 4})
    table = tabulate(data, ["town", "age"], keys="key", empty="possible")
    told = perturbed(table, largest=2, variance=1.0)
    gone = told.value == 0
    assert {0.0, 1.0} <= set(table.cells.value[gone])
    assert set(told.lower[gone]) == {0.0}
    assert set(told.upper[gone]) == {2.0}


def test_a_count_above_0_is_published_of_somebody():
    """Empty cells stay empty, so that a reader knows of one respondent at least."""
    data = records(np.random.default_rng(5), 30)
    table = tabulate(data, ["town", "age", "sex"], keys=SECRET)
    told = perturbed(table, largest=5, variance=3.0)
    small = (told.value > 0) & (told.value <= 5)
    assert small.any()
    assert set(told.lower[small]) == {1.0}
    assert (told.lower <= table.cells.value).all()
    assert (table.cells.value <= told.upper).all()


def test_noise_on_empty_cells_or_parts_of_counts_leave_the_bound_at_0():
    noise = PerturbationTable(
        np.array([-1.0, 0.0, 1.0]), np.array([[0, 0.5, 1], [0.3, 0.6, 1]]), np.array([0.0, 1.0])
    )
    whole, published = np.array([0.0, 3.0]), np.array([1.0, 2.0])
    assert _least(whole, published, noise).tolist() == [0, 0]
    usual = perturbation_table(2, 1.0)
    assert _least(whole, published, usual).tolist() == [1, 1]
    assert _least(np.array([0.4, 3.0]), published, usual).tolist() == [0, 0]


def test_empty_cells_have_the_key_of_no_records():
    data = pa.table({"a": ["x", "y"], "b": ["u", "v"], "key": [0.25, 0.5]})
    table = tabulate(data, ["a", "b"], keys="key", empty="possible")
    assert table.cells.cell_key[table.row(a="x", b="v")] == 0
    assert table.cells.cell_key[table.row()] == 0.75


@pytest.mark.skipif(not STORED.is_dir(), reason="the reference data are not here")
def test_counts_by_a_stored_table_of_noise_equal_one_look_up_a_cell():
    """The table is read line by line once more; a key below an upper bound chooses its line."""
    folder = STORED / "cellkey_mag"
    tags = cell_key_tags.read(folder / "microdata.rda")
    lines = [line.split(";") for line in Path(tags.p_table).read_text().splitlines()[1:]]
    data = stored_records(folder)
    table = tabulate(data, ["Sex", "Age"], keys="Key")
    told = CellKeyCounts(p_table=tags.p_table).perturb(table.system(), np.random.default_rng())
    last = max(int(line[0]) for line in lines)
    units = np.rint(np.asarray(data["Key"]) * 1e8).astype(np.int64)
    sex, age = np.asarray(data["Sex"]), np.asarray(data["Age"])
    for row in range(len(table)):
        one, other = table.codes_of(row)
        chosen = ((one == "Total") | (sex == one)) & ((other == "Total") | (age == other))
        key, count = (int(units[chosen].sum()) % 10**8) / 1e8, int(chosen.sum())
        block = [line for line in lines if int(line[0]) == min(count, last)]
        change = next(int(j) - int(i) for i, j, _, _, above in block if key < float(above))
        assert table.cells.cell_key[row] == key
        assert told.value[row] == count + change


def stored_records(folder):
    columns = ["Sex", "Age", "HighIncome", "Savings", "Weight", "Key"]
    rows = [line.split(";") for line in (folder / "microdata.csv").read_text().split()]
    held = dict(zip(columns, zip(*rows, strict=True), strict=True))
    numbers = {name: pa.array(map(float, held[name])) for name in ("Savings", "Key")}
    return pa.table({"Sex": pa.array(held["Sex"]), "Age": pa.array(held["Age"]), **numbers})


def test_records_on_an_engine_have_keys_by_an_attribute_only(tmp_path):
    data = records(np.random.default_rng(8))
    pq.write_table(data, tmp_path / "people.parquet")
    scanned = ta.scan(tmp_path / "people.parquet")
    here, there = (tabulate(one, ["town", "age"], keys="key") for one in (data, scanned))
    assert here.cells.cell_key.tolist() == there.cells.cell_key.tolist()
    with pytest.raises(ParameterError, match="write the keys of records on an engine into"):
        tabulate(scanned, ["town"], keys=SECRET)
