"""Proven, withstood and not proven are never merged, and only proven is green."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.release.manifest import encode_json
from tacita.release.proof import Judged, Proof, mark_of, proof_of
from tacita.release.report.content import BADGES, content
from tacita.release.report.facts import internal_facts
from tacita.release.verify import Status

PLAN = """
data:
  source: toy.csv
  attributes: {id: identifier, household: household, age: key, zip: key, income: confidential}
microdata:
  steps:
    - drop: {attributes: [id, household]}
    - anonymize: {to: {k_anonymity: 3}}
  require:
    - k_anonymity: 3
    - uniqueness: {at_most: 0}
    - exact_linkage: {at_most: 0.9}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Data, plan and release of which two requirements are proven, and one withstood."""
    folder = tmp_path_factory.mktemp("proof")
    ta.example("toy", 300, seed=2).write(folder / "toy.csv")
    (folder / "plan.yaml").write_text(PLAN)
    outcome = ta.run(folder / "plan.yaml", folder / "out", seed=5)
    return outcome, folder


def test_attacks_and_estimates_prove_nothing_and_models_and_counts_do():
    known = {
        name: proof_of({name: {}}, holds=True)
        for name, method in ta.methods().items()
        if method.family in {"model", "risk", "utility", "attack"}
    }
    withstood = {name for name, proof in known.items() if proof is Proof.WITHSTOOD}
    assert {
        *("exact_linkage", "distance_linkage", "order_linkage", "attribute_inference"),
        *("pitman_uniqueness", "population_uniqueness", "individual_risk", "suda2"),
        *("k_map", "limited_population_uniques"),
    } <= withstood
    assert {"k_anonymity", "differential_privacy", "t_closeness", "uniqueness"}.isdisjoint(
        withstood
    )
    assert not any(name in withstood for name in ta.methods() if name in {"means", "suppression"})
    assert Proof.NOT_PROVEN not in known.values()


def test_what_fails_or_a_person_answers_for_is_not_proven():
    assert proof_of({"k_anonymity": {"k": 2}}, holds=False) is Proof.NOT_PROVEN
    assert proof_of({"without": "free_text in remark, waived"}, holds=True) is Proof.NOT_PROVEN
    assert proof_of({"without": "direct identifiers"}, holds=True) is Proof.WITHSTOOD
    assert proof_of({"uniqueness": {}}, holds=True, for_intruder=True) is Proof.WITHSTOOD
    assert proof_of({"protected": "t"}, holds=True) is Proof.PROVEN
    assert mark_of({"protected": "t"}, holds=False) == "FAILS"


ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(Proof)).map(
        lambda drawn: {
            "holds": drawn[0],
            "proof": drawn[1].value if drawn[0] else Proof.NOT_PROVEN.value,
        }
    ),
    max_size=12,
)


@given(ROWS)
def test_only_what_is_proven_is_green_and_every_requirement_is_counted_once(rows):
    judged = Judged.of_rows(rows)
    all_proven = bool(rows) and all(row["proof"] == "proven" for row in rows)
    assert judged.is_proven == all_proven
    held = [row for row in rows if row["holds"]]
    if len(rows) == len(held) > 1 and not all_proven:
        told = judged.sentence
        for word in ("proven", "withstood", "not proven"):
            count = sum(row["proof"] == word for row in rows)
            phrase = f" {count} {word}{' named attacks' * (word == 'withstood')}"
            assert any(f"{phrase}{end}" in told for end in ",.") == bool(count)
    assert ("hold" in judged.sentence and "fail" not in judged.sentence) == (
        len(rows) == len(held) > 0
    )


def test_badges_are_green_for_nothing_but_proven():
    assert {proof for proof, (_, state) in BADGES.items() if state == "good"} == {Proof.PROVEN}
    assert len({badge for badge, _ in BADGES.values()}) == len(Proof)


def test_evidence_statement_and_reports_tell_the_states_apart(run):
    outcome, folder = run
    told = "All 3 requirements hold: 2 proven, 1 withstood named attacks."
    evidence = json.loads((folder / "out/internal/evidence.json").read_text())
    assert [row["proof"] for row in evidence["requirements"]] == ["proven", "proven", "withstood"]
    statement = json.loads((folder / "out/public/statement.json").read_text())
    counts = {"required": 3, "held": 3, "proven": 2, "withstood": 1}
    assert statement["requirements"] == counts
    assert [row["proof"] for row in statement["guarantees"]] == ["proven"]
    for side in ("public", "internal"):
        page = (folder / "out" / side / "report.html").read_text()
        assert told in page
        assert 'class="verdict warn"' in page
        assert 'class="verdict good"' not in page
        assert ('<span class="badge warn">withstood</span>' in page) == (side == "internal")
    proven = replace(outcome, verdicts=outcome.verdicts[:2])
    report = content(internal_facts(proven, {"tacita": "9.8.7"}))
    assert (report.state, report.verdict) == (
        "good",
        "All 2 requirements hold, each of them proven.",
    )


def test_verify_tells_them_apart_and_finds_what_is_merged(run):
    folder = run[1] / "out"
    lines = {line.what: line for line in ta.verify(folder, source=run[1] / "toy.csv").lines}
    told = {what: line.sentence for what, line in lines.items() if what.startswith("required")}
    assert [sentence.split(":")[0] for sentence in told.values()] == [
        "proven",
        "proven",
        "withstood",
    ]
    file = folder / "internal/evidence.json"
    before = file.read_bytes()
    try:
        evidence = json.loads(before)
        evidence["requirements"][2]["proof"] = "proven"
        file.write_bytes(encode_json(evidence))
        lines = {line.what: line for line in ta.verify(folder).lines}
        merged = next(line for what, line in lines.items() if "exact_linkage (at_most" in what)
        assert (merged.status, merged.what[:8]) == (Status.WRONG, "required")
        assert lines["statement and evidence"].status is not Status.WRONG
    finally:
        file.write_bytes(before)
    statement = folder / "public/statement.json"
    before = statement.read_bytes()
    try:
        said = json.loads(before)
        said["requirements"] |= {"proven": 3, "withstood": 0}
        statement.write_bytes(encode_json(said))
        lines = {line.what: line.status for line in ta.verify(folder).lines}
        assert lines["statement and evidence"] is Status.WRONG
        assert lines["public/report.html"] is Status.WRONG
    finally:
        statement.write_bytes(before)
