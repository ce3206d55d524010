from __future__ import annotations

import pytest

import tacita as ta
from tacita.errors import HierarchyError, ParameterError


def test_postal_codes_as_printed():
    """De Capitani di Vimercati et al., Fig. 6 and 7: one step masks the last digit."""
    found = ta.example("medical").apply(ta.Generalize("ZIP", 1)).column("ZIP").to_pylist()
    assert found == ["9413*"] * 6 + ["9414*"] * 2 + ["9413*"] * 2 + ["9414*"]


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
