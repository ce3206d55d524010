"""The best assignment: what an intruder finds of whom, where nothing says it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.pairing import NO_GUESS, OF_NOBODY, paired_rows
from tacita.errors import InputError
from tacita.microdata.risk.linking import assignment
from tacita.microdata.risk.linking.assignment import agreeing, best_assignment

LINKAGES = ["exact_linkage", "distance_linkage"]


def unknown(data: ta.Microdata, rows: np.ndarray) -> ta.Microdata:
    """Return records of which nobody knows where they come from."""
    return ta.read(data.table.take(pa.array(rows)))


def test_a_shuffled_copy_is_linked_throughout() -> None:
    data = ta.example("census", 1080)
    known = ta.read(data.table, roles=dict.fromkeys(data.names, "key"))
    frame = data.to_pandas()
    files = {
        "index": frame.sample(frac=1, random_state=1),
        "assignment": pl.from_pandas(frame).sample(fraction=1, shuffle=True, seed=1),
    }
    assert len(data.names) == 13
    for by, file in files.items():
        original = known if by == "assignment" else ta.read(frame, roles=known_roles(frame))
        found = ta.disclosure_risk(original, file, measures=LINKAGES, pair_by=by)
        assert [float(one.value) for one in found] == [1.0, 1.0]
    without = ta.disclosure_risk(known, files["assignment"], measures=LINKAGES)
    assert [name for name, _ in without.skipped] == LINKAGES


def known_roles(frame: pd.DataFrame) -> dict[str, str]:
    return dict.fromkeys(frame.columns, "key")


def test_most_records_with_noise_are_found() -> None:
    data = ta.example("census", 500)
    masked = data.apply(ta.AddNoise(data.names, alpha=0.1), seed=1)
    order = np.random.default_rng(0).permutation(500)
    rows = best_assignment(data, unknown(masked, order))
    assert len(set(rows.tolist())) == 500
    assert np.mean(rows == order) > 0.7
    assert agreeing(data, unknown(masked, order), rows) == 0


def test_labels_tell_what_they_say_themselves() -> None:
    toy = ta.example("toy", 300)
    coarse = toy.apply(ta.Recode("age", width=10), seed=0).without(["id"])
    order = np.random.default_rng(0).permutation(300)
    assert np.mean(best_assignment(toy, unknown(coarse, order)) == order) > 0.95
    ages = pa.table({"age": [21, 37, 55], "x": [0.0, 0.0, 0.0]})
    bands = pa.table({"age": ["50-59", "20-29", "30-39"], "x": [0.0, 0.0, 0.0]})
    assert best_assignment(ta.read(ages), ta.read(bands)).tolist() == [2, 0, 1]


@settings(deadline=None)
@given(
    numbers=st.lists(st.integers(-50, 50), min_size=3, max_size=6),
    moved=st.lists(st.integers(-20, 20), min_size=6, max_size=6),
    released=st.integers(1, 6),
)
def test_the_sum_of_distances_is_the_least(
    numbers: list[int], moved: list[int], released: int
) -> None:
    known = np.array(numbers, float)
    after = known[: min(released, len(known))] + moved[: min(released, len(known))]
    original, release = (ta.read(pa.table({"x": values})) for values in (known, after))
    rows = best_assignment(original, release)
    best = min(
        sum(abs(known[list(chosen)] - after))
        for chosen in permutations(range(len(known)), len(after))
    )
    assert len(set(rows.tolist())) == len(after)
    assert abs(known[rows] - after).sum() == pytest.approx(best, abs=1e-9)


def test_larger_files_are_assigned_among_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ta.example("census", 400)
    masked = data.apply(ta.AddNoise(data.names, alpha=0.1), seed=1)
    order = np.random.default_rng(0).permutation(400)[:300]
    whole = best_assignment(data, unknown(masked, order))
    monkeypatch.setattr(assignment, "EXACTLY", 0)
    among = best_assignment(data, unknown(masked, order))
    assert len(set(among.tolist())) == 300
    assert np.mean(among == whole) > 0.95


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_neither_file_s_order_plays_a_part(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = ta.example("toy", 60).without(["id"])
    masked = unknown(data.apply(ta.AddNoise("income", alpha=0.5), seed=1), np.arange(60))
    ours, theirs = rng.permutation(60), rng.permutation(60)
    first = best_assignment(unknown(data, np.arange(60)), masked)
    second = ours[best_assignment(unknown(data, ours), unknown(masked, theirs))]
    straight = data.table.take(pa.array(first[theirs]))
    assert data.table.take(pa.array(second)).equals(straight)


def test_what_cannot_be_assigned_is_told() -> None:
    data = ta.read(pa.table({"x": [1.0, 2.0]}))
    with pytest.raises(InputError, match="The release has 3 records and the original 2"):
        ta.pair(data, ta.read(pa.table({"x": [1.0, 2.0, 3.0]})), "assignment")
    with pytest.raises(InputError, match="share no attribute"):
        ta.pair(data, ta.read(pa.table({"y": [1.0, 2.0]})), "assignment")
    named = pa.table({"assignment": [1.0, 2.0]})
    with pytest.raises(InputError, match="the name of an attribute and of a way"):
        ta.pair(named, named.slice(0, 1), "assignment")


def test_it_is_a_guess_that_only_attacks_make(toy: ta.Microdata) -> None:
    frame = toy.without(["id"]).to_pandas()
    mixed = pl.from_pandas(frame.sample(frac=1, random_state=0))
    for loss in (
        lambda: ta.information_loss(frame, mixed, pair_by="assignment"),
        lambda: ta.score(frame, mixed, pair_by="assignment"),
        lambda: ta.PostMasking(["income"]).improve(frame, mixed, pair_by="assignment"),
    ):
        with pytest.raises(InputError) as told:
            loss()
        assert str(told.value) == NO_GUESS
    before, after = ta.pair(frame, mixed, "assignment")
    assert ta.ExactLinkage(["age"]).measure(before, after).value is not None
    knows = ta.Intruder(["age", "income"])
    assert knows.measure(ta.ExactLinkage(), frame, mixed, pair_by="assignment").value == 1


def test_it_never_stands_against_what_is_known(toy: ta.Microdata) -> None:
    swapped = toy.apply(ta.RankSwap("income", p=50), seed=1).without(["id"])
    with pytest.raises(InputError, match="By `assignment` other records belong together"):
        ta.pair(toy, swapped.apply(ta.Drop(["age", "education", "region"])), "assignment")
    made = toy.apply(ta.SequentialTrees(), seed=1)
    with pytest.raises(InputError) as told:
        ta.pair(toy, made, "assignment")
    assert str(told.value) == OF_NOBODY
    assert np.array_equal(paired_rows(*ta.pair(toy, toy, "assignment")), np.arange(len(toy)))
