"""Which attributes give others away: lambda against guessing each record from the others."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.read import declare
from tacita.inspection import predictions
from tacita.inspection.columns import columns_of
from tacita.inspection.predictions import goodman_kruskal

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=14)


def columns(table):
    return columns_of(declare(pa.table(table), {}), list(table))


def guessed_right(pairs):
    """Guess each record's key from the other records with its value, one by one."""
    right = 0
    for place, (value, key) in enumerate(pairs):
        others = Counter(k for at, (v, k) in enumerate(pairs) if at != place and v == value)
        best = others.most_common(2)
        sure = len(best) == 1 or (len(best) > 1 and best[0][1] > best[1][1])
        right += bool(sure and best[0][0] == key)
    return right


@given(PAIRS)
def test_lambda_is_what_guessing_spares(pairs):
    values, keys = np.array(pairs, np.int32).T
    modal = max(Counter(keys.tolist()).values())
    found = goodman_kruskal(values, keys)
    if modal == len(pairs):
        assert found is None
    else:
        assert found == Fraction(guessed_right(pairs) - modal, len(pairs) - modal)


def test_an_attribute_that_tells_a_key_is_found_in_both_directions():
    zips = np.arange(600) % 60
    table = {"zip": zips, "county": zips // 10, "other": np.arange(600) % 7, "alias": 59 - zips}
    found = columns(table)
    told, notes = predictions.search(list(found.values()), [found["zip"], found["county"]])
    pairs = {(one.attribute, one.key): one.strength for one in told}
    assert pairs == {("zip", "county"): 1, ("alias", "county"): 1, ("alias", "zip"): 1}
    assert not notes


def test_running_numbers_tell_nothing():
    table = {"id": np.arange(500), "sex": np.arange(500) % 2}
    found = columns(table)
    assert predictions.search([found["id"]], [found["sex"]]) == ((), [])


def test_numbers_are_exact_though_the_search_is_on_a_sample():
    rng = np.random.default_rng(0)
    places = rng.integers(0, 8_000, 60_000)
    county = np.where(rng.random(60_000) < 0.02, 0, places % 40)
    found = columns({"place": places, "county": county, "noise": rng.integers(0, 8_000, 60_000)})
    told, notes = predictions.search(list(found.values()), [found["county"]])
    assert "looked for in 20,000 records and counted on all" in notes[0]
    (one,) = told
    assert one.attribute == "place"
    assert one.strength == goodman_kruskal(found["place"].codes, found["county"].codes)


def test_counts_alone_never_rule_out_what_could_be_told():
    rng = np.random.default_rng(3)
    for _ in range(30):
        table = {"a": rng.integers(0, 6, 40), "k": rng.integers(0, 4, 40) * (rng.random(40) < 0.3)}
        found = columns(table)
        strength = goodman_kruskal(found["a"].codes, found["k"].codes)
        if strength is not None and strength >= predictions.NEARLY:
            assert predictions._can_tell(found["a"], found["k"])


def test_too_many_pairs_are_cut_and_told(monkeypatch):
    monkeypatch.setattr(predictions, "TRIED", 3)
    found = list(columns({f"v{n}": np.arange(60) % 6 for n in range(5)}).values())
    told, notes = predictions.search(found, found)
    assert len(told) == 3
    assert "3 were tried" in notes[0]
