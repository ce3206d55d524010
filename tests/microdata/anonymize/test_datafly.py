from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ProtectionError


@given(st.integers(0, 150), st.integers(2, 8), st.integers(0, 5), st.sampled_from([0.0, 0.1, 1.0]))
def test_what_it_gives_out_passes_the_check(records, k, seed, limit):
    data = ta.example("toy", records, seed=seed)
    try:
        safe = data.anonymize(ta.KAnonymity(k), suppression_limit=limit, by="datafly")
    except ProtectionError:
        return
    assert ta.KAnonymity(k).check(safe).holds
    assert len(data) - len(safe) == safe.suppressed <= int(limit * len(data))


def test_levels_are_the_ones_that_were_applied(patients):
    safe = patients.anonymize(ta.KAnonymity(3), suppression_limit=0.05, by="datafly")
    again = patients
    for name, level in safe.levels.items():
        again = again.apply(ta.Generalize(name, level))
    assert again.take(safe.source_rows).table.equals(safe.table)


def test_what_is_kept_was_safe_and_what_is_left_out_was_not(patients):
    safe = patients.anonymize(ta.KAnonymity(3), suppression_limit=0.05, by="datafly")
    gone = np.setdiff1d(np.arange(len(patients)), safe.source_rows)
    again = patients
    for name, level in safe.levels.items():
        again = again.apply(ta.Generalize(name, level))
    assert (again.classes().size_of_record[gone] < 3).all()


def test_the_impossible_says_why(toy):
    with pytest.raises(
        ProtectionError, match="Every key is fully generalized and 300 of 300 records"
    ):
        toy.anonymize(ta.KAnonymity(301), by="datafly")


@given(st.integers(0, 50), st.sampled_from([0.2, 0.4, 1.0]))
def test_several_models_hold_together(seed, limit):
    rng = np.random.default_rng(seed)
    table = pa.table({"a": rng.choice(list("pqrs"), 30), "b": rng.choice(list("uvw"), 30)})
    letters = {"prefix": 1}
    data = ta.read(table, roles={"a": "key", "b": "key"}, hierarchies={"a": letters, "b": letters})
    models = (ta.KAnonymity(5, keys=["a"]), ta.KAnonymity(3))
    safe = data.anonymize(*models, suppression_limit=limit, by="datafly")
    assert all(model.check(safe).holds for model in models)
    assert safe.suppressed <= limit * 30


def test_keys_that_only_a_model_names_are_generalized():
    data = ta.read(pa.table({"z": ["1", "2"]}), hierarchies={"z": {"prefix": 1}})
    assert data.anonymize(ta.KAnonymity(2, keys=["z"]), by="datafly").column("z").to_pylist() == [
        "*",
        "*",
    ]


def test_the_population_is_generalized_alike():
    """A k-map is counted in the population, which must then speak of the same categories."""
    people = ta.read(
        pa.table({"zip": ["11", "12", "13", "21", "22", "23"]}),
        roles={"zip": "key"},
        hierarchies={"zip": {"prefix": 2}},
    )
    sample = people.take([0, 3]).with_external(population=people)
    safe = sample.apply(ta.Datafly(ta.KMap(3)), seed=0)
    assert safe.column("zip").to_pylist() == ["1*", "2*"]
    assert ta.KMap(3).check(safe).value == 3


def test_a_key_without_a_hierarchy_tells_nothing_at_last():
    table = pa.table({"zip": ["11", "12", "11", "12"], "sex": ["f", "m", "m", "f"]})
    data = ta.read(table, roles={"zip": "key", "sex": "key"}, hierarchies={"zip": {"prefix": 2}})
    safe = data.anonymize(ta.KAnonymity(4), by="datafly")
    assert safe.levels == {"zip": 1, "sex": 1}
    assert safe.column("sex").to_pylist() == ["*"] * 4
