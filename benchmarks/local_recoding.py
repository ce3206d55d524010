"""Local recoding beside the best full-domain generalization, and Mondrian on many records.

Of a file with hierarchies (`--adult FOLDER`, `--atus FOLDER`; `;`-separated, one hierarchy file a
key), k = 5: granularity and loss of the lattice's optimum and of local recoding, and what ARX's
local recoding keeps. Of generated patients (`--patients N`): Mondrian, k = 5, from the
records in memory to the released table. Wall and CPU seconds and peak memory of the process.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from measuring import clock

ADULT = ("sex", "age", "race", "marital-status", "education", "native-country")
ADULT += ("workclass", "salary-class")
ATUS = ("Region", "Age", "Sex", "Race", "Marital status", "Citizenship status", "Birthplace")
ATUS += ("Labor force status",)
ARX = {"adult": 0.8758349224235981, "atus_like": 0.795077385518354}  # no record left out


def compare(folder: Path, file: str, keys: tuple[str, ...]) -> None:
    import tacita as ta

    name = file.split(".", maxsplit=1)[0]
    data = ta.read(
        folder / file,
        roles=dict.fromkeys(keys, "key"),
        hierarchies={key: folder / f"{name}_hierarchy_{key}.csv" for key in keys},
    )
    print(f"{name}: {len(data):,} records; ARX's local recoding keeps {ARX[name]:.4f}")
    ways = [("mondrian", {})]
    ways += [
        (by, {"suppression_limit": limit})
        for limit in (0.0, 0.04)
        for by in ("lattice", "local_recoding")
    ]
    for by, options in ways:
        released: list[ta.Microdata] = []
        row = clock(partial(_anonymize, data, by, options, released))
        kept = 1 - ta.Granularity().measure(data, released[0]).value
        loss = ta.GeneralizationLoss().measure(data, released[0]).value
        found = f"granularity {kept:.4f}, loss {loss:.4f}, {released[0].suppressed:,} left out"
        _show(f"{by} {options.get('suppression_limit', 0):.0%}", row, found)


def _anonymize(data: object, by: str, options: dict[str, float], released: list[object]) -> None:
    import tacita as ta

    released.append(data.anonymize(ta.KAnonymity(5), by=by, seed=0, **options))  # type: ignore[attr-defined]


def patients(records: int) -> None:
    import tacita as ta

    ta.example("patients", 100).apply(ta.Mondrian(ta.KAnonymity(5)), seed=0)  # kernels are loaded
    data = ta.example("patients", records)
    work: Callable[[], object] = partial(data.apply, ta.Mondrian(ta.KAnonymity(5)), seed=0)
    _show(f"mondrian {records:,}", clock(work), f"{len(data.keys)} keys")


def _show(told: str, row: dict[str, float], rest: str) -> None:
    times = f"{row['wall']:8.2f} s wall {row['cpu']:8.2f} s CPU {row['peak_mb']:6.0f} MB"
    print(f"  {told:<24}{times}  {rest}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adult", type=Path, help="the folder of the adult data")
    parser.add_argument("--atus", type=Path, help="the folder of the atus_like data")
    parser.add_argument("--patients", type=int, help="the number of generated records")
    chosen = parser.parse_args()
    if chosen.adult:
        compare(chosen.adult, "adult.csv", ADULT)
    if chosen.atus:
        compare(chosen.atus, "atus_like.csv.gz", ATUS)
    if chosen.patients:
        patients(chosen.patients)
