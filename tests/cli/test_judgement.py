"""What `tacita run` says of all requirements together, and in which colour."""

from __future__ import annotations

import tacita as ta
from tacita.cli import printing
from tacita.release.proof import Judged

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


def test_the_command_line_is_green_for_nothing_but_proven(run_cli, tmp_path, monkeypatch):
    folder = tmp_path
    ta.example("toy", 300, seed=2).write(folder / "toy.csv")
    (folder / "plan.yaml").write_text(PLAN)
    said = []
    monkeypatch.setattr(printing, "_coloured", lambda text, colour: said.append((text, colour)))
    ran = run_cli("run", folder / "plan.yaml", "--out", folder / "again", "--seed", "5")
    assert said == [("All 3 requirements hold: 2 proven, 1 withstood named attacks.", "yellow")]
    assert "proven     k_anonymity" in ran.out
    assert "withstood  exact_linkage" in ran.out
    printing.judgement(Judged(2, 2, 2, 0))
    printing.judgement(Judged(2, 1, 1, 0))
    assert [colour for _, colour in said] == ["yellow", "green", "red"]
    ran = run_cli("run", folder / "plan.yaml", "--out", folder / "more", "--seed", "5", "--json")
    proofs = [row["proof"] for row in ran.json["requirements"]]
    assert proofs == ["proven", "proven", "withstood"]
