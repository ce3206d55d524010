from __future__ import annotations

import shutil

import pytest

import tacita as ta
from tacita.release.red_team.looking import look_at
from tacita.release.red_team.process import request_for

SEED = 2**70 + 8191
PLAN = """
data:
  source: patients-2031.csv
  attributes:
    id: identifier
    name: identifier
    age: {role: key, hierarchy: {intervals: {widths: [10, 20, 40]}}}
    town: {role: key, kind: nominal}
    stage: {role: confidential, kind: ordinal, order: [low, mid, high]}
    income: {role: confidential, kind: continuous}
    seen: {role: confidential, kind: date}
microdata:
  steps: [{generalize: {attribute: age, level: 2}}, {local_suppression: {k: 3}}]
  require: [{uniqueness: {at_most: 1}}]
  measure: [uniqueness]
release: {format: FORMAT}
"""
TOWNS = ("Assen", "Groningen", "Leeuwarden")
IDENTIFIER, NAME, TOWN = "X1047290", "Annemarie van Oosterhout", "Schiermonnikoog"


def records():
    yield "id,name,age,town,stage,income,seen"
    for n in range(60):
        name = ("Annemarie", "Johannes", "Willemijn")[n % 3] + " van Oosterhout"
        town = TOWN if n == 5 else TOWNS[n % 3]
        stage, income = ("low", "mid", "high")[n % 3], f"{1000 + n * 37.25}"
        yield f"X{n * 7919 + 1007695},{name},{20 + n % 37},{town},{stage},{income},2030-0{n % 9 + 1}-1{n % 7}"


@pytest.fixture(scope="session")
def house(tmp_path_factory):
    folder = tmp_path_factory.mktemp("house")
    (folder / "patients-2031.csv").write_text("\n".join(records()) + "\n")
    return folder


@pytest.fixture(scope="session")
def release_of(house):
    """Return a function that gives the folder of a clean release in a format."""
    made = {}

    def release(format_):
        if format_ not in made:
            plan = house / f"{format_}.yaml"
            plan.write_text(PLAN.replace("FORMAT", format_))
            ta.run(plan, house / format_, seed=SEED)
            made[format_] = house / format_
        return made[format_]

    return release


@pytest.fixture
def public_of(release_of, tmp_path):
    """Return a function that gives a copy of `public/` of a release, to be spoiled."""

    def copied(format_):
        return shutil.copytree(release_of(format_) / "public", tmp_path / "public")

    return copied


@pytest.fixture
def look(release_of):
    """Return a function that looks at a folder, in this process, and gives what is reported."""

    def looked(public, hidden=None, earlier=()):
        anywhere = {"x1047290": "a secret", "annemarie van oosterhout": "a secret"}
        hidden = {"words": anywhere, "cell\0town": {"schiermonnikoog": "a secret"}} | (hidden or {})
        request = request_for(earlier, hidden) | {"public": str(public)}
        return {(one.file, one.where, one.what) for one in look_at(request)}

    return looked
