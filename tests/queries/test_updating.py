from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import updated

ROLES = {
    "id": "identifier",
    "sector": "key",
    "salary": "confidential",
    "bonus": "confidential",
    "weight": "weight",
}


def firms(rows: list[tuple]) -> Dataset:
    columns = zip(*rows, strict=True)
    types = (pa.int64(), pa.string(), pa.float64(), pa.float64(), pa.float64())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return ta.read(pa.table(arrays, list(ROLES)), roles=ROLES)


BEFORE = [(1, "IT", 10, 1, 2), (2, "IT", 20, None, 2), (3, "IT", 30, 3, 2), (4, "HC", 40, 4, 2)]


def update_to(rows: list[tuple], known: list[bool] | None = None):
    before = firms(BEFORE)
    old = PublicClasses.of(before, "firms", None if known is None else np.array(known))
    return old, updated(old, before, firms(rows), "id")


def class_of(update, record: int) -> int:
    """Return the class of a record of the new data."""
    place = np.flatnonzero(update.data.order == record)[0]
    return int(update.data.of_record[place])


def test_nothing_changes_if_nothing_changed():
    old, update = update_to(BEFORE[::-1])
    assert len(update.data) == len(old) == 2
    assert set(update.records) == {0, 1}
    assert not update.reweighed
    for came_from in (*update.values.values(), update.weights):
        assert came_from.tolist() == update.records.tolist()


def test_a_changed_value_is_a_new_one_and_the_others_of_the_record_are_not():
    _, update = update_to([(1, "IT", 11, 1, 2), *BEFORE[1:]])
    changed, other = class_of(update, 0), class_of(update, 1)
    assert changed != other
    assert update.values["salary"][changed] == -1
    assert update.values["bonus"][changed] == update.records[changed] == update.records[other] == 0


def test_a_record_that_moves_to_another_class_takes_its_values_along():
    _, update = update_to([(1, "HC", 10, 1, 2), *BEFORE[1:]])
    moved, there = class_of(update, 0), class_of(update, 3)
    assert moved != there
    assert update.values["salary"][moved] == 0
    assert update.values["salary"][there] == 1
    assert update.data.columns["sector"].of_classes()[moved].as_py() == "HC"


def test_a_filled_blank_is_a_new_value():
    _, update = update_to([BEFORE[0], (2, "IT", 20, 7, 2), *BEFORE[2:]])
    filled = class_of(update, 1)
    assert update.values["bonus"][filled] == -1
    assert update.values["salary"][filled] == 0


def test_new_records_are_told_from_old_ones_of_the_same_keys():
    _, update = update_to([*BEFORE[1:], (9, "IT", 30, 3, 2)])
    new, old = class_of(update, 3), class_of(update, 1)
    assert new != old
    assert update.records[new] == update.values["salary"][new] == update.weights[new] == -1


def test_pasts_stay_apart_over_several_updates():
    before, between = firms(BEFORE), firms([*BEFORE, (9, "IT", 5, 5, 2)])
    first = updated(PublicClasses.of(before, "firms"), before, between, "id")
    second = updated(first.data, between, between, "id")
    assert len(second.data) == len(first.data) == 3
    assert sorted(second.records.tolist()) == [0, 1, 2]


def test_other_weights_are_noticed():
    _, update = update_to([(1, "IT", 10, 1, 3), *BEFORE[1:]])
    assert update.reweighed
    assert update.values["salary"].tolist() == update.records.tolist()


def test_data_may_come_and_go():
    empty = firms(BEFORE).take(np.arange(0))
    full = firms(BEFORE)
    came = updated(PublicClasses.of(empty, "firms"), empty, full, "id")
    assert set(came.records) == {-1}
    gone = updated(came.data, full, empty, "id")
    assert len(gone.data) == 0


def test_records_must_be_named_once():
    with pytest.raises(InputError, match="`id` must name every record once"):
        update_to([BEFORE[0], BEFORE[0]])


def test_attributes_must_be_the_same():
    before = firms(BEFORE)
    with pytest.raises(InputError, match="bonus stands in one"):
        updated(PublicClasses.of(before, "firms"), before, before.without(["bonus"]), "id")


def test_an_insider_can_neither_learn_nor_forget():
    with pytest.raises(InputError, match="must stay known"):
        update_to(BEFORE, known=[True, False, False, False])


def test_whole_numbers_may_become_decimals_but_not_words():
    def one(value) -> Dataset:
        columns = {"id": [1, 2], "sector": ["IT", "IT"], "salary": [value, value]}
        roles = {name: ROLES[name] for name in columns}
        return ta.read(pa.table(columns), roles=roles)

    old = PublicClasses.of(one(10), "firms")
    assert updated(old, one(10), one(10.0), "id").values["salary"].tolist() == [0]
    with pytest.raises(InputError, match="`salary` must stay comparable"):
        updated(old, one(10), one("ten"), "id")


def test_sets_are_compared_as_sets():
    def one(sets) -> Dataset:
        columns = {"id": [1, 2], "sector": ["IT", "IT"], "illness": sets}
        roles = {"id": "identifier", "sector": "key", "illness": "confidential"}
        return ta.read(pa.table(columns), roles=roles, kinds={"illness": "set_valued"})

    before, after = one([["a", "b"], ["c"]]), one([["b", "a"], ["d"]])
    update = updated(PublicClasses.of(before, "firms"), before, after, "id")
    assert update.values["illness"].tolist() == [0, -1]
