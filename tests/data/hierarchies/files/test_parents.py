from __future__ import annotations

import pytest

from tacita.data.hierarchies.files import parents, read_hierarchy
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, OutputError


@pytest.fixture
def file(tmp_path):
    return tmp_path / "jobs.csv"


def test_a_table_is_written_with_a_header(file):
    parents.write(Tree((("nurse", "care", "any"), ("none", "none", "any"))), file)
    assert file.read_text() == "child,parent\nnurse,care\ncare,any\nnone,any\n"


def test_a_header_is_none_of_the_labels(file):
    tree = Tree((("child", "parent"), ("x", "parent")))
    parents.write(tree, file)
    assert file.read_text().startswith("child_,parent_\n")
    assert read_hierarchy(file) == tree


def test_a_first_line_that_belongs_to_the_tree_is_no_header(file):
    file.write_text("grandparent,any\nx,grandparent\ny,any\n")
    expected = Tree((("x", "grandparent", "any"), ("y", "y", "any")))
    assert read_hierarchy(file) == expected


def test_all_leaves_below_one_root_are_the_same_tree_either_way(file):
    file.write_text("a;any\nb;any\n")
    assert parents.read(file) == read_hierarchy(file) == Tree((("a", "any"), ("b", "any")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;b\nb;a\n", "lines 1 and 2: a -> b -> a is a cycle"),
        ("x;r\na;b\nb;c\nc;a\n", "lines 2, 3 and 4: a -> b -> c -> a is a cycle"),
        ("x;r\ny;a\na;a\n", "line 3: a -> a is a cycle"),
        ("a;x\nb;y\n", "2 labels have no parent: 'x', 'y'; a tree has one root"),
        ("r;\ns;\na;r\n", "2 labels have no parent: 'r', 's'"),
        ("a;x\na;y\nx;r\ny;r\n", "lines 1 and 2: 'a' has two parents, 'x' and 'y'"),
        ("a;x\nb;x\na;x\nx;r\n", "lines 1 and 3: 'a' stands twice"),
        ("a;r\n;r\nr;\n", "line 2: a label is blank"),
        ("a;b;c\n", "line 1: expected a label and its parent, found 3 fields"),
    ],
)
def test_what_is_no_tree_is_refused(file, text, message):
    file.write_text(text)
    with pytest.raises(HierarchyError, match=f"jobs.csv.*{message}"):
        parents.read(file)


def test_a_long_cycle_is_told_in_part(file):
    file.write_text("".join(f"n{i};n{(i + 1) % 1000}\n" for i in range(1000)))
    with pytest.raises(
        HierarchyError, match=r"n0 -> n1 -> n2 -> n3 -> n4 -> \.\.\. -> n0 is a cycle"
    ):
        parents.read(file)


@pytest.mark.parametrize(
    "paths",
    [
        (("a", "a", "*"), ("b", "b", "*")),
        (("a", "x", "y", "*"), ("b", "z", "x", "*")),
        (("a", "*", "*"), ("b", "x", "*")),
    ],
)
def test_a_label_at_two_places_is_refused(file, paths):
    with pytest.raises(OutputError, match="stands at two places"):
        parents.write(Tree(paths), file)
    assert not file.exists()
