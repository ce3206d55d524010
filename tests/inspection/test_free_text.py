"""Free text is told from labels, codes, names and lists."""

import pyarrow as pa
import pytest

from tacita.inspection.free_text import is_free_text

TEXTS = [f"The patient fell down step {n} and hurt the left arm." for n in range(20)]


@pytest.mark.parametrize(
    "values",
    [
        TEXTS,
        [*TEXTS, *[None] * 500],
        [*TEXTS, *["", " "] * 500],
        [*TEXTS, *TEXTS[:20]],
        [f"患者は{'階段から落ちて左腕を負傷した。' * 9}{n}" for n in range(9)],
        [f"one, two, three, four: remark {n}" for n in range(5)],
    ],
)
def test_free_text(values):
    assert is_free_text(pa.array(values))
    assert is_free_text(pa.chunked_array([pa.array(values)]))
    assert is_free_text(pa.array(values).dictionary_encode())
    assert is_free_text(pa.array(values, pa.large_string()))


@pytest.mark.parametrize(
    "values",
    [
        TEXTS[:4],
        TEXTS * 3,
        [f"id-{n}" for n in range(50)],
        [f"Ana Maria Soler {n}" for n in range(50)],
        [f"A{n:02d} B{n:02d} C{n:02d} D{n:02d} E{n:02d}" for n in range(50)],
        ["|".join(f"kind of thing {m}" for m in range(n, n + 30)) for n in range(50)],
        [None] * 50,
        [],
    ],
)
def test_no_free_text(values):
    assert not is_free_text(pa.array(values, pa.string()))


def test_numbers_are_no_text():
    assert not is_free_text(pa.array(range(100)))
