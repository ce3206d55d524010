"""What `risk()` opens with, and that everything else is one call away."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.release.strongest import strongest

KEYS = ["age", "education", "region", "born"]


@pytest.fixture(scope="module")
def data() -> ta.Microdata:
    return ta.example("toy", 300)


@pytest.fixture(scope="module")
def masked(data: ta.Microdata) -> ta.Microdata:
    grouped = data.apply(ta.Recode("age", width=40), seed=1).apply(ta.Drop(["born"]), seed=1)
    return grouped.apply(ta.LocalSuppression(2), seed=1)


def lines(found: object) -> list[str]:
    told = str(found).splitlines()
    assert len(told) == 5
    return told


def below(data: ta.Microdata, k: int) -> int:
    """Count records in classes below k by hand."""
    records = list(zip(*(data.column(name).to_pylist() for name in data.keys), strict=True))
    sizes = Counter(records)
    return sum(sizes[one] < k for one in records)


@pytest.mark.parametrize("k", [2, 3, 20])
def test_it_counts_the_records_below_k(masked: ta.Microdata, k: int) -> None:
    expected = below(masked, k)
    told = lines(masked.risk(k=k))
    assert told[0].startswith(f"Records below k    {expected:,} of 300 (")
    assert f"in classes of fewer than {k} records by " in told[0]
    assert ("LocalSuppression" in told[4]) == (expected > 0)


def test_it_counts_suppressed_values_of_every_key(data: ta.Microdata, masked: ta.Microdata) -> None:
    told = lines(masked.risk())[2]
    for name in masked.keys:
        gone = masked.column(name).null_count - data.column(name).null_count
        assert (f"{name} {gone:,} (" in told) == (gone > 0)
    assert "none" in lines(data.risk())[2]


def test_blanks_of_a_foreign_file_count_where_there_were_values(data: ta.Microdata) -> None:
    regions = data.column("region").to_pylist()
    hidden = [place for place, region in enumerate(regions) if region is not None][:7]
    column = pa.array([None if i in hidden else region for i, region in enumerate(regions)])
    foreign = replace(data.with_column(data.attribute("region"), column), source=data)
    assert "region 7 (2.33 %)" in lines(foreign.risk())[2]


def test_it_counts_the_records_left_out(data: ta.Microdata) -> None:
    part = data.apply(ta.Sample(0.4), seed=1)
    assert lines(part.risk())[3] == f"Records left out   {300 - len(part)} of 300 (60 %)"


def test_the_strongest_attack_so_far_is_told_with_what_is_pending(masked: ta.Microdata) -> None:
    found = masked.risk()
    assert found.pending
    first = strongest(found.finished, found.pending)
    assert str(first) in lines(found)[1]
    assert f"; {len(first.pending)} pending" in lines(found)[1]
    assert found.table()
    assert found.pending == ()
    assert "pending" not in str(found)
    last = strongest(found.table())
    assert last.attack.value >= first.attack.value
    assert str(last) in lines(found)[1]


def test_the_lines_are_the_same_again(masked: ta.Microdata) -> None:
    """They depend on the data, not on the time that anything took."""
    assert str(masked.risk()) == str(masked.risk())


def test_a_number_by_its_name_carries_out_nothing_else(masked: ta.Microdata) -> None:
    found = masked.risk()
    before = set(found.pending)
    assert found["suda2"].value is not None
    assert before - set(found.pending) == {"suda2"}


def test_everything_is_what_disclosure_risk_measures(masked: ta.Microdata) -> None:
    whole = ta.disclosure_risk(masked.original, masked)
    found = masked.risk()
    assert [one.to_dict() for one in found] == [one.to_dict() for one in whole]
    assert found.skipped == whole.skipped
    assert str(found.table()) == str(whole)
    assert len(found) == len(whole)


def test_perturbed_keys_are_not_counted(data: ta.Microdata) -> None:
    swapped = data.apply(ta.RankSwap(["age"], p=10), seed=1)
    told = lines(swapped.risk())
    assert told[0] == "Records below k    not applicable after rank_swap of keys (age)"
    assert "LocalSuppression" not in told[4]
    assert "linkage" in told[1]


def test_who_knows_less_shares_with_more(data: ta.Microdata) -> None:
    sizes = Counter(data.column("region").to_pylist())
    rare = sum(size for size in sizes.values() if size < 20)
    told = lines(data.risk(k=20, intruder={"attributes": ["region"]}))
    assert f"{rare} of 300" in told[0]
    assert told[0].endswith("by region")


def test_without_keys_it_says_what_to_do() -> None:
    told = lines(ta.read(pa.table({"age": [1, 2, 2]})).risk())
    assert "no attribute has the role `key`" in told[0]
    assert told[1].startswith("Strongest attack   none can be carried out: ")
    assert "roles=" in told[4]


def test_synthetic_records_are_nobody(data: ta.Microdata) -> None:
    made = data.with_external(holdout=ta.example("toy", 300, seed=5)).apply(
        ta.SequentialTrees(), seed=1
    )
    told = lines(made.risk())
    assert "come from nobody" in told[0]
    assert told[3].startswith("Records left out   all 300; 300 records from nobody")
    assert "membership_inference" in told[4]


def test_nothing_at_all_is_no_trouble(data: ta.Microdata) -> None:
    empty = data.take(np.arange(0))
    assert lines(empty.risk())[3] == "Records left out   300 of 300 (100 %)"


@pytest.mark.parametrize("k", [1, 0, 2.5, "3", True])
def test_a_senseless_k_is_refused(data: ta.Microdata, k: object) -> None:
    with pytest.raises(ta.TacitaError, match="`k` is a number of records, 2 or more"):
        data.risk(k=k)
