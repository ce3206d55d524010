"""The first five lines of `risk()` on a file, and what they cost: CPU seconds of lines and table.

Without a file they are those of generated records. Loading and compiling is not counted: a few
records are judged first.
"""

from __future__ import annotations

import argparse

import numpy as np

import tacita as ta
from measuring import clock

RECORDS = 30_162  # those of Adult without blanks
DIAGONAL = 0.8


def read(chosen: argparse.Namespace) -> ta.Microdata:
    """Read a file whose named attributes are keys, or generate records."""
    if chosen.source is None:
        return ta.example("toy", chosen.records)
    return ta.read(chosen.source, roles=dict.fromkeys(chosen.keys, "key"))


def masked(data: ta.Microdata, way: str) -> ta.Microdata:
    """Mask the keys in a way that leaves them true, or that does not."""
    if way == "suppressed":
        return data.apply(ta.LocalSuppression(3), seed=1)
    categories = [n for n in data.keys if data.attribute(n).kind.value in ("nominal", "ordinal")]
    return data.apply(ta.Pram(categories, minimum_diagonal=DIAGONAL), seed=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?")
    parser.add_argument("--keys", nargs="+", default=())
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--all", action="store_true", help="time all that is pending, too")
    chosen = parser.parse_args()
    data = read(chosen)
    for way in ("pram", "suppressed"):
        judge(way, masked(data, way), everything=chosen.all)


def judge(way: str, protected: ta.Microdata, *, everything: bool) -> None:
    """Print the lines and what they cost."""
    str(protected.take(np.arange(min(500, len(protected)))).risk())
    found: list[ta.Measures] = []

    def first_lines() -> None:
        found.append(protected.risk())
        print(found[0])

    row = clock(first_lines)
    print(f"{way}: {row['cpu']:.2f} s CPU, {row['wall']:.2f} s wall for the first lines")
    if everything:
        row = clock(found[0].table)  # type: ignore[attr-defined]
        print(f"{way}: {row['cpu']:.2f} s CPU, {row['wall']:.2f} s wall for what was pending")


if __name__ == "__main__":
    main()
