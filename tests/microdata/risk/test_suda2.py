from __future__ import annotations

import csv
from dataclasses import replace
from math import comb, factorial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError

SHARED = Path(__file__).parents[4] / "shared"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
needs_reference = pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data are not here")


def keyed(**columns: list) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def measured(data: ta.Microdata, **parameters):
    return ta.Suda2(**parameters).measure(data, data)


def scores(data: ta.Microdata, **parameters) -> list[float]:
    return measured(data, **parameters).details["score"].to_pylist()


def test_scores_and_contributions_of_an_example_by_hand():
    """Record 1 is told by a, record 2 by b and by c, record 3 by a with b and by a with c."""
    data = keyed(a=[2, 1, 1], b=[0, 3, 0], c=[0, 6, 0])
    found = measured(data)
    assert found.details.select(["score", "minimal_sample_uniques", "smallest"]).to_pydict() == {
        "score": [2.0, 4.0, 2.0],
        "minimal_sample_uniques": [1, 2, 2],
        "smallest": [1, 1, 2],
    }
    assert found.parts == {"a": 50.0, "b": 37.5, "c": 37.5}
    # (2^2 - 1) / 3 of one key, (2 - 1) / 3 of two
    assert scores(data, scores="ihsn") == pytest.approx([1, 2, 2 / 3])


def test_dis_scores_of_an_example_by_hand():
    """One record is unique twice, one once, two are a pair; of two keys the exponent is 1.3."""
    data = keyed(a=[1, 2, 3, 3], b=[9, 5, 5, 5])
    assert scores(data) == [2, 1, 0, 0]
    # P (1 - f) / f = 2 * 4; A = 2^-1.3 + 1 = 1.406126; A 2^1.3 = 3.462289
    expected = [1 / (1 + 8 / 3.462289), 1 / (1 + 8 / 1.406126), 0, 0]
    found = measured(data, dis_fraction=0.2)
    assert found.per_record == pytest.approx(expected, rel=1e-6)
    assert found.value == pytest.approx(sum(expected) / 4, rel=1e-6)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=12))
@settings(deadline=None, max_examples=60)
def test_dis_scores_share_out_the_file_level_estimate(rows):
    """The harmonic identity behind the formula: sum of (1/DIS_i - 1) is U (1/DIS - 1)."""
    data = keyed(**{name: [row[j] for row in rows] for j, name in enumerate("abcd")})
    found = measured(data, dis_fraction=0.25)
    sizes = data.classes().size_of_record
    uniques, pairs = np.count_nonzero(sizes == 1), np.count_nonzero(sizes == 2)
    dis = found.per_record[found.per_record > 0]
    assert len(dis) == uniques
    assert np.sum(1 / dis - 1) == pytest.approx(pairs * 0.75 / 0.25 if uniques else 0)
    order = np.argsort(found.details["score"].to_numpy(), kind="stable")
    assert (np.diff(found.per_record[order]) >= -1e-15).all()


@needs_reference
@pytest.mark.parametrize("scoring", ["elliot", "ihsn"])
@pytest.mark.parametrize("name", ["testdata", "testdata2"])
def test_every_record_scores_as_with_sdcmicro(name, scoring):
    data = ta.read(SHARED / f"data/casc/{name}.csv", roles=dict.fromkeys(KEYS, "key"))
    reference = pyarrow.csv.read_csv(SHARED / f"reference/sdcmicro/suda2_{name}_{scoring}.csv")
    found = measured(data, scores=scoring, dis_fraction=0.01).details
    for ours, theirs in (("score", "score"), ("dis", "disScore")):
        np.testing.assert_allclose(
            found[ours].to_numpy(), reference[theirs].to_numpy(), rtol=0, atol=1e-6
        )


def sdcmicros_figures() -> dict[tuple[str, str, str], dict[str, str]]:
    figures: dict[tuple[str, str, str], dict[str, str]] = {}
    with (SHARED / "reference/sdcmicro/figures.csv").open() as file:
        for row in csv.DictReader(file):
            if row["method"] == "suda2":
                said = dict(part.split("=") for part in row["params"].split(";"))
                case = row["dataset"], said["DisFraction"], said["original_scores"]
                figures.setdefault(case, {})[row["metric"]] = row["value"]
    return figures


@needs_reference
@pytest.mark.parametrize("name", ["testdata", "testdata2"])
@pytest.mark.parametrize("fraction", ["0.01", "0.1"])
@pytest.mark.parametrize(("scoring", "original"), [("elliot", "TRUE"), ("ihsn", "FALSE")])
def test_sums_tables_and_contributions_are_those_of_sdcmicro(name, fraction, scoring, original):
    theirs = sdcmicros_figures()[name, fraction, original]
    data = ta.read(SHARED / f"data/casc/{name}.csv", roles=dict.fromkeys(KEYS, "key"))
    found = measured(data, scores=scoring, dis_fraction=float(fraction))
    # Theirs adds up in single precision.
    for ours, their in {
        "sum_score": "sum_score",
        "max_score": "max_score",
        "sum_dis": "sum_disScore",
        "max_dis": "max_disScore",
    }.items():
        assert found.figures[ours] == pytest.approx(float(theirs[their]), rel=1e-6), ours
    contributions = dict(one.split("=") for one in theirs["attribute_contributions"].split(";"))
    assert found.parts == pytest.approx({k: float(v) for k, v in contributions.items()})
    edges = [-1, *(tenth / 10 + 2.3e-16 for tenth in range(8)), np.inf]
    table = np.histogram(found.per_record, edges)[0]
    assert table.tolist() == [int(n) for n in theirs["dis_table_breaks0,.1,...,.7"].split(";")]
    assert np.count_nonzero(found.details["score"]) == int(theirs["n_score>0"])


@needs_reference
def test_a_record_unique_on_all_keys_only_is_counted_though_ihsn_gives_it_no_score():
    data = ta.read(SHARED / "data/casc/testdata.csv", roles=dict.fromkeys(KEYS, "key"))
    found = measured(data, scores="ihsn")
    assert found.figures["records_with_msu"] == 157
    assert np.count_nonzero(found.details["score"]) == 156
    left = (found.details["score"].to_numpy() == 0) & (found.details["smallest"].to_numpy() > 0)
    assert found.details["smallest"].to_numpy()[left].tolist() == [len(KEYS)]


def test_the_sampling_fraction_comes_from_the_weights():
    values = {"a": [1, 2, 3, 3, 4, 4], "b": [1, 1, 1, 1, 1, 1]}
    plain = keyed(**values)
    assert measured(plain).figures["sampling_fraction"] == 0.01
    weighted = ta.read(
        pa.table({**values, "w": [5.0] * 6}), roles={"a": "key", "b": "key", "w": "weight"}
    )
    assert measured(weighted).figures["sampling_fraction"] == 0.2
    assert measured(weighted).value == measured(plain, dis_fraction=0.2).value
    population = weighted.with_column(weighted.attribute("w"), pa.array([1.0] * 6))
    assert measured(population).per_record.tolist() == [1, 1, 0, 0, 0, 0]
    broken = weighted.with_column(weighted.attribute("w"), pa.array([1.0, None] * 3))
    with pytest.raises(InputError, match="weights must be above 0"):
        measured(broken)
    assert measured(broken, dis_fraction=0.2).value == measured(weighted).value


def test_without_pairs_every_unique_record_counts_as_found():
    found = measured(keyed(a=[1, 2, 3], b=[1, 1, 2]))
    assert found.per_record.tolist() == [1, 1, 1]
    assert found.value == 1


def test_a_blank_tells_nobody_apart():
    """A suppressed value lowers the score; as a value of its own it would raise it."""
    data = keyed(a=[1, 1, 2, 2, 9], b=[1, 2, 1, 2, 1])
    hidden = data.with_column(data.attribute("a"), pa.array([1, 1, 2, 2, None]))
    assert scores(data) == [1, 1, 1, 1, 1]
    assert scores(hidden) == [1, 1, 1, 1, 0]


def test_only_combinations_up_to_the_bound_count():
    rng = np.random.default_rng(1)
    data = keyed(**{name: rng.integers(0, 3, 80).tolist() for name in "abcde"})
    whole, bounded = measured(data), measured(data, largest=3)
    assert bounded.figures["records_with_msu"] < whole.figures["records_with_msu"]
    assert (bounded.details["score"].to_numpy() <= whole.details["score"].to_numpy()).all()
    assert "at most 3 of" in bounded.sentence
    assert set(bounded.details["smallest"].to_pylist()) <= {0, 1, 2, 3}


def test_many_keys_are_searched_as_far_as_can_be_paid():
    rng = np.random.default_rng(2)
    data = keyed(**{f"k{j}": rng.integers(0, 3, 60).tolist() for j in range(30)})
    assert measured(data).figures["largest"] == 2
    wide = keyed(**{f"k{j}": [0, 1] for j in range(65)})
    with pytest.raises(InputError, match="At most 64 keys"):
        measured(wide)


def test_more_keys_than_the_exponent_was_made_for_keep_the_order_of_scores():
    rng = np.random.default_rng(2)
    columns = {f"k{j}": rng.integers(0, 2, 60).tolist() for j in range(40)}
    data = keyed(**{name: [*values, values[0], values[1]] for name, values in columns.items()})
    found = measured(data, largest=3, scores="ihsn")
    score, dis = found.details["score"].to_numpy(), found.per_record
    assert len(set(score.tolist())) > 2
    assert (np.diff(dis[np.argsort(score)]) >= 0).all()


@pytest.mark.parametrize("keys", [1, 2, 5])
def test_points_by_size(keys):
    elliot, ihsn = (ta.Suda2(scores=word)._points(keys) for word in ("elliot", "ihsn"))
    assert elliot.tolist() == [factorial(keys - size) for size in range(keys + 1)]
    assert ihsn[1:].tolist() == [(2 ** (keys - k) - 1) / comb(keys, k) for k in range(1, keys + 1)]


def test_bad_parameters_and_data_without_keys_are_refused():
    with pytest.raises(ParameterError, match="`dis_fraction` of `suda2` should be greater than 0"):
        ta.Suda2(dis_fraction=0)
    with pytest.raises(ParameterError, match="'elliot' or 'ihsn'"):
        ta.Suda2(scores="skinner")
    data = ta.read(pa.table({"a": [1, 2]}), roles={"a": "confidential"})
    with pytest.raises(InputError, match="No attribute has the role `key`"):
        measured(data)


def test_no_records_have_no_risk_to_tell():
    data = keyed(a=[1, 2], b=[1, 2])
    empty = replace(data).take(np.arange(0))
    assert measured(empty).value is None
    assert measured(empty).parts == {"a": 0.0, "b": 0.0}
