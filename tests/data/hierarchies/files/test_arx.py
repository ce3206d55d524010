from __future__ import annotations

import pytest

from tacita.data.hierarchies.files import arx
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError


@pytest.fixture
def file(tmp_path):
    return tmp_path / "jobs.csv"


def test_labels_may_hold_delimiters_and_quotes(file):
    tree = Tree((("[0,5)", 'a "b"; c', "*"), ("x\ny", "[5|6]", "*")))
    arx.write(tree, file)
    assert file.read_bytes() == b'"[0,5)";"a ""b""; c";*\n"x\ny";"[5|6]";*\n'
    assert arx.read(file) == tree


def test_the_delimiter_is_the_one_that_parts_all_lines_alike(file):
    file.write_text("[0,5);[0,10);*\n[5,10);[0,10);*\n")
    assert arx.read(file).paths[0] == ("[0,5)", "[0,10)", "*")
    file.write_text("a;b,x,*\nc,x,*\n")
    assert arx.read(file).paths == (("a;b", "x", "*"), ("c", "x", "*"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a;x;*\nb;*\n",
            "lines 1 and 2: every value must lie equally deep .* 'a' has 2 .* 'b' has 1",
        ),
        ("a;x;*\nb;x;*\na;x;*\n", "lines 1 and 3: the value 'a' stands twice"),
        ("a;m;p;*\nb;m;q;*\n", r"lines 1 and 2: .* 'm' \(level 1\) lies below both 'p' and 'q'"),
        ("a;x;*\nb;y;all\n", "lines 1 and 2: .* one root; found '[*]', 'all'"),
        ("a;x;*\nb;;*\n", "line 2: a hierarchy has no blank labels"),
        ('a;x;*\n"b;x;*\n', "line 2: a quote is not closed"),
        ("a\nb\n", "nothing parts the lines into fields"),
        ("a;\nb;\n", "at least one value below a root"),
    ],
)
def test_what_is_no_tree_is_refused(file, text, message):
    file.write_text(text)
    with pytest.raises(HierarchyError, match=f"jobs.csv.*{message}"):
        arx.read(file)


def test_a_quoted_line_end_does_not_shift_the_lines(file):
    file.write_text('"a\nb";x;*\nc;x;*\nc;x;*\n')
    with pytest.raises(HierarchyError, match="lines 3 and 4"):
        arx.read(file)
