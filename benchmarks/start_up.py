"""How long `tacita --help` and `tacita demo` take, beyond `python -c pass`."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 10


def cost(command: list[str], repeats: int) -> tuple[float, float]:
    """Return the best wall and CPU seconds of a command."""
    walls, cpus = [], []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        walls.append(time.perf_counter() - begun)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(walls), min(cpus)


if __name__ == "__main__":
    tacita = str(Path(sys.executable).with_name("tacita"))
    nothing = cost([sys.executable, "-c", "pass"], REPEATS)
    helped = cost([tacita, "--help"], REPEATS)
    with tempfile.TemporaryDirectory() as folder:
        demo = cost([tacita, "demo", "--out", f"{folder}/out"], 3)
    print(f"{'':<22}{'wall s':>10}{'CPU s':>10}")
    for name, (wall, cpu) in {
        "python -c pass": nothing,
        "tacita --help": helped,
        "tacita demo": demo,
    }.items():
        print(f"{name:<22}{wall:>10.3f}{cpu:>10.3f}")
    print(
        f"help beyond nothing, CPU seconds: {helped[1] - nothing[1]:.3f} (asked for: at most 0.4)"
    )
    print(f"demo, wall seconds: {demo[0]:.1f} (asked for: under 30)")
