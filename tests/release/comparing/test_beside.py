"""The map of a release: other ways beside its own, for the house and never for the public."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow.csv as pc
import pytest

import tacita as ta
from tacita.data.read import as_dataset
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.registry import from_plan
from tacita.release.comparing.beside import OWN
from tacita.release.execute import Outcome, count_steps, derived, execute, without_identifiers
from tacita.release.plan import read_plan

SEED = 7
GRIDS = {
    "rank_swap": {"p": [5, 20], "attributes": ["age", "income"]},
    "add_noise": {"alpha": [0.1, 0.5], "attributes": ["age", "income"]},
}
STEPS = [{"pseudonymize": "id"}, {"rank_swap": {"attributes": ["age", "income"], "p": 10}}]
MAP = "internal/risk-utility-map.csv"


def plan_file(folder: Path, name: str = "plan", steps: Any = STEPS, **compare: Any) -> Path:
    said = {
        "data": {"example": {"toy": 200}},
        "microdata": {
            "steps": steps,
            "measure": ["uniqueness"],
            "compare": {"methods": GRIDS, **compare},
            "waive": "a test",
        },
    }
    file = folder / f"{name}.yaml"
    file.write_text(json.dumps(said))
    return file


def executed(folder: Path, **said: Any) -> Outcome:
    return execute(read_plan(plan_file(folder, **said)), SEED)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("beside")
    ta.run(plan_file(folder), folder / "out", seed=SEED)
    return folder / "out"


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return executed(tmp_path_factory.mktemp("executed"))


def kept(release: Path) -> dict[str, Any]:
    text = (release / "internal" / "evidence.json").read_text()
    return json.loads(text)["risk_utility_map"]


def test_the_release_is_a_point_of_its_own(outcome):
    """Its numbers are the score of the released data, and its steps those that were carried out."""
    found = outcome.compared
    assert found.lines == ["rank_swap", "add_noise", OWN]
    own = found.trials[found.own]
    card = ta.Score().of(outcome.original, outcome.protected)
    assert (own.risk, own.loss, own.score) == (card.risk, card.loss, card.score)
    assert [one.to_plan() for one in own.methods] == [done.said for done in outcome.steps]
    assert [trial for trial in found.trials if found.is_own(trial)] == [own]


def test_the_others_are_what_a_map_alone_finds(outcome):
    data = without_identifiers(as_dataset(ta.example("toy", 200)))
    alone = ta.risk_utility_map(data, GRIDS, seed=derived(SEED, crc32(b"compare")))
    assert outcome.compared.trials[:-1] == alone.trials


def test_what_beats_the_release_is_told(outcome):
    found = outcome.compared
    own = found.trials[found.own]
    beating = [
        trial.label()
        for trial in found.trials
        if (trial.risk < own.risk and trial.loss <= own.loss)
        or (trial.risk <= own.risk and trial.loss < own.loss)
    ]
    assert sorted(trial.label() for trial in found.better) == sorted(beating)
    assert bool(beating) is not found.is_on_front(own)


def test_every_step_is_told_of(tmp_path):
    plan, told = read_plan(plan_file(tmp_path)), []
    found = execute(plan, SEED, told.append).compared
    assert len(told) == count_steps(plan)
    assert told[-5:] == [trial.label() for trial in found.trials]


def test_a_sample_is_the_same_records_for_all(tmp_path):
    found = executed(tmp_path, sample=50).compared
    assert {trial.records for trial in found.trials} == {50}
    whole = executed(tmp_path, sample="all").compared
    assert {trial.records for trial in whole.trials} == {200}
    assert whole.trials == executed(tmp_path, sample=200).compared.trials
    assert found.trials != whole.trials


def test_a_release_that_changes_nothing_is_as_risky_on_a_sample(tmp_path):
    """Its steps are carried out on the sample and compared with the sample, record by record."""
    outcome = executed(tmp_path, steps=[{"drop": "region"}], sample=40)
    own = outcome.compared.trials[outcome.compared.own]
    assert own.risk == 100.0
    assert own.loss == pytest.approx(0.0, abs=1e-9)  # sums of the same records in another order


def test_rounds_of_until_are_tried_as_they_were_reached(tmp_path):
    rounds = [{"rank_swap": {"attributes": ["age", "income"], "p": p}} for p in (1, 30)]
    until = {"until": {"interval_disclosure": {"at_most": 0.9}}, "rounds": rounds}
    outcome = executed(tmp_path, steps=[until], sample=50)
    own = outcome.compared.trials[outcome.compared.own]
    assert [one.to_plan() for one in own.methods] == [done.said for done in outcome.steps]


def test_the_house_keeps_the_map(release):
    table = pc.read_csv(release / MAP)
    told = kept(release)
    assert table["label"].to_pylist() == [trial["label"] for trial in told["trials"]]
    assert table["risk"].to_pylist() == [trial["risk"] for trial in told["trials"]]
    assert table["on_front"].to_pylist() == [trial["on_front"] for trial in told["trials"]]
    assert told["trials"][told["own"]]["label"] == OWN
    assert told["trials"][0]["steps"] == [{"rank_swap": {**GRIDS["rank_swap"], "p": 5}}]


def test_the_internal_report_shows_it(release):
    page = (release / "internal" / "report.html").read_text()
    section = re.search(r'<section id="map">.*?</section>', page, re.DOTALL)[0]
    assert "4 other ways to mask the same data, tried on all 200 records." in section
    for place, trial in enumerate(kept(release)["trials"]):
        assert f'<a href="#trial-{place}" data-trial="{place}"' in section
        assert f'<tr id="trial-{place}"' in section
        assert trial["label"] in section
    assert section.count("on the front</small>") == sum(
        trial["on_front"] for trial in kept(release)["trials"]
    )
    assert "pseudonymize + rank_swap" in section
    assert "<script" not in page
    assert '<a href="#map">Risk-utility map</a>' in page
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(set(ids)) == len(ids)


def test_paper_has_the_drawing_and_the_table(release, need):
    pdftotext = need("pdftotext")

    def written(audience: str) -> str:
        command = [pdftotext, "-layout", str(release / audience / "report.pdf"), "-"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    paper = written("internal")
    assert "Risk against loss" in paper
    assert "add_noise (alpha 0.5)" in paper
    assert "Point at a trial" not in paper
    assert "Risk-utility" not in written("public")


def test_a_sample_is_owned_up_to_in_the_report(tmp_path):
    ta.run(plan_file(tmp_path, sample=60), tmp_path / "out", seed=SEED)
    page = (tmp_path / "out" / "internal" / "report.html").read_text()
    assert "tried on a random sample of 60 of 200 records, as were the steps of this" in page


def test_the_public_is_told_nothing_of_it(release, tmp_path):
    """Its folder is, byte by byte but for when it was written, that of a plan without the key."""
    said = json.loads((release.parent / "plan.yaml").read_text())
    del said["microdata"]["compare"]
    plain = tmp_path / "plain.yaml"
    plain.write_text(json.dumps(said))
    ta.run(plain, tmp_path / "plain", seed=SEED)
    names = sorted(path.name for path in (release / "public").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "plain" / "public").iterdir())
    for name in ("data.csv", "statement.json", "report.html"):
        one, other = (
            without_run((place / "public" / name).read_text())
            for place in (release, tmp_path / "plain")
        )
        assert one == other, name


def without_run(text: str) -> str:
    return re.sub(r'<section id="run">.*?</section>|"written": "[^"]*"', "", text, flags=re.DOTALL)


def test_verification_makes_the_map_again(release, tmp_path):
    found = ta.verify(release)
    assert found.holds
    assert {line.status for line in found.lines} == {"re-derived"}
    changed = shutil.copytree(release, tmp_path / "changed")
    text = (changed / MAP).read_text()
    (changed / MAP).write_text(text.replace("0.", "1.", 1))
    wrong = {line.what for line in ta.verify(changed).lines if line.status == "wrong"}
    assert MAP in wrong


def test_threads_and_runs_do_not_show(release, tmp_path):
    command = [sys.executable, "-c", "from tacita.cli.main import main; main()", "run"]
    plan, out = release.parent / "plan.yaml", tmp_path / "out"
    subprocess.run(
        [*command, plan, "--out", out, "--seed", str(SEED), "--threads", "1"],
        check=True,
        capture_output=True,
        timeout=300,
    )
    assert (out / MAP).read_bytes() == (release / MAP).read_bytes()
    assert kept(out) == kept(release)
    reports = [(place / "internal" / "report.html").read_text() for place in (out, release)]
    assert without_run(reports[0]) == without_run(reports[1])
    ta.run(plan, tmp_path / "other", seed=SEED + 1)
    assert kept(tmp_path / "other") != kept(release)


def test_copies_share_the_others_and_have_points_of_their_own(tmp_path):
    attributes = ["age", "income"]
    said = {
        "data": {"example": {"toy": 120}},
        "microdata": {
            "copies": 2,
            "steps": [{"ipso": {"attributes": attributes, "given": ["education"]}}],
            "measure": [],
            "compare": {"methods": GRIDS},
        },
    }
    plan = tmp_path / "plan.yaml"
    plan.write_text(json.dumps(said))
    told: list[str] = []
    from tacita.release.copies import execute_copies

    made = execute_copies(read_plan(plan), SEED, told.append)
    maps = [copy.compared for copy in made.copies]
    assert len(told) == count_steps(read_plan(plan))
    assert maps[0].trials[:4] == maps[1].trials[:4]
    assert maps[0].trials[4] != maps[1].trials[4]


def test_what_cannot_be_tried_is_told_in_the_report(tmp_path):
    grids = {**GRIDS, "top_code": {"attribute": "agee", "above": 70}}
    ta.run(plan_file(tmp_path, methods=grids), tmp_path / "out", seed=SEED)
    page = (tmp_path / "out" / "internal" / "report.html").read_text()
    assert "top_code (above 70): There is no attribute `agee`" in page
    assert kept(tmp_path / "out")["skipped"][0]["label"] == "top_code (above 70)"


def test_a_release_that_cannot_be_scored_leaves_the_others(tmp_path):
    steps = [{"bootstrap": {"attributes": ["age", "income"]}}]
    outcome = executed(tmp_path, steps=steps)
    found = outcome.compared
    assert found.own is None
    assert [label for label, _ in found.skipped] == [OWN]
    assert "synthetic" in found.skipped[0][1]
    ta.run(plan_file(tmp_path, steps=steps), tmp_path / "out", seed=SEED)
    page = (tmp_path / "out" / "internal" / "report.html").read_text()
    assert "This release could not be measured in the same way" in page


def test_nothing_that_can_be_tried_is_a_mistake_with_its_line(tmp_path):
    grids = {"top_code": {"attribute": "agee", "above": [70]}}
    with pytest.raises(ProtectionError, match=r"line 1, field `microdata\.compare.*`agee`"):
        executed(tmp_path, methods=grids)
    assert not (tmp_path / "out").exists()


def test_methods_that_fit_no_attribute_are_refused_before_masking(tmp_path):
    said = {
        "data": {"example": {"toy": 50}, "attributes": {"age": "identifier"}},
        "microdata": {"steps": [{"drop": "nowhere"}], "compare": {}},
    }
    plan = tmp_path / "plan.yaml"
    plan.write_text(json.dumps(said))
    with pytest.raises(
        InputError, match=r"field `microdata\.compare`: `add_noise` applies to none"
    ):
        execute(read_plan(plan), SEED)


def with_intruder(folder: Path, respondents: Any, sample: Any = "all") -> Path:
    file = plan_file(folder, risk="distance_linkage", loss="il1s", sample=sample)
    said = json.loads(file.read_text())
    said["microdata"]["intruder"] = {"attributes": ["age"], "respondents": respondents}
    said["microdata"]["measure"] = ["distance_linkage"]
    file.write_text(json.dumps(said))
    return file


def test_the_risks_of_the_map_are_those_of_the_plans_intruder(tmp_path: Path) -> None:
    outcome = execute(read_plan(with_intruder(tmp_path, 0.5)), SEED)
    (measured,) = outcome.measures
    (own,) = [one for one in outcome.compared.trials if one.line == OWN]
    assert own.risk == float(measured.value) < 0.5
    assert all(one.risk < 0.5 for one in outcome.compared.trials)
    assert outcome.compared.axes[0] == "distance_linkage of the intruder"


def test_an_intruder_may_hold_what_is_never_released(tmp_path: Path) -> None:
    """Identifiers stay in the house: they help nobody, and are no reason to refuse a map."""
    file = with_intruder(tmp_path, 0.5)
    plain = execute(read_plan(file), SEED).compared
    said = json.loads(file.read_text())
    said["microdata"]["intruder"]["attributes"] = ["id", "age"]
    said["microdata"]["steps"] = [{"drop": "id"}, STEPS[1]]
    file.write_text(json.dumps(said))
    found = execute(read_plan(file), SEED).compared
    assert [one.risk for one in found.trials] == [one.risk for one in plain.trials]


def test_an_intruder_holds_the_same_share_of_a_sample(tmp_path: Path) -> None:
    share, number = (
        execute(read_plan(with_intruder(tmp_path, held, 50)), SEED).compared for held in (0.25, 50)
    )
    assert [one.risk for one in share.trials] == [one.risk for one in number.trials]


def masked_as_the_plan_does() -> ta.Microdata:
    """Carry the steps of the plan out in Python, from the seeds that a run gives them."""
    data = ta.example("toy", 200)
    for step in STEPS:
        method = from_plan(step)
        data = data.apply(method, seed=derived(SEED, crc32(method.name.encode()), 0))
    return data


@pytest.mark.parametrize(
    ("said", "spoken"),
    [
        ({"sample": 60, "by": {"known": ["age"]}}, {"sample": 60, "by": ta.Score(known=["age"])}),
        (
            {"risk": "distance_linkage", "loss": ["il1s", {"means": {"attributes": ["age"]}}]},
            {"risk": ta.DistanceLinkage(), "loss": ("il1s", ta.Means(["age"]))},
        ),
    ],
)
def test_objects_in_python_mean_what_a_plan_says(tmp_path, said, spoken):
    who = {"attributes": ["age"], "respondents": 50}
    plan = plan_file(tmp_path, **said)
    written = json.loads(plan.read_text())
    written["microdata"]["intruder"] = who
    plan.write_text(json.dumps(written))
    ways = [ta.RankSwap(["age", "income"], p=p) for p in (5, 20)]
    outcome = masked_as_the_plan_does().release(
        tmp_path / "out",
        compare={"methods": [*ways, {"add_noise": GRIDS["add_noise"]}], **spoken},
        intruder=ta.Intruder(**who),
        seed=SEED,
        waive="a test",
    )
    found, by_plan = outcome.compared, execute(read_plan(plan), SEED).compared
    assert [(one.risk, one.loss, one.records) for one in found.trials] == [
        (one.risk, one.loss, one.records) for one in by_plan.trials
    ]
    assert (found.axes, found.own) == (by_plan.axes, by_plan.own) == (found.axes, 4)
    asked, again = (
        read_plan(file).compare for file in (plan, tmp_path / "out" / "internal" / "plan.yaml")
    )
    assert (again.ways, again.sample, again.by.axes) == (asked.ways, asked.sample, asked.by.axes)
    assert again.by == asked.by or "by" not in said


def test_python_writes_the_files_of_the_plan(release, tmp_path):
    masked_as_the_plan_does().release(
        tmp_path / "out", compare={"methods": GRIDS}, seed=SEED, waive="a test"
    )
    assert (tmp_path / "out" / MAP).read_bytes() == (release / MAP).read_bytes()
    assert kept(tmp_path / "out") == kept(release)
    sections = [
        re.search(r'<section id="map">.*?</section>', page, re.DOTALL)[0]
        for page in (
            (place / "internal" / "report.html").read_text()
            for place in (tmp_path / "out", release)
        )
    ]
    assert sections[0] == sections[1]
    assert not list((tmp_path / "out" / "public").glob("*map*"))
    assert ta.verify(tmp_path / "out").verdict == "not proven"


def test_a_release_in_python_draws_its_map_anew(tmp_path):
    data = ta.example("toy", 60).apply(ta.Drop(["region"]))
    made = [
        data.release(tmp_path / name, compare={"methods": GRIDS}, waive="a test")
        for name in ("a", "b")
    ]
    assert made[0].compared.trials[0] != made[1].compared.trials[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"compare": 5}, "`compare` is like"),
        ({"compare": {"method": {}}}, r"`compare\.method`: unknown; expected methods, risk"),
        ({"compare": {"methods": {"rank_swapp": {}}}}, r"`compare\.methods\.rank_swapp`: "),
        ({"compare": {"methods": [ta.KAnonymity(3)]}}, r"`compare\.methods\[0\]\.k_anonymity`: "),
        ({"compare": {"sample": 0}}, r"`compare\.sample`: expected a number of records"),
        ({"compare": {"risk": "uniqueness"}}, "together, or neither"),
        ({"compare": {"risk": "uniqueness", "loss": "il1s", "by": ta.Score()}}, "or `by`"),
        ({"compare": {"by": {"knwon": ["age"]}}}, r"`compare\.by\.knwon`: unknown"),
        ({"compare": {"by": ta.Score(seed=3)}}, r"`compare\.by\.seed`: unknown"),
        ({"compare": {"by": ta.CustomScore("uniqueness", "il1s")}}, r"`compare\.by`: expected the"),
        ({"compare": {"methods": {"top_code": {"attribute": "agee", "above": 7}}}}, "`agee`"),
        ({"seed": 3}, "Only `compare` draws"),
        ({"seed": -1, "compare": {}}, "A seed is a whole number"),
    ],
)
def test_what_cannot_be_compared_is_told_and_nothing_written(tmp_path, options, told):
    data = ta.example("toy", 60).apply(ta.Drop(["region"]))
    with pytest.raises((ParameterError, ProtectionError), match=told) as error:
        data.release(tmp_path / "out", waive="a test", **options)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()
