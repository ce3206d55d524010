"""Free text is told from labels, codes, names and lists."""

import pyarrow as pa
import pytest

from tacita.inspection.columns import column_of
from tacita.inspection.detectors import Values
from tacita.inspection.detectors.free_text import FreeText

NAMES = ["Nowak", "Schmidt", "Dupont", "Garcia", "Rossi", "Weber", "Lund"]
CALLS = [f"spoke with {NAMES[n % 7]} about case {n}, will call back" for n in range(60)]
TRADES = ["nurses", "clerks", "cooks", "drivers", "judges", "miners", "bakers", "tailors"]
PLACES = ["health care", "retail sale", "food making", "road transport", "law courts"]
OCCUPATIONS = [f"{trade} in {place} and related trades" for trade in TRADES for place in PLACES]
TEXTS = [f"The patient fell down step {n} and hurt the left arm." for n in range(20)]


def is_free_text(values):
    return FreeText().detect(Values(column_of("x", values))) is not None


@pytest.mark.parametrize(
    "values",
    [
        TEXTS,
        TEXTS[:4],
        [
            "Wants to be called by her daughter.",
            "He moved to Graz in May.",
            "was not at home twice",
        ],
        [*["yes", "no", "partly", "unknown", "later", "other", "never"] * 30, *TEXTS[:4]],
        [*TEXTS, *[None] * 500],
        [*TEXTS, *["", " "] * 500],
        [*TEXTS, *TEXTS[:20]],
        [f"患者は{'階段から落ちて左腕を負傷した。' * 9}{n}" for n in range(9)],
        [f"one, two, three, four: remark {n}" for n in range(20)],
        [*CALLS, *["keine"] * 540],
        [*CALLS, *["none"] * 300, *["n/a"] * 200, *["no remarks"] * 100],
        [*CALLS * 3],
        [*CALLS[:30], *[f"ok {n}" for n in range(200)]],
        [f"called {NAMES[n % 7]} {n}" for n in range(60)],
        [f"saw {NAMES[n % 7]} again; fever {n}; call wife Eva" for n in range(60)],
        [f"met {NAMES[n % 7]} {n}|sent home|son Jan" for n in range(60)],
        [f"病人王{'伟芳娜敏'[n % 4]}昨天来过{n}号房间说头痛" for n in range(60)],
        [f"患者田中さんは昨日{n}時に来院しました" for n in range(60)],
        [f"patient_{NAMES[n % 7]}_called_about_bed_{n}_today" for n in range(60)],
        [label.replace("road", "Weber") for label in OCCUPATIONS],
    ],
)
def test_free_text(values):
    assert is_free_text(pa.array(values))


@pytest.mark.parametrize(
    "values",
    [
        TEXTS * 4,
        [f"id-{n}" for n in range(50)],
        [f"Ana Maria Soler {n}" for n in range(50)],
        [f"A{n:02d} B{n:02d} C{n:02d} D{n:02d} E{n:02d}" for n in range(50)],
        ["|".join(f"kind of thing {m}" for m in range(n, n + 30)) for n in range(50)],
        [f"from {n} to {n + 5} years old" for n in range(10)],
        OCCUPATIONS,
        OCCUPATIONS * 3,
        [*OCCUPATIONS[:10] * 40, *OCCUPATIONS],
        [f"农林牧渔业{'甲乙丙丁'[n % 4]}{n}" for n in range(60)],
        [f"Hauptstrasse {n}" for n in range(60)],
        ["keine", "siehe Akte", "ruft an", "verlegt nach Haus 3"] * 50,
        [None] * 50,
        [],
    ],
)
def test_no_free_text(values):
    assert not is_free_text(pa.array(values, pa.string()))


def test_numbers_are_no_text():
    assert not is_free_text(pa.array(range(100)))
