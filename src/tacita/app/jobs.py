"""Work in the background: what waits, what runs and how far it is, what is done."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args

from tacita.app.hands.hand import STOPPED, Hand, Stopped
from tacita.app.hands.warming import warm_up
from tacita.app.hands.work import digest
from tacita.app.projects import Project, Projects, Variant, in_yaml
from tacita.app.reaching import states
from tacita.app.telling import log_failure
from tacita.app.workplace import PLAN
from tacita.data.formats.atomic import atomic_file
from tacita.errors import InputError, OutputError, TacitaError

# Guards are held by one process, as are their ledgers; protected tables by one that looks at them.
Lane = Literal["quick", "long", "tables", "guard"]
State = Literal["waiting", "running", "done", "failed", "stopped"]
OVER = frozenset({"done", "failed", "stopped"})
INTERRUPTED = (
    "The workbench was closed before it was done; open the workbench again to begin it anew."
)
FAILED = "It could not be done: something went wrong in Tacita itself ({}). Please report it."
VERSION = version("tacita")  # results of another one may look otherwise
REMEMBERED = 200  # jobs that are known after a restart
KNOWN = 1000  # jobs that are over and still known before it
PATIENCE = 10  # seconds that a lane gets to end, when a disk holds it up
OPENING, CLOSING = LASTING = ("guard_open", "guard_close")  # of which a database's state is told


@dataclass(frozen=True)
class Job:
    """A piece of work and what became of it.

    Args:
        identifier: its name in addresses.
        project: the project it belongs to.
        variant: the number of the variant it is about.
        task: what is done.
        title: what is done, in words.
        key: the name of its result.
        arguments: what the task knows besides.
        state: how it stands.
        step: what is being done just now.
        done: the steps that are done; `steps` of how many, 0 where that is not known.
        error: why it failed, in a sentence.
        begun: when it was asked for, in seconds since 1970; `ended` when it was over.
    """

    identifier: str
    project: str
    variant: int
    task: str
    title: str
    key: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    state: State = "waiting"
    step: str = ""
    done: int = 0
    steps: int = 0
    error: str = ""
    begun: float = 0.0
    ended: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens to it."""
        return self.state in OVER

    def to_dict(self) -> dict[str, Any]:
        """Return the job in plain types."""
        return {**vars(self), "arguments": dict(self.arguments)}

    def told(self, said: str | int) -> Job:
        """Return the job after a step began, or after it said how many there are."""
        if isinstance(said, int):
            return replace(self, steps=said)
        return replace(self, step=said, done=self.done + bool(self.step))


class Jobs:
    """The jobs of a workbench, in lanes: of every lane one at a time, by a process of its own.

    Args:
        projects: what they are about.
        warm: whether the process that a person waits for is started before there is work.
    """

    def __init__(self, projects: Projects, *, warm: bool = False) -> None:
        self._projects = projects
        self._changed = threading.Condition()
        self._known: dict[str, Job] = {}
        self._waiting: dict[Lane, list[str]] = {lane: [] for lane in get_args(Lane)}
        self._hands: dict[Lane, Hand] = {lane: Hand() for lane in get_args(Lane)}
        if warm:
            self._hands["quick"] = Hand(warm_up)
        self._ahead = frozenset({"quick"} if warm else ())
        self._file = projects.workplace.session / "jobs.json"
        self._remember_before()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, args=(lane,), daemon=True, name=f"tacita-{lane}")
            for lane in self._hands
        ]
        for thread in self._threads:
            thread.start()

    # -- asking ----------------------------------------------------------------------------------

    def result(self, project: Project, variant: Variant, task: str, **arguments: Any) -> Any:
        """Return the result of a task that was done before; None where it was not."""
        return _read(self._place(project, self._key(project, variant, task, arguments)))

    def ask(
        self,
        project: Project,
        variant: Variant,
        task: str,
        title: str,
        *,
        lane: Lane = "long",
        again: bool = False,
        **arguments: Any,
    ) -> Job:
        """Let a task be done in the background; one that waits or runs already is returned.

        Args:
            project: what it is about; `variant` with which plan.
            variant: the variant.
            task: the name of a module of `hands.tasks`.
            title: what is done, in words.
            lane: `quick` for what a person waits for, `tables` for what looks at protected tables,
                `guard` for what asks a guarded database.
            again: whether to do it even if there is a result.
            arguments: what the task knows besides.
        """
        key = self._key(project, variant, task, arguments)
        with self._changed:
            for job in self._known.values():
                if job.key == key and not job.is_over:
                    return job
            job = Job(
                secrets.token_hex(6), project.identifier, variant.number, task, title, key,
                arguments, begun=time.time(),
            )  # fmt: skip
            if not again and _read(self._place(project, key)) is not None:
                job = replace(job, state="done", ended=job.begun)
            else:
                self._waiting[lane].append(job.identifier)
            self._put(job)
            return job

    def found(self, job: Job) -> Any:
        """Return the result of a job that is done."""
        found = _read(self._place(self._projects.get(job.project), job.key))
        if found is None:
            raise InputError("What was found is no longer there; load the page again.")
        return found

    def get(self, identifier: str) -> Job:
        """Return a job.

        Raises:
            InputError: there is none of that name.
        """
        found = self._known.get(identifier)
        if found is None:
            raise InputError("There is no such job.")
        return found

    def all(self, project: str | None = None) -> list[Job]:
        """Return the jobs, or those of a project; the last that was asked for first."""
        with self._changed:
            chosen = [one for one in self._known.values() if project in (None, one.project)]
        return chosen[::-1]

    def last(self, project: Project, variant: Variant, task: str, **arguments: Any) -> Job | None:
        """Return the last job that did a task for files as they are now, if there was one."""
        key = self._key(project, variant, task, arguments)
        return next((one for one in self.all(project.identifier) if one.key == key), None)

    def wait(self, identifier: str, seconds: float) -> Job:
        """Return a job when something happened to it, or after some seconds.

        Raises:
            InputError: there is none of that name, or it was forgotten meanwhile.
        """
        with self._changed:
            before = self.get(identifier)
            if not before.is_over:
                self._changed.wait_for(
                    lambda: self._closed or self._known.get(identifier) != before, seconds
                )
            return self.get(identifier)

    def stop(self, identifier: str) -> Job:
        """Stop a job; what it did so far is thrown away."""
        with self._changed:
            job = self.get(identifier)
            if job.is_over:
                return job
            for waiting in self._waiting.values():
                if identifier in waiting:
                    waiting.remove(identifier)
            stopped = replace(job, state="stopped", ended=time.time())
            self._put(stopped)
        if job.state == "running":
            for hand in self._hands.values():
                hand.stop(identifier)
        return stopped

    @property
    def is_closed(self) -> bool:
        """Whether nothing is done any more."""
        return self._closed

    def close(self) -> None:
        """End everything; when it returns, no process is left and none begins any more."""
        with self._changed:
            self._closed = True
            for job in self.all():
                if not job.is_over:
                    self._put(replace(job, state="stopped", error=INTERRUPTED, ended=time.time()))
            self._changed.notify_all()
        self._stop_hands()
        for thread in self._threads:
            thread.join(PATIENCE)
        self._stop_hands()  # a lane may have begun one meanwhile

    def _stop_hands(self) -> None:
        for hand in self._hands.values():
            hand.stop()

    # -- doing -----------------------------------------------------------------------------------

    def _serve(self, lane: Lane) -> None:
        """Do the jobs of a lane, one after the other."""
        while True:
            if lane in self._ahead and not self._closed:
                self._start_ahead(lane)  # the first time, and when it was stopped
            job = self._next(lane)
            if job is None:
                return
            self._do(job, self._hands[lane])

    def _start_ahead(self, lane: Lane) -> None:
        try:
            self._hands[lane].start()
        except OSError as error:  # too many processes, say: the next job tries again
            log_failure("No process could be started ahead", error)

    def _next(self, lane: Lane) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting[lane])
            if self._closed:
                return None
            job = replace(self._known[self._waiting[lane].pop(0)], state="running")
            self._put(job)
            return job

    def _do(self, job: Job, hand: Hand) -> None:
        """Do a job; whatever goes wrong, the lane goes on with the next."""
        try:
            found = hand.do(
                job.identifier,
                lambda: self._asked(job),
                lambda said: self._tell(job.identifier, said),
            )
            self._finish(job, json.dumps(found))
        except Stopped:
            self._end(job, "stopped")
        except TacitaError as error:
            self._end(job, "failed", str(error))
        except Exception as error:  # noqa: BLE001 - a lane that ends would hold up all that follow
            log_failure("A job failed", error)
            self._end(job, "failed", FAILED.format(type(error).__name__))

    def _asked(self, job: Job) -> dict[str, Any]:
        if self._is_over(job.identifier):
            raise Stopped(STOPPED)
        project = self._projects.get(job.project)
        return {
            "task": job.task,
            "text": in_yaml(project.variants[job.variant].plan),
            "file": str(self._projects.workplace.folder / PLAN),
            "session": str(self._projects.workplace.session),
            "seed": project.seed,
            "project": job.project,
            "arguments": dict(job.arguments),
        }

    def _tell(self, identifier: str, said: str | int) -> None:
        with self._changed:
            if not self._is_over(identifier):
                self._put(self._known[identifier].told(said))

    def _finish(self, job: Job, found: str) -> None:
        """Keep a result, unless the job was stopped while it came: then nothing of it is kept.

        What was found in files that changed meanwhile is told to who asked, and to nobody else: it
        may be of neither state, and the files may become again what they were.
        """
        project = self._projects.get(job.project)
        with self._changed:
            if self._is_over(job.identifier):
                return
            key = self._key(project, project.variants[job.variant], job.task, job.arguments)
            if key != job.key:
                key = digest(job.key, job.identifier)
            self._keep(self._place(project, key), found)
            now = self._known[job.identifier]
            self._put(replace(now, state="done", key=key, ended=time.time()))

    def _end(self, job: Job, state: State, error: str = "") -> None:
        with self._changed:
            if not self._is_over(job.identifier):
                now = self._known[job.identifier]
                self._put(replace(now, state=state, error=error, ended=time.time()))

    def _is_over(self, identifier: str) -> bool:
        """Whether a job was stopped meanwhile; it may even be forgotten by then."""
        known = self._known.get(identifier)
        return known is None or known.is_over

    def _keep(self, file: Path, found: str) -> None:
        with atomic_file(file) as temporary:
            temporary.parent.mkdir(mode=0o700, exist_ok=True)
            temporary.write_text(found, encoding="utf-8")

    def _key(
        self, project: Project, variant: Variant, task: str, arguments: Mapping[str, Any]
    ) -> str:
        """Return the name of a result: another one once the files that it is about change."""
        plan = arguments.get("plan", variant.plan)
        named = [plan.get(word) for word in ("data", "tables")]  # ledgers of queries grow
        changed = states(named, self._projects.workplace.folder)
        return digest(VERSION, task, variant.plan, project.seed, arguments, changed)

    def _place(self, project: Project, key: str) -> Path:
        return self._projects.folder_of(project) / "results" / f"{key}.json"

    # -- remembering -----------------------------------------------------------------------------

    def _put(self, job: Job) -> None:
        """Note what became of a job, and wake who waits for it."""
        before = self._known.get(job.identifier)
        self._known[job.identifier] = job
        if before is None or before.state != job.state:
            self._write()
        self._changed.notify_all()

    def _write(self) -> None:
        """Remember the last jobs; a full disk must not stop the work."""
        self._forget()
        try:
            with atomic_file(self._file) as temporary:
                told = [one.to_dict() for one in self.all()[:REMEMBERED]]
                temporary.write_text(json.dumps(told), encoding="utf-8")
        except OutputError as error:
            log_failure("Jobs cannot be remembered", error)

    def _forget(self) -> None:
        """Forget the jobs that were over first: who waits for one learns how it ended."""
        over = [one for one in self._known.values() if one.is_over and one.task not in LASTING]
        for old in sorted(over, key=lambda one: -one.ended)[KNOWN:]:
            del self._known[old.identifier]

    def _remember_before(self) -> None:
        """Take up the jobs of the last start; what was not done then is not done now."""
        for said in reversed(_read(self._file) or ()):
            if said.keys() != Job.__dataclass_fields__.keys():
                continue  # another version of Tacita wrote it
            job = Job(**said)
            if not job.is_over:
                job = replace(job, state="stopped", error=INTERRUPTED)
            self._known[job.identifier] = job


def _read(file: Path) -> Any:
    """Return what a file remembers; None where it is not there, or was not written to its end."""
    try:
        return json.loads(file.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
