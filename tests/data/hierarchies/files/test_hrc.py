from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.files import hrc
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, OutputError

REGIONS = "North\n@ 1\n@ 2\nSouth \n@ 3\n@@ 3a\n@@3b\nAbroad\n"
TREE = Tree(
    (
        ("1", "1", "North", "Total"),
        ("2", "2", "North", "Total"),
        ("3a", "3", "South", "Total"),
        ("3b", "3", "South", "Total"),
        ("Abroad", "Abroad", "Abroad", "Total"),
    )
)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "regions.hrc"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
@pytest.mark.parametrize("leading", ["@", "-", ".", "#", "~"])
def test_codes_lie_as_deep_as_they_are_indented(file, leading, end):
    file.write_bytes(REGIONS.replace("@", leading).replace("\n", end).encode())
    assert hrc.read(file) == TREE


@given(st.sampled_from(["--", "  ", "\t", "ab", "@@", "-@"]))
def test_the_leading_string_and_the_root_can_be_told(tmp_path_factory, leading):
    file = tmp_path_factory.mktemp("told") / "a.hrc"
    hrc.write(TREE, file, leading=leading)
    assert hrc.read(file, leading=leading) == TREE
    assert hrc.read(file, leading=leading, root="*").root == "*"


@pytest.mark.parametrize("leading", [" ", "\t", "*", "$", "+"])
def test_an_unknown_leading_string_has_to_be_told(file, leading):
    file.write_text(REGIONS.replace(" ", "").replace("@", leading))
    with pytest.raises(
        HierarchyError, match=r"regions\.hrc, line 2: .* may indent it; give `leading`"
    ):
        hrc.read(file)
    assert hrc.read(file, leading=leading) == TREE


def test_a_first_line_that_is_indented_is_no_code(file):
    file.write_text("\n North\n@1\n")
    with pytest.raises(HierarchyError, match="line 2: the line begins with ' '"):
        hrc.read(file)
    assert hrc.read(file, leading="@").paths == (("1", "North", "Total"),)


@pytest.mark.parametrize("codes", [["*a", "*b", "c"], ["A", "'b", '"c', "_d", "é", "1"]])
def test_codes_that_nothing_indents_are_a_flat_list(file, codes):
    file.write_text("\n".join(codes))
    assert hrc.read(file).paths == tuple((code, "Total") for code in codes)


def test_signs_are_codes_where_the_leading_string_is_known(file):
    file.write_text("A\n@*b\n*c\n")
    assert hrc.read(file).paths == (("*b", "A", "Total"), ("*c", "*c", "Total"))


def test_a_tree_is_written_as_tau_argus_wants_it(file):
    hrc.write(TREE, file)
    assert file.read_text() == "North\n@1\n@2\nSouth\n@3\n@@3a\n@@3b\nAbroad\n"


def test_a_code_may_stand_directly_below_itself(file):
    file.write_text("A\n@A\n@B\nC\n@C\n")
    tree = hrc.read(file)
    assert tree == Tree((("A", "A", "Total"), ("B", "A", "Total"), ("C", "C", "Total")))
    hrc.write(tree, file)
    assert file.read_text() == "A\n@A\n@B\nC\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A\n@@b\n", "line 2: 'b' is indented by 2 times '@', but the code before it allows 1"),
        ("@A\nB\n", "line 1: 'A' is indented by 1 times '@', but the code before it allows 0"),
        ("A\n@ \n", "line 2: there is no code after '@'"),
        ("A\n@x\nB\n@x\n", "lines 2 and 4: the code 'x' stands twice, below 'A' and below 'B'"),
        ("A\n@x\n@x\n", "lines 2 and 3: the code 'x' stands twice, below 'A' and below 'A'"),
        ("A\n@x\nx\n", "lines 2 and 3: the code 'x' stands twice, below 'A' and below 'Total'"),
        ("A\n@Total\n", "line 2: 'Total' is also the label of the root"),
    ],
)
def test_what_is_no_tree_is_refused(file, text, message):
    file.write_text(text)
    with pytest.raises(HierarchyError, match=f"regions.hrc, {message}"):
        hrc.read(file)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ((("@a", "x", "*"),), "'@a' cannot be written .* begins with the leading string '@'"),
        ((("a ", "x", "*"),), "'a ' cannot be written .* blanks around a code"),
        ((("\ufeffa", "x", "*"),), "blanks around a code"),
        ((("a\nb", "x", "*"),), "one line a code"),
        ((("a", "x", "y", "*"), ("b", "z", "x", "*")), "'x' cannot be written .* only once"),
        ((("5", "*"), ("-1", "*")), "begin with '-' would seem to lie deeper"),
        ((("5", "*"), ("+1", "*")), r"begin with '\+' would seem to lie deeper"),
    ],
)
def test_what_the_file_cannot_hold_is_refused(file, paths, message):
    with pytest.raises(OutputError, match=message):
        hrc.write(Tree(paths), file)
    assert not file.exists()
