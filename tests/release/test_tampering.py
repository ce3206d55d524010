"""Whatever is changed in a release is noticed; the mutations are those of the benchmark."""

from __future__ import annotations

import importlib.util
import json
import shutil
from itertools import islice
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita as ta
from tacita.release import made_with
from tacita.release.manifest import MANIFEST, encode_json

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "tampering.py"
EVERY = {  # every so manieth mutation is tried; all of them by the benchmark
    (False, False): 61,  # no multiple of 3: all that is done to digests is among them
    (True, False): 91,
    (False, True): 61,
    (True, True): 181,
}


@pytest.fixture(scope="module")
def tampering() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tampering", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["tampering"] = module  # its data classes look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def released(tampering, tmp_path_factory):
    return tampering.release(tmp_path_factory.mktemp("tampering") / "csv", "csv")


def test_what_nobody_touched_is_what_it_says(tampering, released):
    found = {
        situation: tampering.verdict(
            released.of(signed=situation[1]), released, source=situation[0], signed=situation[1]
        )
        for situation in EVERY
    }
    assert found == {
        (False, False): "not proven",
        (True, False): "holds",
        (False, True): "holds",
        (True, True): "holds",
    }


@pytest.mark.parametrize(("source", "signed"), EVERY)
def test_every_mutation_is_noticed(tampering, released, source, signed):
    every = EVERY[source, signed]
    drawn = list(islice(tampering.mutations(released.of(signed=signed), seed=1), 0, None, every))
    assert len(drawn) > 20
    for mutation in drawn:
        if mutation.digests == "recomputed" and not (source or signed):
            continue  # who can write all files can write another release; it is never more than not proven
        tried = tampering.tried(released, mutation, source=source, signed=signed)
        assert tried is None or tried.is_noticed, mutation


def test_without_source_and_signature_nothing_is_more_than_not_proven(tampering, released):
    drawn = islice(tampering.mutations(released.of(signed=False), seed=2), 1, None, 41)
    found = {
        tried.verdict
        for mutation in drawn
        if (tried := tampering.tried(released, mutation, source=False, signed=False))
    }
    assert found <= {"wrong", "refused", "not proven"}
    assert "wrong" in found


def with_column(name, values):
    def change(folder):
        file = folder / "internal" / "records.parquet"
        table = pq.read_table(file)
        pq.write_table(table.append_column(name, pa.array(values(len(table)))), file)

    return change


def in_evidence(change):
    def edit(folder):
        file = folder / "internal" / "evidence.json"
        content = json.loads(file.read_text())
        change(content)
        file.write_bytes(encode_json(content))

    return edit


def in_plan(before, after):
    def edit(folder):
        file = folder / "internal" / "plan.yaml"
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, after))

    return edit


def more_tables(folder):
    (folder / "internal" / "tables").mkdir()
    (folder / "internal" / "tables" / "more.csv").write_text("ssn\n1\n")


def numbered(folder):
    file = folder / "internal" / "records.parquet"
    table = pq.read_table(file)
    numbers = pa.array([1] * len(table), pa.int64())
    pq.write_table(table.set_column(0, "source_record", numbers), file)


def without_column(folder):
    file = folder / "internal" / "records.parquet"
    table = pq.read_table(file)
    pq.write_table(table.drop_columns(table.column_names[-1:]), file)


def told_beside(folder):
    file = folder / "internal" / "records.parquet"
    pq.write_table(pq.read_table(file).replace_schema_metadata({"seed": "1"}), file)


def extended(name):
    def change(folder):
        with (folder / "internal" / name).open("ab") as file:
            file.write(b"\n")

    return change


def replaced(name, content):
    return lambda folder: (folder / "internal" / name).write_bytes(content)


@pytest.mark.parametrize(
    "change",
    [
        without_column,
        told_beside,
        *(extended(name) for name in ("report.html", "report.pdf")),
        *(replaced(name, b"") for name in ("report.html", "report.pdf")),
        with_column("ssn", lambda size: [str(number) for number in range(size)]),
        with_column("distance_linkage", lambda size: [0.0] * size),
        numbered,
        more_tables,
        in_plan("widths: [10, 20, 40]", "widths: [5, 20, 40]"),
        in_plan("role: confidential, kind: continuous", "role: confidential, kind: ordinal"),
        in_plan("role: confidential", "role: key"),
        in_plan("measure: [uniqueness, ", "measure: ["),
        in_evidence(lambda content: content["measures"].pop()),
        in_evidence(lambda content: content["before"].append({"name": "means"})),
        in_evidence(lambda content: content["not_measured"].append({"name": "a", "reason": "b"})),
        in_evidence(lambda content: content["attributes"]["age"].pop("hierarchy")),
        in_evidence(lambda content: content["strongest_attack"].update(value=0.0)),
    ],
)
def test_what_the_house_keeps_must_fit_together_without_source_and_signature(
    tampering, released, tmp_path, change
):
    folder = shutil.copytree(released.of(signed=False), tmp_path / "out")
    tampering.recompute(folder)
    assert ta.verify(folder).verdict == "not proven"
    change(folder)
    tampering.recompute(folder)
    checked = ta.verify(folder)
    assert checked.verdict == "wrong", checked


def test_a_signature_counts_only_under_the_key_that_is_named(tampering, released, tmp_path):
    ta.run(released.folder / "plan.yaml", tmp_path / "out", seed=1)
    unsigned = ta.verify(tmp_path / "out", key=released.key)
    assert "signature" in {line.what for line in unsigned.lines if line.status == "wrong"}
    signed = released.of(signed=True)
    unnamed = ta.verify(signed)
    assert unnamed.verdict == "not proven"
    (line,) = [line for line in unnamed.lines if line.what == "signature"]
    assert "name the key you trust with --key" in line.sentence
    from tacita.release.signing import make_keys

    _, other, _ = make_keys(tmp_path / "other")
    assert ta.verify(signed, key=other).verdict == "wrong"


@pytest.mark.parametrize(("source", "signed"), [(True, False), (False, True), (True, True)])
def test_no_signature_is_taken_away_added_or_exchanged(tampering, released, source, signed):
    changed = [
        mutation
        for mutation in tampering.mutations(released.of(signed=signed), seed=1)
        if mutation.kind.startswith("signature") and mutation.digests != "taken away"
    ]
    tried = [tampering.tried(released, one, source=source, signed=signed) for one in changed]
    assert sum(one is not None for one in tried) >= 12
    assert all(one is None or one.is_noticed for one in tried), tried


def test_a_signature_that_cannot_be_one_is_never_told_as_one(tampering, released, tmp_path):
    """Whatever stands in the manifest of a release that nobody signed."""
    junk = [
        one
        for one in tampering.mutations(released.of(signed=False), seed=1)
        if one.kind == "signature that is none" and one.digests == "left"
    ]
    for number, mutation in enumerate(junk):
        folder = shutil.copytree(released.of(signed=False), tmp_path / str(number))
        mutation(folder)
        checked = ta.verify(folder)
        assert checked.verdict == "wrong"
        assert "Huber" not in str(checked)


def test_the_sentence_of_a_wrong_line_says_what_is_wrong(released, tmp_path):
    from tacita.release.signing import make_keys

    _, other, _ = make_keys(tmp_path / "other")
    for release, key, told in (
        (released.of(signed=False), released.key, "nobody signed it"),
        (released.of(signed=True), other, "not by the key you named"),
    ):
        (line,) = [line for line in ta.verify(release, key=key).lines if line.what == "signature"]
        assert line.status == "wrong"
        assert told in line.sentence


def test_a_release_of_a_version_that_did_not_say_how_it_knows_is_not_wrong(
    tampering, released, tmp_path, monkeypatch
):
    folder = shutil.copytree(released.of(signed=False), tmp_path / "out")
    statement = folder / "public" / "statement.json"
    content = json.loads(statement.read_text())
    content["requirements"] = {word: content["requirements"][word] for word in ("required", "held")}
    for row in content["guarantees"]:
        del row["proof"]
    statement.write_bytes(encode_json(content))
    in_evidence(lambda kept: [row.pop("proof") for row in kept["requirements"]])(folder)
    in_evidence(lambda kept: kept.pop("by_record"))(folder)
    tampering.recompute(folder)
    assert ta.verify(folder).verdict == "wrong"
    real = made_with.version
    monkeypatch.setattr(
        made_with, "version", lambda name: "9.9" if name == "tacita" else real(name)
    )
    assert ta.verify(folder).verdict == "not proven"


def test_a_report_that_is_missing_ends_no_verification(tampering, released, tmp_path):
    folder = shutil.copytree(released.of(signed=False), tmp_path / "out")
    whole = {line.what for line in ta.verify(folder).lines}
    (folder / "internal" / "report.pdf").unlink()
    tampering.recompute(folder)
    checked = ta.verify(folder)
    assert checked.verdict == "wrong"
    assert whole <= {line.what for line in checked.lines}


def passed_off(release, folder, version):
    """Return a release that says it is from before there were manifests."""
    shutil.copytree(release, folder)
    statement = folder / "public" / "statement.json"
    content = json.loads(statement.read_text())
    del content["format"]
    del content["requirements"]
    evidence = folder / "internal" / "evidence.json"
    kept = json.loads(evidence.read_text())
    content["run"]["tacita"] = kept["run"]["tacita"] = version
    statement.write_bytes(encode_json(content))
    evidence.write_bytes(encode_json(kept))
    for part in ("public", "internal"):
        (folder / part / MANIFEST).unlink()
    return folder


def test_a_release_cannot_be_passed_off_as_one_from_before_there_were_manifests(
    tampering, released, tmp_path
):
    """Who changes a release can take its manifests away; only the verifier knows its age."""
    folder = shutil.copytree(released.of(signed=True), tmp_path / "out")
    statement = folder / "public" / "statement.json"
    content = json.loads(statement.read_text())
    del content["format"]
    statement.write_bytes(encode_json(content))
    assert ta.verify(folder, without_manifest=True).verdict == "wrong"
    del content["requirements"]
    statement.write_bytes(encode_json(content))
    assert ta.verify(folder, without_manifest=True).verdict == "wrong"  # the manifests are there
    folder = passed_off(released.of(signed=True), tmp_path / "older", "0.1.0")
    for source in (None, released.source):
        checked = ta.verify(folder, source=source)
        (manifest,) = [line for line in checked.lines if line.what == "manifest"]
        assert (checked.verdict, manifest.status) == ("wrong", "wrong")
        assert "say --without-manifest" in manifest.sentence


def test_a_release_older_than_manifests_is_not_proven_where_the_verifier_knows_its_age(
    tampering, released, tmp_path
):
    """Nothing binds it: it is never more than not proven, and not signed."""
    folder = passed_off(released.of(signed=True), tmp_path / "older", "0.1.0")
    older = {"without_manifest": True}
    assert ta.verify(folder, **older).verdict == "not proven"
    assert ta.verify(folder, key=released.key, **older).verdict == "wrong"
    assert ta.verify(folder, source=released.source, **older).verdict == "not proven"
    for part in ("public", "internal"):
        (folder / part / "more.csv").write_text("ssn\n1\n")
        for source in (None, released.source):
            checked = ta.verify(folder, source=source, **older)
            wrong = [line.what for line in checked.lines if line.status == "wrong"]
            assert wrong == [f"{part}/more.csv"]
        (folder / part / "more.csv").unlink()


def test_the_public_part_alone_tells_nothing_that_could_be_tested(released):
    """Guesses of seed, plan or evidence cannot be compared with anything that is public."""
    from tacita.release.manifest import read_envelope, sha256

    folder = released.of(signed=True)
    public = b"".join(
        file.read_bytes() for file in (folder / "public").rglob("*") if file.is_file()
    )
    payload = read_envelope(folder / "public" / MANIFEST).payload
    for file in (folder / "internal").rglob("*"):
        assert sha256(file).encode() not in public + payload
    commitments = {
        read_envelope(released.of(signed=signed) / "public" / MANIFEST).statement["predicate"][
            "commitment"
        ]
        for signed in (False, True)
    }
    assert len(commitments) == 2  # the same plan, data and seed
