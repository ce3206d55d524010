"""How quickly the workbench answers: first paint, and fresh measures after a change of parameter.

A file of patients is opened in a workbench of its own, as a person would. Then its page is asked
for, and parameters of several methods are changed one after the other: from sending the form to
the fresh measures of a sample, through the same addresses as the browser uses.

    python workbench.py [--records 100000]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
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

    def memory(self) -> float:
        """Return the megabytes that the server holds."""
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def close(self) -> None:
        """Stop the workbench."""
        self.web.close()
        self.server.terminate()
        self.server.wait()


def opened(person: Person, folder: str, records: int) -> str:
    """Open a file and say what its keys are."""
    ta.example("patients", records).write(Path(folder) / "patients.csv")
    place: str = person.fill("/projects", file="patients.csv")["go"].removesuffix("/data")
    keys = {f"role {number}": "key" for number in range(len(KEYS))}
    person.shown(f"{place}/roles/attributes")
    person.fill(f"{place}/roles", variant=0, name=list(KEYS), **keys)
    return place


def main(records: int) -> None:
    """Print what was asked for and what it took."""
    with tempfile.TemporaryDirectory() as folder:
        person = Person(folder)
        try:
            place = opened(person, folder, records)
            begun = time.perf_counter()
            person.web.get(f"{place}/protect")
            told("first paint of the page", time.perf_counter() - begun)
            begun = time.perf_counter()
            person.shown(f"{place}/protect/measures/1")
            print(f"{'first measures, data read':<34}{time.perf_counter() - begun:>9.3f} s")
            for method, changes in CHANGES.items():
                told(
                    f"change of {method}", *(changed(person, place, method, one) for one in changes)
                )
            print(f"{'server':<34}{person.memory():>9.0f} MB (asked for: under {MEGABYTES})")
        finally:
            person.close()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{'CPU of it all':<34}{used.ru_utime + used.ru_stime:>9.1f} s")


def changed(person: Person, place: str, method: str, said: dict[str, Any]) -> float:
    """Return the seconds from a change to fresh measures."""
    form = {f"p:{name}": one for name, one in said.items()}
    begun = time.perf_counter()
    tried = person.fill(f"{place}/protect/try", variant=1, method=method, **form)
    person.shown(tried["load"])
    return time.perf_counter() - begun


def told(what: str, *seconds: float) -> None:
    """Print the worst of several times beside what was asked for."""
    each = ", ".join(f"{one:.3f}" for one in seconds)
    print(f"{what:<34}{max(seconds):>9.3f} s (asked for: under {ASKED:g}; {each})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    main(parser.parse_args().records)
