"""What holds of hierarchy files of every kind."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.hierarchies.dates import Dates
from tacita.data.hierarchies.files import KINDS, read_hierarchy, write_hierarchy
from tacita.data.hierarchies.intervals import Intervals
from tacita.data.hierarchies.outline import Node, leaf_paths
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, OutputError, ParameterError

NAMES = {"arx": "tree.csv", "parents": "tree.csv", "hrc": "tree.hrc", "nested": "tree.yaml"}
JOBS = Tree((("nurse", "care", "any"), ("judge", "law", "any"), ("none", "none", "any")))
PLAIN = st.text("abc é漢😀0", min_size=1).map(str.strip).filter(bool)
STRANGE = st.text(
    st.sampled_from(";,|\t\"'@-.#~\r\n\ufeff\x85\u2028\x7f:[]{}&*!%`?<>=\\ \xa0")
    | st.characters(min_codepoint=1, exclude_categories=["Cs"])
)
WORDS = st.sampled_from(
    ["null", "~", "no", "007", "1e3", "2024-01-01", "child", "parent", "<<", "- a"]
)
LABELS = (STRANGE | WORDS).filter(str.strip)


@st.composite
def trees(draw, labels):
    """Draw a tree of any shape in which no two labels are equal."""
    first, *others = draw(st.lists(labels, min_size=2, max_size=12, unique=True))
    nodes = [Node(0, first)]
    for label in others:
        nodes.append(Node(draw(st.integers(1, nodes[-1].depth + 1)), label))
    return Tree(leaf_paths(nodes)[0])


@st.composite
def repeating_trees(draw):
    """Draw a tree in which labels stand at several levels."""
    levels = [draw(st.lists(st.sampled_from("abcdef"), min_size=1, unique=True))]
    for _ in range(draw(st.integers(0, 3))):
        parents = {label: draw(st.sampled_from("abcxyz")) for label in dict.fromkeys(levels[-1])}
        levels.append([parents[label] for label in levels[-1]])
    return Tree(tuple(zip(*levels, [draw(st.sampled_from("a*"))] * len(levels[0]), strict=True)))


def read_back(tree: Tree, kind: str) -> Tree | None:
    """Write and read a tree, or return nothing if it is refused and nothing is left behind."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / NAMES[kind]
        try:
            write_hierarchy(tree, path, kind=kind)
        except OutputError:
            assert not list(Path(folder).iterdir())
            return None
        return read_hierarchy(path, **({"root": tree.root} if kind == "hrc" else {}))


@pytest.mark.parametrize("kind", KINDS)
@given(trees(PLAIN))
def test_a_tree_reads_back_equal_whatever_its_shape(kind, tree):
    assert read_back(tree, kind) == tree


@pytest.mark.parametrize("kind", ["arx", "parents", "nested"])
@given(trees(LABELS))
def test_a_tree_reads_back_equal_whatever_its_labels(kind, tree):
    assert read_back(tree, kind) == tree


def fits_hrc(label: str) -> bool:
    is_code = label == label.strip(" \t\ufeff") and not set(label) & set("\r\n")
    return is_code and (label[0].isalnum() or label[0] in "_'\"")


@given(trees(LABELS))
def test_a_hrc_file_reads_back_equal_or_is_refused(tree):
    back = read_back(tree, "hrc")
    codes = {label for path in tree.paths for label in path[:-1]}
    if all(map(fits_hrc, codes)):
        assert back == tree
    else:
        assert back in (tree, None)


@pytest.mark.parametrize("kind", KINDS)
@given(repeating_trees())
def test_a_label_at_several_levels_is_kept_or_refused(kind, tree):
    back = read_back(tree, kind)
    assert back in (tree, None)
    assert back is not None or kind in ("hrc", "parents")


@pytest.mark.parametrize("kind", KINDS)
def test_a_deep_tree_reads_back_equal(kind):
    inner = [f"n{depth}" for depth in range(10_000)]
    deep = Tree((("one", *inner, "any"), ("other", *inner, "any")))
    assert read_back(deep, kind) == deep


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("hierarchy", "values"),
    [
        (Intervals(widths=[5, 10]), [3, 7, 12, 3, None]),
        (Prefix(3), ["941", "942", "855"]),
        (Dates(("month", "year")), [dt.date(1964, 9, 27), dt.date(2024, 2, 29)]),
        (JOBS, ["judge", "none", "nurse"]),
    ],
    ids=lambda part: type(part).__name__,
)
def test_any_hierarchy_is_written_over_its_values(tmp_path, kind, hierarchy, values):
    path = tmp_path / NAMES[kind]
    write_hierarchy(hierarchy, path, values, kind=kind)
    back = read_hierarchy(path)
    column = pa.array(values).drop_null()
    for level in range(1, hierarchy.height):
        assert back.labels(column, level).equals(hierarchy.labels(column, level))


def test_only_the_values_asked_for_are_written(tmp_path):
    write_hierarchy(JOBS, tmp_path / "jobs.csv", ["judge"])
    assert (tmp_path / "jobs.csv").read_text() == "judge;law;any\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "nurse;care;any\njudge;law;any\n"),
        ("a.txt", "nurse,care,any\njudge,law,any"),
        ("a", "nurse\tcare\tany\r\njudge\tlaw\tany\r\n"),
        ("a.csv", '"nurse"|care|any|\n\njudge|law|any|\n'),
        ("a.CSV", "child,parent\ncare,any\nlaw,any\nnurse,care\njudge,law\n"),
        ("a.csv", "Parent code;Code\nany;care\nany;law\ncare;nurse\nlaw;judge\n"),
        ("a.csv", "any;\ncare;any\nlaw;any\nnurse;care\njudge;law\n"),
        ("a.yml", "any:\n  care: nurse\n  law: [judge]\n"),
        ("a.yaml", "any: [{care: [nurse]}, {law: judge}]"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_kind_is_found_out(tmp_path, name, text, encoding):
    (tmp_path / name).write_bytes(text.encode(encoding))
    expected = Tree((("nurse", "care", "any"), ("judge", "law", "any")))
    assert read_hierarchy(tmp_path / name) == expected


def test_an_older_encoding_is_read(tmp_path):
    (tmp_path / "a.csv").write_bytes("Bär;Tier groß €;*\n".encode("cp1252"))
    assert read_hierarchy(tmp_path / "a.csv").paths == (("Bär", "Tier groß €", "*"),)


@pytest.mark.parametrize("name", ["a.csv", "a.hrc", "a.yaml"])
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "a[.].*: the file is empty"),
        (b"\xef\xbb\xbf \r\n\n", "the file is empty"),
        (b"a;b\n\0\1\2;b\n", "found a NUL byte"),
        (b"a;b\n\x81\xff;b\n", "line 2: the byte 0x81 is neither UTF-8 nor Windows-1252"),
        (b"\xff\xfea", "neither UTF-8"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, name, raw, message):
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(HierarchyError, match=message):
        read_hierarchy(tmp_path / name)


@pytest.mark.parametrize("name", ["region.csv", "region.hrc", "region.yaml"])
def test_a_file_that_is_not_there_is_looked_for(tmp_path, name):
    path = tmp_path / name
    path.with_stem("regions").touch()
    with pytest.raises(
        HierarchyError, match=f"no hierarchy file .*Did you mean `regions{path.suffix}`"
    ):
        read_hierarchy(path)
    with pytest.raises(HierarchyError, match="no hierarchy file"):
        read_hierarchy(tmp_path / "nowhere" / name)
    path.mkdir()
    with pytest.raises(HierarchyError, match="cannot be read: Is a directory"):
        read_hierarchy(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("label", ["a\0b", "\ud800"])
def test_a_label_that_no_text_file_holds_is_refused(tmp_path, kind, label):
    with pytest.raises(OutputError, match=r"cannot be written to .*a character that no text file"):
        write_hierarchy(Tree(((label, "any"),)), tmp_path / NAMES[kind], kind=kind)
    assert not list(tmp_path.iterdir())


def test_wishes_that_make_no_sense_are_refused(tmp_path):
    with pytest.raises(OutputError, match=r"expected a name ending in \.csv, \.hrc"):
        write_hierarchy(JOBS, tmp_path / "jobs.xyz")
    with pytest.raises(ParameterError, match="Prefix covers endlessly many; give the values"):
        write_hierarchy(Prefix(3), tmp_path / "codes.csv")
    with pytest.raises(
        ParameterError, match=r"one of arx, parents, hrc, nested.*Did you mean `hrc`"
    ):
        write_hierarchy(JOBS, tmp_path / "jobs.csv", kind="hrcs")
    with pytest.raises(ParameterError, match="`leading` is said only of"):
        write_hierarchy(JOBS, tmp_path / "jobs.csv", leading="@")
    with pytest.raises(ParameterError, match="`root` is said only of"):
        read_hierarchy(tmp_path / "jobs.csv", root="any")
    with pytest.raises(ParameterError, match="`leading` must be a text on one line; found ''"):
        write_hierarchy(JOBS, tmp_path / "jobs.hrc", leading="")
    with pytest.raises(OutputError, match="nowhere"):
        write_hierarchy(JOBS, tmp_path / "nowhere" / "jobs.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_serves_when_data_are_read(tmp_path, kind):
    path = tmp_path / NAMES[kind]
    write_hierarchy(JOBS, path, kind=kind)
    table = pa.table({"job": ["nurse", "none", None]})
    data = ta.read(table, roles={"job": "key"}, hierarchies={"job": path})
    masked = data.apply(ta.Generalize("job", level=1))
    assert masked.to_arrow()["job"].to_pylist() == ["care", "none", None]


def test_values_that_a_file_misses_are_named(tmp_path):
    write_hierarchy(JOBS, tmp_path / "jobs.csv")
    data = ta.read(pa.table({"job": ["clown"]}), hierarchies={"job": tmp_path / "jobs.csv"})
    with pytest.raises(HierarchyError, match="does not cover 'clown'"):
        data.apply(ta.Generalize("job", level=1))
