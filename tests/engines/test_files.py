"""The files that a source names, and what is wrong with those that cannot be scanned."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacita.engines import open_records
from tacita.engines.files import find_files
from tacita.errors import InputError, ParameterError

TABLE = pa.table({"age": pa.array([1, 2], pa.int8()), "zip": ["a", None]})


def write(path, table=TABLE):
    pq.write_table(table, path)
    return path


def test_a_folder_without_what_others_put_there(tmp_path):
    write(tmp_path / "b.parquet")
    write(tmp_path / "a.pq")
    for name in ("_SUCCESS", ".a.parquet.crc", "README", "_hidden.parquet"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    (tmp_path / "folder.parquet").mkdir()
    files = find_files(tmp_path)
    assert [path.name for path in files.paths] == ["a.pq", "b.parquet"]
    assert files.schema == pa.schema([("age", pa.int8()), ("zip", pa.string())])


def test_a_pattern_through_folders(tmp_path):
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    for place in ("a.parquet", "sub/b.parquet", "sub/deep/c.parquet"):
        write(tmp_path / place)
    found = find_files(tmp_path / "**" / "*.parquet").paths
    assert [path.name for path in found] == ["a.parquet", "b.parquet", "c.parquet"]
    assert len(find_files(tmp_path / "**").paths) == 3


@pytest.mark.parametrize("source", ["", "*", "s*", "*.parquet"])
def test_no_file_is_left_out_in_silence(tmp_path, source):
    (tmp_path / "sub.parquet" / "deep").mkdir(parents=True)
    write(tmp_path / "a.parquet")
    write(tmp_path / "sub.parquet" / "deep" / "b.parquet")
    with pytest.raises(
        InputError, match=r"leaves out .*b\.parquet.* such as `.*/\*\*/\*\.parquet`"
    ):
        find_files(tmp_path / source)


def test_folders_inside_that_other_programs_put_there(tmp_path):
    write(tmp_path / "a.parquet")
    for name in ("_temporary", ".cache", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text("x", encoding="utf-8")
    write(tmp_path / "_temporary" / "b.parquet")
    write(tmp_path / ".cache" / "b.parquet")
    assert [path.name for path in find_files(tmp_path).paths] == ["a.parquet"]


@pytest.mark.parametrize("source", [None, ["a.parquet"], TABLE, 5, b"a.parquet"])
def test_what_is_no_path(source):
    with pytest.raises(InputError, match=f"to scan; found {type(source).__name__}"):
        find_files(source)


def test_types_are_plain(tmp_path):
    table = pa.table(
        {"c": pa.array(["u", "v"]).dictionary_encode(), "d": pa.array([0, 1], pa.date64())}
    )
    assert find_files(write(tmp_path / "a.parquet", table)).schema.types == [
        pa.string(),
        pa.date32(),
    ]


def test_what_is_not_there(tmp_path):
    write(tmp_path / "people.parquet")
    with pytest.raises(InputError, match=r"no file or folder .*Did you mean `people.parquet`"):
        find_files(tmp_path / "poeple.parquet")
    with pytest.raises(InputError, match="No file fits the pattern"):
        find_files(tmp_path / "*.csv")
    with pytest.raises(InputError, match="no file or folder"):
        find_files(tmp_path / "no" / "a.parquet")


def test_a_folder_without_files(tmp_path):
    (tmp_path / "README").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds no file ending in \.parquet"):
        find_files(tmp_path)


def test_other_formats(tmp_path):
    (tmp_path / "a.xlsx").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match=r"found `\.xlsx`\. Other formats are read into memory"):
        find_files(tmp_path / "a.xlsx")
    write(tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"several formats \(csv, parquet\)"):
        find_files(tmp_path)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"age": [1], "zip": ["a"]}, "`age` holds int8 in one and int64 in the other"),
        ({"zip": ["a"], "age": [1]}, "one has the attribute `age`, the other has `zip`"),
        ({"age": pa.array([1], pa.int8())}, "one has 2 attributes and the other 1"),
    ],
)
def test_files_that_do_not_belong_together(tmp_path, other, message):
    write(tmp_path / "a.parquet")
    write(tmp_path / "b.parquet", pa.table(other))
    with pytest.raises(InputError, match=f"do not belong together: .*{message}"):
        find_files(tmp_path)


def test_text_files_that_do_not_belong_together(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("a;b\n1;2\n", encoding="utf-8")
    with pytest.raises(InputError, match="parted by ',' in one and ';' in the other"):
        find_files(tmp_path)


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PAR1" * 9])
def test_what_is_no_such_file(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="or it is damaged or cut off; write or copy it again"):
        find_files(tmp_path / name)


def test_a_file_that_was_cut_off(tmp_path):
    path = write(tmp_path / "a.parquet")
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(InputError, match="damaged or cut off"):
        find_files(path)


@pytest.mark.parametrize("values", [[["a"]], [b"x"], [{"x": 1}]])
def test_values_that_are_not_counted(tmp_path, values):
    with pytest.raises(InputError, match="`x` holds "):
        find_files(write(tmp_path / "a.parquet", pa.table({"x": values})))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\n3\n", "line 3: expected 2 fields as in the header, found 1"),
        (b'a,b\n1,"2\n', "a quote is opened and never closed"),
        (b"a,b\nM\xfcller,1\n", "is not in UTF-8, as a scan needs it"),
        (b"", "is empty"),
        (b"a,a\n1,2\n", "the name `a` is given to columns 1 and 2"),
        (b'a,b\n1,2\n"x" ,2\n', "line 3: a quote stands beside other text"),
        (b"a,b\r\n1,2\n", "some lines end in CRLF and others in LF"),
        (b"\na,b\n1,2\n", "the names of the attributes on the first line"),
        (b'"a\nb",c\n1,2\n', "no line end in a name"),
    ],
)
def test_faulty_text_files(tmp_path, content, message):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        find_files(tmp_path / "a.csv")


def test_engines_that_there_are_not(tmp_path):
    path = write(tmp_path / "a.parquet")
    with pytest.raises(ParameterError, match=r"found 'duckbd'\. Did you mean `duckdb`"):
        open_records(path, "duckbd")
    with pytest.raises(ParameterError, match="`threads` means nothing for the engine in memory"):
        open_records(path, "memory", threads=2)
    with pytest.raises(ParameterError, match="`memory_limit` means nothing for Spark"):
        open_records(path, "spark", memory_limit="2GB")
