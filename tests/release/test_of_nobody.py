"""A release of fully synthetic records never takes them for respondents."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.registry import family


@pytest.fixture(scope="module")
def made():
    people = ta.example("toy", 200).with_external(holdout=ta.example("toy", 200, seed=7))
    return people.apply(ta.SequentialTrees(), seed=1)


def test_risks_of_respondents_are_not_measured_and_say_why(made):
    found = made.risk()
    measured = {one.name for one in found}
    assert measured == {"closest_records", "membership_inference", "attribute_inference"}
    skipped = dict(found.skipped)
    for name in set(family("risk")) - measured:
        assert "come from nobody" in skipped[name]


def test_losses_are_measured_as_ever(made):
    assert {"propensity", "total_variation", "means", "regression_overlap"} <= {
        one.name for one in made.utility()
    }


def test_partially_synthetic_records_are_respondents():
    people = ta.example("toy", 200)
    partly = people.apply(ta.PartialImputation("income"), seed=1)
    assert {"uniqueness", "individual_risk", "distance_linkage"} <= {
        one.name for one in partly.risk()
    }


def test_a_bound_on_such_a_risk_is_refused(made, tmp_path):
    with pytest.raises(InputError, match=r"`uniqueness` takes every record.*`closest_records`"):
        made.release(tmp_path / "out", require={"uniqueness": {"at_most": 0.1}})


def test_records_have_no_number_and_no_class(made, tmp_path):
    outcome = made.release(tmp_path / "out", require={"closest_records": {"at_most": 1}})
    table = pq.read_table(tmp_path / "out" / "internal" / "records.parquet")
    assert table["source_record"].null_count == len(table) == 200
    assert "class_size" not in table.column_names
    assert not [note for note in outcome.warnings if "respondents" in note]
    assert "Records by the size of their class" not in (
        tmp_path / "out" / "public" / "report.html"
    ).read_text(encoding="utf-8")


def test_records_of_respondents_keep_their_numbers(tmp_path):
    people = ta.example("toy", 50)
    people.apply(ta.PartialImputation("income"), seed=1).release(tmp_path / "out", waive="a test")
    table = pq.read_table(tmp_path / "out" / "internal" / "records.parquet")
    assert sorted(table["source_record"].to_pylist()) == list(range(1, 51))


def test_a_model_of_classes_and_a_missing_holdout_are_warned_of(tmp_path):
    made = ta.example("toy", 200).apply(ta.SequentialTrees(["education"], copies="report"), seed=1)
    outcome = made.release(tmp_path / "out", require=ta.KAnonymity(2))
    told = " ".join(outcome.warnings)
    assert "not a guarantee for respondents" in told
    assert "give them as `holdout`" in told
