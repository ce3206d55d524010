from __future__ import annotations

import pandas as pd
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
    risk, utility = masked.risk(), masked.utility()
    assert [row.family for row in risk] == ["risk", "attack"]
    assert "uniqueness" in repr(risk)
    assert utility.to_pandas()["name"].tolist() == ["correlations", "means", "variances"]
    assert utility.to_polars().shape == (3, 4)
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


def test_examples_by_name():
    assert ta.example("firms", 10).origin == Origin()
    assert len(ta.example("survey")) == 1000
    with pytest.raises(ta.errors.InputError, match="Did you mean `medical`"):
        ta.example("medcal")
