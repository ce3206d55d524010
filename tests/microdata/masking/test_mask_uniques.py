from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import HierarchyError, ParameterError

TABLE_S3 = (
    ("age_yrs", "20 bands"),
    ("ethncty", "suppress"),
    ("race", "suppress"),
    ("sex", "suppress"),
    ("age_yrs", "5 bands"),
    ("age_yrs", "suppress"),
    ("adm_qtr", "suppress"),
    ("patzip", "3 digits"),
    ("patcnty", "suppress"),
    ("patzip", "suppress"),
)


def table(**columns):
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def test_steps_stop_once_a_record_is_no_longer_unique():
    data = table(a=[1, 1, 1, 1, 2], b=["x", "x", "y", "z", "z"])
    out = data.apply(ta.MaskUniques([("b", "suppress"), ("a", "suppress")]))
    # The last one is alone even without its b, and goes without its a too.
    assert out.column("b").to_pylist() == ["x", "x", None, None, None]
    assert out.column("a").to_pylist() == [1, 1, 1, 1, None]
    assert out.suppressed_in("b").tolist() == [False, False, True, True, True]
    assert out.notes["masked_by_step"] == [3, 1]
    assert out.notes["still_rare"] == 1


def test_bands_digits_and_levels_leave_what_they_say():
    zips = ["94138", "94139", "94141", "10001"]
    data = ta.read(
        pa.table({"zip": zips}), roles={"zip": "key"}, hierarchies={"zip": {"prefix": 5}}
    )
    digits = data.apply(ta.MaskUniques([("zip", "3 digits")]))
    assert digits.column("zip").to_pylist() == ["941**", "941**", "941**", "100**"]
    level = data.apply(ta.MaskUniques([("zip", "level 1")]))
    assert level.column("zip").to_pylist() == ["9413*", "9413*", "9414*", "1000*"]
    bands = data.apply(ta.MaskUniques([("zip", "2 bands")]))
    assert bands.column("zip").to_pylist()[3] == "[10001;52070]"


@pytest.mark.parametrize("seed", range(3))
def test_the_printed_order_on_discharges_is_the_plain_loop(seed):
    data = ta.example("patients", 400, seed=seed)
    out = data.apply(ta.MaskUniques(TABLE_S3))
    assert rows(out) == plain_loop(data)
    assert out.notes["still_rare"] == sum(
        number == 1 for number in Counter(map(tuple, rows(out))).values()
    )


def rows(data):
    names = dict.fromkeys(name for name, _ in TABLE_S3)
    columns = [data.column(name).cast(pa.string()).to_pylist() for name in names]
    return [list(row) for row in zip(*columns, strict=True)]


def plain_loop(data):
    """Mask record by record, in plain Python."""
    names = list(dict.fromkeys(name for name, _ in TABLE_S3))
    originals, shown = rows(data), rows(data)
    ages = [int(row[0]) for row in originals]
    low, width = min(ages), max(ages) - min(ages) + 1

    def band(age, number):
        cuts = [i * width // number for i in range(number + 1)]
        place = max(i for i in range(number) if cuts[i] <= age - low)
        ends = low + cuts[place], low + cuts[place + 1] - 1
        return f"[{ends[0]};{ends[1]}]" if ends[0] < ends[1] else str(age)

    for name, how in TABLE_S3:
        counts, place = Counter(map(tuple, shown)), names.index(name)
        for number, row in enumerate([list(row) for row in shown]):
            if counts[tuple(row)] > 1:
                continue
            own = originals[number][place]
            if how == "suppress":
                shown[number][place] = None
            elif how.endswith("bands"):
                shown[number][place] = band(int(own), int(how.split()[0]))
            else:
                shown[number][place] = own[:3] + "**"
    return shown


@given(st.integers(0, 200), st.integers(2, 4))
def test_only_rare_records_change_and_a_longer_order_leaves_no_more_of_them(seed, k):
    rng = np.random.default_rng(seed)
    data = table(a=rng.integers(0, 9, 40), b=rng.integers(0, 3, 40), c=rng.integers(0, 2, 40))
    steps = [("a", "3 bands"), ("b", "suppress"), ("a", "suppress"), ("c", "suppress")]
    out = data.apply(ta.MaskUniques(steps, k=k))
    kept = data.classes().size_of_record >= k
    for name in data.names:
        before, after = data.column(name).cast(pa.string()), out.column(name).cast(pa.string())
        assert after.filter(pa.array(kept)).equals(before.filter(pa.array(kept)))
    # All that are rare to the end have nothing left, so that they share that.
    left = out.notes["still_rare"]
    assert left == int(np.count_nonzero(out.classes().size_of_record < k)) < k


def test_missing_values_stay_missing_and_are_not_called_suppressed():
    data = table(a=[1, None, 3], b=[1, 1, 1])
    out = data.apply(ta.MaskUniques([("a", "1 bands")]))
    assert out.column("a").to_pylist() == ["[1;3]", None, "[1;3]"]
    assert out.suppressed_in("a").tolist() == [False, False, False]


def test_bad_input_says_why(toy):
    with pytest.raises(ParameterError, match="found 'hide'"):
        ta.MaskUniques([("age", "hide")])
    with pytest.raises(ParameterError, match="no hierarchy of `a`"):
        table(a=[1, 2]).apply(ta.MaskUniques([("a", "level 1")]))
    with pytest.raises(HierarchyError, match=r"Attribute `zip`: .*level 9"):
        toy.apply(ta.MaskUniques([("zip", "level 9")]))
    with pytest.raises(ta.TacitaError, match="Did you mean `age`"):
        toy.apply(ta.MaskUniques([("agee", "suppress")]))


@pytest.mark.parametrize("how", ["0 bands", "00 bands", "100000 bands", f"{10**20} digits"])
def test_numbers_that_mean_nothing_are_refused(how):
    with pytest.raises(ParameterError, match=f"found '{how}'"):
        ta.MaskUniques([("age", how)])
