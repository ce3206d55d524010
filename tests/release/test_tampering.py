"""Whatever is changed in a release is noticed; the mutations are those of the benchmark."""

from __future__ import annotations

import importlib.util
import json
import shutil
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

import tacita as ta
from tacita.release.manifest import MANIFEST, encode_json

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "tampering.py"
EVERY = {  # every so manieth mutation is tried; all of them by the benchmark
    (False, False): 40,
    (True, False): 60,
    (False, True): 40,
    (True, True): 120,
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
        if mutation.recomputed and not (source or signed):
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


def test_a_release_cannot_be_passed_off_as_one_from_before_there_were_manifests(
    tampering, released, tmp_path
):
    """Without manifests nothing binds it: it is never more than not proven, and not signed."""
    folder = shutil.copytree(released.of(signed=True), tmp_path / "out")
    statement = folder / "public" / "statement.json"
    content = json.loads(statement.read_text())
    del content["format"]
    statement.write_bytes(encode_json(content))
    assert ta.verify(folder).verdict == "wrong"
    del content["requirements"]
    statement.write_bytes(encode_json(content))
    assert ta.verify(folder).verdict == "wrong"
    for part in ("public", "internal"):
        (folder / part / MANIFEST).unlink()
    assert ta.verify(folder).verdict == "not proven"
    assert ta.verify(folder, key=released.key).verdict == "wrong"
    assert ta.verify(folder, source=released.source).verdict == "not proven"


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
