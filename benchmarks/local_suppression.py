"""Local suppression of a million records, with its lower bound, against a plain loop.

Five keys of generated hospital discharges at k = 3. Ours is the whole method: counting, choosing
what is blanked, the bound, and the released file. The other side, in pandas, blanks one key after
the other of the records that are too few, the key with the most values first: it has no bound, and
the last records may stay too few. What ours blanks, and its bound, is printed at the end.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from measuring import race


def tacita(chosen: argparse.Namespace) -> Callable[[], object]:
    import tacita as ta

    ta.use_threads(chosen.threads)
    data = ta.example("patients", chosen.records)
    method = ta.LocalSuppression(k=chosen.k, attributes=chosen.keys)
    method.find(data.take(np.arange(1000)))  # the kernels are loaded

    return lambda: method.find(replace(data))  # a copy has no classes counted yet


def pandas(chosen: argparse.Namespace) -> Callable[[], object]:
    import tacita as ta

    frame = ta.example("patients", chosen.records).to_pandas()[chosen.keys].astype(str)

    def work() -> None:
        left = frame.copy()
        for key in left.nunique().sort_values(ascending=False).index:
            few = left.groupby(chosen.keys)[key].transform("size") < chosen.k
            left.loc[few, key] = ""

    return work


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    keys = ["age_yrs", "sex", "ethncty", "race", "patcnty"]
    parser.add_argument("--keys", nargs="+", default=keys)
    race(__file__, {"tacita": tacita, "pandas": pandas}, parser, repeats=3)
    asked = parser.parse_args()
    if not asked.contender:
        print(tacita(asked)())
