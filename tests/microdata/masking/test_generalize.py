from __future__ import annotations

import pytest

import tacita as ta
from tacita.errors import HierarchyError, ParameterError, TacitaError


def test_postal_codes_as_printed():
    """De Capitani di Vimercati et al., Fig. 6 and 7: one step masks the last digit."""
    found = ta.example("medical").apply(ta.Generalize("ZIP", 1)).column("ZIP").to_pylist()
    assert found == ["9413*"] * 6 + ["9414*"] * 2 + ["9413*"] * 2 + ["9414*"]


def test_the_whole_table_as_printed():
    """Ciriani et al., Fig. 7: every row after all the techniques of Fig. 4 but sampling."""
    fever = ta.Recode("Temp", breaks=[37, 39], labels=["nf", "f", "hf"])
    coded = ta.TopBottomCode({"DH": {"above": 30}, "Chol": {"below": 195}}, labelled=True)
    masked = ta.example("medical").apply(ta.Generalize("ZIP", 1)).apply(coded).apply(fever)
    printed = ta.example("medical_non_perturbed").table.to_pylist()
    suppressed = {"ZIP", "MarStat"}  # locally, in the last row
    for number, (row, wanted) in enumerate(zip(masked.table.to_pylist(), printed, strict=True)):
        blank = suppressed if number == len(printed) - 1 else set()
        assert {name: None if name in blank else value for name, value in row.items()} == wanted


def test_several_attributes_move_up_at_once(toy):
    together = toy.apply(ta.Generalize(levels={"zip": 2, "age": 1, "born": 0}))
    one_by_one = toy.apply(ta.Generalize("zip", 2)).apply(ta.Generalize("age", 1))
    assert together.fingerprint() == one_by_one.fingerprint()


@pytest.mark.parametrize(
    "said", [{}, {"attribute": "zip"}, {"level": 1}, {"attribute": "a", "levels": {"zip": 1}}]
)
def test_one_attribute_or_several_must_be_said(said):
    with pytest.raises(ParameterError, match="needs `attribute` and `level`, or else `levels`"):
        ta.Generalize(**said)


def test_names_in_levels_are_checked(toy):
    with pytest.raises(TacitaError, match="Did you mean `zip`"):
        toy.apply(ta.Generalize(levels={"zipp": 1}))
    with pytest.raises(ParameterError, match="`languages` is set_valued"):
        toy.apply(ta.Generalize(levels={"languages": 1}))


def test_level_zero_changes_nothing_and_the_root_leaves_one_value(toy):
    assert toy.apply(ta.Generalize("zip", 0)).table.equals(toy.table)
    assert toy.apply(ta.Generalize("zip", 5)).column("zip").unique().to_pylist() == ["*****"]


def test_each_level_has_no_more_classes_than_the_one_below(toy):
    for name in ("age", "zip", "region", "born"):
        height = toy.attribute(name).hierarchy.height
        counts = [
            len(toy.apply(ta.Generalize(name, level)).classes([name]))
            for level in range(height + 1)
        ]
        assert counts == sorted(counts, reverse=True)


def test_what_cannot_be_generalized_is_told(toy):
    with pytest.raises(ParameterError, match="no hierarchy"):
        toy.apply(ta.Generalize("income", 1))
    with pytest.raises(HierarchyError, match="`zip`: The hierarchy has levels 0 to 5"):
        toy.apply(ta.Generalize("zip", 9))
