"""Profiles: each holds of a file that meets it, and each of its requirements can fail."""

import re
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.release.profile import PROFILES, find_profile

DOCS = Path(__file__).parents[2] / "docs"
NEW = [name for name in PROFILES if name.startswith(("gdpr", "hipaa"))]
MEASURED = [name for name, profile in PROFILES.items() if profile.demands]
INFERRED = [name for name, profile in PROFILES.items() if profile.confidential]
STRICT = [name for name, profile in PROFILES.items() if profile.every_attribute]
ROLES = {"colour": "key", "sex": "key", "disease": "confidential"}


def people(**columns):
    """Four classes of 48 records, in all of which the states are distributed alike."""
    table = {
        "colour": [n // 48 % 2 for n in range(192)],
        "sex": ["f" if n < 96 else "m" for n in range(192)],
        "disease": [("well", "ill", "well", "cured")[n % 4] for n in range(192)],
        **columns,
    }
    roles = {name: role for name, role in ROLES.items() if name in table}
    kinds = {"colour": "nominal"}
    return ta.read(pa.table(table), roles=roles, kinds=kinds).apply(ta.ShuffleRecords(), seed=1)


def judged(data, name, folder):
    """The verdicts on a profile, by what was required; nothing else is required."""
    outcome = data.release(folder, profile=name, force=True)
    return {next(iter(one.requirement)): one for one in outcome.verdicts}, outcome


@pytest.mark.parametrize("name", PROFILES)
def test_a_file_that_meets_a_profile_is_released_and_verified(name, tmp_path):
    outcome = people().release(tmp_path / "out", profile=name)
    assert outcome.holds
    assert not outcome.waived
    assert ta.verify(tmp_path / "out").verdict != "wrong"


@pytest.mark.parametrize("name", MEASURED)
def test_records_that_stand_alone_break_every_requirement(name, tmp_path):
    alone = people(colour=[f"r{n}" for n in range(192)])
    found, outcome = judged(alone, name, tmp_path / "out")
    profile = PROFILES[name]
    for demand in (*profile.demands, *profile.confidential):
        assert not found[demand.requirement.method.name].holds, demand
    assert not outcome.holds


@pytest.mark.parametrize("name", INFERRED)
def test_classes_of_one_value_break_what_is_required_of_inference_alone(name, tmp_path):
    states = ["well" if n // 48 % 2 else "ill" for n in range(192)]
    found, _ = judged(people(disease=states), name, tmp_path / "out")
    profile = PROFILES[name]
    assert all(found[one.requirement.method.name].holds for one in profile.demands)
    assert not any(found[one.requirement.method.name].holds for one in profile.confidential)


@pytest.mark.parametrize("name", INFERRED)
def test_a_file_without_confidential_attributes_infers_nothing_and_says_so(name, tmp_path):
    outcome = people().without(["disease"]).release(tmp_path / "out", profile=name)
    assert outcome.holds
    told = [one.sentence for one in outcome.verdicts if "does not apply" in one.sentence]
    assert len(told) == len(PROFILES[name].confidential)
    assert ta.verify(tmp_path / "out").verdict != "wrong"


@pytest.mark.parametrize("name", STRICT)
def test_undeclared_attributes_are_refused(name, tmp_path):
    outcome = people(shoe=["a", "b"] * 96).release(tmp_path / "out", profile=name, force=True)
    assert not outcome.holds
    told = [one.sentence for one in outcome.verdicts if not one.holds]
    assert "every attribute must be declared; shoe is not" in told


@pytest.mark.parametrize("name", MEASURED)
def test_a_file_without_keys_is_refused_in_a_sentence(name, tmp_path):
    data = people().without(["colour", "sex"])
    with pytest.raises(InputError, match="key"):
        data.release(tmp_path / "out", profile=name)


@pytest.mark.parametrize("name", [name for name in PROFILES if PROFILES[name].refuses])
def test_pseudonyms_are_refused_where_they_must_not_be(name, tmp_path):
    table = {**people().to_arrow().to_pydict(), "who": [f"p{n}" for n in range(192)]}
    data = ta.read(pa.table(table), roles={**ROLES, "who": "identifier"})
    made = data.apply(ta.Pseudonymize("who"), seed=1)
    outcome = made.release(tmp_path / "out", profile=name, force=True)
    assert f"a {name} must not rest on `pseudonymize`" in [v.sentence for v in outcome.verdicts]


def test_a_limited_data_set_keeps_dates_and_towns_and_no_direct_identifier(tmp_path):
    kept = people(admission_date=["2024-03-05", "2024-03-06"] * 96, city=["Ulm", "Bonn"] * 96)
    roles = {**ROLES, "admission_date": "key", "city": "key"}
    kept = ta.read(kept.to_arrow(), roles=roles)
    assert kept.release(tmp_path / "kept", profile="hipaa_limited_data_set").holds
    table = kept.to_arrow().append_column("surname", pa.array(["Smith", "Jones"] * 96))
    shown = ta.read(table, roles={**roles, "surname": "key"})
    outcome = shown.release(tmp_path / "out", profile="hipaa_limited_data_set", force=True)
    told = [one.sentence for one in outcome.verdicts if not one.holds]
    assert any("`surname` shows names, a direct identifier" in one.lower() for one in told), told


# -- what is told of them ----------------------------------------------------------------------


@pytest.mark.parametrize("name", PROFILES)
def test_everything_has_a_reason_and_a_source(name):
    profile = PROFILES[name]
    for demand in (*profile.demands, *profile.confidential):
        assert demand.reason.endswith(".")
        assert demand.reference
    assert set(profile.reasons) >= profile.refuses | profile.needs
    assert "undeclared attributes" in profile.reasons or not profile.every_attribute
    assert profile.reference


@pytest.mark.parametrize("name", ["gdpr_internal_use", "hipaa_internal_use"])
def test_nothing_is_called_anonymous_inside_the_house(name):
    told = PROFILES[name].audience
    assert "stay p" in told
    assert re.search("nothing here (makes them anonymous|de-identifies them)", told)


def test_the_page_has_every_profile_with_every_reason(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import tables

    page = (DOCS / "profiles.md").read_text(encoding="utf-8")
    assert "<!-- table: profile_reasons -->" in page
    reasons = tables.profile_reasons()
    for profile in PROFILES.values():
        assert f"`{profile.name}`" in page
        assert f"### `{profile.name}`" in reasons
        assert all(one.reason in reasons for one in (*profile.demands, *profile.confidential))
    assert set(NEW) <= set(PROFILES)


def test_a_profile_nobody_knows_is_refused():
    with pytest.raises(ParameterError, match="Did you mean `gdpr_public_use`"):
        find_profile("gdpr_publik_use")
