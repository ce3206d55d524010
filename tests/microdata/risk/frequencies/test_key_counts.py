from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.risk.frequencies import key_counts
from tacita.microdata.risk.frequencies.key_counts import KeyCounts

ROLES = {"a": "key", "b": "key", "c": "key", "w": "weight"}
# The teaching file of the individual risk (8 records) after some of its keys were blanked.
BLANKED = [
    (1, 2, 5, 1, 18.0),
    (1, 2, 1, 1, 45.5),
    (1, None, 1, 1, 39.0),
    (3, 3, 1, 5, 17.0),
    (4, None, None, 4, 541.0),
    (4, 3, 1, 1, 8.0),
    (6, 2, 1, 5, 5.0),
    (None, None, None, None, 92.0),
]


def blanked() -> ta.Microdata:
    names = ["k1", "k2", "k3", "k4", "w"]
    columns = dict(zip(names, map(list, zip(*BLANKED, strict=True)), strict=True))
    return ta.read(pa.table(columns), roles=dict.fromkeys(names[:4], "key") | {"w": "weight"})


def of_records(data, alpha) -> tuple[list[float], list[float]]:
    counts = KeyCounts.of(data, None, alpha)
    of_record = counts.of_record
    return counts.sample[of_record].tolist(), counts.population[of_record].tolist()


@pytest.mark.parametrize(
    ("alpha", "sample", "population"),
    [
        (0, [1, 1, 2, 1, 1, 1, 1, 8], [18, 45.5, 84.5, 17, 541, 8, 5, 765.5]),
        (0.5, [1, 1.5, 2.5, 1, 1.5, 1, 1, 8], [18, 65, 130.5, 17, 587, 8, 5, 765.5]),
        (1, [1, 2, 3, 1, 2, 1, 1, 8], [18, 84.5, 176.5, 17, 633, 8, 5, 765.5]),
    ],
)
def test_blanks_that_stand_for_any_value_count_as_sdcmicros(alpha, sample, population):
    assert of_records(blanked(), alpha) == (sample, population)


def test_with_blanks_for_any_value_only_fractional_counts_differ_from_sdcmicro():
    """sdcMicro gives the counts 1.5 the risk 0; the risk must fall between those of 1 and 2."""
    data = blanked()
    risks = {
        alpha: ta.IndividualRisk(alpha=alpha, formula="approximate").measure(data, data).per_record
        for alpha in (0, 0.5, 1)
    }
    assert risks[0][[1, 4, 7]] == pytest.approx(
        [0.085791288223750678, 0.011654480146012003, 0.0014907295257616695], abs=1e-12
    )
    assert risks[1][[1, 2, 4]] == pytest.approx(
        [0.022042326183256165, 0.0084269662921348312, 0.003111732959867147], abs=1e-12
    )
    assert risks[0.5][2] == pytest.approx(0.012610340479192936, abs=1e-12)
    for record in (1, 4):
        assert risks[1][record] < risks[0.5][record] < risks[0][record]


def test_a_record_without_key_values_counts_for_no_complete_record():
    """With a single key sdcMicro lets it count there; with more keys it does not, as here."""
    data = ta.read(pa.table({"a": [1, 1, None]}), roles={"a": "key"})
    assert of_records(data, alpha=1)[0] == [2, 2, 3]


def test_by_default_a_blank_agrees_with_a_blank_only():
    assert of_records(blanked(), None)[0] == [1] * 8


def brute(rows: list[tuple], alpha: float) -> list[float]:
    """Compare every record with every other."""
    return [
        float(len(rows)) if set(mine) == {None} else sum(share(mine, row, alpha) for row in rows)
        for mine in rows
    ]


def share(mine: tuple, other: tuple, alpha: float) -> float:
    if any(x != y for x, y in zip(mine, other, strict=True) if None not in (x, y)):
        return 0.0
    if mine == other or None not in other:
        return 1.0
    return 0.0 if set(other) == {None} and None not in mine else alpha


values = st.sampled_from([None, 1, 2])


@pytest.mark.parametrize("space", [key_counts.SPACE, 4], ids=["one word", "many words"])
@given(others=st.lists(st.tuples(values, values, values)), alpha=st.floats(0, 1))
def test_patterns_of_blanks_find_what_pairs_of_records_find(others, alpha, space):
    rows = [(1, 1, 2), *others]
    table = dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True))
    columns = {name: pa.array(column, pa.int64()) for name, column in table.items()}
    weights = pa.array([2.0] * len(rows))
    data = ta.read(pa.table({**columns, "w": weights}), roles=ROLES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_counts, "SPACE", space)
        sample, population = of_records(data, alpha)
    expected = brute(rows, alpha)
    assert sample == pytest.approx(expected)
    assert population == pytest.approx([2 * count for count in expected])


def test_a_population_is_not_smaller_than_its_sample():
    data = ta.read(pa.table({"a": [1, 1], "w": [0.2, 0.1]}), roles={"a": "key", "w": "weight"})
    assert of_records(data, None) == ([2, 2], [2, 2])


@pytest.mark.parametrize("weight", [None, -1.0, float("inf")])
def test_weights_that_cannot_be_are_refused(weight):
    data = ta.read(pa.table({"a": [1, 2], "w": [1.0, 2.0]}), roles={"a": "key", "w": "weight"})
    data = data.with_column(data.attribute("w"), pa.array([1.0, weight], pa.float64()))
    with pytest.raises(InputError, match=r"`w` is .* in record 2"):
        KeyCounts.of(data, None, None)
