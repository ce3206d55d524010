"""Every risk and every information loss of a million records by ten attributes, in two calls.

To compare with an earlier commit, run the same script with its `src` on the path of Python.

What grows faster than the data (linkage, special uniques, learned models) is measured on the sample
that the measure states. Prints the seconds of every measure, the slowest first, and their sum.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

import tacita as ta
from measuring import clock
from tacita.release.execute import measure

LEFT_OUT = ["id", "languages"]  # ten attributes stay, weight and household among them
CALLS: dict[str, Callable[[ta.Microdata, ta.Microdata], object]] = {
    "risk": lambda _, protected: protected.risk().rows,
    "disclosure_risk": ta.disclosure_risk,
    "information_loss": ta.information_loss,
}


def masked(data: ta.Microdata) -> ta.Microdata:
    """Mask as people do: generalize, cap, and add noise to an income."""
    rng = np.random.default_rng(0)
    income = data.numbers("income")
    noisy = income + rng.normal(0, 0.1 * np.nanstd(income), len(income))
    column = pa.array(noisy, mask=np.isnan(noisy))
    steps = (ta.Generalize("zip", level=2), ta.Generalize("born", level=3), ta.TopCode("age", 85))
    for step in steps:
        data = data.apply(step, seed=0)
    return data.with_column(data.attribute("income"), column)


def timed(names: list[str], original: ta.Microdata, protected: ta.Microdata) -> dict[str, float]:
    """Run every measure alone, so that each pays for what it counts itself."""
    seconds = {}
    for name in names:
        begun = time.perf_counter()
        _, skipped = measure([ta.methods()[name]()], original, protected)
        seconds[name] = time.perf_counter() - begun
        for _, why in skipped:
            print(f"not measured: {name}: {why}")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--call", choices=CALLS, nargs="+", default=["risk", "information_loss"])
    parser.add_argument("--each", action="store_true", help="time every measure alone, too")
    chosen = parser.parse_args()
    original = ta.example("toy", chosen.records).without(LEFT_OUT)
    original = original.with_external(holdout=ta.example("toy", chosen.records // 10, seed=1))
    protected = masked(original)
    few = np.arange(500)
    for name in chosen.call:
        CALLS[name](original.take(few), protected.take(few))  # compile and load what is needed
    for name in chosen.call:
        row = clock(partial(CALLS[name], original, protected))
        print(f"{name:<18}{row['wall']:>8.1f} s wall{row['cpu']:>8.1f} s CPU", end="")
        print(f"{row['peak_mb']:>8.0f} MB peak")
    if chosen.each:
        names = [n for n, c in ta.methods().items() if c.family in ("risk", "attack", "utility")]
        seconds = timed(names, original, protected)
        for name, taken in sorted(seconds.items(), key=lambda item: -item[1]):
            print(f"{name:<34}{taken:>8.2f} s")


if __name__ == "__main__":
    main()
