from __future__ import annotations

import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.attribute import Role
from tacita.errors import ParameterError


def people() -> ta.Microdata:
    return ta.read(
        pa.table({"ssn": ["1", "2", None, "1"], "age": [1, 2, 3, 4]}),
        roles={"ssn": "identifier", "age": "key"},
    )


def test_dropped_attributes_are_gone():
    assert people().apply(ta.Drop(["ssn"])).names == ["age"]


def test_a_respondent_keeps_one_pseudonym_and_two_never_share_one():
    one, two, blank, again = (
        people().apply(ta.Pseudonymize("ssn"), seed=1).column("ssn").to_pylist()
    )
    assert one == again != two
    assert blank is None
    assert one != "1"


def test_a_pseudonym_is_no_identifier_any_more():
    assert Role.IDENTIFIER not in people().apply(ta.Pseudonymize("ssn")).attribute("ssn").roles


def test_pseudonyms_depend_on_the_seed_or_on_the_key(monkeypatch):
    one = people().apply(ta.Pseudonymize("ssn"), seed=1).column("ssn").to_pylist()
    assert one != people().apply(ta.Pseudonymize("ssn"), seed=2).column("ssn").to_pylist()
    keyed = ta.Pseudonymize("ssn", key_from="PSEUDONYM_KEY")
    monkeypatch.setenv("PSEUDONYM_KEY", "a secret of many words")
    first = people().apply(keyed, seed=1).column("ssn").to_pylist()
    assert first == people().apply(keyed, seed=2).column("ssn").to_pylist()
    monkeypatch.setenv("PSEUDONYM_KEY", "another secret of many words")
    assert first != people().apply(keyed, seed=1).column("ssn").to_pylist()


def test_a_key_that_is_not_there_is_named(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(ParameterError, match="NO_SUCH_KEY, which is not set"):
        people().apply(ta.Pseudonymize("ssn", key_from="NO_SUCH_KEY"))


def test_a_short_key_is_no_key(monkeypatch):
    monkeypatch.setenv("SHORT_KEY", "a")
    with pytest.raises(ParameterError, match="too short to be secret"):
        people().apply(ta.Pseudonymize("ssn", key_from="SHORT_KEY"))
