"""Masks generated data by every method that leaves clues, guesses, and writes down the hit rates.

`python docs/attacks_on_files.py` writes the tables of `attacks-on-files.md` anew; a test runs the
same cases on other records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.attacks.clues.guess import Guess
from tacita.attacks.guessing import guess_methods
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.results import brief

PAGE = Path(__file__).parent / "attacks-on-files.md"
TABLE = re.compile(
    r"(?:(?<=<!-- hits -->\n)|(?<=<!-- alarms -->\n)).*?(?=\n<!-- end -->)", re.DOTALL
)
RECORDS, SEEDS = 1000, range(5)
FILES = ("patients", "firms", "census", "survey", "toy")
PAY = ("wage", "earnings", "interest")
# What generators make by themselves: ages end at 85, firms have size classes, files are samples.
TRUE_OF_ORIGINAL = {("top_code", "age_yrs"), ("recode", "size_class"), ("sample", "weight")}


@dataclass(frozen=True)
class Case:
    """A masking, the file it masks, and which of its parameters the file may show exactly."""

    file: str
    method: Method
    exactly: Mapping[str, Any] = field(default_factory=dict)
    attributes: tuple[str, ...] | None = None  # that the guess must name, in the file's order


def _rounded() -> Iterator[Case]:
    for file, name, base in (
        ("census", "wage", 10), ("census", "wage", 500), ("survey", "income", 0.5),
        ("survey", "income", 25), ("patients", "age_yrs", 5),
    ):  # fmt: skip
        yield Case(file, ta.RoundValues(name, base), {"base": base}, (name,))


def _microaggregated() -> Iterator[Case]:
    together = ("earnings", "wage", "interest")
    for k in (2, 3, 5, 10):
        yield Case("census", ta.Microaggregate(PAY, k=k), {"k": k}, together)
    for k, algorithm in product((3, 5), ("optimal", "individual_ranking")):
        method = ta.Microaggregate(["wage"], k=k, algorithm=algorithm)
        yield Case("census", method, {"k": k, "algorithm": algorithm}, ("wage",))
    yield Case("census", ta.Microaggregate(PAY, algorithm="v_mdav"), {"k": 3}, together)
    yield Case("census", ta.Microaggregate(PAY, improve=True), {"k": 3}, together)
    yield Case("census", ta.Microaggregate(PAY, representative="median"), {"k": 3}, together)
    six = (*PAY, "dividends", "benefits", "federal_tax")
    yield Case("census", ta.Microaggregate(six, k=5, together=3), {"k": 5}, together)
    mixed = ("age", "education", "region")
    yield Case("toy", ta.Microaggregate(mixed, k=5), {"k": 5}, mixed)


def _coded() -> Iterator[Case]:
    for file, name, limit in (("census", "wage", 50_000), ("census", "wage", 75_000),
                              ("patients", "los", 20)):  # fmt: skip
        yield Case(file, ta.TopCode(name, limit), {"above": limit}, (name,))
    yield Case("census", ta.BottomCode("wage", 10_000), {"below": 10_000}, ("wage",))
    yield Case("toy", ta.TopCode("age", 80, label="80+"), {"above": 80}, ("age",))


def _recoded() -> Iterator[Case]:
    yield Case("toy", ta.Recode("age", width=10), {"width": 10}, ("age",))
    yield Case("toy", ta.Recode("age", width=15, start=5), {"width": 15, "start": 5}, ("age",))
    yield Case("toy", ta.Recode("age", breaks=[18, 40, 65]), {"breaks": [18, 40, 65]}, ("age",))
    yield Case("toy", ta.Coarsen(7, ["age"]), {"resolution": 7}, ("age",))
    yield Case("toy", ta.Recode("born", unit="month"), {"unit": "month"}, ("born",))
    yield Case("toy", ta.Recode("born", unit="year"), {"unit": "year"}, ("born",))
    for level in (1, 3):
        yield Case("toy", ta.Generalize("zip", level=level), {"level": level}, ("zip",))


def _anonymized() -> Iterator[Case]:
    for k in (3, 10):
        models = [{"k_anonymity": {"k": k}}]
        yield Case("toy", ta.Mondrian(models), {"to": models})
        yield Case("toy", ta.Lattice(models, suppression_limit=0.05))
    yield Case("survey", ta.LocalSuppression(k=3, attributes=["education", "region", "occupation"]))


def _perturbed() -> Iterator[Case]:
    for method in (ta.AddNoise("wage", alpha=0.01), ta.AddNoise("wage", alpha=0.2),
                   ta.MultiplyNoise("wage", deviation=0.1), ta.KimNoise(["wage"], alpha=0.1),
                   ta.NoiseOutliers(["wage"], alpha=0.1)):  # fmt: skip
        yield Case("census", method, {}, ("wage",))
    zeros = ta.MultiplyNoise("investments", deviation=0.1)
    yield Case("firms", zeros, {}, ("investments",))
    for samples in (3, 4, 7):
        method = ta.Resample("income", samples=samples)
        yield Case("survey", method, {"samples": samples}, ("income",))


def _exchanged() -> Iterator[Case]:
    for p in (5, 15):
        yield Case("firms", ta.RankSwap(["employees"], p=p), {}, ("employees",))
        yield Case("census", ta.RankSwap(["wage"], p=p), {}, ("wage",))
    yield Case("census", ta.Shuffle("wage", given=["earnings"]), {}, ("wage",))
    for kept in (0.7, 0.9):
        yield Case("survey", ta.Pram("region", minimum_diagonal=kept))


def _rest() -> Iterator[Case]:
    yield Case("census", ta.Sample(0.4, weight="w"), {"fraction": 0.4})
    yield Case("toy", ta.Pseudonymize("id"), {}, ("id",))
    yield Case("survey", ta.ShuffleRecords())
    for cell in (250, 1000):
        places = ta.CoarsenPlaces("lat", "lon", cell=cell)
        yield Case("places", places, {"cell": cell}, ("lat", "lon"))
    geohash = ta.CoarsenPlaces("lat", "lon", geohash=6)
    yield Case("places", geohash, {"geohash": 6}, ("lat", "lon"))


def _hidden() -> Iterator[Case]:
    """Maskings that change little, or leave what they make like everything else."""
    yield Case("census", ta.TopCode("wage", 120_000), {"above": 120_000}, ("wage",))
    yield Case("toy", ta.LocalSuppression(k=3, attributes=["education", "region", "zip"]))
    yield Case("census", ta.Microaggregate(["wage"], k=3, replace="one"), {"k": 3}, ("wage",))
    yield Case("survey", ta.Recode("region", groups={"N": ["N1", "N2", "N3"]}), {}, ("region",))
    yield Case("patients", ta.Pram("sex", minimum_diagonal=0.8))
    yield Case("survey", ta.SwapRecords(["region"], keys=["occupation"], rate=0.1))
    yield Case("places", ta.DisplacePlaces("lat", "lon", minimum=100, maximum=900), {}, ("lat",))


KINDS: Sequence[Callable[[], Iterator[Case]]] = (
    _rounded,
    _microaggregated,
    _coded,
    _recoded,
    _anonymized,
    _perturbed,
    _exchanged,
    _rest,
    _hidden,
)
CASES = tuple(case for cases in KINDS for case in cases())


def places(records: int, seed: int) -> Dataset:
    """Generate homes around a town."""
    rng = np.random.default_rng(seed)
    drawn = {"lat": rng.normal(41.1, 0.3, records), "lon": rng.normal(1.2, 0.3, records)}
    return ta.read(pa.table({name: np.round(degrees, 6) for name, degrees in drawn.items()}))


def generated(file: str, records: int, seed: int) -> Any:
    """Generate a file."""
    return places(records, seed) if file == "places" else ta.example(file, records, seed=seed)


def found(case: Case, records: int, seed: int) -> tuple[bool, bool]:
    """Tell whether a masking is guessed from its file, and whether with its parameters."""
    data = generated(case.file, records, seed)
    fits = [
        guess for guess in guess_methods(data.apply(case.method, seed=seed)) if _is(case, guess)
    ]
    return bool(fits), any(_shows(guess, case.exactly) for guess in fits)


def _is(case: Case, guess: Guess) -> bool:
    named = case.method.name in (guess.method, *guess.alternatives)
    return named and case.attributes in (None, guess.attributes)


def _shows(guess: Guess, wanted: Mapping[str, Any]) -> bool:
    return all(guess.parameters.get(name) == value for name, value in wanted.items())


def alarms(file: str, records: int, seed: int) -> list[Guess]:
    """Return what is guessed of a file that nobody masked, and is not so."""
    return [
        guess
        for guess in guess_methods(generated(file, records, seed))
        if (guess.method, guess.attributes[0] if guess.attributes else "") not in TRUE_OF_ORIGINAL
    ]


def hit_table() -> str:
    """Return how often each masking is guessed, and its parameters are."""
    lines = ["| masking | file | guessed | parameters exact |", "|---|---|---|---|"]
    for case in CASES:
        both = [found(case, RECORDS, seed) for seed in SEEDS]
        hits, exact = (sum(part) for part in zip(*both, strict=True))
        shown = f"{exact} of {len(SEEDS)}" if case.exactly else ""
        what = brief(case.method.to_plan()).replace("|", "/")
        lines.append(f"| {what} | {case.file} | {hits} of {len(SEEDS)} | {shown} |")
    return "\n".join(lines)


def alarm_table() -> str:
    """Return how often something is guessed of files that nobody masked."""
    sizes = (100, 1000, 5000)
    lines = [f"| file | {' | '.join(f'{n:,} records' for n in sizes)} |", "|---|---|---|---|"]
    for file in (*FILES, "places"):
        wrong = [sum(bool(alarms(file, n, seed)) for seed in SEEDS) for n in sizes]
        lines.append(f"| {file} | {' | '.join(f'{w} of {len(SEEDS)}' for w in wrong)} |")
    return "\n".join(lines)


def written(page: str) -> str:
    """Return the page with its tables made anew."""
    made = {"hits": hit_table, "alarms": alarm_table}
    return TABLE.sub(lambda place: made[_name(page, place.start())](), page)


def _name(page: str, start: int) -> str:
    return "hits" if page[:start].endswith("<!-- hits -->\n") else "alarms"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
