"""The workbench as processes: started, stopped, killed, started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tacita.app.bench import Bench
from tacita.app.jobs import INTERRUPTED
from tacita.app.rooms import drawing
from tacita.app.running import ready
from tacita.app.workplace import Workplace
from tacita.errors import InputError

LARGE = {"example": ["patients"], "records": ["5000000"]}


class Started:
    """A workbench that was started as a person starts it, and its client."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [
            str(Path(sys.executable).with_name("tacita")),
            "app",
            str(folder),
            "--no-browser",
        ]
        self.process = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=folder,
        )  # fmt: skip
        self.url = self.process.stdout.readline().split()[-1]
        self.web = httpx.Client(
            base_url=self.url.partition("/?")[0],
            trust_env=False,
            follow_redirects=True,
            timeout=300,
        )
        page = self.web.get(self.url).text
        self.web.headers["X-Tacita-Proof"] = page.split('name="proof" content="')[1][:64]

    def busy(self) -> tuple[str, str]:
        """Begin something that takes long; return the project and the job."""
        place = self.web.post("/projects", json=LARGE).json()["go"]
        shown = self.web.get(f"{place}/overview").text
        job = shown.split('data-job="')[1][:12]
        until(lambda: self.web.get(f"/jobs/{job}").json()["state"] == "running")
        return place.split("/")[2], job

    def hands(self) -> list[int]:
        """Return the processes that it started and that live."""
        found = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                parts = status.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(parts[1]) == self.process.pid and parts[0] != "Z":
                found.append(int(status.parent.name))
        return found


def until(holds: Callable[[], bool], seconds: float = 300) -> None:
    over = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < over, "it did not happen"
        time.sleep(0.05)


def is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture
def start(tmp_path) -> Iterator[Callable[..., Started]]:
    begun: list[Started] = []

    def started(*options: str) -> Started:
        begun.append(Started(tmp_path, *options))
        return begun[-1]

    yield started
    for one in begun:
        one.web.close()
        one.process.kill()
        one.process.communicate()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_ends_no_process_is_left_and_no_work_is_lost(start, tmp_path, how):
    bench = start()
    project, job = bench.busy()
    hands = bench.hands()
    assert hands
    bench.process.send_signal(how)
    bench.process.wait(timeout=300)
    until(lambda: all(map(is_gone, hands)))
    assert bench.process.stderr.read() == ""
    again = Bench.at(Workplace.at(tmp_path))
    assert again.projects.get(project).name == "patients (example)"
    found = again.jobs.get(job)
    assert (found.state, found.error) == ("stopped", INTERRUPTED)
    again.jobs.close()


def test_a_process_that_dies_says_so_and_the_next_work_is_done(start):
    bench = start()
    _, job = bench.busy()
    for hand in bench.hands():
        os.kill(hand, signal.SIGKILL)
    until(lambda: bench.web.get(f"/jobs/{job}").json()["state"] == "failed")
    assert "came to an end" in bench.web.get(f"/jobs/{job}").json()["error"]
    place = bench.web.post("/projects", json={"example": ["toy"], "records": ["9"]}).json()["go"]
    shown = bench.web.get(f"{place}/overview").text
    other = shown.split('data-job="')[1][:12]
    until(lambda: bench.web.get(f"/jobs/{other}").json()["state"] == "done")


def test_a_folder_is_opened_once(start, tmp_path):
    bench = start()
    with pytest.raises(InputError, match="is open already"):
        ready(Workplace.at(tmp_path))
    bench.process.kill()
    bench.process.wait()
    again = ready(Workplace.at(tmp_path))
    again.taken.close()
    again.held.close()
    again.bench.jobs.close()


def test_a_port_that_is_taken_says_so(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(InputError, match=r"Cannot listen on port .* --port"):
            ready(Workplace.at(tmp_path), port=other.getsockname()[1])
    again = ready(Workplace.at(tmp_path))  # the folder was not kept
    again.taken.close()
    again.held.close()
    again.bench.jobs.close()


def test_modules_that_lie_in_the_folder_are_not_run(start, tmp_path):
    for name in ("multiprocessing", "yaml", "pyarrow", "runpy"):
        (tmp_path / f"{name}.py").write_text("open('run', 'w')\n")
    bench = start()
    place = bench.web.post("/projects", json={"example": ["toy"], "records": ["9"]}).json()["go"]
    job = bench.web.get(f"{place}/overview").text.split('data-job="')[1][:12]
    until(lambda: bench.web.get(f"/jobs/{job}").json()["state"] == "done")
    assert not (tmp_path / "run").exists()


def test_nor_by_the_process_that_makes_the_library_of_plots(tmp_path, monkeypatch):
    (tmp_path / "vl_convert.py").write_text("open('run', 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drawing, "MAKE", "import vl_convert; print('made')")
    assert drawing.kept(tmp_path).read_text() == "made\n"
    assert not (tmp_path / "run").exists()


def test_many_reloads_use_nothing_up(start):
    bench = start()
    _, job = bench.busy()
    address = httpx.URL(bench.url)
    cookie = "; ".join(f"{name}={value}" for name, value in bench.web.cookies.items())
    asked = f"GET /jobs/{job}?wait=true HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n"
    pages = [socket.create_connection((address.host, address.port)) for _ in range(60)]
    for page in pages:
        page.sendall(asked.encode())
    time.sleep(0.5)
    assert bench.web.get("/", timeout=15).status_code == 200
    assert bench.web.post(f"/jobs/{job}/stop", json={}, timeout=15).json()["state"] == "stopped"
    for page in pages:
        assert page.recv(12) == b"HTTP/1.1 200"
        page.close()


def test_what_is_interrupted_before_it_serves_leaves_no_work_behind(tmp_path, monkeypatch):
    def interrupted(**_):
        raise KeyboardInterrupt

    bench = ready(Workplace.at(tmp_path))
    monkeypatch.setattr(bench.uvicorn, "run", interrupted)
    bench.run()
    assert bench.bench.jobs.is_closed


# Stands for a browser: notes its arguments, and the page that it was given.
BROWSER = """#!{python}
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit
page = Path(unquote(urlsplit(sys.argv[1]).path))
Path({noted!r}).write_text("\\n".join([" ".join(sys.argv), oct(page.stat().st_mode), page.read_text()]))
"""


def seen_by_others() -> str:
    """Return the arguments of all processes, which everybody on a machine can read."""
    texts = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            texts.append((process / "cmdline").read_text(errors="replace"))
        except OSError:
            continue
    return "\n".join(texts)


def test_no_token_is_in_the_arguments_or_the_environment_of_a_process(tmp_path, monkeypatch):
    browser, noted, folder = tmp_path / "browser.py", tmp_path / "noted.txt", tmp_path / "work"
    folder.mkdir()
    browser.write_text(BROWSER.format(python=sys.executable, noted=str(noted)))
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    command = [str(Path(sys.executable).with_name("tacita")), "app", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            address, _, printed = process.stdout.readline().split()[-1].partition("/?token=")
            assert httpx.get(address, trust_env=False, timeout=300).status_code == 403
            until(lambda: noted.exists() and noted.read_text().endswith("</html>"))
            arguments, mode, page = noted.read_text().splitlines()
            token = page.partition("token=")[2].partition('"')[0]
            assert len(token) > 30
            assert token != printed
            assert mode == "0o100600"
            assert "token=" not in arguments
            seen = seen_by_others()
            assert token not in seen
            assert printed not in seen
            environ = Path(f"/proc/{process.pid}/environ").read_text(errors="replace")
            assert token not in environ
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=300)
    assert not (folder / ".tacita" / "enter.html").exists()
