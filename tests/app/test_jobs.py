from __future__ import annotations

import json
import threading
import time
from itertools import count
from types import SimpleNamespace

import pytest

from tacita.app.hands.hand import Hand
from tacita.app.jobs import INTERRUPTED, Jobs
from tacita.app.projects import HISTORY, Projects
from tacita.errors import InputError, OutputError

TOY = {"data": {"example": {"toy": 60}}}


def over(jobs: Jobs, identifier: str, seconds: float = 300.0):
    until = time.monotonic() + seconds
    while not (job := jobs.wait(identifier, 1.0)).is_over and time.monotonic() < until:
        pass
    return job


@pytest.fixture
def project(bench):
    return bench.projects.begin("toy", TOY, "made")


def test_a_result_is_made_once_and_survives_a_restart(bench, project):
    job = bench.jobs.ask(project, project.variant, "records", "Reading", lane="quick", first=0)
    assert over(bench.jobs, job.identifier).state == "done"
    found = bench.jobs.result(project, project.variant, "records", first=0)
    assert found["records"] == 60
    assert len(found["rows"]) == 50
    again = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    assert again.state == "done"
    bench.jobs.close()
    later = Jobs(Projects(bench.workplace))
    assert later.result(project, project.variant, "records", first=0) == found
    assert later.get(job.identifier).state == "done"
    later.close()


def test_what_waits_or_runs_is_not_asked_twice(bench, project):
    one = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    other = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    assert one.identifier == other.identifier


def test_a_job_is_stopped_at_once_and_others_go_on(bench):
    large = bench.projects.begin("large", {"data": {"example": {"patients": 3_000_000}}}, "made")
    job = bench.jobs.ask(large, large.variant, "overview", "Reading")
    waiting = bench.jobs.ask(large, large.variant, "records", "Reading", first=0)
    while bench.jobs.get(job.identifier).state == "waiting":
        bench.jobs.wait(job.identifier, 0.2)
    assert bench.jobs.stop(waiting.identifier).state == "stopped"
    assert bench.jobs.stop(job.identifier).state == "stopped"
    assert bench.jobs.result(large, large.variant, "overview") is None
    toy = bench.projects.begin("toy", TOY, "made")
    after = bench.jobs.ask(toy, toy.variant, "records", "Reading", first=0)
    assert over(bench.jobs, after.identifier).state == "done"


def test_what_cannot_be_done_says_why(bench):
    (bench.workplace.folder / "a.csv").write_text('a,b\n"1,2\n')
    project = bench.projects.begin("a", {"data": {"source": "a.csv"}}, "opened")
    job = over(bench.jobs, bench.jobs.ask(project, project.variant, "overview", "R").identifier)
    assert job.state == "failed"
    assert "a.csv" in job.error
    assert "Traceback" not in job.error


def test_what_was_not_done_when_the_workbench_closed_says_so(bench):
    large = bench.projects.begin("large", {"data": {"example": {"patients": 3_000_000}}}, "made")
    job = bench.jobs.ask(large, large.variant, "overview", "Reading")
    later = Jobs(Projects(bench.workplace))
    found = later.get(job.identifier)
    assert (found.state, found.error) == ("stopped", INTERRUPTED)
    later.close()


def test_a_job_that_is_not_there_is_refused(bench):
    with pytest.raises(InputError, match="no such job"):
        bench.jobs.get("x")


def test_a_lane_is_one_process_and_waits_for_no_other(bench, project, monkeypatch):
    lanes = bench.jobs._hands
    assert set(lanes) == {"quick", "long", "tables", "guard"}
    go_on, do = threading.Event(), lanes["long"].do

    def takes_long(*work):
        found = do(*work)
        assert go_on.wait(300)
        return found

    monkeypatch.setattr(lanes["long"], "do", takes_long)
    held_up = bench.jobs.ask(project, project.variant, "overview", "Reading", lane="long")
    processes = set()
    for first in (0, 10):
        job = bench.jobs.ask(
            project, project.variant, "records", "Reading", lane="guard", first=first
        )
        assert over(bench.jobs, job.identifier).state == "done"
        processes.add(lanes["guard"]._process.pid)
    assert len(processes) == 1
    assert not bench.jobs.get(held_up.identifier).is_over
    go_on.set()
    assert over(bench.jobs, held_up.identifier).state == "done"
    assert lanes["long"]._process.pid not in processes


def test_a_file_that_changed_is_looked_at_again(bench):
    file = bench.workplace.folder / "a.csv"
    file.write_text("a\n1\n")
    project = bench.projects.begin("a", {"data": {"source": "a.csv"}}, "opened")
    asked = (project, project.variant, "records")
    assert over(bench.jobs, bench.jobs.ask(*asked, "R", first=0).identifier).state == "done"
    assert bench.jobs.result(*asked, first=0)["records"] == 1
    file.write_text("a\n1\n2\n")
    assert bench.jobs.result(*asked, first=0) is None
    assert over(bench.jobs, bench.jobs.ask(*asked, "R", first=0).identifier).state == "done"
    assert bench.jobs.result(*asked, first=0)["records"] == 2


def test_sets_are_shown(bench):
    toy = bench.projects.begin("toy", TOY, "made")
    job = over(bench.jobs, bench.jobs.ask(toy, toy.variant, "overview", "R").identifier)
    assert (job.state, job.error) == ("done", "")
    kinds = {one["kind"] for one in bench.jobs.found(job)["attributes"]}
    assert "set_valued" in kinds


@pytest.mark.parametrize(
    "error",
    [OutputError("Cannot write: no space left."), TypeError("Smith"), OSError("no process")],
)
def test_whatever_goes_wrong_the_lane_goes_on(bench, project, monkeypatch, caplog, error):
    def broken(*_):
        raise error

    monkeypatch.setattr(bench.jobs, "_keep", broken)
    job = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    failed = over(bench.jobs, job.identifier)
    assert failed.state == "failed"
    assert "Smith" not in failed.error + caplog.text
    monkeypatch.undo()
    after = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    assert over(bench.jobs, after.identifier).state == "done"


def test_a_disk_that_is_full_holds_nothing_up(bench, project, monkeypatch):
    def full(_):
        raise OutputError("Cannot write: no space left.")

    monkeypatch.setattr("tacita.app.jobs.atomic_file", full)
    job = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    found = over(bench.jobs, job.identifier)
    assert (found.state, found.error) == ("failed", "Cannot write: no space left.")


def test_a_job_that_is_stopped_before_its_process_has_it_is_not_begun(bench, project, monkeypatch):
    hand = bench.jobs._hands["long"]
    begun = hand._started

    def late(job):
        bench.jobs.stop(job)
        return begun(job)

    monkeypatch.setattr(hand, "_started", late)
    job = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    assert over(bench.jobs, job.identifier).state == "stopped"
    monkeypatch.undo()
    after = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    assert over(bench.jobs, after.identifier).state == "done"
    assert bench.jobs.get(job.identifier).state == "stopped"


def test_stopping_what_is_over_ends_no_other_work(bench, project):
    one = bench.jobs.ask(project, project.variant, "records", "Reading", lane="quick", first=0)
    over(bench.jobs, one.identifier)
    process = bench.jobs._hands["quick"]._process
    bench.jobs._hands["quick"].stop(one.identifier)
    assert process.is_alive()


@pytest.mark.parametrize("content", [b"", b'[{"identifier"', b"\xff"])
def test_files_that_a_crash_left_half_written_do_not_count(bench, project, content):
    job = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    over(bench.jobs, job.identifier)
    bench.jobs.close()
    for file in (bench.workplace.session / "jobs.json", bench.jobs._place(project, job.key)):
        file.write_bytes(content)
    later = Jobs(Projects(bench.workplace))
    assert later.all() == []
    assert later.result(project, project.variant, "records", first=0) is None
    again = later.ask(project, project.variant, "records", "Reading", first=0)
    assert over(later, again.identifier).state == "done"
    later.close()


def test_jobs_that_another_version_wrote_are_not_taken_up(bench, project):
    job = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    over(bench.jobs, job.identifier)
    bench.jobs.close()
    file = bench.workplace.session / "jobs.json"
    said = json.loads(file.read_text())
    file.write_text(json.dumps([{**said[0], "colour": "red"}, *said]))
    later = Jobs(Projects(bench.workplace))
    assert [one.identifier for one in later.all()] == [job.identifier]
    later.close()


def test_jobs_that_were_over_first_are_forgotten_first(bench, project, monkeypatch):
    monkeypatch.setattr("tacita.app.jobs.KNOWN", 5)
    asked = (project, project.variant, "records", "Reading")
    jobs = [bench.jobs.ask(*asked, lane="quick", first=first) for first in range(12)]
    assert over(bench.jobs, jobs[-1].identifier).state == "done"
    assert [one.arguments["first"] for one in bench.jobs.all()] == [11, 10, 9, 8, 7]


def test_a_job_that_is_forgotten_while_somebody_waits_is_not_there(bench, project, monkeypatch):
    monkeypatch.setattr("tacita.app.jobs.KNOWN", 0)
    job = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    with pytest.raises(InputError, match="no such job"):
        over(bench.jobs, job.identifier)
    assert bench.jobs.result(project, project.variant, "records", first=0)["records"] == 60


def test_a_job_that_was_stopped_and_forgotten_does_not_end_its_lane(bench, project, monkeypatch):
    monkeypatch.setattr("tacita.app.jobs.KNOWN", 0)
    hand = bench.jobs._hands["long"]
    begun = hand._started

    def late(job):
        assert bench.jobs.stop(job).state == "stopped"
        return begun(job)

    monkeypatch.setattr(hand, "_started", late)
    job = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    with pytest.raises(InputError, match="no such job"):
        over(bench.jobs, job.identifier)
    monkeypatch.undo()
    after = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    assert over(bench.jobs, after.identifier).state == "done"


def test_a_plan_that_leads_elsewhere_by_now_reads_nothing(bench, tmp_path_factory):
    file = bench.workplace.folder / "a.csv"
    file.write_text("a\n1\n")
    project = bench.projects.begin("a", {"data": {"source": "a.csv"}}, "opened")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "secret.csv"
    elsewhere.write_text("secret\n1\n")
    file.unlink()
    file.symlink_to(elsewhere)
    job = bench.jobs.ask(project, project.variant, "records", "Reading", first=0)
    found = over(bench.jobs, job.identifier)
    assert found.state == "failed"
    assert "is not in the folder of the workbench" in found.error


def test_a_history_that_somebody_else_wrote_reads_nothing_elsewhere(bench, tmp_path_factory):
    project = bench.projects.begin("a", TOY, "made")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "secret.csv"
    elsewhere.write_text("secret\n1\n")
    history = bench.projects.folder_of(project) / HISTORY
    history.write_text(
        history.read_text().replace('"example": {"toy": 60}', f'"source": "{elsewhere}"')
    )
    jobs = Jobs(projects := Projects(bench.workplace))
    again = projects.get(project.identifier)
    assert again.variant.part("data", "source") == str(elsewhere)
    found = over(jobs, jobs.ask(again, again.variant, "records", "Reading", first=0).identifier)
    assert "is not in the folder of the workbench" in found.error
    jobs.close()


def test_what_came_while_a_job_was_stopped_is_thrown_away(bench, project, monkeypatch):
    hand = bench.jobs._hands["long"]
    do = hand.do

    def stopped_at_last(job, *others):
        found = do(job, *others)
        assert bench.jobs.stop(job).state == "stopped"
        return found

    monkeypatch.setattr(hand, "do", stopped_at_last)
    asked = (project, project.variant, "records")
    job = bench.jobs.ask(*asked, "Reading", first=0)
    assert over(bench.jobs, job.identifier).state == "stopped"
    monkeypatch.undo()
    after = bench.jobs.ask(*asked, "Reading", first=10)
    assert over(bench.jobs, after.identifier).state == "done"
    assert bench.jobs.result(*asked, first=0) is None


def test_what_was_found_in_a_file_of_another_state_is_not_told_of_this_one(bench, monkeypatch):
    file = bench.workplace.folder / "a.csv"
    file.write_text("a\n1\n")
    project = bench.projects.begin("a", {"data": {"source": "a.csv"}}, "opened")
    asked = (project, project.variant, "records")
    hand = bench.jobs._hands["long"]
    do = hand.do

    def replaced_before(*work):
        file.rename(file.with_suffix(".before"))
        file.write_text("a\n1\n2\n")
        return do(*work)

    monkeypatch.setattr(hand, "do", replaced_before)
    job = over(bench.jobs, bench.jobs.ask(*asked, "Reading", first=0).identifier)
    assert bench.jobs.found(job)["records"] == 2
    file.with_suffix(".before").replace(file)  # size and time are those of before
    assert bench.jobs.result(*asked, first=0) is None
    monkeypatch.undo()
    assert over(bench.jobs, bench.jobs.ask(*asked, "R", first=0).identifier).state == "done"
    assert bench.jobs.result(*asked, first=0)["records"] == 1


def test_a_process_that_is_begun_while_everything_ends_is_ended_too(bench, monkeypatch):
    begins, stopped = threading.Event(), threading.Event()
    start, stop = Hand.start, Hand.stop

    def late(hand):
        begins.set()
        assert stopped.wait(60)
        start(hand)

    def noted(hand, job=None):
        stop(hand, job)
        stopped.set()

    monkeypatch.setattr(Hand, "start", late)
    monkeypatch.setattr(Hand, "stop", noted)
    monkeypatch.setattr("tacita.app.jobs.warm_up", None)
    jobs = Jobs(bench.projects, warm=True)
    assert begins.wait(60)
    jobs.close()
    for thread in jobs._threads:
        thread.join(60)
    assert jobs._hands["quick"]._process is None


def test_a_lane_whose_process_cannot_be_started_ahead_does_its_work(bench, project, monkeypatch):
    def full(_):
        raise BlockingIOError("too many processes")

    monkeypatch.setattr(Hand, "start", full)
    monkeypatch.setattr("tacita.app.jobs.warm_up", None)
    jobs = Jobs(bench.projects, warm=True)
    job = jobs.ask(project, project.variant, "records", "Reading", lane="quick", first=0)
    assert over(jobs, job.identifier).state == "done"
    jobs.close()


def test_a_clock_that_is_set_back_changes_no_order(bench, project, monkeypatch):
    clock = count(2_000_000_000, -60)
    monkeypatch.setattr("tacita.app.jobs.time", SimpleNamespace(time=lambda: next(clock)))
    asked = (project, project.variant, "records", "Reading")
    names = [bench.jobs.ask(*asked, first=first).identifier for first in (0, 10)][::-1]
    assert [one.identifier for one in bench.jobs.all()] == names
    bench.jobs.close()
    later = Jobs(Projects(bench.workplace))
    assert [one.identifier for one in later.all()] == names
    later.close()
