"""Which records belong together: said, known, or refused; never taken from their order in silence."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.pairing import UNPAIRED, are_paired, as_pair, paired_rows
from tacita.errors import InputError, ParameterError
from tacita.registry import all_measures

ROLES = {"age": "key", "town": "key", "pay": "confidential"}
RISKS = [
    ta.ExactLinkage(),
    ta.DistanceLinkage(),
    ta.ProbabilisticLinkage(),
    ta.RankLinkage(["age", "pay"]),
    ta.IntervalDisclosure(),
    ta.RmdDisclosure(),
]
LOSSES = [method for method in all_measures() if method.family == "utility"]


def people(records: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, records),
            "town": rng.choice(list("abcd"), records),
            "pay": rng.lognormal(7, 1, records).round(2),
        }
    )


def noisy(frame: pd.DataFrame, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return frame.assign(pay=(frame["pay"] * rng.uniform(0.9, 1.1, len(frame))).round(2))


def names(rows: Mapping[str, Any]) -> pd.Index:
    return pd.Index([f"r{number}" for number in range(len(rows))])


# -- what is known --------------------------------------------------------------------------------


def test_nothing_masked_but_the_order_is_linked_by_the_index() -> None:
    frame = people(300)
    before = ta.read(frame, roles={**ROLES, "pay": "key"})
    mixed = frame.sample(frac=1, random_state=1)
    found = ta.disclosure_risk(before, mixed, measures=["distance_linkage", "exact_linkage"])
    assert float(found["distance_linkage"].value) == 1
    assert float(found["exact_linkage"].value) == 1
    same = ta.disclosure_risk(before, before, measures=["distance_linkage", "exact_linkage"])
    assert [one.value for one in found] == [one.value for one in same]
    assert ta.information_loss(before, mixed, measures=["values"])["values"].value == 0


def test_records_left_out_are_known_by_the_index_too() -> None:
    frame = people(50)
    for part in (frame[frame["age"] > 40], frame.iloc[10:30], frame[::-1]):
        before, after = as_pair(frame, part)
        assert paired_rows(before, after).tolist() == part.index.tolist()


def test_labels_that_pandas_made_up_pair_nobody() -> None:
    frame = people(30)
    for other in (frame.copy(), frame.sample(frac=1).reset_index(drop=True), frame[:20]):
        with pytest.raises(InputError, match="Nobody knows which records belong together"):
            ta.pair(frame, other)
    labelled = frame.sample(frac=1, random_state=2)
    with pytest.raises(InputError, match="Nobody knows"):  # the release was numbered anew
        ta.pair(labelled, noisy(labelled).reset_index(drop=True))
    with pytest.raises(InputError, match="Nobody knows"):  # a label of several records
        ta.pair(frame, frame.set_axis([0] * 30))
    with pytest.raises(InputError, match="Nobody knows"):  # labels of others
        ta.pair(frame, frame.set_axis(np.arange(30) + 1000))


def test_the_same_frame_is_paired_with_itself() -> None:
    frame = people(20)
    assert ta.information_loss(frame, frame, measures=["values"])["values"].value == 0
    assert ta.Values().measure(frame, frame).value == 0


def test_frames_without_index_are_paired_by_a_declared_identifier() -> None:
    frame = people(40).assign(id=[f"p{n}" for n in range(40)])
    before = ta.read(pl.from_pandas(frame), roles={**ROLES, "id": "identifier"})
    mixed = frame.sample(frac=0.5, random_state=1)
    after = pl.from_pandas(mixed)
    assert paired_rows(*as_pair(before, after)).tolist() == mixed.index.tolist()
    again = after.with_columns(id=pl.lit("p1"))  # names nobody any more
    assert not are_paired(*as_pair(before, again))


def test_an_identifier_and_an_index_that_contradict_each_other_are_refused() -> None:
    frame = people(10).assign(id=np.arange(10))
    before = ta.read(frame, roles={"id": "identifier"})
    other = frame.sample(frac=1, random_state=1).assign(id=np.arange(10))
    with pytest.raises(InputError, match="By `id` other records belong together than by `index`"):
        ta.pair(before, other)
    assert paired_rows(*as_pair(before, other, "id")).tolist() == list(range(10))


def test_what_was_masked_here_knows_where_it_comes_from(toy) -> None:
    masked = toy.apply(ta.Sample(0.5), seed=1).apply(ta.AddNoise(["age"], alpha=0.1), seed=1)
    assert np.array_equal(paired_rows(toy, masked), masked.rows)
    sent = pickle.loads(pickle.dumps(masked))  # noqa: S301 - to another process and back
    assert np.array_equal(paired_rows(pickle.loads(pickle.dumps(toy)), sent), masked.rows)  # noqa: S301
    with pytest.raises(InputError, match="Nobody knows"):
        paired_rows(ta.example("toy", len(toy), seed=7).without(["id"]), masked)


def test_what_was_masked_here_knows_the_frame_it_comes_from() -> None:
    frame = people(60)
    masked = ta.read(frame, roles=ROLES).apply(ta.Sample(0.5), seed=1)
    assert np.array_equal(paired_rows(*as_pair(frame, masked)), masked.rows)
    found = ta.information_loss(frame, masked, measures=["values"])["values"]
    assert found.value == ta.information_loss(masked.original, masked)["values"].value
    with pytest.raises(InputError, match="Nobody knows"):
        ta.pair(noisy(frame), masked)
    # What went out has no labels: where its records come from is not known any more.
    with pytest.raises(InputError, match="Nobody knows"):
        ta.pair(frame, masked.to_pandas())


# -- what is said ---------------------------------------------------------------------------------


def test_one_name_or_several_identify_records() -> None:
    frame = people(12).assign(house=np.repeat(np.arange(4), 3), person=list("abc") * 4)
    mixed = frame.sample(frac=1, random_state=3).reset_index(drop=True)
    before, after = ta.pair(frame, mixed, ["house", "person"])
    assert ta.Values().measure(before, after).value == 0
    with pytest.raises(InputError, match="Several original records have the same `house`"):
        ta.pair(frame, mixed, "house")


@pytest.mark.parametrize(
    ("ours", "theirs"), [("int64", "float64"), ("int64", "str"), ("int16", "uint8")]
)
def test_identifiers_are_compared_by_value_not_by_type(ours: str, theirs: str) -> None:
    order = [2, 0, 1]
    before = pd.DataFrame({"id": np.array([7, 8, 9]).astype(ours), "x": [1, 2, 3]})
    after = before.iloc[order].assign(id=lambda f: f["id"].astype(theirs)).reset_index(drop=True)
    assert paired_rows(*as_pair(before, after, "id")).tolist() == order


def test_position_is_taken_where_it_is_said() -> None:
    frame = people(25)
    before, after = ta.pair(frame, noisy(frame), "position")
    assert paired_rows(before, after).tolist() == list(range(25))
    with pytest.raises(InputError, match="have 20 records and the original 25"):
        ta.pair(frame, frame[:20].copy(), "position")


def test_the_index_is_taken_where_it_is_said() -> None:
    frame = people(25)
    assert are_paired(*as_pair(frame, frame.copy(), "index"))
    labelled = frame.set_axis(names(frame))
    mixed = labelled.sample(frac=1, random_state=5)
    assert paired_rows(*as_pair(labelled, mixed, "index")).tolist() == [
        int(label[1:]) for label in mixed.index
    ]
    with pytest.raises(InputError, match="25 of 25 protected records, of which record 1 is"):
        ta.pair(frame, labelled, "index")
    with pytest.raises(InputError, match="index of the protected data has labels that several"):
        ta.pair(frame, frame.set_axis([0] * 25), "index")
    with pytest.raises(InputError, match="Only pandas frames have an index"):
        ta.pair(pl.from_pandas(frame), frame, "index")


def test_what_is_said_never_stands_against_what_is_known(toy) -> None:
    mixed = toy.take(np.random.default_rng(0).permutation(len(toy)))
    with pytest.raises(InputError, match="By `position` other records belong together"):
        ta.pair(toy, mixed, "position")
    assert np.array_equal(paired_rows(*as_pair(toy, mixed, "id")), mixed.rows)


@pytest.mark.parametrize(
    ("by", "why"),
    [
        ("idd", "names `idd`, which is not in the original data. Did you mean `id`?"),
        ("gone", "`gone`, which is not in the protected data"),
        ("blank", "`blank` has blanks in the original data"),
        ("new", "1 of 3 protected records, of which record 3 is the first"),
    ],
)
def test_what_cannot_pair_is_told(by: str, why: str) -> None:
    before = pd.DataFrame({"id": [1, 2, 3], "gone": 1, "blank": ["a", None, "c"], "new": [1, 2, 3]})
    after = before.drop(columns="gone").assign(new=[1, 2, 4])
    with pytest.raises(InputError, match=why):
        ta.pair(before, after, by)


@pytest.mark.parametrize("by", [[], 3, [1]])
def test_no_name_is_no_way_to_pair(by: Any) -> None:
    frame = people(3)
    with pytest.raises(ParameterError, match="`pair_by` should be"):
        ta.disclosure_risk(frame, frame.copy(), pair_by=by)


def test_an_attribute_named_as_a_way_is_refused() -> None:
    frame = people(5).rename(columns={"pay": "index"})
    with pytest.raises(InputError, match="the name of an attribute and of a way"):
        ta.pair(frame, frame.copy(), "index")


def test_synthetic_records_are_paired_with_nobody(toy) -> None:
    made = toy.apply(ta.SequentialTrees(), seed=1)
    with pytest.raises(InputError, match="come from nobody"):
        ta.pair(toy, made, "position")


# -- every face asks the same ---------------------------------------------------------------------


def test_what_needs_pairs_refuses_with_one_sentence() -> None:
    before, after = people(60), noisy(people(60))
    data = ta.read(before, roles=ROLES)
    risk, loss = ta.disclosure_risk(data, after), ta.information_loss(data, after)
    refused = dict([*risk.skipped, *loss.skipped])
    for name in ("distance_linkage", "exact_linkage", "interval_disclosure", "values", "il1s"):
        assert refused[name] == UNPAIRED
    assert {"uniqueness", "means", "propensity"} <= {one.name for one in (*risk, *loss)}
    for refuses in (
        lambda: ta.score(data, after),
        lambda: ta.PostMasking(["pay"]).improve(data, after),
        lambda: ta.Intruder(["age"]).measure(ta.ExactLinkage(), data, after),
        lambda: ta.DistanceLinkage().measure(data, after),
    ):
        with pytest.raises(InputError) as told:
            refuses()
        assert str(told.value) == UNPAIRED


def test_every_face_takes_the_same_word() -> None:
    frame = people(60).assign(id=np.arange(60))
    mixed = noisy(frame).sample(frac=1, random_state=1).reset_index(drop=True)
    data, straight = ta.read(frame, roles=ROLES), noisy(frame)
    assert (
        ta.score(data, mixed, pair_by="id").score
        == ta.score(data, straight, pair_by="position").score
    )
    knows = ta.Intruder(["age"])
    faces = [
        lambda after, by: (
            ta.disclosure_risk(data, after, measures=["exact_linkage"], intruder=knows, pair_by=by)[
                0
            ].value
        ),
        lambda after, by: knows.measure(ta.ExactLinkage(), data, after, pair_by=by).value,
        lambda after, by: (
            ta.PostMasking(["pay", "age"], rounds=1, sweeps=1)
            .improve(data, after, pair_by=by)
            .before.score
        ),
    ]
    for face in faces:
        assert face(mixed, "id") == pytest.approx(face(straight, "position"))


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), by=st.sampled_from(["id", "index", None]))
def test_the_order_of_the_protected_file_changes_no_measure(seed: int, by: str | None) -> None:
    frame = people(40, seed).assign(id=[f"p{n}" for n in range(40)])
    data = ta.read(frame, roles={**ROLES, "id": "identifier"})
    after = noisy(frame, seed)
    mixed = after.sample(frac=1, random_state=seed)
    if by == "id":
        mixed = mixed.reset_index(drop=True)
    methods = [*RISKS, *LOSSES]
    straight, other = (
        {
            one.name: one.value
            for call in (ta.disclosure_risk, ta.information_loss)
            for one in call(data, file, measures=_of(call, methods), pair_by=way)
        }
        for file, way in ((after, "position"), (mixed, by))
    )
    assert len(straight) > 25
    assert {name: float(value) for name, value in other.items()} == pytest.approx(
        {name: float(value) for name, value in straight.items()}, rel=1e-9, abs=1e-12
    )


def _of(call: Any, methods: list[Any]) -> list[Any]:
    families = ("risk", "attack") if call is ta.disclosure_risk else ("utility",)
    return [method for method in methods if method.family in families]


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=20),
    st.lists(st.integers(0, 19), max_size=20),
    st.sampled_from([1, 10**6]),
)
def test_records_of_one_source_are_paired_with_the_first_of_their_row(rows, taken, apart) -> None:
    """Rows that come twice, in any order, near one another and far apart."""
    source = ta.read(pa.table({"x": list(range(31))}))
    original = source.take(np.array(rows))
    protected = original.take(np.array([place % len(rows) for place in taken], np.int64))
    spread = [replace(data, rows=data.source_rows * apart) for data in (original, protected)]
    expected = [rows.index(rows[place % len(rows)]) for place in taken]
    assert paired_rows(*spread).tolist() == expected


def test_records_that_the_original_lacks_are_refused() -> None:
    source = ta.read(pa.table({"x": list(range(9))}))
    for apart in (1, 10**6):
        few, more = (
            replace(data, rows=data.source_rows * apart)
            for data in (source.take(np.arange(5)), source.take(np.array([2, 7])))
        )
        with pytest.raises(InputError, match="do not come from these original data"):
            paired_rows(few, more)
