from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tacita.app.hands.live import LIVE, MOVED
from tacita.app.hands.tasks import attributes, judge, measure, risky
from tacita.app.hands.work import SAMPLE, Memory, Work
from tacita.method import THAT_MASK
from tacita.registry import described, family
from tacita.release.execute import execute
from tacita.release.plan import understood
from tacita.release.proof import row_of

METHODS = [method for word in THAT_MASK for method in family(word).values()]
MEMORY = Memory()
SEED = 2**70


def asked(steps: list[Any], tmp_path: Path, *, example: str = "toy: 200", **more: Any) -> Work:
    name, size = example.split(": ")
    plan = {"data": {"example": {name: int(size)}}, "microdata": {"steps": steps}}
    arguments = {"plan": plan, "sample": True, **more}
    return Work("", tmp_path / "plan.yaml", SEED, arguments, lambda _: None, MEMORY)


@pytest.mark.parametrize("method", METHODS, ids=lambda cls: cls.name)
def test_every_way_to_mask_can_be_measured_live(method, tmp_path):
    # Of so few records some synthetic one may equal a respondent's, which is refused otherwise.
    more = {"copies": "report"} if "copies" in described(method)["parameters"] else {}
    work = asked([method(**{**method.example, **more}).to_plan()], tmp_path)
    found = measure.run(work)
    names = {one["name"] for one in found["after"]}
    assert "hellinger" in names
    assert names <= {*LIVE, MOVED}
    assert {one["name"] for one in attributes.run(work)}


def test_exact_measures_and_verdicts_are_those_of_a_run(tmp_path):
    steps = [{"mondrian": {"to": [{"k_anonymity": {"k": 3}}]}}, {"shuffle_records": {}}]
    work = asked(steps, tmp_path, sample=False)
    work.arguments["plan"]["microdata"] |= {
        "measure": ["uniqueness", "distance_linkage", "hellinger"],
        "require": [{"k_anonymity": 3}, {"uniqueness": {"at_least": 0.5}}],
    }
    found, judged = measure.run(work), judge.run(work)
    text = str(work.arguments["plan"])
    outcome = execute(understood(text, work.file), SEED)
    after = [one for one in found["after"] if one["name"] != MOVED]
    assert after == [one.to_dict() for one in outcome.measures]
    assert found["before"] == [one.to_dict() for one in outcome.before]
    assert judged["verdicts"] == [row_of(one) for one in outcome.verdicts]
    assert [one["holds"] for one in judged["verdicts"]] == [True, False]


def test_a_sample_is_the_same_for_all_that_is_tried_on_it(tmp_path):
    records = SAMPLE + 1000
    one = measure.run(asked([], tmp_path, example=f"toy: {records}"))
    other = measure.run(asked([{"shuffle_records": {}}], tmp_path, example=f"toy: {records}"))
    assert (one["original"], one["all"]) == (SAMPLE, records)
    assert one["before"] == other["before"]


def test_risky_classes_come_by_their_risk_and_name_their_records(tmp_path):
    found = risky.run(asked([], tmp_path, by="prosecutor_risk"))
    risks = [row["risk"] for row in found["rows"]]
    assert risks == sorted(risks, reverse=True)
    assert all(row["risk"] == 1 / row["size"] for row in found["rows"])
    assert all(len(row["values"]) == len(found["attributes"]) for row in found["rows"])
    named = [record for row in found["rows"] for record in row["records"]]
    assert len(set(named)) == len(named)
