"""Tables made of a sample: unbiased with its weights, and unsure about who is in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate

RECORDS, DRAWN, TIMES = 120, 40, 200
DESIGNS: dict[str, dict[str, Any]] = {
    "simple": {},
    "systematic": {"design": "systematic"},
    "stratified": {"design": "stratified", "by": ["sex"]},
}
CELLS = [
    {"town": town, "sex": sex} for town in ("Total", "a", "b", "c") for sex in ("Total", "f", "m")
]


@pytest.fixture(scope="module")
def population() -> ta.Microdata:
    """Skewed pay in three towns of different sizes; one man alone in town c."""
    rng = np.random.default_rng(5)
    town = rng.choice(["a", "b"], RECORDS, p=[0.7, 0.3])
    sex = rng.choice(["f", "m"], RECORDS)
    town[17], sex[17] = "c", "m"
    pay = np.rint(rng.lognormal(3, 0.8, RECORDS)).astype(np.int64)
    columns = {"town": pa.array(town), "sex": pa.array(sex), "pay": pa.array(pay)}
    return ta.read(pa.table(columns), roles={"town": "key", "sex": "key", "pay": "confidential"})


def estimates(data: ta.Microdata, method: ta.Sample, value: str | None) -> np.ndarray:
    """Draw many samples; one row a sample, one column a cell, 0 where nobody was drawn."""
    drawn = (data.apply(method, seed=seed) for seed in range(TIMES))
    return np.array([values(tabulate(one, ["town", "sex"], value=value)) for one in drawn])


def values(table: Table) -> list[float]:
    held = {table.codes_of(row): float(table.cells.value[row]) for row in range(len(table))}
    return [held.get((cell["town"], cell["sex"]), 0.0) for cell in CELLS]


def is_unbiased(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Tell of which cells the mean estimate is within three standard errors of the truth."""
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return np.abs(found.mean(axis=0) - truth) <= 3 * error + 1e-9 * np.abs(truth)


@pytest.mark.parametrize("value", [None, "pay"])
@pytest.mark.parametrize("design", DESIGNS)
def test_weighted_tables_are_unbiased(
    population: ta.Microdata, design: str, value: str | None
) -> None:
    method = ta.Sample(size=DRAWN, weight="w", **DESIGNS[design])
    truth = np.array(values(tabulate(population, ["town", "sex"], value=value)))
    assert is_unbiased(estimates(population, method, value), truth).all()


def test_without_weights_they_are_not(population: ta.Microdata) -> None:
    truth = np.array(values(tabulate(population, ["town", "sex"], value="pay")))
    found = estimates(population, ta.Sample(size=DRAWN), "pay")
    assert not is_unbiased(found, truth)[truth > 0].any()


def test_the_error_is_that_of_simple_sampling(population: ta.Microdata) -> None:
    """The variance of an estimated total is N^2 (1 - n/N) S^2 / n, S^2 that of what is added up."""
    found = estimates(population, ta.Sample(size=DRAWN, weight="w"), "pay")
    town = np.array(population.column("town").to_pylist())
    pay = population.numbers("pay")
    for column, inside in ((0, np.ones(RECORDS, bool)), (3, town == "a"), (6, town == "b")):
        spread = np.where(inside, pay, 0).var(ddof=1)
        expected = RECORDS**2 * (1 - DRAWN / RECORDS) * spread / DRAWN
        # The variance of TIMES draws has itself an error of sqrt(2 / TIMES), about 10 percent.
        assert found[:, column].var(ddof=1) == pytest.approx(expected, rel=0.35)


def test_sizes_that_the_design_keeps_are_exact(population: ta.Microdata) -> None:
    truth = np.array(values(tabulate(population, ["town", "sex"])))
    simple = estimates(population, ta.Sample(size=DRAWN, weight="w"), None)
    assert simple[:, 0] == pytest.approx(RECORDS)
    by_sex = ta.Sample(fraction=0.4, weight="w", design="stratified", by=["sex"])
    stratified = estimates(population, by_sex, None)
    assert stratified[:, :3] == pytest.approx(np.tile(truth[:3], (TIMES, 1)))


def test_weights_that_were_there_are_multiplied(population: ta.Microdata) -> None:
    """A sample of a sample estimates the population that the first one was drawn from."""
    first = population.apply(ta.Sample(size=80, weight="w"), seed=1)
    truth = np.array(values(tabulate(first, ["town", "sex"], value="pay")))
    assert is_unbiased(estimates(first, ta.Sample(size=DRAWN), "pay"), truth).all()


def test_nobody_can_be_sure_who_is_in_it(population: ta.Microdata) -> None:
    """A cell tells of its only respondent as often as records are drawn, and not otherwise."""
    alone = CELLS.index({"town": "c", "sex": "m"})
    found = estimates(population, ta.Sample(size=DRAWN, weight="w"), None)
    share, seen = DRAWN / RECORDS, (found[:, alone] > 0).mean()
    assert abs(seen - share) <= 3 * np.sqrt(share * (1 - share) / TIMES)
    # Whoever is drawn stands for several, so a count tells of no single respondent.
    assert found[found > 0].min() == pytest.approx(RECORDS / DRAWN)


def test_a_record_may_stand_for_as_many_contributors_as_its_weight(
    population: ta.Microdata,
) -> None:
    sample = population.apply(ta.Sample(size=DRAWN, weight="w"), seed=3)
    table = tabulate(sample, ["town"], value="pay", weighting="represented")
    row, drawn = table.row(town="a"), np.array(sample.column("town").to_pylist()) == "a"
    assert table.cells.contributors[row] == 3 * drawn.sum()
    largest = np.sort(sample.numbers("pay")[drawn])[::-1][0]
    assert (table.cells.largest[row] == largest).all()
