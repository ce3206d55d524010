"""`tacita profiles`, called as a person calls it."""

from tacita.release.profile import PROFILES


def test_the_command_lists_them_with_reasons(run_cli):
    rows = run_cli("profiles", "--json").json
    assert [row["name"] for row in rows] == list(PROFILES)
    (one,) = run_cli("profiles", "gdpr_public_use", "--json").json
    assert one["requirements"][0]["requirement"] == {"k_anonymity": {"k": 11}}
    assert [row["of_confidential_attributes"] for row in one["requirements"]].count(True) == 2
    shown = " ".join(run_cli("profiles", "gdpr_internal_use").out.split())
    assert "The data stay personal data" in shown
    assert "Did you mean" in run_cli("profiles", "gdpr_public").err
