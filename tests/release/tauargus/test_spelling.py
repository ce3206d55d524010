"""How codes are written, and how they lie below each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import HierarchyError
from tacita.release.tauargus.spelling import (
    Spelling,
    flat_tree,
    read_hierarchy,
    tree_by_digits,
)
from tacita.tables.dimension import Dimension


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("codes") / "codes.hrc"


OUTLINES = st.lists(
    st.tuples(st.integers(0, 3), st.text("abc", min_size=1, max_size=2)), min_size=1, max_size=15
)


@given(OUTLINES)
def test_every_line_of_a_hierarchy_is_a_code_in_its_order(place, lines):
    """Codes that stand twice, and codes below themselves, are lines of their own."""
    allowed, outline = 0, []
    for depth, code in lines:
        outline.append((min(depth, allowed), code))
        allowed = outline[-1][0] + 1
    place.write_text("".join(f"{'@' * depth}{code} \r\r\n" for depth, code in outline))
    tree, words = read_hierarchy(place, "Total", "@")
    codes = Dimension.from_trees("x", [tree]).codes
    assert [words[code] for code in codes[1:]] == [code for _, code in outline]


def test_records_belong_to_the_first_of_two_codes_and_to_the_lower_of_a_code_below_itself(place):
    place.write_text("A\n@x\nB\n@x\n@y\nC\n@C\n")
    tree, words = read_hierarchy(place, "Total", None)
    above = {path[0]: path[1] for path in tree.paths}
    assert (above["x"], above["x (2)"], above["C"]) == ("A", "B", "C (2)")
    assert (words["x (2)"], words["C (2)"]) == ("x", "C")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("A\n@@b\n", "line 2: the code lies 3 levels below the total"), ("@\n@@\n", "has no codes")],
)
def test_a_file_that_is_no_hierarchy(place, text, sentence):
    place.write_text(text)
    with pytest.raises(HierarchyError, match=sentence):
        read_hierarchy(place, "Total", "@")


def test_blanks_before_a_code_are_written_and_mean_nothing(place):
    place.write_text("Nord\n- 1\n-10\n")
    tree, words = read_hierarchy(place, "Alle", "-")
    assert tree.paths == (("1", "Nord", "Alle"), ("10", "Nord", "Alle"))
    assert words == {"Nord": "Nord", "1": " 1", "10": "10"}


def test_flat_codes_are_in_the_order_in_which_they_are_written():
    tree = flat_tree(["10", "9", "2"], "Total", Spelling(2))
    assert [leaf for leaf, _ in tree.paths] == ["2", "9", "10"]


def test_codes_shorter_than_others_lie_right_below_what_they_begin_with():
    tree = tree_by_digits(["A1", "B"], [1, 1], "Total")
    assert set(tree.paths) == {("A1", "A", "Total"), ("B", "B", "Total")}
