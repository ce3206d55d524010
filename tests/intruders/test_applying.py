"""Whether a number means anything after what was done to the keys: by steps, and by guessing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.read import as_dataset
from tacita.errors import RequirementError
from tacita.intruders.applying import Applying, guessed_perturbed
from tacita.release.requirement import Requirement

KEYS = ["age", "education", "region"]
COUNTING = ("uniqueness", "individual_risk", "marketer_risk", "prosecutor_risk", "suda2")
LINKING = ("distance_linkage", "probabilistic_linkage", "exact_linkage")
PERTURBING = {
    "pram": ta.Pram(["education", "region"], minimum_diagonal=0.5),
    "rank_swap": ta.RankSwap(["age"], p=10),
    "add_noise": ta.AddNoise(["age"], alpha=0.5),
}
RECODING = {
    "generalize": ta.Generalize("education", level=1),
    "recode": ta.Recode("age", width=10),
    "top_code": ta.TopCode("age", 60),
    "round_values": ta.RoundValues(["age"], 5),
    "local_suppression": ta.LocalSuppression(3),
    "sample": ta.Sample(0.5),
    "lattice": ta.Lattice(ta.KAnonymity(3), suppression_limit=0.2),
}


@pytest.fixture(scope="module")
def data() -> ta.Microdata:
    return ta.example("toy", 500)


def measured(original: object, protected: object, **said: object) -> ta.Measures:
    return ta.disclosure_risk(original, protected, measures=[*COUNTING, *LINKING], **said)


@pytest.mark.parametrize("name", PERTURBING)
def test_counts_mean_nothing_after_keys_were_perturbed(data: ta.Microdata, name: str) -> None:
    found = measured(data, data.apply(PERTURBING[name], seed=1))
    reasons = dict(found.skipped)
    assert set(reasons) == set(COUNTING)
    assert all(f"not applicable after {name} of keys" in why for why in reasons.values())
    assert [one.name for one in found] == list(LINKING)


@pytest.mark.parametrize("name", RECODING)
def test_counts_mean_something_after_keys_were_recoded_or_left_out(
    data: ta.Microdata, name: str
) -> None:
    found = measured(data, data.apply(RECODING[name], seed=1))
    assert {one.name for one in found} >= set(COUNTING)


def test_what_is_no_key_may_be_perturbed(data: ta.Microdata) -> None:
    masked = data.apply(ta.RankSwap(["income"], p=10), seed=1)
    assert not measured(data, masked).skipped
    by_income = ta.disclosure_risk(data, masked, measures=[ta.Uniqueness(["income"])])
    assert "keys (income)" in dict(by_income.skipped)["uniqueness"]
    knows = ta.disclosure_risk(
        data, masked, measures=["uniqueness"], intruder={"attributes": ["age", "income"]}
    )
    assert "keys (income)" in dict(knows.skipped)["uniqueness"]


def test_every_step_counts_and_the_last_one_hides_nothing(data: ta.Microdata) -> None:
    masked = data.apply(PERTURBING["pram"], seed=1).apply(ta.Recode("age", width=10), seed=2)
    assert "after pram of keys (education, region)" in dict(measured(data, masked).skipped)["suda2"]


@pytest.mark.parametrize("name", PERTURBING)
def test_of_a_foreign_file_it_is_guessed(data: ta.Microdata, name: str) -> None:
    masked = data.apply(PERTURBING[name], seed=1)
    foreign = masked.to_arrow().select(KEYS)
    found = measured(data, foreign, pair_by="position")
    assert set(dict(found.skipped)) == set(COUNTING)
    assert "what looks like a perturbation of keys" in dict(found.skipped)["uniqueness"]


@pytest.mark.parametrize("name", ["pram", "rank_swap"])
def test_new_combinations_show_it_where_nobody_knows_who_is_who(
    data: ta.Microdata, name: str
) -> None:
    masked = data.apply(PERTURBING[name], seed=1).apply(ta.ShuffleRecords(), seed=3)
    found = measured(data, masked.to_arrow().select(KEYS))
    assert set(dict(found.skipped)) >= set(COUNTING)


@pytest.mark.parametrize("name", [name for name in RECODING if name != "sample"])
def test_a_foreign_file_that_was_recoded_is_not_blamed(data: ta.Microdata, name: str) -> None:
    masked = data.apply(RECODING[name], seed=1)
    foreign = as_dataset(masked.to_arrow().select(KEYS), like=data)
    assert list(guessed_perturbed(data, foreign, KEYS)) == []
    if len(masked) == len(data):
        _, paired = ta.pair(data, masked.to_arrow().select(KEYS), "position")
        assert list(guessed_perturbed(data, paired, KEYS)) == []


@given(
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from("abcdef")), min_size=1, max_size=30),
    st.integers(1, 9),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from("def"), max_size=3),
    st.randoms(use_true_random=False),
)
def test_recoding_is_never_taken_for_perturbation(rows, width, groups, random) -> None:
    """Numbers into classes, categories into others that stay, blanks anywhere."""
    roles = {"number": "key", "word": "key"}
    numbers, words = zip(*rows, strict=True)
    data = ta.read(pa.table({"number": numbers, "word": words}), roles=roles)
    gone = [place > 0 and random.random() < 0.3 for place in range(len(rows))]
    recoded = {
        "number": [
            None if hide else n // width * width for n, hide in zip(numbers, gone, strict=True)
        ],
        "word": [groups.get(word, word) for word in words],
    }
    _, after = ta.pair(data, pa.table(recoded), "position")
    assert list(guessed_perturbed(data, after, ["number", "word"])) == []


@given(st.permutations(range(12)), st.integers(0, 5))
def test_exchanged_numbers_are_seen(order, extra) -> None:
    data = ta.read(pa.table({"age": [*range(12), *[5] * extra]}), roles={"age": "key"})
    moved = pa.table({"age": [*order, *[5] * extra]})
    _, after = ta.pair(data, moved, "position")
    expected = [] if list(order) == sorted(order) else ["age"]
    assert list(guessed_perturbed(data, after, ["age"])) == expected


def test_a_requirement_on_what_does_not_apply_never_holds(data: ta.Microdata) -> None:
    masked = data.apply(PERTURBING["pram"], seed=1)
    for said in (
        {"uniqueness": {"at_most": 1}},
        {"marketer_risk": {"at_least": 0}},
        {"average_risk": 1},
    ):
        verdict = Requirement.of(said).check(data, masked)
        assert not verdict.holds
        assert verdict.value is None
        assert verdict.sentence.startswith("not proven: not applicable after pram of keys")
    assert Requirement.of({"rank_linkage": {"at_most": 1}}).check(data, masked).holds
    assert Requirement.of({"k_anonymity": 2}).check(data, masked).value is not None


def test_a_release_that_requires_it_is_refused(data: ta.Microdata, tmp_path) -> None:
    masked = data.apply(PERTURBING["rank_swap"], seed=1)
    with pytest.raises(RequirementError, match="not applicable after rank_swap"):
        masked.release(tmp_path / "out", require={"uniqueness": {"at_most": 0.99}})
    assert not (tmp_path / "out").exists()


def test_steps_are_remembered_record_by_record(data: ta.Microdata) -> None:
    """Records in another order have the values they had."""
    masked = data.apply(ta.ShuffleRecords(), seed=1).apply(PERTURBING["rank_swap"], seed=1)
    assert [(one.by, one.attributes) for one in masked.changed] == [
        ("shuffle_records", ()),
        ("rank_swap", ("age",)),
    ]
    assert Applying(data, masked).reason_against(ta.Uniqueness(["education"])) is None


def test_a_mask_by_hand_is_remembered_too(data: ta.Microdata) -> None:
    masked = PERTURBING["add_noise"].mask(data, np.random.default_rng(1))
    assert Applying(data, masked).reason_against(ta.Uniqueness()) is not None
