from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.queries.intruding.intruder import asked_register
from tacita.attacks.queries.intruding.register import Register
from tacita.errors import InputError
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses

TABLE = pa.table(
    {
        "sector": ["IT", "IT", None, "O'Neil", 'a "b"', None],
        "age": [30, 40, 30, None, 50, 30],
        "hired": pa.array([17000, None, 18000, 18000, 17000, 18000], pa.date32()),
        "salary": [1, 2, 3, 4, 5, 6],
    }
)
ROLES = {"sector": "key", "age": "key", "hired": "key", "salary": "confidential"}
DATA = PublicClasses.of(ta.read(TABLE, roles=ROLES), "firms")
REGISTER = Register.of(DATA)


def test_classes_are_counted():
    assert REGISTER.records == 6
    assert sorted(REGISTER.sizes.tolist()) == [1, 1, 1, 1, 2]
    assert REGISTER.values("age") == {30: 3, 40: 1, 50: 1, None: 1}
    assert len(list(REGISTER.unique())) == 4


def conditions():
    single = st.sampled_from(REGISTER.names).flatmap(
        lambda name: st.lists(st.sampled_from(list(REGISTER.values(name))), min_size=1, unique=True)
        .map(lambda chosen: REGISTER.where(name, chosen))
    )  # fmt: skip
    pairs = lambda one: st.tuples(one, one)  # noqa: E731
    return st.recursive(
        single,
        lambda one: st.one_of(
            one.map(lambda a: ~a),
            pairs(one).map(lambda p: p[0] & p[1]),
            pairs(one).map(lambda p: p[0] | p[1]),
        ),
        max_leaves=4,
    )


@given(conditions())
def test_a_guard_reads_a_condition_as_it_is_meant(condition):
    """Also with blanks, quotes and dates, and negated."""
    guard = Guard(DATA, [ta.Unprotected()])
    sql = f"SELECT count(*) FROM firms WHERE {condition.text}"  # noqa: S608
    assert guard.ask(sql, user="ana").value == REGISTER.size(condition)


def test_halves_come_first():
    sizes = [abs(2 * REGISTER.size(one) - 6) for one in REGISTER.halves()]
    assert sizes == sorted(sizes)
    assert sizes[0] == 0


def test_a_server_tells_the_register():
    for policy in (ta.Unprotected(), ta.QuerySetSize(2)):
        asked = asked_register(Guard(DATA, [policy]), "firms", REGISTER.names, "ana")
        assert set(asked.classes) == set(REGISTER.classes)
    assert asked.records == 6  # refused counts are taken for one


def test_an_unknown_attribute_is_refused():
    with pytest.raises(InputError, match="Did you mean `sector`"):
        REGISTER.where("sectors", ["IT"])


def test_everybody_is_everybody():
    assert REGISTER.size(REGISTER.everybody()) == 6
    assert np.count_nonzero((~REGISTER.everybody()).holds) == 0
