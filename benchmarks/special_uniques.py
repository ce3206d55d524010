"""Special uniques of seven keys against sdcMicro's suda2.

The other side is a recorded figure: sdcMicro 5.8.1 took 0.10 to 0.14 CPU seconds for 10,000 records
and seven keys, in which 7,544 records had minimal sample uniques and all scores added up to
130,587. The keys here are generated to be alike; what they hold is printed beside the times.
"""

from __future__ import annotations

import argparse
import gc
from dataclasses import replace

import numpy as np
import pyarrow as pa

import tacita as ta
from measuring import best, clock

RADIXES = [2, 5, 6, 8, 8, 10, 12]
RECORDED = {"records": 10_000, "cpu": 0.12}


def generated(records: int) -> ta.Microdata:
    rng = np.random.default_rng(0)
    columns = {f"key{place}": _skewed(radix, records, rng) for place, radix in enumerate(RADIXES)}
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def _skewed(radix: int, records: int, rng: np.random.Generator) -> np.ndarray:
    often = 1 / np.arange(1, radix + 1)
    return rng.choice(radix, records, p=often / often.sum())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000, 1_000_000])
    chosen = parser.parse_args()
    method = ta.Suda2()
    small = generated(100)
    method.measure(small, small)  # the kernels are loaded, as in any running program
    print(
        f"{'records':>10}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}{'with MSU':>10}{'scores':>12}"
    )
    for records in chosen.records:
        data = generated(records)
        figures = method.measure(data, data).figures
        gc.collect()
        # A copy has nothing counted yet.
        row = best([clock(lambda data=data: method.measure(data, replace(data))) for _ in range(5)])
        told = f"{figures['records_with_msu']:>10,}{figures['sum_score']:>12,.0f}"
        print(f"{records:>10,}{row['wall']:>10.3f}{row['cpu']:>10.3f}{row['peak_mb']:>10.0f}{told}")
        if records == RECORDED["records"]:
            ratio = row["cpu"] / RECORDED["cpu"]
            print(f"ratio to sdcMicro's recorded {RECORDED['cpu']} CPU s: {ratio:.2f}")
