"""Data files of ARGUS: read as their description says, refused where the two disagree."""

from __future__ import annotations

import datetime as dt
import gzip
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacita.data.attribute import Role
from tacita.data.codebook import Meaning
from tacita.data.declaration import Declaration
from tacita.data.formats import (
    Contents,
    layout_of,
    rda,
    read_contents,
    read_table,
    write_contents,
    write_table,
)
from tacita.data.hierarchies.intervals import Intervals
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.data.read import read_dataset
from tacita.errors import InputError, OutputError

TAU = Path(__file__).parents[4] / "shared" / "data" / "tables" / "tauargus"
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

FIRMS = """
// the firms of an invented country
Region 1 2 "99"
  <RECODEABLE>
  <CODELIST> "Region.cdl"
  <DISTANCE> 1 2 3
nace 4 4 9999 8888
  <recodable>
  <HIERARCHICAL>
  <HIERLEVELS> 2 1 1 0
  <TOTCODE> "All"
Wgt 9 3
  <DECIMALS> 1
  <WEIGHT>
Turnover 13 5 99999
  <NUMERIC>
Group 19 1
  <HOLDING>
Note 21 3
"""
RECORDS = """\
 1 2924 2.5   100 a  x 
12 2925 1.0   -20 a 007
99 9999 1.5 99999 b    
 2 8888 3.0       b y  
"""  # noqa: W291 - blanks are data


@pytest.fixture
def firms(tmp_path):
    """Write a data file and its description; parts of either can be replaced."""

    def make(records=RECORDS, description=FIRMS, encoding="ascii"):
        (tmp_path / "firms.asc").write_bytes(records.encode(encoding))
        (tmp_path / "firms.rda").write_bytes(description.encode(encoding))
        (tmp_path / "region.CDL").write_bytes(b' 1, "North, and east"\n2,South\n12,West\n')
        return tmp_path / "firms.asc"

    return make


# --- what the files say


def test_values(firms):
    contents = read_contents(firms())
    assert contents.table.to_pydict() == {
        "Region": ["1", "12", None, "2"],
        "nace": ["2924", "2925", None, None],
        "Wgt": [2.5, 1.0, 1.5, 3.0],
        "Turnover": [100, -20, None, None],
        "Group": ["a", "a", "b", "b"],
        "Note": ["x", "007", None, "y"],
    }
    assert contents.table.schema.field("Turnover").type == pa.int64()
    assert contents.warnings == ()
    assert contents.found == {"metadata": "firms.rda"}


def test_reasons_labels_and_what_else_is_kept(firms):
    contents = read_contents(firms())
    assert contents.codebook["Region"] == Meaning(
        value_labels={"1": "North, and east", "2": "South", "12": "West"},
        missing_codes=("99",),
        properties={"DISTANCE": ("1", "2", "3")},
    )
    assert contents.codebook["nace"].missing_codes == ("9999", "8888")
    assert contents.reasons["nace"].tolist() == [0, 0, 1, 2]
    assert contents.reasons["Turnover"].tolist() == [0, 0, 1, 0]
    assert contents.codebook["Turnover"].missing_codes == (99999,)
    assert "Note" not in contents.reasons


def test_roles_and_hierarchies(firms):
    data = read_dataset(firms(), {"nace": Declaration(role="confidential")})
    assert data.keys == ["Region"]
    assert data.confidential == ["nace"]  # a person's word goes first
    assert data.with_role(Role.WEIGHT) == ["Wgt"]
    assert data.with_role(Role.HOUSEHOLD) == ["Group"]
    assert data.attribute("nace").hierarchy == Tree((
        ("2924", "292", "29", "All"), ("2925", "292", "29", "All"),
    ))  # fmt: skip


def test_identification_levels_of_mu_argus(firms):
    description = "a 1 2\n <RECODABLE>\n <IDLEVEL> 0\nb 4 4\n <RECODABLE>\n <IDLEVEL> 2\nc 9 15\n"
    said = read_contents(firms(description=description)).said
    assert {name: part.role for name, part in said.items()} == {"b": frozenset({Role.KEY})}


def test_a_hierarchy_file(firms):
    description = 'a 1 2\n <HIERCODELIST> "C:\\argus\\REGIONS.hrc"\n <HIERLEADSTRING> "-"\nb 4 20\n'
    path = firms(description=description)
    regions = path.parent / "regions.hrc"
    regions.write_text("N\n-1\n-2\nS\n-12\n-99\n")
    said = read_contents(path).said["a"].hierarchy
    assert said == {"file": {"path": str(regions.resolve()), "leading": "-"}}
    assert read_dataset(path, {}).attribute("a").hierarchy.height == 2


def test_codes_of_single_digits_are_prefixes(firms):
    description = "a 1 2\nb 4 4 9999 8888\n <HIERLEVELS> 1 1 1 1\nc 9 15\n"
    assert read_contents(firms(description=description)).said["b"].hierarchy == Prefix(4)


def test_codes_that_do_not_fill_their_levels(firms):
    contents = read_contents(firms(description="a 1 2\n <HIERLEVELS> 1 1\nb 4 20\n"))
    assert (
        "`a` has no hierarchy: its levels count 2 characters, and the codes '1', '2'"
        in contents.warnings[0]
    )
    assert contents.said == {}


@pytest.mark.parametrize("name", ["firms.RDA", "FIRMS.rda"])
def test_the_description_is_found_in_any_case(firms, name):
    path = firms()
    path.with_suffix(".rda").rename(path.parent / name)
    assert len(read_table(path)) == 4


def test_the_description_can_be_named(firms, tmp_path):
    path = firms()
    other = tmp_path / "other.txt"
    path.with_suffix(".rda").rename(other)
    assert len(read_table(path, metadata=str(other))) == 4
    with pytest.raises(InputError, match=r"There is no description nowhere\.rda of .*firms\.asc"):
        read_table(path, metadata="nowhere.rda")
    with pytest.raises(InputError, match=r"there is no firms\.rda in .*Put it there or name it"):
        read_table(path)


def test_numbers_that_are_to_be_text(firms):
    table = read_table(firms(), text=frozenset({"Turnover"}))
    assert table["Turnover"].to_pylist() == ["100", "-20", None, None]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig"])
def test_positions_count_characters(firms, encoding):
    records = RECORDS.replace(" x ", " é ").replace("007", "zoë")
    contents = read_contents(firms(records=records, encoding=encoding))
    assert contents.table["Note"].to_pylist() == ["é", "zoë", None, "y"]
    assert contents.table.schema.field("Note").type == pa.string()
    assert contents.table["Turnover"].to_pylist() == [100, -20, None, None]


def test_a_given_encoding(firms):
    path = firms(records=RECORDS.replace("007", "ŁŁŁ"), encoding="cp1250")
    assert read_table(path, encoding="cp1250")["Note"][1].as_py() == "ŁŁŁ"
    with pytest.raises(InputError, match=r"firms\.asc is no text in the encoding `ascii`"):
        read_table(path, encoding="ascii")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.removesuffix("\n") + "\x1a",
        lambda text: text.replace(" x ", " x    "),
    ],
)
def test_line_ends_and_blanks_do_not_matter(firms, change):
    expected = read_table(firms())
    assert read_table(firms(records=change(RECORDS))).equals(expected)


def test_a_file_without_records(firms):
    table = read_table(firms(records=""))
    assert len(table) == 0
    assert table.schema.types[2:4] == [pa.float64(), pa.int64()]


# --- where data and description disagree


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("a 007", "a 0", r"line 2: the line has 21 characters, but .*firms\.rda puts `Note` at positions 21 to 23"),
        ("a 007", "a 007  zz", r"line 2: found 'zz' after position 23, where the last variable"),
        ("  -20", "   x2", r"line 2: expected a number in `Turnover`, columns 13 to 17; found 'x2'"),
        ("  -20", " 1,50", r"found '1,50'"),
        ("  -20", " 0x1F", r"found '0x1F'"),
        ("  -20", "  nan", r"found 'nan'"),
        ("  -20", "  ++5", r"found '\+\+5'"),
    ],
)  # fmt: skip
def test_records_that_do_not_fit(firms, old, new, message):
    with pytest.raises(
        InputError, match=r"firms\.asc, " + message if "line" in message else message
    ):
        read_table(firms(records=RECORDS.replace(old, new)))


@pytest.mark.parametrize(("written", "value"), [(" 1e-3", 0.001), ("   +5", 5.0), ("   .5", 0.5)])
def test_numbers_as_argus_reads_them(firms, written, value):
    table = read_table(firms(records=RECORDS.replace("  -20", written)))
    assert table["Turnover"].to_pylist()[:2] == [100.0, value]


def test_numbers_with_too_many_digits(firms):
    records = f"{2**63 - 1:>20}\n{2**63:>20}\n"
    path = firms(records=records, description="n 1 20\n <NUMERIC>\n")
    with pytest.raises(
        InputError, match=r"line 1: `n` holds 9223372036854775807, which has too many"
    ):
        read_table(path)
    assert read_table(path, text=frozenset({"n"}))["n"][1].as_py() == str(2**63)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ("", r"firms\.rda names no variables"),
        ("a 1 2\na 3 2\n", "the name `a` is given to columns 1 and 2"),
        ("a 1 4\nb 3 2\n", r"line 2: `b` begins at position 3, but `a` \(line 1\) reaches to 4"),
        ("a 1\n", "line 1: expected the variable `a`, its first position and its length"),
        ("a one 2\n", "found `a one 2`"),
        ("a 0 2\n", "found `a 0 2`"),
        ("a 1 2 999\n", "the missing code `999` of `a` is longer than 2"),
        ("a 1 2\n <DECIMALS> x\n", "line 2: expected a whole number after <DECIMALS>"),
        ("a 1 2\n <CODELIST>\n", "line 2: expected something after <CODELIST>"),
        ("a 1 2\n <HIERLEVELS> 1 2\n", "line 2: the levels of `a` must add up to its length 2"),
        ("<RECODEABLE>\n", "line 1: expected a variable before the tag <RECODEABLE>"),
        ("<SPSS>\na 1 2\n", "line 1: it describes an SPSS file"),
        ("<SEPARATOR>\na 2\n", "line 1: expected one character after <SEPARATOR>"),
        ("<SEPARATOR> ,\na\n", "expected the variable `a`, its length"),
    ],
)
def test_descriptions_that_say_nothing_readable(firms, description, message):
    with pytest.raises(InputError, match=message):
        read_table(firms(description=description))


def test_warnings(firms):
    path = firms(description=FIRMS.replace("<NUMERIC>", "<NUMERICAL>"))
    (path.parent / "region.CDL").write_text("1,North\n")
    listed, unknown = sorted(read_contents(path).warnings, reverse=True)
    assert (
        "line 16: the tag <NUMERICAL> is unknown and was left out. Did you mean `NUMERIC`?"
        in unknown
    )
    assert listed == "The code list Region.cdl of `Region` lacks '12', '2'."
    (path.parent / "region.CDL").unlink()
    assert any("there is no code list Region.cdl" in told for told in read_contents(path).warnings)


def test_labels_of_numbers(firms):
    path = firms(records="1.0\n2.5\n3.0\n", description='n 1 3\n <NUMERIC>\n <CODELIST> "n.cdl"\n')
    (path.parent / "n.cdl").write_text("1,one\n2.5,some\nx,else\n\n")
    contents = read_contents(path)
    assert contents.codebook["n"].value_labels == {1: "one", 2.5: "some", "x": "else"}
    assert contents.warnings == ("The code list n.cdl of `n` lacks 3.0.",)


# --- fields parted by a character


FREE = """<SEPARATOR> ";"
Region 6 99
  <RECODEABLE>
Wage 5 9
  <NUMERIC>
"""


def test_parted_fields(firms):
    contents = read_contents(firms(records=' 07;1.5\n99;9\n\n"a;b"; 3\n', description=FREE))
    assert contents.table.to_pydict() == {"Region": ["07", None, "a;b"], "Wage": [1.5, None, 3.0]}
    assert contents.reasons["Wage"].tolist() == [0, 1, 0]
    assert contents.said["Region"].role == frozenset({Role.KEY})


def test_parted_fields_with_names_in_front(firms):
    description = FREE.replace("\n", "\n<NAMESINFRONT>\n", 1)
    assert read_table(firms(records="Region;Wage\n1;2\n", description=description)).to_pylist() == [
        {"Region": "1", "Wage": 2}
    ]
    with pytest.raises(InputError, match=r"line 2: expected 2 fields parted by ';', found 3"):
        read_table(firms(records="Region;Wage\n1;2;3\n", description=description))


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ("1;2\n\n3\n", r"line 3: expected 2 fields parted by ';', found 1"),
        ("1;2\n3;x\n", r"line 2: expected a number in `Wage`; found 'x'"),
        ("1;2\n1234567;3\n", r"line 2: `Region` has 6 characters at most by its description; found '1234567'"),
    ],
)  # fmt: skip
def test_parted_records_that_do_not_fit(firms, records, message):
    with pytest.raises(InputError, match=message):
        read_table(firms(records=records, description=FREE))


# --- writing


def test_the_whole_of_it_reads_back(firms, tmp_path):
    first = read_dataset(firms(), {})
    write_contents(first.contents(), tmp_path / "again.asc")
    again = read_dataset(tmp_path / "again.asc", {})
    assert again.table.equals(first.table)
    for name, attribute in first.attributes.items():
        other = again.attribute(name)
        assert (other.roles, other.hierarchy) == (attribute.roles, attribute.hierarchy)
        if name not in {"Turnover", "Note"}:  # they have blanks nobody explains: a code of ours
            assert other.meaning == attribute.meaning
            assert np.array_equal(again.missing_reasons.get(name), first.missing_reasons.get(name))
    assert again.attribute("Note").meaning.missing_codes == ("999",)
    assert again.attribute("Turnover").meaning.missing_codes == (99999, 999)


TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff\0\x1a"),
    min_size=1,
    max_size=4,
)
ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), TEXT.filter(lambda text: text.strip(" \t\n\v\f\r") == text and not {"\r", "\n"} & set(text))),
        st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
        st.one_of(st.none(), st.floats(-1e15, 1e15).filter(lambda x: x == 0 or abs(x) > 1e-15)),
        st.one_of(st.none(), st.sampled_from(["9", "99", "07", "8"])),
    ),
    max_size=8,
)  # fmt: skip


@given(rows=ROWS)
@QUICK
def test_any_values_read_back(tmp_path, rows):
    columns = list(zip(*rows, strict=True)) or [()] * 4
    types = [pa.string(), pa.int64(), pa.float64(), pa.string()]
    table = pa.table({
        name: pa.array(values, kind)
        for name, values, kind in zip(["s", "n", "x", "a code"], columns, types, strict=True)
    })  # fmt: skip
    write_table(table, tmp_path / "any.asc")
    assert read_table(tmp_path / "any.asc").equals(table)


@given(
    labels=st.dictionaries(
        TEXT.map(str.strip).filter(bool), st.text(max_size=6).map(str.strip), max_size=4
    )
)
@QUICK
def test_any_labels_read_back(tmp_path, labels):
    broken = any({"\r", "\n", "\ufeff"} & set(code + label) for code, label in labels.items())
    contents = Contents(pa.table({"a": ["x"]}), {"a": Meaning(value_labels=labels)})
    if broken:
        with pytest.raises(OutputError, match="The labels of `a` hold"):
            write_contents(contents, tmp_path / "a.asc")
        return
    write_contents(contents, tmp_path / "a.asc")
    assert read_contents(tmp_path / "a.asc").codebook["a"].value_labels == labels


def test_positions_are_bytes_where_they_can_be(tmp_path):
    write_table(pa.table({"ö": ["é", "zoë"], "n": [1, 2]}), tmp_path / "a.asc")
    assert (tmp_path / "a.asc").read_bytes() == b"  \xe9 1\nzo\xeb 2\n"
    assert (tmp_path / "a.rda").read_bytes() == b"\xf6 1 3\nn 5 1\n  <NUMERIC>\n"


def test_other_types_are_text_or_numbers(tmp_path):
    table = pa.table({
        "b": [True, None],
        "d": [dt.date(2020, 1, 2), None],
        "m": pa.array(["0.0000000001", "12.5"]).cast(pa.decimal128(20, 10)),
        "c": pa.array(["u", "v"]).dictionary_encode(),
        "i": pa.array([5, 6]).dictionary_encode(),
        "none": pa.nulls(2),
        "x": [float("nan"), 1e-7],
    })  # fmt: skip
    write_table(table, tmp_path / "a.asc")
    assert read_table(tmp_path / "a.asc").to_pydict() == {
        "b": ["true", None], "d": ["2020-01-02", None], "m": [1e-10, 12.5],
        "c": ["u", "v"], "i": [5, 6], "none": [None, None], "x": [None, 1e-7],
    }  # fmt: skip
    assert "1e-07" not in (tmp_path / "a.asc").read_text()


def test_equal_tables_give_equal_bytes(tmp_path):
    table = pa.table({"s": ["a", "bb", None], "x": [0.5, None, 2.0]})
    pieces = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    write_table(table, tmp_path / "a.asc")
    write_table(pieces, tmp_path / "b.asc")
    for suffix in (".asc", ".rda"):
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_missing_codes(tmp_path):
    codes = Meaning(missing_codes=(7, 9))
    contents = Contents(
        pa.table({"n": pa.array([None, None, None, 5], pa.int64())}),
        {"n": codes},
        {"n": np.array([1, 2, 0, 0], np.int32)},
    )
    write_contents(contents, tmp_path / "a.asc")
    assert (tmp_path / "a.asc").read_text() == "7\n9\n \n5\n"
    again = read_contents(tmp_path / "a.asc")
    assert again.codebook["n"] == codes
    assert again.reasons["n"].tolist() == [1, 2, 0, 0]
    taken = Contents(pa.table({"n": [7]}), {"n": codes})
    with pytest.raises(OutputError, match="holds the value 7, which is also its code"):
        write_contents(taken, tmp_path / "b.asc")


def test_more_reasons_than_a_description_names(tmp_path):
    values = pa.table({"n": pa.array([None, None, None], pa.int64())})
    codes = {"n": Meaning(missing_codes=(7, 8, 9))}
    few = Contents(values, codes, {"n": np.array([1, 3, 3], np.int32)})
    write_contents(few, tmp_path / "a.asc")
    assert read_contents(tmp_path / "a.asc").codebook["n"].missing_codes == (7, 9)
    many = Contents(values, codes, {"n": np.array([1, 2, 3], np.int32)})
    with pytest.raises(OutputError, match="missing for 3 reasons, and a description names two"):
        write_contents(many, tmp_path / "b.asc")
    assert not (tmp_path / "b.asc").exists()


@pytest.mark.parametrize(
    "hierarchy",
    [
        Prefix(2),
        Tree((("11", "1", "all"), ("12", "1", "all"), ("23", "2", "all"))),
        Tree((("11", "north", "all"), ("12", "north", "all"), ("23", "south", "all"))),
        Tree((("11", "a", "x", "*"), ("12", "b", "y", "*"), ("23", "c", "y", "*"))),
    ],
)
def test_hierarchies_read_back(tmp_path, hierarchy):
    said = {"a": Declaration(role="key", hierarchy=hierarchy)}
    table = pa.table({"a": ["11", "12", "23", None]})
    write_contents(Contents(table, said=said), tmp_path / "a.asc")
    attribute = read_dataset(tmp_path / "a.asc", {}).attribute("a")
    assert attribute.hierarchy == hierarchy
    assert attribute.roles == frozenset({Role.KEY})


def test_a_hierarchy_file_goes_with_the_data(firms, tmp_path):
    path = firms(description='a 1 2 99\n <HIERCODELIST> "a.hrc"\n <TOTCODE> "all"\nb 4 20\n')
    (path.parent / "a.hrc").write_text("N\n@1\n@2\nS\n@12\n")
    (tmp_path / "new").mkdir()
    write_contents(read_contents(path), tmp_path / "new" / "b.asc")
    (path.parent / "a.hrc").unlink()
    hierarchy = read_dataset(tmp_path / "new" / "b.asc", {}).attribute("a").hierarchy
    assert hierarchy == Tree((("1", "N", "all"), ("2", "N", "all"), ("12", "S", "all")))


def test_text_that_leaves_no_missing_code(tmp_path):
    values = [*(digit * 255 for digit in "987654321XZ"), None]
    with pytest.raises(OutputError, match="no code left for the missing values of `a`"):
        write_table(pa.table({"a": values}), tmp_path / "a.asc")


def test_hierarchies_of_numbers_are_not_told(tmp_path):
    said = {"a": Declaration(role="key", hierarchy=Intervals([5]))}
    write_contents(Contents(pa.table({"a": [1, 2]}), said=said), tmp_path / "a.asc")
    again = read_contents(tmp_path / "a.asc")
    assert again.table["a"].to_pylist() == [1, 2]
    assert again.said["a"].hierarchy is None
    assert again.said["a"].role == frozenset({Role.KEY})


def test_a_prefix_that_a_missing_code_would_widen_is_not_told(tmp_path):
    values = [*(digit * 2 for digit in "987654321XZ"), None]
    said = {"a": Declaration(hierarchy=Prefix(2))}
    write_contents(Contents(pa.table({"a": values}), said=said), tmp_path / "a.asc")
    again = read_contents(tmp_path / "a.asc")
    assert again.table["a"].to_pylist() == values
    assert again.said == {}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a\nb"], "holds the text"),
        ([" a"], "holds the text ' a'; blanks around a value"),
        ([""], "empty text"),
        (["x" * 256], "more than 255 characters"),
        ([1e300], "takes 303 characters without an exponent"),
        ([float("inf")], "infinite number"),
        ([["a"]], "holds list<"),
        ([dt.timedelta(1)], "holds duration"),
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "`a` holds month_day_nano_interval"),
    ],
)
def test_what_a_fixed_width_file_cannot_hold(tmp_path, values, message):
    with pytest.raises(OutputError, match=message):
        write_table(pa.table({"a": values}), tmp_path / "a.asc")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_code_that_a_description_cannot_name(tmp_path):
    contents = Contents(pa.table({"a": ["x"]}), {"a": Meaning(missing_codes=('"',))})
    with pytest.raises(OutputError, match="A description cannot name the missing code"):
        write_contents(contents, tmp_path / "a.asc")


def test_a_table_without_columns(tmp_path):
    with pytest.raises(OutputError, match="needs at least one column"):
        write_table(pa.table({}), tmp_path / "a.asc")


@pytest.mark.parametrize("name", ["", 'a"b', "a\nb"])
def test_names_that_a_description_cannot_hold(tmp_path, name):
    with pytest.raises(OutputError, match="A variable cannot be named"):
        write_table(pa.table({name: [1]}), tmp_path / "a.asc")


def test_names_of_the_files_beside(tmp_path):
    labels = {name: Meaning(value_labels={"x": name}) for name in ("a b", "A_b", "c")}
    write_contents(Contents(pa.table({name: ["x"] for name in labels}), labels), tmp_path / "f.asc")
    assert sorted(file.name for file in tmp_path.glob("*.cdl")) == [
        "f_1_a_b.cdl",
        "f_2_A_b.cdl",
        "f_c.cdl",
    ]
    assert read_contents(tmp_path / "f.asc").codebook == labels


def test_all_files_appear_or_none(tmp_path):
    (tmp_path / "a.rda").mkdir()
    contents = Contents(pa.table({"a": ["x"]}), {"a": Meaning(value_labels={"x": "y"})})
    with pytest.raises(OutputError, match="a folder has that name"):
        write_contents(contents, tmp_path / "a.asc")
    unwritable = Declaration(hierarchy=Tree((("@x", "b", "*"), ("y", "c", "*"))))
    with pytest.raises(OutputError, match="leading string"):
        write_contents(
            Contents(pa.table({"a": ["@x"]}), said={"a": unwritable}), tmp_path / "b.asc"
        )
    assert [file.name for file in tmp_path.iterdir()] == ["a.rda"]


def test_a_description_says_what_was_read(tmp_path):
    (tmp_path / "a.rda").write_text(FIRMS)
    first = rda.read_description(tmp_path / "a.rda")
    (tmp_path / "b.rda").write_text(rda.said(first.variables))
    again = rda.read_description(tmp_path / "b.rda")
    assert [(v.name, v.start, v.length, v.missing, v.tags) for v in again.variables] == [
        (v.name, v.start, v.length, v.missing, v.tags) for v in first.variables
    ]


# --- the example of tau-ARGUS


@pytest.mark.skipif(not TAU.is_dir(), reason="the reference data are not here")
def test_the_example_of_tau_argus(tmp_path):
    for name in ("Tau_TestW.rda", "region.cdl", "region2.hrc"):
        shutil.copyfile(TAU / name, tmp_path / name)
    raw = gzip.decompress((TAU / "tau_testW.asc.gz").read_bytes())
    (tmp_path / "tau_testW.asc").write_bytes(raw)
    contents = read_contents(tmp_path / "tau_testW.asc")
    lines = [line for line in raw.decode().splitlines() if line]
    assert len(contents.table) == len(lines)
    assert contents.warnings == ()
    assert pc.sum(contents.table["Var3"]).as_py() == sum(int(line[37:47]) for line in lines)
    assert contents.table["Var2"].to_pylist() == [float(line[27:37]) for line in lines]
    sizes = [line[8:10].strip() for line in lines]
    assert contents.table["Size"].to_pylist() == [None if size == "99" else size for size in sizes]
    data = read_dataset(tmp_path / "tau_testW.asc", {})
    assert data.keys == ["Year", "IndustryCode", "Size", "Region"]
    assert data.attribute("Region").hierarchy.height == 2
    write_contents(data.contents(), tmp_path / "again.asc")
    assert read_contents(tmp_path / "again.asc").table.equals(contents.table)


def test_a_layout_that_means_nothing(tmp_path):
    with pytest.raises(InputError, match="`sheet` means nothing for a fixed-width file"):
        write_contents(
            Contents(pa.table({"a": [1]})), tmp_path / "a.asc", layout_of({"sheet": "x"})
        )
