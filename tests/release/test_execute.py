from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.declaration import Declaration
from tacita.errors import InputError, ParameterError, ProtectionError, RequirementError
from tacita.release.execute import derived, execute, mask, mask_until, read_source, seeded_steps
from tacita.release.plan import DataPlan, Plan, Until
from tacita.release.profile import PROFILES
from tacita.release.requirement import Requirement

TOY = DataPlan(example=("toy", 200))


def plan(*steps, data: DataPlan = TOY, **more) -> Plan:
    return Plan(data, steps, **more)


def test_bounds_are_compared_exactly_as_written():
    data = ta.read(pa.table({"a": [*range(1), *[5] * 19]}), roles={"a": "key"})
    assert ta.Uniqueness().measure(data, data).value == Fraction(1, 20)
    assert Requirement.of({"uniqueness": {"at_most": 0.05}}).check(data, data).holds
    assert Requirement.of({"uniqueness": {"at_least": 0.05}}).check(data, data).holds
    assert not Requirement.of({"uniqueness": {"at_most": 0.0499}}).check(data, data).holds
    assert not Requirement.of({"uniqueness": {"at_least": 0.0501}}).check(data, data).holds


def test_an_undefined_measure_meets_no_bound():
    empty = ta.example("toy", 0)
    assert not Requirement.of({"uniqueness": {"at_most": 1}}).check(empty, empty).holds


def test_rounds_get_stricter_until_the_risk_is_met_and_start_anew(patients):
    rounds = [[ta.Generalize("patzip", level)] for level in (1, 2, 5)]
    requirement = Requirement.of({"uniqueness": {"keys": ["patzip"], "at_most": 0}})
    masked, done = mask_until(
        patients, patients, Until(requirement, tuple(map(tuple, rounds))), seed=1
    )
    met = done[0].notes["round"]
    assert requirement.check(patients, masked).holds
    alone, _ = mask(patients, Plan(TOY, tuple(rounds[met - 1])), seed=9)
    assert masked.table.equals(alone.table)
    if met > 1:
        milder, _ = mask(patients, Plan(TOY, tuple(rounds[met - 2])), seed=9)
        assert not requirement.check(patients, milder).holds


def test_an_attack_inside_until_knows_the_original_behind_a_sample(patients):
    methods = (
        ta.Drop(["los", "oshpd_id"]),
        ta.Generalize("patzip", 5),
        ta.Generalize("age_yrs", 4),
    )
    after = ta.ExactLinkage().measure(
        patients, mask(patients, Plan(TOY, (ta.Sample(0.5), *methods)), 1)[0]
    )
    bound = {"exact_linkage": {"at_most": str(after.value)}}
    masked, _ = mask(
        patients, Plan(TOY, (ta.Sample(0.5), Until(Requirement.of(bound), (methods,)))), seed=1
    )
    assert ta.ExactLinkage().measure(patients, masked).value == after.value > 0


def test_rounds_that_never_suffice_say_so(patients):
    requirement = Requirement.of({"uniqueness": {"at_most": 0}})
    with pytest.raises(ProtectionError, match="None of the 1 rounds is strict enough"):
        mask_until(patients, patients, Until(requirement, ((ta.Generalize("patzip", 1),),)), seed=1)


def test_a_step_does_not_disturb_the_draws_of_another():
    sampled = execute(plan(ta.Sample(0.5)), seed=3).protected.source_rows
    both = execute(plan(ta.Sample(0.5), ta.Pseudonymize("id")), seed=3).protected.source_rows
    assert set(sampled) == set(both)
    assert len({derived(3, place) for place in range(100)}) == 100


def test_identifiers_never_leave_and_the_report_says_so():
    outcome = execute(plan(), seed=1)
    assert "id" not in outcome.protected.names
    assert any("Identifiers no step dealt with were dropped: id" in w for w in outcome.warnings)
    kept = execute(plan(ta.Pseudonymize("id")), seed=1)
    assert "id" in kept.protected.names


def test_undeclared_attributes_are_told_dropped_or_refused(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("age,shoe\n1,2\n1,3\n")
    said = {"age": Declaration(role="key")}
    kept = execute(plan(data=DataPlan(file, attributes=said)), seed=1)
    assert kept.protected.names == ["age", "shoe"]
    told = "Nobody declared shoe (1 attribute): released as non-confidential."
    assert told in kept.warnings
    dropped = execute(plan(data=DataPlan(file, attributes=said, undeclared="drop")), seed=1)
    assert dropped.protected.names == ["age"]
    with pytest.raises(InputError, match="must be declared; 1 are not"):
        execute(plan(data=DataPlan(file, attributes=said, undeclared="refuse")), seed=1)


def test_measures_that_do_not_apply_are_skipped_with_the_reason():
    elsewhere = (ta.Uniqueness(("nothere",)),)
    result = execute(Plan(DataPlan(example=("census", 50)), measures=elsewhere), seed=1)
    assert result.skipped[0][0] == "uniqueness"
    assert "no attribute `nothere`" in result.skipped[0][1]


def test_a_profile_brings_requirements_and_refusals():
    public = PROFILES["public_use_file"]
    outcome = execute(
        plan(ta.Pseudonymize("id"), requirements=public.requirements, profile=public), seed=1
    )
    sentences = [verdict.sentence for verdict in outcome.verdicts if not verdict.holds]
    assert "a public_use_file must not rest on `pseudonymize`" in sentences
    assert not outcome.holds


def test_a_release_that_fails_is_not_written_unless_forced(tmp_path, toy):
    with pytest.raises(RequirementError, match="Nothing was released: 1 of 1 requirements fail"):
        toy.release(tmp_path / "out", require=[ta.KAnonymity(50)])
    assert not (tmp_path / "out").exists()
    toy.release(tmp_path / "out", require=[ta.KAnonymity(50)], force=True)
    assert '"requirements_hold": false' in (tmp_path / "out/public/statement.json").read_text()


def test_requirements_of_a_release_are_checked_before_anything_else(tmp_path, toy):
    with pytest.raises(ParameterError, match="Did you mean `public_use_file`"):
        toy.release(tmp_path / "out", profile="public_use")
    with pytest.raises(ParameterError, match="say `at_most`"):
        toy.release(tmp_path / "out", require=[ta.Uniqueness()])


def test_only_masking_masks(toy):
    with pytest.raises(ParameterError, match="family model and masks nothing"):
        toy.apply(ta.KAnonymity(2))


def test_one_name_is_as_good_as_a_list_and_an_empty_list_is_not(toy):
    assert ta.Drop("id") == ta.Drop(["id"])
    with pytest.raises(ParameterError, match="`attributes` of `drop` needs at least 1"):
        ta.Drop([])
    with pytest.raises(ParameterError, match="`to` of `lattice` needs at least 1"):
        ta.Lattice([])
    with pytest.raises(ParameterError, match="`lattice` needs its parameter `to`"):
        toy.anonymize()


def test_example_data_may_be_declared_otherwise(tmp_path):
    (tmp_path / "h.csv").write_text("1;*\n2;*\n3;*\n4;*\n")
    said = DataPlan(
        example=("patients", 100),
        attributes={
            "adm_qtr": Declaration(role="key", kind="nominal", hierarchy={"file": "h.csv"})
        },
    )
    data = read_source(Plan(said, folder=tmp_path))
    assert data.attribute("adm_qtr").hierarchy.height == 1
    assert data.attribute("charge").is_a(ta.Role.CONFIDENTIAL)


def test_a_step_in_between_changes_nobodys_draws():
    one = execute(plan(ta.Sample(0.5)), seed=3).protected.source_rows
    two = execute(plan(ta.TopCode("age", 60), ta.Sample(0.5)), seed=3).protected.source_rows
    assert set(one) == set(two)


def test_a_step_of_the_same_method_takes_the_draws_of_the_next():
    """The seed goes with the method's name and how often it came before: the page says so."""
    steps = ta.Sample(0.9), ta.TopCode("age", 60), ta.Sample(0.5)
    seeds = {number: dict(_seeded(*steps[number:])) for number in range(3)}
    assert seeds[1][ta.Sample(0.5)] == seeds[2][ta.Sample(0.5)] == seeds[0][ta.Sample(0.9)]
    assert seeds[0][ta.Sample(0.5)] != seeds[1][ta.Sample(0.5)]
    assert seeds[0][ta.TopCode("age", 60)] == seeds[1][ta.TopCode("age", 60)]


def _seeded(*steps):
    return seeded_steps(plan(*steps), 3)


def test_a_seed_that_can_be_guessed_is_warned_of():
    def warned(*steps, seed: int) -> bool:
        return any("found by trying" in w for w in execute(plan(*steps), seed=seed).warnings)

    assert warned(ta.Sample(0.5), seed=1)
    assert not warned(ta.Sample(0.5), seed=2**100)
    assert not warned(ta.TopCode("age", 60), seed=1)


def test_a_public_use_file_needs_shuffled_records_and_declared_attributes(tmp_path):
    table = pa.table({"age": [1] * 22, "name": [f"p{i}" for i in range(22)]})
    data = ta.read(table, roles={"age": "key"})
    with pytest.raises(RequirementError, match="every attribute must be declared; name is not"):
        data.release(tmp_path / "out", profile="public_use_file")
    with pytest.raises(RequirementError, match="needs `shuffle_records` among its steps"):
        data.without(["name"]).release(tmp_path / "out", profile="public_use_file")
    data.without(["name"]).apply(ta.ShuffleRecords()).release(
        tmp_path / "out", profile="public_use_file"
    )


def test_public_losses_do_not_give_a_capped_value_away(tmp_path):
    incomes = np.append(np.full(999, 30_000), 37_412_900)
    data = ta.read(pa.table({"age": np.full(1000, 40), "income": incomes}), roles={"age": "key"})
    data.apply(ta.TopCode("income", 200_000)).release(tmp_path / "out", waive="a test")
    statement = json.loads((tmp_path / "out/public/statement.json").read_text())
    losses = [row for row in statement["measures"] if row["family"] == "utility"]
    assert losses
    assert all("value" not in row for row in losses)
    assert {row["at_most"] for row in losses} <= {None, 0, 0.001, 0.01, 0.1}


def test_what_was_dropped_by_hand_is_a_step_and_no_longer_warned_of(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("age,shoe\n1,2\n1,3\n")
    left = ta.read(file, roles={"age": "key"}).without(["shoe"])
    assert not any(
        "shoe" in warning for warning in left.release(tmp_path / "out", waive="a test").warnings
    )
    verification = ta.verify(tmp_path / "out", source=file)
    assert verification.holds, str(verification)


def test_what_a_profile_cannot_check_is_placed_at_the_profile(tmp_path):
    (tmp_path / "d.csv").write_text("a\n1\n")
    file = tmp_path / "plan.yaml"
    file.write_text(
        "data: {source: d.csv, attributes: {a: confidential}}\n"
        "microdata:\n  profile: scientific_use_file\n"
    )
    with pytest.raises(InputError, match=r"line 3, field `microdata.profile`: No attribute has"):
        ta.run(file, tmp_path / "out")


def test_free_text_is_refused_until_it_is_dropped(tmp_path):
    notes = [f"came in on day {day} after a fall at home" for day in range(60)]
    data = ta.read(pa.table({"sex": ["f", "m"] * 30, "notes": notes}), roles={"sex": "key"})
    with pytest.raises(
        RequirementError, match=r"`notes`: 60 of its 60 values hold free text, .*; drop it"
    ):
        data.release(tmp_path / "out", waive="a test")
    assert not (tmp_path / "out").exists()
    assert data.apply(ta.Drop(["notes"])).release(tmp_path / "out", waive="a test").holds
    forced = data.release(tmp_path / "out", waive="a test", force=True)
    assert not forced.holds
    assert (
        ta.verify(tmp_path / "out").verdict == "not proven"
    )  # it says of itself that a requirement fails
