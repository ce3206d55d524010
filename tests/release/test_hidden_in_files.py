"""What a data file may hold beside its values: nothing that `verify` would not see."""

from __future__ import annotations

import json
import shutil
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import tacita as ta
from tacita.release.manifest import (
    MANIFEST,
    Envelope,
    encode_json,
    public_payload,
    read_envelope,
    sha256,
)

PLAN = """
data: {{example: {{patients: 60}}}}
release: {{format: {form}}}
microdata:
  waive: only the form of files is looked at
  steps: [{{top_code: {{attribute: los, above: 30}}}}]
"""


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    made = {}

    def of(form):
        if form not in made:
            folder = tmp_path_factory.mktemp(form)
            (folder / "plan.yaml").write_text(PLAN.format(form=form))
            ta.run(folder / "plan.yaml", folder / "out", seed=1, force=True)
            made[form] = folder / "out" / "public"
        return made[form]

    return of


def with_digests(public):
    """Write anew what an intruder can who has the public files alone."""
    content = json.loads((public / "statement.json").read_text())
    content["file"]["sha256"] = sha256(public / content["file"]["name"])
    (public / "statement.json").write_bytes(encode_json(content))
    envelope = read_envelope(public / MANIFEST)
    said = envelope.statement["predicate"]
    payload = public_payload(public, said["run"], said["commitment"], said["signer"])
    (public / MANIFEST).write_bytes(Envelope(payload, envelope.signatures).encode())


def text(change):
    return lambda file: file.write_bytes(change(file.read_bytes()))


def parquet(change=lambda table: table, **settings):
    return lambda file: pq.write_table(change(pq.read_table(file)), file, **settings)


def arrow(change, **settings):
    return lambda file: feather.write_feather(
        change(feather.read_table(file, memory_map=False)), file, **settings
    )


def noted(table):
    return table.replace_schema_metadata({"note": "123-45-6789"})


def narrow(table):
    place = table.schema.get_field_index("sex")
    field = pa.field("sex", table.schema.field("sex").type, metadata={"note": "123-45-6789"})
    return table.set_column(place, field, table["sex"])


def workbook(change):
    def edit(file):
        with zipfile.ZipFile(file) as packed:
            parts = {name: packed.read(name) for name in packed.namelist()}
        comment = change(parts)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in parts.items():
                packed.writestr(name, content)
            packed.comment = comment or b""

    return edit


def in_part(name, before, after):
    def change(parts):
        (found,) = [one for one in parts if one.endswith(name)]
        assert before in parts[found]
        parts[found] = parts[found].replace(before, after, 1)

    return change


HIDING = [
    ("csv", text(lambda content: b"\xef\xbb\xbf" + content)),
    ("csv", text(lambda content: content.replace(b"\n", b"\r\n"))),
    ("csv", text(lambda content: content + b"\n\n")),
    ("csv", text(lambda content: content.rstrip(b"\n"))),
    ("csv", text(lambda content: content.replace(b",7366,", b",7366.0,", 1))),
    ("csv", text(lambda content: content.replace(b",7366,", b",+7366,", 1))),
    ("csv", text(lambda content: content.replace(b",7366,", b',"7366",', 1))),
    ("parquet", parquet(noted)),
    ("parquet", parquet(narrow)),
    ("parquet", parquet(compression="gzip")),
    ("parquet", parquet(row_group_size=7)),
    ("parquet", parquet(write_statistics=False)),
    ("feather", arrow(noted)),
    ("feather", arrow(lambda table: table, chunksize=7)),
    ("feather", arrow(lambda table: table, compression="uncompressed")),
    ("xlsx", workbook(lambda parts: b"123-45-6789")),
    ("xlsx", workbook(lambda parts: parts.update({"xl/media/x.bin": b"123-45-6789"}))),
    ("xlsx", workbook(in_part("core.xml", b"</cp:", b"<dc:title>Huber</dc:title></cp:"))),
    ("xlsx", workbook(in_part("sheet1.xml", b"<sheetData>", b"<!--Huber--><sheetData>"))),
    ("xlsx", text(lambda content: content + b"123-45-6789")),
]


@pytest.mark.parametrize(("form", "hide"), HIDING)
def test_nothing_is_hidden_beside_the_values(released, tmp_path, form, hide):
    public = shutil.copytree(released(form), tmp_path / "public")
    before = (public / f"data.{form}").read_bytes()
    hide(public / f"data.{form}")
    assert (public / f"data.{form}").read_bytes() != before
    with_digests(public)
    checked = ta.verify(public)
    assert checked.verdict == "wrong", checked


@pytest.mark.parametrize("form", ["csv", "parquet", "feather", "xlsx", "sav", "dta"])
def test_a_file_as_it_was_written_holds_nothing_else(released, tmp_path, form):
    public = shutil.copytree(released(form), tmp_path / "public")
    with_digests(public)
    (line,) = [line for line in ta.verify(public).lines if line.what == f"data.{form}"]
    assert line.status == "re-derived"


@pytest.mark.parametrize("form", ["csv", "parquet", "feather"])
def test_sets_and_dates_are_written_again_as_they_were(tmp_path, form):
    plan = PLAN.format(form=form).replace("patients", "survey")
    plan = plan.replace(
        "top_code: {attribute: los, above: 30}", "top_code: {attribute: income, above: 9e4}"
    )
    (tmp_path / "plan.yaml").write_text(plan)
    ta.run(tmp_path / "plan.yaml", tmp_path / "out", seed=1, force=True)
    wrong = [
        line for line in ta.verify(tmp_path / "out" / "public").lines if line.status == "wrong"
    ]
    assert not wrong


@pytest.mark.parametrize("form", ["csv", "parquet", "xlsx"])
def test_empty_text_is_kept_or_warned_of_and_never_called_wrong(tmp_path, form):
    words = ["", "x", None, "NA", " ", ""] * 20
    table = pa.table({"word": words, "other": words[::-1], "n": range(len(words))})
    pq.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "plan.yaml").write_text(
        f"data: {{source: a.parquet}}\nrelease: {{format: {form}}}\n"
        "microdata: {waive: only the form of files is looked at}\n"
    )
    outcome = ta.run(tmp_path / "plan.yaml", tmp_path / "out", seed=1, force=True)
    for how in ({}, {"source": tmp_path / "a.parquet"}):
        checked = ta.verify(tmp_path / "out", **how)
        assert not [one for one in checked.lines if one.status == "wrong"]
    told = ta.read(tmp_path / "out" / "public" / f"data.{form}").to_arrow()["word"]
    kept = [word or None for word in words] if form == "csv" else words
    assert sorted(map(str, told.to_pylist())) == sorted(map(str, kept))
    warned = [one for one in outcome.warnings if one.startswith("Empty text of word, other leaves")]
    assert len(warned) == (form == "csv")


def test_other_versions_of_what_writes_are_named_and_not_called_wrong(released, tmp_path):
    public = shutil.copytree(released("parquet"), tmp_path / "public")
    parquet(compression="gzip")(public / "data.parquet")
    envelope = read_envelope(public / MANIFEST)
    statement = envelope.statement
    statement["predicate"]["run"]["packages"]["pyarrow"] = "12.0.0"
    (public / MANIFEST).write_bytes(Envelope(encode_json(statement)).encode())
    with_digests(public)
    (line,) = [line for line in ta.verify(public).lines if line.what == "data.parquet"]
    assert line.status == "not proven"
    assert "pyarrow 12.0.0 made it" in line.sentence


def test_a_format_that_no_version_writes_is_wrong(released, tmp_path):
    public = shutil.copytree(released("csv"), tmp_path / "public")
    content = json.loads((public / "statement.json").read_text())
    (public / "statement.json").write_bytes(encode_json({**content, "format": 99}))
    with_digests(public)
    assert "format" in {line.what for line in ta.verify(public).lines if line.status == "wrong"}


def test_the_order_of_the_source_is_never_more_than_said(released, tmp_path):
    public = shutil.copytree(released("csv"), tmp_path / "public")
    content = json.loads((public / "statement.json").read_text())
    content["file"]["order"] = "source"
    (public / "statement.json").write_bytes(encode_json(content))
    with_digests(public)
    (line,) = [line for line in ta.verify(public).lines if line.what == "order"]
    assert line.status == "not proven"
