"""Whatever bytes a text file holds, it is read or refused with one line that says why."""

from __future__ import annotations

import gzip
import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.data.formats import Contents, layout_of, read_contents
from tacita.data.hierarchies.files import read_hierarchy
from tacita.errors import HierarchyError, InputError, PlanError
from tacita.release.plan import read_plan

fuzzed = settings(max_examples=100)

INSERTED = [
    *(
        b'"',
        b'""',
        b"\0",
        b",",
        b";",
        b"\t",
        b"|",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b" ",
        b"+",
        b"0",
    ),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\x80", b"\xe9", b"\xc3\xa9"),
    *(b"1,5", b"1.5", b"NA", b"1,234", b"1e999", b"9" * 30, b"2020-01-01", b"\xe2\x80\xa8"),
    *(b"x" * 200_000, b"7" * 5000, b"," * 300),
]
INSERTED_IN_TREES = [
    *(
        b"\t",
        b"  ",
        b"@",
        b"-",
        b":",
        b"{",
        b"}",
        b"[",
        b"]",
        b"&a ",
        b"*a",
        b"!!int ",
        b"? ",
        b"#",
    ),
    *(b"'", b"|\n", b"null", b"1e5", b"2020-01-01", b"<<: ", b"%", b"---\n", b"...\n", b"[" * 3000),
]


@st.composite
def mutated(draw, valid, inserted):
    """Cut, flip, repeat and insert bytes in a file that is in order."""
    content = draw(st.sampled_from(valid))
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        before, part, after = content[:start], content[start:end], content[end:]
        change = draw(st.sampled_from(["cut", "flip", "repeat", "insert", "end"]))
        if change == "cut":
            content = before + after
        elif change == "flip":
            byte = draw(st.binary(min_size=1, max_size=1))
            content = before + byte + content[start + 1 :]
        elif change == "repeat":
            content = before + part * 2 + after
        elif change == "insert":
            content = before + draw(st.sampled_from(inserted)) + content[start:]
        else:
            content = before
    return content


def is_one_line(error):
    sentence = str(error)
    return bool(sentence) and not {"\n", "\r"} & set(sentence)


# --- data files


PLAIN = 'id,name,pay,born,ok\n1,"Ana ""A"", B",1.5,1964-09-27,true\n2,NA,,2001-01-31,false\n3,x,-2e3,,NA\n'
COMMAS = "id;größe;plz\n1;1,75;01067\n2;1,6;80331\n3;NA;20095\n"
TABLES = [
    PLAIN.encode(),
    PLAIN.replace("\n", "\r\n").encode("utf-8-sig"),
    PLAIN.replace(",", "\t").encode("utf-16"),
    COMMAS.encode("cp1252"),
    COMMAS.encode("utf-16-le"),
    COMMAS.encode("utf-32"),
    b'a|b\r"x\ry"|1\r' * 3,
    b'a,b\n"1,234","0,5"\n"12,500","1,5"\n',
    "名前,n\n東京都,1\n大阪府,2\n".encode("cp932"),
]
LAYOUTS = st.fixed_dictionaries(
    {},
    optional={
        "delimiter": st.sampled_from([*",;\t|: -1e\\."]),
        "encoding": st.sampled_from(
            ["utf-8", "utf-8-sig", "ascii", "latin-1", "cp1252", "utf-16", "utf-16-be", "utf-32",
             "utf-7", "shift_jis", "gb18030", "iso2022_jp", "cp037", "punycode", "base64"]
        ),
        "decimal": st.sampled_from([*".,"]),
    },
)  # fmt: skip


def check_table(path, content, said, text):
    """Read a file, which gives contents that are in order or one line."""
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)
    try:
        contents = read_contents(path, layout_of(said), text=text)
    except InputError as error:
        assert is_one_line(error)  # noqa: PT017
        return
    assert isinstance(contents, Contents)
    contents.table.validate(full=True)
    assert not any(pa.types.is_binary(kind) for kind in contents.table.schema.types)
    assert json.loads(json.dumps(contents.found)) == contents.found
    assert all(map(is_one_line, contents.warnings))


NAMES = st.sampled_from(["any.csv", "any.tsv", "any.csv.gz"])
TEXT_COLUMNS = st.sampled_from([frozenset(), frozenset({"id", "a", "pay"})])


@given(NAMES, st.binary(max_size=200), LAYOUTS, TEXT_COLUMNS)
@fuzzed
def test_any_bytes(tmp_path_factory, name, content, said, text):
    check_table(tmp_path_factory.getbasetemp() / name, content, said, text)


@given(NAMES, mutated(TABLES, INSERTED), LAYOUTS, TEXT_COLUMNS)
@fuzzed
def test_damaged_tables(tmp_path_factory, name, content, said, text):
    check_table(tmp_path_factory.getbasetemp() / name, content, said, text)


@given(NAMES, mutated(TABLES, INSERTED))
@fuzzed
def test_damaged_tables_of_which_nothing_is_said(tmp_path_factory, name, content):
    check_table(tmp_path_factory.getbasetemp() / name, content, {}, frozenset())


@given(mutated([gzip.compress(PLAIN.encode() * 20)], [b"\0", b"\xff" * 9, b"\x1f\x8b"]))
@fuzzed
def test_damaged_packing(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "packed.csv.gz"
    path.write_bytes(content)
    try:
        assert read_contents(path).table.num_columns
    except InputError as error:
        assert is_one_line(error)  # noqa: PT017


DESCRIPTION = b"""Region 1 2 "99"
  <RECODEABLE>
  <CODELIST> "region.cdl"
  <HIERARCHICAL>
  <HIERCODELIST> "region.hrc"
  <HIERLEADSTRING> "@"
nace 4 4 9999 8888
  <HIERARCHICAL>
  <HIERLEVELS> 2 1 1 0
Turnover 9 5 99999
  <NUMERIC>
  <DECIMALS> 1
"""
ARGUS = {
    "fuzz.asc": b" 1 2924 100.5\n12 2925   2.0\n99 9999 999.0\n",
    "fuzz.rda": DESCRIPTION,
    "region.cdl": b'1,"North"\n12,West\n',
    "region.hrc": b"1\n@12\n",
}
IN_ARGUS = [*INSERTED, b'<SEPARATOR> ","\n', b"<", b">", b"//", b"-1", b"1e9", b"<NUMERIC>\n"]


@given(st.data())
@fuzzed
def test_damaged_fixed_width_files(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    damaged = data.draw(st.sampled_from(list(ARGUS)))
    change = data.draw(mutated([ARGUS[damaged]], IN_ARGUS))
    for name, content in {**ARGUS, damaged: change}.items():
        (folder / name).write_bytes(content)
    try:
        read_contents(folder / "fuzz.asc").table.validate(full=True)
    except InputError as error:
        assert is_one_line(error)  # noqa: PT017


# --- plans and hierarchies


PLANS = [
    b"""data:
  source: patients.csv
  delimiter: ";"
  attributes:
    ssn: identifier
    age: {role: key, kind: continuous, missing: [999], hierarchy: {intervals: {width: 5}}}
    zip: {role: [key, confidential], hierarchy: {prefix: 5}}
    job: {role: key, order: [a, b], hierarchy: {tree: {any: {care: [nurse], law: [judge]}}}}
microdata:
  profile: scientific_use_file
  steps:
    - top_code: {attribute: age, above: 85}
    - until: {uniqueness: {at_most: 0.05}}
      rounds:
        - generalize: {attribute: zip, level: 1}
        - [{generalize: {attribute: zip, level: 2}}, {sample: 0.5}]
    - anonymize: {to: [{k_anonymity: 5}], by: datafly, suppression_limit: 0.04}
  require:
    - exact_linkage: {at_most: 0.05, keys: [age]}
  measure: [uniqueness, {means: {attributes: [age]}}]
release: {format: parquet}
""",
    b"data: {example: {patients: 100}}\nmicrodata: {steps: [drop: [ssn]]}\n",
]


@given(st.one_of(st.binary(max_size=200), mutated(PLANS, [*INSERTED, *INSERTED_IN_TREES])))
@fuzzed
def test_damaged_plans(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "plan.yaml"
    path.write_bytes(content)
    try:
        read_plan(path)
    except PlanError as error:
        assert is_one_line(error)  # noqa: PT017


TREES = {
    "tree.csv": [b"nurse;care;any\njudge;law;any\n", b"child,parent\nnurse,care\ncare,any\n"],
    "tree.hrc": [b"north\n@city\n@land\nsouth\n@low\n@@deep\n", b"A\n~ A1\n~ A2\nB\n"],
    "tree.yaml": [b"any:\n  care: [nurse, doctor]\n  law: [judge, {court: [clerk]}]\n"],
}


@pytest.mark.parametrize("name", TREES)
@given(data=st.data())
@fuzzed
def test_damaged_hierarchies(tmp_path_factory, name, data):
    path = tmp_path_factory.getbasetemp() / name
    damaged = mutated(TREES[name], [*INSERTED, *INSERTED_IN_TREES])
    path.write_bytes(data.draw(st.one_of(st.binary(max_size=100), damaged)))
    try:
        assert read_hierarchy(path).height
    except HierarchyError as error:
        assert is_one_line(error)  # noqa: PT017


# --- what is damaged here


@pytest.mark.parametrize("content", TABLES)
def test_tables_are_in_order_before(tmp_path, content):
    (tmp_path / "any.csv").write_bytes(content)
    assert read_contents(tmp_path / "any.csv").table.num_columns > 1


def test_other_files_are_in_order_before(tmp_path):
    for name, content in {**ARGUS, "plan.yaml": PLANS[0]}.items():
        (tmp_path / name).write_bytes(content)
    assert read_contents(tmp_path / "fuzz.asc").table.num_rows == 3
    assert read_plan(tmp_path / "plan.yaml").steps
    for name, trees in TREES.items():
        for tree in trees:
            (tmp_path / name).write_bytes(tree)
            assert read_hierarchy(tmp_path / name).height > 0
