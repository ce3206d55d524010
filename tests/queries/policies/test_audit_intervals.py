from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.policies.audit import Audit
from tacita.queries.policies.audit_intervals import AuditIntervals
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic
from tacita.queries.updating import updated

ROLES = {"id": "identifier", "number": "key", "salary": "confidential"}
POLICY = AuditIntervals("salary", lower=0, upper=100, width=20)


def table(salaries):
    numbers = np.arange(len(salaries))
    columns = {"id": numbers, "number": numbers, "salary": pa.array(salaries, pa.float64())}
    return ta.read(pa.table(columns), roles=ROLES)


def classes_of(salaries, known=None) -> PublicClasses:
    return PublicClasses.of(table(salaries), "firms", known)


def cell(data: PublicClasses, members, statistic="sum", attribute="salary", **more) -> Cell:
    classes = np.isin(np.arange(len(data)), list(members))
    return Cell(Asked(Statistic(statistic), attribute, **more), QuerySet(data, classes))


def test_bounds_tell_what_equations_alone_do_not():
    """190 of two salaries up to 100: each is 90 or more."""
    data = classes_of([95.0, 95.0, 40.0])
    total = cell(data, [0, 1])
    assert Audit().watch(data).allows(total)
    assert not POLICY.watch(data).allows(total)
    assert POLICY.watch(data).allows(cell(data, [0, 2]))


def test_earlier_answers_are_remembered():
    data = classes_of([50.0, 50.0, 50.0, 2.0])
    watcher = POLICY.watch(data)
    watcher.learn(cell(data, range(4)))
    assert not watcher.allows(cell(data, range(3), "avg"))  # the fourth would be known
    assert watcher.allows(cell(data, range(2)))


def test_a_refusal_depends_on_the_answer_and_it_says_so():
    decisions = [
        POLICY.watch(data := classes_of(v)).allows(cell(data, [0, 1]))
        for v in ([1.0, 1.0], [50.0, 50.0])
    ]
    assert decisions == [False, True]
    watcher = POLICY.watch(classes_of([1.0]))
    assert not watcher.simulatable
    assert "not simulatable" in watcher.guarantee


def test_what_an_insider_knows_protects_nobody():
    values = [50.0, 50.0, 50.0]
    data = classes_of(values, np.array([True, False, False]))
    place = {record: int(at) for at, record in enumerate(data.order)}
    watcher = POLICY.watch(data)
    assert not watcher.allows(cell(data, [place[0], place[1]]))
    assert watcher.allows(cell(data, [place[1], place[2]]))
    assert POLICY.watch(classes_of(values)).allows(cell(classes_of(values), [0, 1]))


def test_blanks_protect_nobody():
    data = classes_of([50.0, None, 50.0])
    watcher = POLICY.watch(data)
    assert not watcher.allows(cell(data, [0, 1]))
    assert watcher.allows(cell(data, [0, 1, 2]))
    assert watcher.allows(cell(data, [0, 1], "count"))


def test_only_sums_and_means_are_answered():
    data = classes_of([50.0] * 4)
    watcher = POLICY.watch(data)
    assert watcher.allows(cell(data, range(4), "avg"))
    for statistic in set(Statistic) - {"sum", "avg", "count"}:
        assert watcher.covers(cell(data, range(4), statistic))
        assert not watcher.allows(cell(data, range(4), statistic))
    for statistic in ("sum", "count"):
        assert not watcher.allows(cell(data, range(4), statistic, weighted=True))
    assert not watcher.covers(cell(data, range(4), "count", None))
    hidden = Cell(
        Asked(Statistic.SUM, "salary"), QuerySet(data, np.ones(4, bool), np.arange(4) < 3)
    )
    assert watcher.covers(hidden)
    assert not watcher.allows(hidden)


def test_goes_on_after_an_update():
    before, after = table([50.0, 50.0, 50.0]), table([50.0, 50.0])
    old = PublicClasses.of(before, "firms")
    watcher = POLICY.watch(old)
    watcher.learn(cell(old, range(3)))
    update = updated(old, before, after, "id")
    watcher.move(update)
    assert not watcher.allows(cell(update.data, range(2)))


def test_bounds_must_hold():
    with pytest.raises(InputError, match="outside its bounds 0 and 100"):
        POLICY.watch(classes_of([1.0, 101.0]))
    with pytest.raises(ParameterError, match="below the distance of the bounds, 10; found 10"):
        AuditIntervals("salary", lower=0, upper=10, width=10).watch(classes_of([1.0]))
    with pytest.raises(ParameterError, match="Did you mean `salary`"):
        AuditIntervals("salry", lower=0, upper=10, width=1).watch(classes_of([1.0]))
