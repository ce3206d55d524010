"""Killing runs with SIGKILL at random moments: what is left behind, and after the next run.

Half of the runs replace an earlier release on a disk that is nearly full (a small file system in
memory; where none can be mounted, on the ordinary disk, and that is printed). After each kill the
folder must hold the earlier release or the new one, each whole and verified; after the next run no
draft may be left.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tacita as ta

PLAN = """
data: {example: {patients: 400}}
microdata:
  steps: [{top_code: {attribute: los, above: 30}}]
  require: [{uniqueness: {at_most: 1}}]
  measure: [uniqueness]
"""
# The work is begun as soon as a line comes, so that what is killed is the run and not the start.
CODE = """
import sys
from tacita.api.run import run
print("ready", flush=True)
sys.stdin.readline()
run(sys.argv[1], sys.argv[2], seed=int(sys.argv[3]))
"""


@contextmanager
def disk(folder: Path, megabytes: int) -> Iterator[Path | None]:
    """Mount a small disk, where that is allowed."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def killed(plan: Path, out: Path, seed: int, seconds: float) -> bool:
    """Start a run and kill it after some time; tell whether it was still running."""
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, plan, out, str(seed)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdin.write("go\n")
    process.stdin.flush()
    time.sleep(seconds)
    process.kill()
    return process.wait() == -signal.SIGKILL


def state(out: Path) -> str:
    """Say what stands where a release should."""
    if not out.exists():
        return "nothing"
    if ta.verify(out).verdict == "wrong":
        return "HALF A RELEASE"
    return "a whole release"


def drafts(folder: Path) -> int:
    return sum(1 for entry in folder.iterdir() if ".tacita-" in entry.name)


def fill(folder: Path, left: int) -> None:
    """Fill a disk until only some bytes are left."""
    free = shutil.disk_usage(folder).free
    (folder / "ballast").write_bytes(b"\0" * max(free - left, 0))


def main() -> None:
    """Kill runs, and print what was left."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    rng = random.Random(given.seed)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary, disk(Path(temporary) / "disk", 24) as small:
        plan = Path(temporary) / "plan.yaml"
        plan.write_text(PLAN)
        print("nearly full disk:", "a file system of its own" if small else "NOT POSSIBLE HERE")
        begun = time.perf_counter()
        ta.run(plan, Path(temporary) / "timed", seed=1)
        longest = 1.2 * (time.perf_counter() - begun)
        for number in range(given.kills):
            replacing = number % 2 == 1
            folder = (small if replacing else None) or Path(temporary) / f"plain-{number}"
            folder.mkdir(exist_ok=True)
            out = folder / "out"
            if replacing and not out.exists():
                ta.run(plan, out, seed=number)
            if replacing and small:
                fill(folder, rng.choice((100_000, 400_000, 2_000_000)))
            was_running = killed(plan, out, number, rng.uniform(0, longest))
            found["killed while running" if was_running else "ended before"] += 1
            found[f"{'replacing' if replacing else 'first'}: {state(out)}"] += 1
            (folder / "ballast").unlink(missing_ok=True)
            ta.run(plan, out, seed=number)
            found["drafts after the next run"] += drafts(folder)
            if replacing and number % 20 == 19:  # versions would fill the disk
                subprocess.run(["rm", "-rf", str(out)], check=True)
    for what, many in sorted(found.items()):
        print(f"{many:5d}  {what}")
    assert not any("HALF" in what for what in found)
    assert not found["drafts after the next run"]


if __name__ == "__main__":
    main()
