from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp

import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.dataset import Guarantee
from tacita.release.requirement import Requirement


def made(*guarantees):
    data = ta.read(
        pa.table({"id": ["p"], "a": [1], "b": [2]}), roles={"id": "identifier", "a": "key"}
    )
    return replace(data, guarantees=guarantees)


def test_guarantees_add_up():
    data = made(Guarantee("noise", ("a",), 0.1), Guarantee("sketch", ("a", "b"), 0.2))
    verdict = ta.DifferentialPrivacy(0.3).check(data)
    assert verdict.holds  # exactly: 0.1 + 0.2 is above 0.3 in doubles
    assert verdict.value == Fraction(3, 10)
    assert "noise, sketch" in verdict.sentence
    assert "differ in the values of one record" in verdict.sentence
    assert verdict.worst["mechanism"] == "sketch"
    assert not ta.DifferentialPrivacy(0.29).check(data)


def test_what_covers_nothing_that_is_released_does_not_count():
    data = made(Guarantee("noise", ("a", "b"), 1.0), Guarantee("gone", ("c",), 5.0))
    assert ta.DifferentialPrivacy(1.0).check(data)


def test_an_attribute_that_nothing_covers_breaks_it():
    verdict = ta.DifferentialPrivacy(9.0).check(made(Guarantee("noise", ("a",), 0.1)))
    assert not verdict.holds
    assert verdict.worst == {"attributes": ["b"]}
    assert verdict.value is None


def test_delta_is_bounded_too():
    data = made(Guarantee("gauss", ("a",), 1.0, 1e-6), Guarantee("gauss", ("b",), 1.0, 1e-6))
    assert not ta.DifferentialPrivacy(2.0).check(data)
    assert ta.DifferentialPrivacy(2.0, delta=2e-6).check(data)
    assert not ta.DifferentialPrivacy(2.0, delta=1.9e-6).check(data)


def test_adding_or_removing_counts_twice_beside_changing():
    one = Guarantee("noise", ("a", "b"), 1.0, 0.01, "add-remove")
    alone = ta.DifferentialPrivacy(1.0, delta=0.01).check(made(one))
    assert alone.holds
    assert "one has a record more" in alone.sentence
    mixed = made(one, Guarantee("noise", ("a",), 0.5))
    assert ta.DifferentialPrivacy(2.5, delta=0.0372).check(mixed)
    assert not ta.DifferentialPrivacy(2.5, delta=0.01 * (1 + exp(1.0)) - 1e-9).check(mixed)
    assert not ta.DifferentialPrivacy(2.4, delta=0.1).check(mixed)


def test_the_evidence_survives_masking_and_is_lost_in_a_file(tmp_path):
    data = made(Guarantee("noise", ("a", "b"), 1.0))
    masked = data.apply(ta.Drop(["b"]), seed=0)
    requirement = Requirement.from_plan({"differential_privacy": {"epsilon": 1.0}})
    assert requirement.check(data, masked)
    (tmp_path / "out.csv").write_text("a\n1\n")
    verdict = requirement.check(data, ta.read(tmp_path / "out.csv"))
    assert not verdict.holds
    assert "nothing shows" in verdict.sentence


def test_values_are_never_looked_at():
    data = made(Guarantee("noise", ("a", "b"), 1.0))
    other = replace(data, table=data.table.slice(0, 0))
    assert ta.DifferentialPrivacy(1.0).check(other).to_dict() == (
        ta.DifferentialPrivacy(1.0).check(data).to_dict()
    )


def test_nothing_released_reveals_nothing():
    data = made().without(["a", "b"])
    assert ta.DifferentialPrivacy(0.0).check(data).sentence == "no attribute is released"
    with pytest.raises(ta.TacitaError, match="`epsilon` of `differential_privacy`"):
        ta.DifferentialPrivacy(-1)
