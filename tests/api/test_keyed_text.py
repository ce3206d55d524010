from __future__ import annotations

import pyarrow as pa
import pytest

import tacita as ta
from tacita.api.keyed_text import read_keyed_text, write_keyed_text
from tacita.errors import InputError, OutputError

PRINTED = """\
oshpd_id,age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr,charge
380929,25,1,2,1,94928,49,18,4,220449
"""


def test_the_printed_record(tmp_path):
    (tmp_path / "SPD.txt").write_text(PRINTED)
    data = read_keyed_text(tmp_path / "SPD.txt")
    assert data.keys == PRINTED.split("\n", maxsplit=1)[0].split(",")[:-1]
    assert data.confidential == ["charge"]
    assert data.column("patzip").to_pylist() == [94928]
    write_keyed_text(data, tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == PRINTED


def test_protected_discharges_go_out_and_come_back(tmp_path, patients):
    safe = patients.anonymize(ta.KAnonymity(5), by="sorted_clusters")
    write_keyed_text(safe, tmp_path / "safe.txt", confidential="charge")
    back = read_keyed_text(tmp_path / "safe.txt")
    assert back.names == [*patients.keys, "charge"]
    for name in back.names:
        assert back.column(name).cast(pa.string()).equals(safe.column(name).cast(pa.string()))
    assert ta.KAnonymity(5).check(back).holds
    lines = (tmp_path / "safe.txt").read_text().splitlines()
    assert lines[1].endswith(f",{patients.column('charge')[0]}")


def test_suppressed_values_are_stars_and_missing_ones_nothing(tmp_path):
    data = ta.read(
        pa.table({"age": ["30", "?", None], "zip": ["01002", "?", "94138"], "pay": [1, 2, 3]}),
        roles={"age": "key", "zip": "key", "pay": "confidential"},
        suppressed={"age": ["?"], "zip": ["?"]},
    )
    write_keyed_text(data, tmp_path / "x.txt")
    assert (tmp_path / "x.txt").read_text() == "age,zip,pay\n30,01002,1\n*,*,2\n,94138,3\n"
    back = read_keyed_text(tmp_path / "x.txt")
    assert back.column("age").to_pylist() == [30, None, None]
    assert back.column("zip").to_pylist() == ["01002", None, "94138"]
    assert back.suppressed_in("age").tolist() == [False, True, False]


def test_what_the_format_cannot_hold_is_refused(tmp_path):
    two = ta.read(pa.table({"a": [1], "b": [1], "c": [1]}), roles={"a": "key"})
    with pytest.raises(OutputError, match="found none"):
        write_keyed_text(two, tmp_path / "x.txt")
    write_keyed_text(two, tmp_path / "x.txt", confidential="b")
    words = ta.read(pa.table({"a": ["x, y"], "b": [1]}), roles={"a": "key", "b": "confidential"})
    with pytest.raises(OutputError, match="`a` holds a comma"):
        write_keyed_text(words, tmp_path / "y.txt")
    (tmp_path / "one.txt").write_text("age\n1\n2\n")
    with pytest.raises(InputError, match="found 1 attribute"):
        read_keyed_text(tmp_path / "one.txt")
    with pytest.raises(InputError, match="There is no file"):
        read_keyed_text(tmp_path / "none.txt")


def test_long_codes_beside_stars_keep_all_digits(tmp_path):
    (tmp_path / "some.txt").write_text("id,charge\n9007199254740993,1\n*,2\n")
    assert read_keyed_text(tmp_path / "some.txt").column("id").to_pylist() == [
        "9007199254740993",
        None,
    ]


@pytest.mark.parametrize(
    ("columns", "roles", "message"),
    [
        ({"charge": [1, 2]}, {}, "at least one key before `charge`"),
        ({"codes": [["a", "b"], []], "charge": [1, 2]}, {"codes": "key"}, "`codes` holds sets"),
    ],
)
def test_what_could_not_be_read_again_is_refused(tmp_path, columns, roles, message):
    data = ta.read(pa.table(columns), roles=roles | {"charge": "confidential"})
    with pytest.raises(OutputError, match=message):
        write_keyed_text(data, tmp_path / "some.txt")
