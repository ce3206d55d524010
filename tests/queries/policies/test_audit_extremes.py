from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import ParameterError
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.policies.audit_extremes import AuditExtremes
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic
from tacita.queries.updating import updated

ROLES = {"id": "identifier", "number": "key", "salary": "confidential", "illness": "confidential"}


def table(salaries):
    size = len(salaries)
    columns = {
        "id": np.arange(size),
        "number": np.arange(size),
        "salary": pa.array(salaries, pa.float64()),
        "illness": ["flu"] * size,
    }
    return ta.read(pa.table(columns), roles=ROLES)


def classes_of(salaries) -> PublicClasses:
    return PublicClasses.of(table(salaries), "firms")


def cell(data: PublicClasses, members, statistic="max", attribute="salary") -> Cell:
    classes = np.isin(np.arange(len(data)), list(members))
    return Cell(Asked(Statistic(statistic), attribute), QuerySet(data, classes))


def test_walking_down_is_refused():
    """Without the audit, leaving out whoever has the maximum finds one salary after the other."""
    data = classes_of([3.0, 9.0, 5.0, 1.0, 7.0, 2.0])
    watcher = AuditExtremes("max").watch(data)
    assert watcher.allows(cell(data, range(6)))
    watcher.learn(cell(data, range(6)))
    for left_out in range(6):
        assert not watcher.allows(cell(data, set(range(6)) - {left_out}))


def test_the_answer_asked_for_has_no_say():
    """Data sets that agree in what was answered are judged alike."""
    decisions = set()
    for salaries in ([9.0, 1.0, 2.0, 3.0], [1.0, 9.0, 8.0, 7.0], [9.0, 9.0, 9.0, 9.0]):
        data = classes_of(salaries)
        watcher = AuditExtremes("max").watch(data)
        watcher.learn(cell(data, range(4)))
        asked = ([0, 1, 2], [0, 1], [2, 3], [0, 1, 2, 3])
        decisions.add(tuple(watcher.allows(cell(data, members)) for members in asked))
    assert decisions == {(False, True, True, True)}


def test_minima_mirror_maxima():
    rng = np.random.default_rng(1)
    for _ in range(20):
        salaries = rng.integers(1, 9, 8) * 1.0
        up, down = classes_of(salaries), classes_of(-salaries)
        first, second = AuditExtremes("max").watch(up), AuditExtremes("min").watch(down)
        for _ in range(8):
            members = np.flatnonzero(rng.random(8) < 0.6)
            allowed = first.allows(cell(up, members))
            assert allowed == second.allows(cell(down, members, "min"))
            if allowed:
                first.learn(cell(up, members))
                second.learn(cell(down, members, "min"))


def test_nothing_else_is_answered_of_the_attribute():
    data = classes_of([1.0, 2.0, 3.0, 4.0])
    watcher = AuditExtremes("max").watch(data)
    for statistic in set(Statistic) - {"max"}:
        assert watcher.covers(cell(data, range(4), statistic))
        assert not watcher.allows(cell(data, range(4), statistic))
        watcher.learn(cell(data, range(4), statistic))
    assert watcher.allows(cell(data, range(4)))
    hidden = Cell(Asked(Statistic.COUNT), QuerySet(data, np.ones(4, bool), np.arange(4) < 2))
    assert watcher.covers(hidden)
    assert not watcher.allows(hidden)


def test_other_attributes_are_left_to_others():
    data = classes_of([1.0, 2.0, 3.0, 4.0])
    watcher = AuditExtremes("max").watch(data)
    assert not watcher.covers(cell(data, range(4), "count", None))
    assert not watcher.covers(cell(data, range(4), "max", "number"))
    assert not watcher.covers(cell(data, range(4), "count", "illness"))


def test_k_records_may_have_every_answer():
    data = classes_of(np.arange(9.0))
    watcher = AuditExtremes("max", k=4).watch(data)
    assert not watcher.allows(cell(data, range(3)))
    watcher.learn(cell(data, range(9)))
    assert not watcher.allows(cell(data, range(6)))
    assert watcher.allows(cell(data, range(5)))
    assert "4 records or more" in watcher.guarantee
    assert watcher.simulatable


def test_blanks_hide_nobody():
    """A maximum of one value and a blank is that value; one of blanks only is of nobody."""
    data = classes_of([1.0, None, None, 4.0, 2.0])
    watcher = AuditExtremes("max").watch(data)
    assert not watcher.allows(cell(data, [0, 1]))
    assert watcher.allows(cell(data, [1, 2]))
    watcher.learn(cell(data, [0, 1, 2, 3]))
    assert not watcher.allows(cell(data, [1, 2, 3, 4]))  # of the first set, 0 alone might be left
    assert watcher.allows(cell(data, [0, 3]))


def test_an_empty_set_tells_nothing():
    data = classes_of([1.0, 2.0, 3.0])
    watcher = AuditExtremes("max").watch(data)
    watcher.learn(cell(data, []))
    assert not watcher.allows(cell(data, [0]))
    assert watcher.allows(cell(data, [0, 1]))


def test_goes_on_after_an_update():
    before, after = table([1.0, 2.0, 3.0]), table([1.0, 2.0])
    old = PublicClasses.of(before, "firms")
    watcher = AuditExtremes("max").watch(old)
    watcher.learn(cell(old, range(3)))
    update = updated(old, before, after, "id")
    watcher.move(update)
    assert not watcher.allows(cell(update.data, range(2)))


def test_attributes_must_be_confidential_numbers():
    data = classes_of([1.0, 2.0])
    with pytest.raises(ParameterError, match=r"found `salry`.* Did you mean `salary`"):
        AuditExtremes(attributes="salry").watch(data)
    with pytest.raises(ParameterError, match="found `number`"):
        AuditExtremes(attributes="number").watch(data)
    with pytest.raises(ParameterError, match="`illness` is nominal"):
        AuditExtremes(attributes="illness").watch(data)
