"""How quickly the workbench answers, from the first try of a session on, and what memory it takes.

A file of patients is opened in a workbench of its own, as a person would. Then its page is asked
for, and parameters of several methods are changed one after the other: from sending the form to
the fresh measures of a sample, through the same addresses as the browser uses. The first try comes
soon after the page was opened; then the workbench is started anew, and the first try of that
session is measured too; between pages, a person needs some seconds to find things. Memory is that
of the server and of all its processes together, each page
of it counted once (the sum of their proportional set sizes), beside what the records take.

    python workbench.py [--records 100000]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

import tacita as ta

NUMBERS = {"attributes": ["age_yrs", "los"]}
CHANGES: dict[str, list[dict[str, Any]]] = {
    "rank_swap": [{**NUMBERS, "p": p} for p in (5, 8, 12)],
    "add_noise": [{**NUMBERS, "alpha": alpha} for alpha in (0.1, 0.2, 0.3)],
    "microaggregate": [{**NUMBERS, "k": k} for k in (3, 5, 8)],
    "top_code": [{"attribute": "age_yrs", "above": above} for above in (70, 80, 90)],
    "local_suppression": [{"k": k} for k in (2, 3, 4)],
}
ASKED = 1.0  # seconds, for the first paint and for fresh measures of 100,000 records
MEGABYTES = 300  # that the server takes beside the data
KEYS = ("age_yrs", "sex", "race")
READING = 3  # seconds that a person takes to find a file, a project or a method


class Person:
    """Somebody who opened the workbench in a folder."""

    def __init__(self, folder: str) -> None:
        command = [str(Path(sys.executable).with_name("tacita")), "app", folder, "--no-browser"]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        url = self.server.stdout.readline().split()[-1]
        self.web = httpx.Client(
            base_url=url.partition("/?")[0], trust_env=False, follow_redirects=True, timeout=600
        )
        page = self.web.get(url).text
        self.web.headers["X-Tacita-Proof"] = page.split('name="proof" content="')[1][:64]

    def fill(self, place: str, **form: Any) -> dict[str, Any]:
        """Send a form."""
        said = {name: one if isinstance(one, list) else [str(one)] for name, one in form.items()}
        reply = self.web.post(place, json=said)
        assert reply.status_code == 200, reply.text
        found: dict[str, Any] = reply.json()
        return found

    def shown(self, place: str) -> str:
        """Wait until a part of a page is there."""
        while 'data-job="' in (text := self.web.get(place).text):
            self.web.get(f"/jobs/{text.split('data-job=')[1][1:13]}?wait=true")
        assert "<table" in text, text
        return text

    def processes(self) -> list[Path]:
        """Return the server and the processes that it started, as the system tells of them."""
        found = [Path(f"/proc/{self.server.pid}")]
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if int(_stat(process)[1]) == self.server.pid:
                    found.append(process)
        return found

    def cpu(self) -> float:
        """Return the CPU seconds that they have used."""
        used = [sum(map(int, _stat(one)[11:13])) for one in self.processes()]
        return sum(used) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> list[float]:
        """Return the megabytes that they hold, those of the server first."""
        told = [(one / "smaps_rollup").read_text() for one in self.processes()]
        return [int(one.split("Pss:")[1].split()[0]) / 1024 for one in told]

    def close(self) -> None:
        """Stop the workbench."""
        self.web.close()
        self.server.terminate()
        self.server.wait()


def _stat(process: Path) -> list[str]:
    return (process / "stat").read_text().rpartition(")")[2].split()


def opened(person: Person) -> str:
    """Open a file and say what its keys are."""
    place: str = person.fill("/projects", file="patients.csv")["go"].removesuffix("/data")
    keys = {f"role {number}": "key" for number in range(len(KEYS))}
    person.shown(f"{place}/roles/attributes")
    person.fill(f"{place}/roles", variant=0, name=list(KEYS), **keys)
    return place


def main(records: int) -> None:
    """Print what was asked for and what it took."""
    with tempfile.TemporaryDirectory() as folder:
        data = ta.example("patients", records)
        data.write(Path(folder) / "patients.csv")
        person = Person(folder)
        time.sleep(READING)
        try:
            place = opened(person)
            first_try(person, place, "first session", 5)
            for method, changes in CHANGES.items():
                told(
                    f"change of {method}", *(changed(person, place, method, one) for one in changes)
                )
            remembered(person, data.to_arrow().nbytes / 2**20)
        finally:
            person.close()
        person = Person(folder)
        time.sleep(READING)
        try:
            first_try(person, place, "next session", 6)
        finally:
            person.close()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{'CPU of it all':<34}{used.ru_utime + used.ru_stime:>9.1f} s")


def first_try(person: Person, place: str, session: str, p: int) -> None:
    """Open the page, look at its measures, and change a parameter for the first time."""
    told(f"first paint, {session}", timed(person, lambda: person.web.get(f"{place}/protect")))
    told(
        f"first measures, {session}",
        timed(person, lambda: person.shown(f"{place}/protect/measures/1")),
    )
    time.sleep(READING)
    told(f"first try, {session}", changed(person, place, "rank_swap", {**NUMBERS, "p": p}))


def remembered(person: Person, data: float) -> None:
    """Print what memory the workbench takes."""
    server, *others = person.memory()
    print(f"{'server':<34}{server:>9.0f} MB (asked for: under {MEGABYTES} and the data)")
    print(f"{'its processes':<34}{sum(others):>9.0f} MB (the records take {data:,.0f})")


def timed(person: Person, done: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds that something takes, and those of CPU."""
    begun, used = time.perf_counter(), person.cpu()
    done()
    return time.perf_counter() - begun, person.cpu() - used


def changed(person: Person, place: str, method: str, said: dict[str, Any]) -> tuple[float, float]:
    """Return the seconds from a change to fresh measures."""
    form = {f"p:{name}": one for name, one in said.items()}

    def done() -> None:
        tried = person.fill(f"{place}/protect/try", variant=1, method=method, **form)
        person.shown(tried["load"])

    return timed(person, done)


def told(what: str, *taken: tuple[float, float]) -> None:
    """Print the worst of several times beside what was asked for."""
    wall, cpu = (max(one) for one in zip(*taken, strict=True))
    each = ", ".join(f"{seconds:.3f}" for seconds, _ in taken)
    print(f"{what:<34}{wall:>9.3f} s, {cpu:.2f} s of CPU (asked for: under {ASKED:g}; {each})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    main(parser.parse_args().records)
