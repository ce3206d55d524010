"""Clues in several attributes: rare combinations, broken rules, copies, order, statistics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.attacks.clues import (
    broken_rules,
    contradicted_classes,
    duplicates,
    published,
    record_order,
    small_classes,
    suppression,
)
from tacita.data.read import read_dataset
from tacita.errors import ParameterError

SDCMICRO = Path(__file__).parents[4] / "shared" / "reference" / "sdcmicro"
KEYS = ["education", "region", "occupation"]


@pytest.fixture(scope="module")
def survey() -> ta.Microdata:
    """A survey of which three categories are the keys."""
    data = ta.example("survey", 500)
    roles = {name: ["key"] if name in KEYS else ["non_confidential"] for name in data.names}
    columns = [name for name in data.names if name != "languages"]
    return ta.read(data.table.select(columns), roles={n: roles[n] for n in columns})


# -- anonymized and suppressed ------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 4])
def test_boxes_of_k_records(toy: ta.Microdata, k: int) -> None:
    (guess,) = small_classes.look(toy.apply(ta.Mondrian([{"k_anonymity": {"k": k}}])))
    assert guess.method == "mondrian"
    assert guess.parameters == {"to": [{"k_anonymity": {"k": k}}]}
    assert guess.strength in ("strong", "likely")


def test_one_rule_for_all_is_told_from_boxes(toy: ta.Microdata) -> None:
    models = [{"k_anonymity": {"k": 5}}]
    (guess,) = small_classes.look(toy.apply(ta.Lattice(models, suppression_limit=0.05)))
    assert guess.method == "lattice"
    assert guess.parameters["to"][0]["k_anonymity"]["k"] >= 5
    assert list(small_classes.look(toy)) == []


def test_blanks_of_local_suppression(survey: ta.Microdata) -> None:
    assert list(suppression.look(survey)) == []
    (guess,) = suppression.look(survey.apply(ta.LocalSuppression(k=4)))
    assert set(guess.attributes) <= set(KEYS)
    assert guess.parameters == {"k": 4}
    assert guess.strength in ("strong", "likely")


@pytest.mark.parametrize("seed", range(5))
def test_blanks_at_random_are_no_clue(survey: ta.Microdata, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = survey
    for name in KEYS:
        column = data.column(name).to_pylist()
        blanked = [
            None if drawn < 0.05 else v for v, drawn in zip(column, rng.random(500), strict=True)
        ]
        data = data.with_column(data.attribute(name), pa.array(blanked))
    assert list(suppression.look(data)) == []


@pytest.mark.parametrize("k", [2, 3, 5])
def test_blanks_that_match_anything_tell_k_though_nobody_says_the_keys(k: int) -> None:
    data = ta.example("survey", 2000)
    table = data.table.select(["sex", "marital_status", "education", "region", "income"])
    roles = dict.fromkeys(["sex", "marital_status", "education", "region"], "key")
    original = ta.read(table, roles=roles)
    with pytest.warns(UserWarning, match="matches anything"):
        safe = original.apply(ta.LocalSuppression(k=k, matching="symmetric"))
    unsaid = ta.read(safe.table, roles=dict.fromkeys(["sex", "marital_status"], "key"))
    assert list(suppression.look(ta.read(table, roles=roles))) == []
    (guess,) = suppression.look(unsaid)
    assert guess.parameters == {"k": k}
    assert set(guess.attributes) & {"education", "region"}
    assert guess.strength in ("strong", "likely")


@pytest.mark.skipif(not SDCMICRO.exists(), reason="the reference data are not here")
@pytest.mark.parametrize("k", [2, 3, 5])
def test_blanks_of_sdcmicro(k: int) -> None:
    file = SDCMICRO / f"testdata_localSuppression_k{k}.csv"
    found = ta.inspect(file, combinations=1)
    kinds = {
        name: one.model_copy(update={"hierarchy": None})
        for name, one in found.declarations().items()
    }
    (guess,) = suppression.look(read_dataset(file, kinds))
    assert guess.parameters == {"k": k}
    assert guess.strength == "strong"


# -- changed relations --------------------------------------------------------------------------


def test_a_rule_that_categories_broke() -> None:
    rng = np.random.default_rng(1)
    giving = rng.integers(0, 12, 1500)
    table = {"zip": [f"z{i}" for i in giving], "county": [f"c{i % 6}" for i in giving]}
    data = ta.read(pa.table(table))
    assert list(broken_rules.look(data)) == []
    (guess,) = broken_rules.look(data.apply(ta.Pram("county", minimum_diagonal=0.85), seed=1))
    assert guess.attributes == ("zip", "county")
    assert guess.parameters["minimum_diagonal"] == pytest.approx(0.85, abs=0.03)


def test_exceptions_of_nature_are_no_masking() -> None:
    """Every category has an exception of its own, at a rate of its own."""
    rng = np.random.default_rng(2)
    giving = rng.integers(0, 12, 1500)
    odd = rng.random(1500) < np.where(giving < 6, 0.02, 0.3)
    data = ta.read(pa.table({"a": giving.astype(str), "b": ((giving + odd) % 12).astype(str)}))
    assert list(broken_rules.look(data)) == []


@pytest.mark.parametrize("p", [4, 12])
def test_numbers_that_contradict_their_class(p: float) -> None:
    firms = ta.example("firms", 1000)
    assert list(contradicted_classes.look(firms)) == []
    (guess,) = contradicted_classes.look(firms.apply(ta.RankSwap(["employees"], p=p), seed=1))
    assert guess.attributes == ("employees",)
    assert 0.5 * p <= guess.parameters["p"] <= p + 0.1


def test_reach_by_hand() -> None:
    table = {"size": ["1-9"] * 5 + ["10-19"] * 5, "n": [1, 2, 3, 4, 12, 11, 13, 14, 15, 9]}
    (guess,) = contradicted_classes.look(ta.read(pa.table(table)))
    # 12 is the second value above 9, in a file of ten: two ranks, 20 per cent.
    assert guess.parameters == {"p": 20.0}
    assert guess.evidence.startswith("2 of 10 numbers contradict their size")
    assert guess.strength == "hint"


# -- whole records ------------------------------------------------------------------------------


def test_copies_of_records(toy: ta.Microdata) -> None:
    assert list(duplicates.look(toy)) == []
    drawn = np.random.default_rng(0).integers(0, len(toy), len(toy))
    (guess,) = duplicates.look(toy.take(drawn))
    assert guess.method == "draws with replacement"
    some = np.concatenate([np.arange(len(toy)), np.arange(40)])
    assert [guess.method for guess in duplicates.look(toy.take(some))] == ["copies of records"]


def test_records_in_random_order(toy: ta.Microdata) -> None:
    assert list(record_order.look(toy)) == []
    found = list(record_order.look(toy.apply(ta.ShuffleRecords(), seed=3)))
    assert {guess.attributes for guess in found} == {("id",), ("household",)}


# -- statistics from elsewhere ------------------------------------------------------------------


def statistics(data: ta.Microdata) -> dict[str, Any]:
    wage, earnings = data.numbers("wage"), data.numbers("earnings")
    related = {"earnings": float(np.corrcoef(wage, earnings)[0, 1])}
    return {"wage": {"variance": float(wage.var()), "correlation": related}}


def test_statistics_tell_swaps_from_noise() -> None:
    census = ta.example("census", 1000)
    said = statistics(census)
    assert list(published.look(census, said)) == []
    (swapped,) = published.look(census.apply(ta.RankSwap(["wage"], p=30), seed=1), said)
    assert (swapped.method, "shuffle" in swapped.alternatives) == ("rank_swap", True)
    (noisy,) = published.look(census.apply(ta.AddNoise("wage", alpha=0.5), seed=1), said)
    assert noisy.method == "add_noise"
    assert noisy.parameters["alpha"] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_agrees_with_statistics_of_all(seed: int) -> None:
    census = ta.example("census", 2000)
    part = np.random.default_rng(seed).choice(2000, 400, replace=False)
    assert list(published.look(census.take(part), statistics(census))) == []


def test_unknown_statistics_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"says of `wage` its variance .* found 'mode'"):
        ta.guess_methods(ta.example("census", 50), published={"wage": {"mode": 3}})


def test_an_attribute_that_is_not_there_is_told() -> None:
    with pytest.raises(ta.TacitaError, match="no attribute `wag`"):
        ta.guess_methods(ta.example("census", 50), published={"wag": {"variance": 3}})


def test_looking_changes_nothing(toy: ta.Microdata) -> None:
    before = toy.fingerprint()
    ta.guess_methods(replace(toy))
    assert toy.fingerprint() == before
