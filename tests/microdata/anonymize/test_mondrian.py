from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import HierarchyError, ParameterError, ProtectionError

TREE = {"tree": {"any": {"pq": ["p", "q"], "rs": ["r", "s"]}}}


def test_cuts_of_six_records_by_hand():
    data = ta.read(
        pa.table({"age": [20, 30, 40, 50, 60, 70], "sex": list("mfmfmf")}),
        roles={"age": "key", "sex": "key"},
    )
    # Both keys are of width 1, so that the first is cut at its median; then nobody can be parted.
    safe = data.apply(ta.Mondrian(ta.KAnonymity(3)), seed=0)
    assert safe.column("age").to_pylist() == ["[20;40]"] * 3 + ["[50;70]"] * 3
    assert safe.column("sex").to_pylist() == ["{f, m}"] * 6
    assert safe.notes["classes"] == 2


def test_relaxed_halves_are_equal():
    data = ta.read(pa.table({"x": [1, 2, 2, 2, 2, 3]}), roles={"x": "key"})
    strict, relaxed = (
        data.apply(ta.Mondrian(ta.KAnonymity(2), mode=mode), seed=0).column("x").to_pylist()
        for mode in ("strict", "relaxed")
    )
    assert strict == ["[1;3]"] * 6
    assert relaxed == ["[1;2]"] * 3 + ["[2;3]"] * 3


def test_a_class_of_blanks_and_values_releases_blanks():
    data = ta.read(pa.table({"x": [1, 1, 1, None]}), roles={"x": "key"})
    safe = data.apply(ta.Mondrian(ta.KAnonymity(2)), seed=0)
    assert safe.column("x").to_pylist() == [None] * 4
    assert safe.suppressed_in("x").tolist() == [True, True, True, False]
    enough = ta.read(pa.table({"x": [1, 1, None, None]}), roles={"x": "key"})
    assert (
        enough.apply(ta.Mondrian(ta.KAnonymity(2)), seed=0).column("x").equals(enough.column("x"))
    )


def test_a_key_of_which_every_value_stays_is_left_as_it_is(patients):
    safe = patients.apply(ta.Mondrian(ta.KAnonymity(2, keys=["sex"])), seed=0)
    assert safe.table.equals(patients.table)


def test_information_gain_keeps_more_of_the_target_apart():
    rng = np.random.default_rng(0)
    near, far = rng.integers(0, 2, 400), rng.integers(0, 100, 400)
    table = pa.table({"near": near, "far": far, "target": near})
    data = ta.read(table, roles={"near": "key", "far": "key"}, kinds={"target": "nominal"})
    told = ta.Mondrian(ta.KAnonymity(150), cut="information_gain", target="target")
    assert data.apply(told, seed=0).column("near").equals(data.column("near"))


def test_the_impossible_says_why(toy):
    with pytest.raises(ProtectionError, match="Not even one class of all 300 records keeps"):
        toy.apply(ta.Mondrian(ta.KAnonymity(301)), seed=0)
    with pytest.raises(ProtectionError, match="fewer than 400 values of income"):
        toy.apply(ta.Mondrian(ta.LDiversity(400, "income")), seed=0)


def test_unseen_categories_are_named():
    data = ta.read(pa.table({"x": ["p", "z"]}), roles={"x": "key"}, hierarchies={"x": TREE})
    with pytest.raises(HierarchyError, match=r"`x`.*'z'"):
        data.apply(ta.Mondrian(ta.KAnonymity(2)), seed=0)


def test_a_population_is_refused():
    people = ta.read(pa.table({"job": ["a", "a", "b", "b"]}), roles={"job": "key"})
    some = people.take(np.array([0, 2])).with_external(population=people)
    with pytest.raises(ParameterError, match="counts a population"):
        some.apply(ta.Mondrian(ta.KMap(2)), seed=0)


def test_options_that_do_not_go_together_are_refused():
    with pytest.raises(ParameterError, match="needs a target"):
        ta.Mondrian(ta.KAnonymity(2), cut="information_gain")
    with pytest.raises(ParameterError, match="Say strict"):
        ta.Mondrian(ta.KAnonymity(2), cut="information_gain", target="x", mode="relaxed")
