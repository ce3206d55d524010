from __future__ import annotations

import pytest
import yaml

from tacita.data.hierarchies import build
from tacita.data.hierarchies.files import nested
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError


@pytest.fixture
def file(tmp_path):
    return tmp_path / "jobs.yaml"


def test_a_file_says_the_same_as_a_plan(file):
    tree = Tree((("nurse", "care", "any"), ("no", "care", "any"), ("007", "007", "any")))
    nested.write(tree, file)
    assert file.read_text() == "any:\n  care:\n  - nurse\n  - 'no'\n  '007':\n  - '007'\n"
    assert build({"tree": yaml.safe_load(file.read_text())}) == tree


def test_labels_are_the_text_as_it_is_written(file):
    file.write_text("any: {no: [007, 1.0, yes], 'null': '~'}")
    assert set(nested.read(file).paths) == {
        ("007", "no", "any"),
        ("1.0", "no", "any"),
        ("yes", "no", "any"),
        ("~", "null", "any"),
    }


def test_leaves_may_stand_beside_branches(file):
    file.write_text("any:\n- none\n- care: [nurse, {hospital: doctor}]\n  law: judge\n")
    mixed = {"any": ["none", {"care": ["nurse", {"hospital": "doctor"}], "law": "judge"}]}
    assert nested.read(file) == Tree.from_nested(mixed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("any: [a\n", "line [0-9]: this is not YAML"),
        ("any: [a, \x07]", "this is not YAML"),
        ("just text", "line 1: expected a tree such as"),
        ("a: [x]\nb: [y]\n", "lines 1 and 2: 'a' and 'b' are both roots"),
        ("- a\n- b\n", "lines 1 and 2: 'a' and 'b' are both roots"),
        ("any:\n  care:\n  law: [judge]\n", "line 2: a label is blank"),
        ("any: [a, ~]", "line 1: a label is blank; put quotes"),
        ("any: [a, '  ']", "line 1: a hierarchy has no blank labels"),
        ("any:\n  care: []\n", "line 2: a branch has no leaves"),
        ("any: {}", "line 1: a branch has no leaves"),
        ("any: [[a]]", "line 1: expected a label, found a list"),
        ("any: {[a]: b}", "line 1: expected a label, found a list"),
        ("any: {care: &c [a],\n law: *c}", "line 2: an alias is no part of a tree"),
        ("any: [a]\n---\nany: [b]\n", "line 2: a second document is no part of a tree"),
        (
            "any:\n  care: [a]\n  law: [b]\n  care: [c]\n",
            "lines 2 and 4: 'care' stands twice in one",
        ),
        ("any:\n- care: [a]\n- care: [b]\n", "lines 2 and 3: 'care' stands twice in one"),
        ("any:\n  care: [a]\n  law: [a]\n", "lines 2 and 3: the value 'a' stands twice"),
        ("[x]", "at least one value below a root"),
    ],
)
def test_what_is_no_tree_is_refused(file, text, message):
    file.write_text(text)
    with pytest.raises(HierarchyError, match=f"jobs.yaml.*{message}"):
        nested.read(file)
