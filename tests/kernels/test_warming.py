from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from numba.extending import is_jitted

from tacita.kernels import exchanging
from tacita.kernels.warming import warm


def test_a_module_is_compiled_and_kept(tmp_path):
    own = [one for one in vars(exchanging).values() if is_jitted(one)]
    script = "from tacita.kernels.warming import warm; print(warm('exchanging'))"
    said = subprocess.run(
        [sys.executable, "-c", script], env={"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(said.stdout) == warm("exchanging") == len(own)
    kept = {file.name.split("-")[0] for file in Path(tmp_path).rglob("*.nbi")}
    assert kept == {f"exchanging.{one.__name__}" for one in own}


def test_a_module_without_kernels_has_none():
    assert warm("compile") == 0
