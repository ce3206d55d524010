from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.several_releases import SeveralReleases
from tacita.errors import InputError

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=9
)


def read(keys, values) -> ta.Microdata:
    table = pa.table({"age": keys, "disease": values})
    return ta.read(table, roles={"age": "key", "disease": "confidential"})


def in_order(data, *releases) -> list[ta.Microdata]:
    """Return data and releases of them, whose records stand in the same order."""
    return [data, *(ta.pair(data, release, "position")[1] for release in releases)]


def test_values_are_intersected():
    data = read([20, 25, 30, 35], ["flu", "HIV", "flu", "asthma"])
    first = read(["20-29", "20-29", "30-39", "30-39"], ["flu", "HIV", "flu", "asthma"])
    last = read(["20-24", "25-34", "25-34", "35-39"], ["flu", "HIV", "flu", "asthma"])
    data, first, last = in_order(data, first, last)
    found = SeveralReleases([first]).measure(data, last)
    # 20 and 35 stand alone in the last release. Of 25 and 30 both releases leave HIV or flu and
    # flu or asthma: the sets of 25 share {flu, HIV}, those of 30 {flu}.
    assert found.figures["naive_one_release"] == Fraction(1, 2)
    assert found.value == Fraction(3, 4)
    aligned = SeveralReleases([first], aligned=True).measure(data, last)
    assert aligned.value == 1


def test_guesses_weigh_the_frequencies_of_all_releases():
    ages, values = [30, 20, 21, 40, 41, 42], ["HIV", "flu", "flu", "HIV", "HIV", "flu"]
    first = read(["30-49", "20-29", "20-29", "30-49", "30-49", "30-49"], values)
    last = read(["20-34", "20-34", "20-34", "35-49", "35-49", "35-49"], values)
    data, first, last = in_order(read(ages, values), first, last)
    found = SeveralReleases([first]).measure(data, last)
    # Of the one aged 30, HIV has 1/3 x 3/4 and flu 2/3 x 1/4; only the one aged 42 is missed.
    assert found.figures["guessed"] == Fraction(5, 6)
    assert found.figures["guessed_from_one_release"] == Fraction(4, 6)


def released(ages, width, start):
    low = (np.array(ages) - start) // width * width + start
    return [f"[{one},{one + width})" for one in low]


@given(ROWS, st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=25)
def test_what_is_learned_is_that_of_a_slow_search(rows, one, other):
    ages, values = [row[0] for row in rows], [f"v{row[2]}" for row in rows]
    labels = [released(ages, width, -1) for width in (one, other)]
    data, first, last = in_order(read(ages, values), *(read(label, values) for label in labels))
    found = SeveralReleases([first]).measure(data, last)
    certain = 0
    for row in range(len(rows)):
        sets = [
            {v for v, said in zip(values, label, strict=True) if said == label[row]}
            for label in labels
        ]
        certain += sets[0] & sets[1] == {values[row]}
    assert found.value == Fraction(certain, len(rows))
    assert found.value >= found.figures["naive_one_release"]
    joint = SeveralReleases([first], aligned=True).measure(data, last)
    assert joint.value >= found.value


def test_respondents_may_be_missing_from_a_release():
    data = read([20, 25, 30], ["flu", "HIV", "flu"])
    whole = read(["20-39"] * 3, ["flu", "HIV", "flu"])
    part = data.take(np.array([0, 1]))
    found = SeveralReleases([part]).measure(*ta.pair(data, whole, "position"))
    assert found.value == Fraction(2, 3)
    assert found.figures["naive_one_release"] == 0


def test_who_does_not_fit_is_not_learned():
    data = read([20.0, 25.0], ["flu", "HIV"])
    noisy = read([21.0, 25.0], ["flu", "HIV"])
    data, noisy = in_order(data, noisy)
    assert SeveralReleases().measure(data, noisy).value == Fraction(1, 2)
    misled = SeveralReleases([noisy]).measure(data, data)
    assert misled.value == Fraction(1, 2)
    assert misled.figures["naive_one_release"] == 1


def test_the_order_of_an_earlier_release_is_not_used():
    data = ta.example("toy", 300)
    first, last = (data.apply(ta.AddNoise("income", alpha=0.3), seed=s) for s in (1, 2))
    shuffled = first.take(np.random.default_rng(0).permutation(300))
    one, other = (
        SeveralReleases([release], keys=["income", "zip"], aim="reidentify").measure(data, last)
        for release in (first, shuffled)
    )
    assert one.value == other.value > one.figures["naive_one_release"]


def test_two_generalizations_tell_more_than_each():
    data = ta.example("toy", 1000)
    one = data.apply(ta.Generalize("age", level=3)).apply(ta.Generalize("zip", level=1))
    other = data.apply(ta.Generalize("age", level=1)).apply(ta.Generalize("zip", level=5))
    keys = ["age", "zip", "education"]
    found = SeveralReleases([one], keys=keys).measure(data, other)
    joint = SeveralReleases([one], keys=keys, aligned=True).measure(data, other)
    assert found.value > found.figures["naive_one_release"] + Fraction(1, 100)
    assert joint.value > 2 * found.value
    assert found.figures["guessed"] > found.figures["guessed_from_one_release"]


@pytest.mark.parametrize(("aligned", "times"), [(True, 1.7), (False, 1.2)])
def test_noise_cancels_out(aligned, times):
    data = ta.example("toy", 600)
    noisy = [data.apply(ta.AddNoise(["income", "age"], alpha=0.3), seed=s) for s in range(4)]
    attack = SeveralReleases(noisy[1:], keys=["income", "age"], aim="reidentify", aligned=aligned)
    found = attack.measure(data, noisy[0])
    assert found.figures["releases"] == 4
    assert found.figures["ratio_to_naive_one_release"] > times


@pytest.mark.parametrize("aligned", [True, False])
def test_the_largest_numbers_have_a_mean(aligned):
    pay = np.linspace(1.2e308, 1.7e308, 12)
    data = ta.read(pa.table({"pay": pay}), roles={"pay": "key"})
    attack = SeveralReleases([data, data], aim="reidentify", aligned=aligned)
    assert attack.measure(data, data).value == 1


def test_majorities_undo_changes_at_random():
    data = ta.example("toy", 600)
    names = ["education", "region", "disease"]
    pram = [data.apply(ta.Pram(names, minimum_diagonal=0.6), seed=s) for s in range(5)]
    attack = SeveralReleases(pram[1:], keys=[*names, "zip"], aim="reidentify", aligned=True)
    assert attack.measure(data, pram[0]).figures["ratio_to_naive_one_release"] > 2


def test_the_mean_is_that_of_what_is_there():
    data = ta.read(pa.table({"x": [0.0, 10.0]}), roles={"x": "key"})
    last = ta.read(pa.table({"x": [6.0, 6.0]}), roles={"x": "key"})
    first = ta.read(pa.table({"x": [2.0, None]}), roles={"x": "key"})
    found = SeveralReleases([first], aim="reidentify", aligned=True).measure(
        *ta.pair(data, last, "position")
    )
    # The mean 4 of the first record is nearer to 0; of the second only 6 is known.
    assert found.figures["naive_one_release"] == Fraction(1, 2)
    assert found.value == 1


def test_releases_are_read_from_files_and_told_in_the_parameters(tmp_path):
    data = read([20, 25, 30], ["flu", "HIV", "flu"])
    path = tmp_path / "first.csv"
    path.write_text("age,disease\n20-24,flu\n25-29,HIV\n30-34,flu\n")
    last = read(["20-39"] * 3, ["flu", "HIV", "flu"])
    attack = SeveralReleases(path, aligned=True)
    assert attack.measure(*in_order(data, last)).value == 1
    assert attack.parameters() == {"earlier": [str(path)], "aligned": True}
    assert SeveralReleases([data]).parameters() == {"earlier": ["a data set of 3 records"]}


def test_one_release_is_compared_with_itself(toy):
    for aim in ("learn", "reidentify"):
        found = SeveralReleases(aim=aim).measure(toy, toy)
        assert found.value == found.figures["naive_one_release"]


def test_what_is_wrong_is_told(tmp_path):
    data = read([20, 25], ["flu", "HIV"])
    with pytest.raises(InputError, match="missing"):
        SeveralReleases(tmp_path / "missing.csv").measure(data, data)
    with pytest.raises(InputError, match="which records belong together"):
        SeveralReleases([read([20], ["flu"])]).measure(data, data)


@pytest.mark.parametrize("aim", ["learn", "reidentify"])
def test_a_release_of_another_file_is_refused(tmp_path, aim):
    data = read([20, 25, 30], ["flu", "HIV", "flu"])
    other = tmp_path / "other.csv"
    other.write_text("shop,price\na,1\nb,2\nc,3\n", encoding="utf-8")
    told = "has none of its attributes (age, disease)"
    for earlier in (other, ta.read(other)):
        with pytest.raises(InputError, match=re.escape(told)):
            SeveralReleases([earlier], aim=aim).measure(data, data)
