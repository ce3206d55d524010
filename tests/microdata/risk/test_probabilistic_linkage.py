from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.risk.exact_linkage import ExactLinkage
from tacita.microdata.risk.probabilistic_linkage import ProbabilisticLinkage

SHARED = Path(__file__).parents[4] / "shared"
LETTERS = np.array(list("abcdefghijklmnoprstuvz"))


def keyed(**columns: object) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def measured(original: ta.Microdata, protected: ta.Microdata, **parameters: object):
    return ProbabilisticLinkage(**parameters).measure(*ta.pair(original, protected, "position"))


def people(n: int, seed: int = 0) -> ta.Microdata:
    rng = np.random.default_rng(seed)
    surnames = ["".join(rng.choice(LETTERS, 8)) for _ in range(n // 3)]
    return keyed(
        surname=[surnames[place] for place in rng.integers(0, len(surnames), n)],
        born=pa.array(rng.integers(0, 20_000, n).astype("datetime64[D]")),
        sex=rng.choice(["f", "m"], n),
        zip=[f"{code:05}" for code in rng.integers(1, 40, n)],
    )


def misspelt(data: ta.Microdata, share: float, seed: int = 1) -> ta.Microdata:
    rng = np.random.default_rng(seed)
    words = data.column("surname").to_pylist()
    for place in np.flatnonzero(rng.random(len(words)) < share):
        at = rng.integers(1, len(words[place]))
        words[place] = words[place][:at] + str(rng.choice(LETTERS)) + words[place][at + 1 :]
    return data.with_column(data.attribute("surname"), pa.array(words))


@pytest.mark.numeric
@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("xyz")), min_size=2, max_size=12))
@example([(0, "y")] * 2 + [(1, "x")] + [(1, "y")] * 4)
def test_a_copy_is_linked_one_in_the_class(rows):
    data = keyed(a=[a for a, _ in rows], b=[b for _, b in rows])
    expected = sum(Fraction(1, Counter(rows)[row]) for row in rows) / len(rows)
    assert measured(data, data).value == expected == ExactLinkage().measure(data, data).value


def test_recoding_is_followed():
    data = ta.example("toy", 200)
    masked = data.apply(ta.Recode("age", width=10)).apply(ta.Generalize("zip", level=2))
    expected = ExactLinkage(keys=["age", "zip"]).measure(data, masked).value
    assert measured(data, masked, attributes=["age", "zip"]).value == expected


def test_unrelated_files_are_linked_by_chance():
    data = people(300)
    other = data.take(np.random.default_rng(4).permutation(300))
    shuffled = keyed(**{name: other.column(name) for name in other.names})
    found = measured(data, shuffled, similarity=0.9)
    assert float(found.value) < 0.03


def test_partial_agreement_helps_with_misspelt_names():
    data = people(400).without(["born"])
    masked = misspelt(data, 0.7)
    sure, partly = measured(data, masked), measured(data, masked, similarity=0.85)
    assert float(partly.value) > float(sure.value) + 0.2
    levels = {(row["attribute"], row["level"]): row for row in partly.details.to_pylist()}
    surname = [levels["surname", level]["weight"] for level in ("agree", "partly", "disagree")]
    assert surname == sorted(surname, reverse=True)
    # Seven in ten names are misspelt, a few of them into the same letter.
    assert levels["surname", "agree"]["m"] == pytest.approx(0.33, abs=0.08)


def test_more_noise_leaves_fewer_links():
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(3, 300))
    data = keyed(x=x, y=y, z=z)
    shares = []
    for noise in (0.05, 0.3, 3.0):
        dx, dy, dz = noise * rng.normal(size=(3, 300))
        shares.append(float(measured(data, keyed(x=x + dx, y=y + dy, z=z + dz)).value))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.5
    assert shares[2] < 0.05


def test_thresholds_sort_the_pairs_out():
    data = people(200)
    found = measured(data, misspelt(data, 0.2)).figures
    assert found["pairs"] == 200 * 200 == found["links"] + found["clerical"] + found["non_links"]
    assert found["false_links"] <= 20
    assert found["links"] - found["false_links"] > 150
    assert found["t1"] < found["t2"]
    strict = measured(data, misspelt(data, 0.2), false_link_rate=0, false_nonlink_rate=0).figures
    assert (strict["t1"], strict["t2"], strict["clerical"]) == (None, None, 200 * 200)
    given = measured(data, data, t1=-1000, t2=1000).figures
    assert (given["links"], given["non_links"], given["clerical"]) == (0, 0, 200 * 200)
    every = measured(data, data, t2=-1000).figures
    assert every["links"] == 200 * 200
    assert every["false_links"] == 200 * 199


def test_blocks_leave_the_links_that_they_keep():
    data = people(300)
    masked = misspelt(data, 0.3)
    whole, blocked = measured(data, masked), measured(data, masked, blocking="zip")
    assert blocked.figures["pairs"] == sum(
        n * n for n in Counter(data.column("zip").to_pylist()).values()
    )
    assert blocked.figures["not_compared"] == 0
    assert float(blocked.value) == pytest.approx(float(whole.value), abs=0.03)
    lost = measured(data, masked, blocking="surname")
    assert lost.figures["not_compared"] > 60
    either = measured(data, masked, blocking=["surname", "zip"], agreeing="any")
    assert either.figures["not_compared"] == 0
    assert blocked.figures["pairs"] < either.figures["pairs"] < 300 * 300


@pytest.mark.parametrize("assignment", ["greedy", "optimal"])
def test_one_to_one_links_of_a_copy_are_right(assignment):
    data = people(150)
    found = measured(data, data, assignment=assignment)
    assert found.value == measured(data, data).value
    assert found.figures["right_links"] == 150 * found.value


def test_one_to_one_links_are_not_worse_where_records_compete():
    data = people(300).without(["born"])
    masked = misspelt(data, 0.5)
    best = float(measured(data, masked, similarity=0.85).value)
    for assignment in ("greedy", "optimal"):
        found = measured(data, masked, similarity=0.85, assignment=assignment)
        assert float(found.value) > best - 0.02


@pytest.mark.parametrize("parameters", [{"matches": "estimated"}, {"nonmatches": "all_pairs"}])
def test_other_ways_to_estimate_find_the_same_links(parameters):
    data = people(250)
    masked = misspelt(data, 0.3)
    known = measured(data, masked, similarity=0.9)
    found = measured(data, masked, similarity=0.9, **parameters)
    assert float(found.value) == pytest.approx(float(known.value), abs=0.03)
    assert found.figures["share_of_matches"] == pytest.approx(1 / 250, rel=0.5)


def test_a_sample_estimates_the_share_of_all():
    data = people(600)
    masked = misspelt(data, 0.8).without(["born"])
    whole, part = measured(data, masked), measured(data, masked, sample=150)
    assert part.interval.lower <= float(whole.value) <= part.interval.upper
    assert part.per_record is None
    assert part.figures["pairs"] == 150 * 600
    assert "a random sample of 150 of 600 records" in part.sentence


def test_records_and_attributes_that_are_not_released_are_left_out():
    data = people(120)
    masked = data.without(["zip"]).take(np.array([5, 3, 99]))
    found = measured(data, masked, attributes=["zip", "born", "surname"])
    assert found.per_record.tolist() == [1, 1, 1]
    assert found.details["attribute"].unique().to_pylist() == ["born", "surname"]


def test_a_blank_adds_no_weight():
    data = keyed(a=["x", "y", "z", None], b=[1, 2, 3, 4])
    gone = data.with_column(data.attribute("a"), pa.array([None, "y", None, None]))
    assert measured(data, gone, deviations=0).value == 1
    unknown = data.with_column(data.attribute("b"), pa.array([None] * 4, pa.int64()))
    # The fourth respondent's value is blank to the intruder: nothing speaks for or against.
    assert measured(data, unknown).per_record.tolist() == [1, 1, 1, 0.25]


def test_what_cannot_be_compared_is_said_in_a_sentence():
    data = keyed(a=[1, 2])
    with pytest.raises(InputError, match="Name others in `attributes`"):
        measured(data, data.without(["a"]), attributes=["a"])
    many = keyed(**{f"a{place}": [1, 2] for place in range(32)})
    with pytest.raises(InputError, match="At most 31 attributes can be compared, found 32"):
        measured(many, many)


def test_thresholds_the_wrong_way_round_are_refused():
    with pytest.raises(ParameterError, match=r"`t1` should be at most `t2`; found 3\.0 and 2\.0"):
        ProbabilisticLinkage(t1=3, t2=2)


def test_noise_of_a_tenth_on_reference_data():
    """Other systems link 36 % (Euclidean) to 67 % (Gower) of these records by distance."""
    masked = SHARED / "reference/sdcmicro/Tarragona_addNoise_additive10_seed123.csv"
    if not masked.exists():
        pytest.skip("the reference data are not here")
    tables = [pa.csv.read_csv(path) for path in (SHARED / "data/casc/Tarragona.csv", masked)]
    original, noisy = (
        ta.read(table, roles=dict.fromkeys(tables[0].column_names, "key")) for table in tables
    )
    found = measured(original, noisy)
    assert 0.3 < float(found.value) < 0.67
    assert measured(original, original).value == ExactLinkage().measure(original, original).value
