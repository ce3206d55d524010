"""Post-masking optimization of the CASC file `Census` after rank swap, microaggregation and noise.

1,080 records of 13 numeric attributes, masked in five ways. Each is optimized from the masked
values and from their affine image, with some seeds of the search, one after the other in one
process. Prints the error of the moments E, the score and its components, before and after (the
means over the seeds, and the lowest and highest score), with wall and CPU seconds of one run: the
search, the linkages by which values are put back, and the six scores that choose the result.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import tacita as ta
from measuring import clock
from tacita.method import Method
from tacita.tradeoff.post_masking import PostMasked

CENSUS = Path(__file__).parents[2] / "shared" / "data" / "casc" / "Census.csv"
STARTS = ("masked", "affine")


def ways(names: list[str]) -> dict[str, Method]:
    """Return the masking methods, by what is printed."""
    return {
        "rank swap, p 15": ta.RankSwap(names, p=15),
        "microaggregation, k 5": ta.Microaggregate(names, k=5),
        "the same, 3 at a time": ta.Microaggregate(names, k=5, together=3),
        "noise, alpha 0.1": ta.AddNoise(names, alpha=0.1),
        "noise, alpha 0.5": ta.AddNoise(names, alpha=0.5),
    }


def main() -> None:
    """Mask, optimize and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=CENSUS)
    parser.add_argument("--order", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--seed", type=int, default=1, help="of the masking")
    parser.add_argument("--seeds", type=int, default=5, help="of the search, from 0 on")
    chosen = parser.parse_args()
    data = ta.read(chosen.data)
    _load(data)
    heads = ("E", "score", "IL", "DLD", "PLD", "ID", "lowest", "highest", "wall s", "CPU s")
    print(f"{'':<24}{'':<8}" + "".join(f"{head:>10}" for head in heads))
    for name, method in ways(data.names).items():
        masked = data.apply(method, seed=chosen.seed)
        for place, start in enumerate(STARTS):
            runs = [
                _clocked(ta.PostMasking(start=start, order=chosen.order, seed=seed), data, masked)
                for seed in range(chosen.seeds)
            ]
            if not place:
                first = runs[0][0]
                print(_row(name, "", [(first.error_before, first.before)]))
            print(_row("", start, [(done.error_after, done.after) for done, _ in runs]), end="")
            scores = [done.after.score for done, _ in runs]
            times = (np.mean([took[what] for _, took in runs]) for what in ("wall", "cpu"))
            told = (min(scores), max(scores), *times)
            print("".join(f"{number:>10.2f}" for number in told), flush=True)


def _clocked(
    better: ta.PostMasking, data: ta.Microdata, masked: ta.Microdata
) -> tuple[PostMasked, dict[str, float]]:
    found: list[PostMasked] = []
    took = clock(lambda: found.append(better.improve(data, masked)))
    return found[0], took


def _row(name: str, start: str, found: list[tuple[float, ta.ScoreCard]]) -> str:
    """Return the means of what was found."""
    error = np.mean([one for one, _ in found])
    cards = np.array([(card.score, *card.measures.values()) for _, card in found]).mean(axis=0)
    return f"{name:<24}{start:<8}{error:>10.3g}" + "".join(f"{one:>10.2f}" for one in cards)


def _load(data: ta.Microdata) -> None:
    """Run all of it once on a few records, so that the kernels are loaded."""
    few = data.take(np.arange(60))
    noisy = few.apply(ta.AddNoise(few.names, alpha=0.1), seed=0)
    for start in STARTS:
        ta.PostMasking(start=start).improve(few, noisy)


if __name__ == "__main__":
    main()
