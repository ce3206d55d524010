from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import tacita as ta
from tacita.data.frames import Origin


def test_masking_gives_a_new_object_that_remembers_its_original(toy):
    masked = toy.apply(ta.TopCode("age", 60)).apply(ta.Generalize("zip", 2))
    assert masked.original is toy
    assert [done.method.name for done in masked.steps] == ["top_code", "generalize"]
    assert isinstance(masked, ta.Microdata)


def test_a_seed_left_out_is_drawn_anew_and_kept(toy):
    one, two = toy.apply(ta.Sample(0.5)), toy.apply(ta.Sample(0.5))
    assert one.steps[0].seed != two.steps[0].seed
    again = toy.apply(ta.Sample(0.5), seed=one.steps[0].seed)
    assert again.fingerprint() == one.fingerprint()


def test_risk_and_utility_print_well_and_become_frames(toy):
    masked = toy.apply(ta.TopCode("age", 60))
    names = ["correlations", "means", "variances"]
    utility = ta.information_loss(toy, masked, measures=names)
    assert utility.to_pandas()["name"].tolist() == names
    assert utility.to_polars().columns == [
        "name", "family", "value", "lower", "upper", "sentence"
    ]  # fmt: skip
    assert utility["means"].parts["age"] > 0
    assert utility[0].name == "correlations"
    assert len(utility) == 3
    with pytest.raises(KeyError, match="nothing"):
        utility["nothing"]


def test_until_from_python(patients):
    rounds = [[ta.Generalize("patzip", level)] for level in (1, 3, 5)]
    masked = patients.apply_until({"uniqueness": {"keys": ["patzip"], "at_most": 0}}, rounds)
    assert ta.Uniqueness(("patzip",)).measure(patients, masked).value == 0


def test_anonymize_from_a_frame_gives_a_frame():
    frame = pd.DataFrame({"age": [21, 22, 23, 41, 42, 43], "disease": list("abcabc")})
    data = ta.read(
        frame,
        roles={"age": "key", "disease": "confidential"},
        hierarchies={"age": {"intervals": {"widths": [10]}}},
    )
    safe = data.anonymize(ta.KAnonymity(3)).to_native()
    assert isinstance(safe, pd.DataFrame)
    assert safe["age"].tolist() == ["[20,30)"] * 3 + ["[40,50)"] * 3
    assert frame["age"].tolist() == [21, 22, 23, 41, 42, 43]


def test_what_an_anonymization_kept_low_is_told(toy):
    assert toy.loss is None
    assert toy.noting(loss=0.25).loss == 0.25


def test_examples_by_name():
    assert ta.example("firms", 10).origin == Origin()
    assert len(ta.example("survey")) == 1000
    with pytest.raises(ta.errors.InputError, match="Did you mean `medical`"):
        ta.example("medcal")


def test_frames_are_data_too():
    frame = pd.DataFrame({"age": [1, 1, 2]})
    assert not ta.KAnonymity(2, keys=["age"]).check(frame).holds
    original = ta.read(frame, roles={"age": "key"})
    assert float(ta.disclosure_risk(original, frame)["uniqueness"].value) == pytest.approx(1 / 3)
    assert ta.information_loss(frame, frame)["means"].value == 0


def test_what_was_not_measured_is_said():
    shown = repr(ta.read(pd.DataFrame({"age": [1, 2]})).risk().table())
    assert "not measured: No attribute has the role `key`" in shown
    with pytest.raises(KeyError, match="Did you mean `uniqueness`"):
        ta.example("toy", 20).risk()["uniqness"]


def test_results_print_in_a_line(toy):
    assert repr(toy.risk()["uniqueness"]).startswith("uniqueness: ")
    assert repr(ta.KAnonymity(2).check(toy)).startswith(("holds: ", "FAILS: "))


def test_a_part_remembers_its_original(toy):
    part = toy.take(np.array([18, 19]))
    assert part.original is toy
    assert part.risk()["uniqueness"].value == 1
    assert len(toy.head(3)) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.apply("top_code"), "Expected a method"),
        (lambda d: d.apply(ta.TopCode), "found TopCode"),
        (lambda d: d.apply(ta.Sample(0.5), seed=-1), "0 or more; found -1"),
        (lambda d: d.apply(ta.Sample(0.5), seed="a"), "whole number"),
        (lambda d: d.apply_until({"uniqueness": {"at_most": 1}}, []), "at least one round"),
        (lambda d: ta.example("toy", -1), "number of records"),
        (lambda d: ta.read(d.to_pandas(), roles=["age"]), "must be a mapping"),
        (lambda d: ta.read(d.to_pandas()["age"]), "Expected a path or a data frame"),
    ],
)
def test_the_first_mistakes_are_told_in_a_sentence(call, message, toy):
    with pytest.raises(ta.TacitaError, match=message):
        call(toy)


def test_one_requirement_need_not_be_a_list(tmp_path, toy):
    toy.release(tmp_path / "one", require={"uniqueness": {"at_most": 1}})
    with pytest.raises(ta.errors.RequirementError):
        toy.release(tmp_path / "two", require=ta.KAnonymity(300))
    shown = repr(toy.release(tmp_path / "three", require=ta.KAnonymity(300), force=True))
    assert "FAILS" in shown
    assert len(shown.splitlines()) < 100


def test_what_lies_beneath_a_suppressed_value_is_not_handed_out():
    """Arrow keeps the value under the mark that hides it; a frame of masked data must not."""
    wages = pa.array([987_654_321, 1])
    hidden = pc.if_else(pa.array([True, False]), pa.scalar(None, pa.int64()), wages)
    assert (987_654_321).to_bytes(4, "little") in hidden.buffers()[1].to_pybytes()
    data = ta.read(pa.table({"id": ["a", "b"], "wage": hidden}), roles={"id": "identifier"})
    column = data.apply(ta.Drop(["id"])).to_arrow().column("wage").chunk(0)
    assert (987_654_321).to_bytes(4, "little") not in column.buffers()[1].to_pybytes()


def test_risk_and_utility_tell_everything_that_can_be_measured(toy):
    masked = toy.apply(ta.TopCode("age", 60))
    told = [("risk", "attack"), ("utility",)]
    for measures, families in zip((masked.risk().table(), masked.utility()), told, strict=True):
        known = {name for name, cls in ta.methods().items() if cls.family in families}
        assert {row.name for row in measures} | {name for name, _ in measures.skipped} == known
        assert all(name in repr(measures) for name in known)


def test_measures_can_be_chosen_by_name_or_with_parameters(toy):
    chosen = ta.disclosure_risk(toy, toy, measures=["uniqueness", ta.ExactLinkage(keys=["age"])])
    assert [row.name for row in chosen] == ["uniqueness", "exact_linkage"]
    assert chosen["exact_linkage"].parameters == {"keys": ["age"]}
    with pytest.raises(ta.TacitaError, match="family utility; expected here: risk or attack"):
        ta.disclosure_risk(toy, toy, measures=["means"])
    with pytest.raises(ta.TacitaError, match="Did you mean `uniqueness`"):
        ta.disclosure_risk(toy, toy, measures=["uniquenes"])


def test_a_measure_of_the_other_family_is_refused(toy):
    with pytest.raises(ta.TacitaError, match="family utility"):
        ta.disclosure_risk(toy, toy, measures=[ta.Means()])
