"""Damaged files of every kind: what a person reads of them is never a library's own words.

The damage is generated, not listed: every file of a release and every format of data is emptied, cut
off, overwritten and coded otherwise, and every kind of leaf of a release's documents is of a wrong
type, under manifests that were made again, too.
"""

from __future__ import annotations

import base64
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import tacita as ta
from tacita.data.formats import FORMATS
from tacita.plain_yaml import read_yaml
from tacita.queries.ledger.keys import key_from_file
from tacita.queries.ledger.ledger import open_ledger

RunCli = Callable[..., Any]
Keys = tuple[str | int, ...]

# Names of errors and types, and what Python and libraries say to those who call them.
INTERNAL = re.compile(
    r"\b[A-Z]\w*(Error|Exception|Invalid|Warning)\b|Traceback|Errno|codec|NoneType|[Pp]ydantic"
    r"|' object|object is not|has no attribute|subscriptable|unhashable|not iterable|unpack"
    r"|list index|indices must|invalid literal|could not convert|not supported between|operand"
    r"|Expecting|Extra data|Unterminated|\bchar \d|line \d+ column|fromhex|padding|argument"
    r"|magic bytes|Thrift|snappy|<class|<tacita|0x[0-9a-f]{6}|b\'|__\w+__|Input should|validation err"
)
PLAN = """\
data:
  source: patients.csv
  attributes:
    ssn: identifier
    age: {role: key, kind: continuous, hierarchy: {intervals: {widths: [10, 100]}}}
    zip: {role: key, hierarchy: {prefix: 5}}
    disease: confidential
microdata:
  steps: [{top_code: {attribute: age, above: 85}}]
  require: [{uniqueness: {at_most: 1}}]
  measure: [uniqueness, means]
tables: [{name: zips, by: [zip, disease]}]
release: {format: csv}
"""
ROWS = [f"{i:09d},{20 + i % 20},{94100 + i % 4},{('flu', 'cold')[i % 2]}" for i in range(40)]
DOCUMENTS = ("public/statement.json", "internal/evidence.json", "internal/plan.yaml")
MANIFESTS = ("public/manifest.json", "internal/manifest.json")
WRONG: tuple[Any, ...] = (None, [], {}, -1, 1.5, "x", True, 10**400, [[1]], {"a": None}, "\u00e9")


def check_words(ran: Any) -> None:
    """Check what a person reads: no library's words, and an error in one sentence."""
    assert ran.code in {0, 1, 2}
    internal = INTERNAL.search(ran.out + ran.err)
    assert internal is None, (internal, ran.out, ran.err)
    if ran.err:
        assert ran.err.startswith("tacita: ")
        assert ran.err.endswith((".\n", "?\n"))
        assert ran.err.count("\n") == 1


# -- damage ----------------------------------------------------------------------------------------


def damaged(content: bytes) -> Iterator[bytes]:
    """Yield what may become of a file."""
    draw = random.Random(7)  # noqa: S311
    half = len(content) // 2
    yield b""
    yield content[:half]
    yield draw.randbytes(max(64, half))
    yield content.decode("latin-1").encode("utf-16")
    yield content[:half] + b"\xff\x00" + content[half:]
    for _ in range(3):
        changed = bytearray(content or b"\0")
        for _ in range(4):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        yield bytes(changed)


def other_documents() -> Iterator[bytes]:
    """Yield JSON or YAML that is no document of a release."""
    for text in ("null", "[]", "3", '"x"', "NaN", "1e999", "[" * 3000, '{"a": ' * 3000, "[-]"):
        yield text.encode()


def places(value: Any, keys: Keys = ()) -> Iterator[Keys]:
    """Yield every place in a document, the first of a list for all."""
    if keys:
        yield keys
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value[:1])
        if isinstance(value, list)
        else ()
    )
    for key, below in inner:
        yield from places(below, (*keys, key))


def with_wrong_leaves(document: Any, rounds: int) -> Iterator[Any]:
    """Yield a document with one thing of a wrong type or missing, each place so many times."""
    turn = 0
    for keys in places(document):
        for _ in range(rounds):
            changed = json.loads(json.dumps(document))
            holder = changed
            for key in keys[:-1]:
                holder = holder[key]
            if turn % (len(WRONG) + 1) == len(WRONG):
                del holder[keys[-1]]
            else:
                holder[keys[-1]] = WRONG[turn % (len(WRONG) + 1)]
            turn += 1
            yield changed


def encoded(document: Any) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


# -- releases --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a source, a plan and its release."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "patients.csv").write_text("\n".join(["ssn,age,zip,disease", *ROWS, ""]))
    (folder / "plan.yaml").write_text(PLAN)
    ta.run(folder / "plan.yaml", folder / "out", seed=2**80)
    return folder


@pytest.fixture
def released(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "out", tmp_path / "out"))


FILES = (
    *DOCUMENTS,
    *MANIFESTS,
    "internal/records.parquet",
    "internal/tables/zips.parquet",
    "public/data.csv",
    "public/report.html",
    "public/tables/zips.csv",
)


def test_all_files_of_a_release_are_damaged_here(made: Path):
    files = {p.relative_to(made / "out").as_posix() for p in (made / "out").rglob("*.*")}
    others = {name for name in files - {*FILES} if "report." not in name}
    assert {*FILES} <= files
    assert {Path(name).parent for name in others} <= {Path(name).parent for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_verifying_a_damaged_file_is_told_in_words(
    run_cli: RunCli, made: Path, released: Path, name: str
):
    file = released / name
    for number, content in enumerate(damaged(file.read_bytes())):
        file.write_bytes(content)
        source = ("--source", made / "patients.csv") if number % 2 else ()
        check_words(run_cli("verify", released, *source))


@pytest.mark.parametrize("name", [*DOCUMENTS, *MANIFESTS])
def test_verifying_another_document_is_told_in_words(run_cli: RunCli, released: Path, name: str):
    for content in other_documents():
        (released / name).write_bytes(content)
        ran = run_cli("verify", released)
        check_words(ran)
        assert ran.code == 1


@pytest.mark.parametrize("name", DOCUMENTS)
def test_verifying_a_document_with_something_of_a_wrong_type_is_told_in_words(
    run_cli: RunCli, released: Path, name: str
):
    file = released / name
    is_yaml = name.endswith(".yaml")
    document = (read_yaml if is_yaml else json.loads)(file.read_text())
    for changed in with_wrong_leaves(document, rounds=1):
        file.write_bytes(yaml.safe_dump(changed).encode() if is_yaml else encoded(changed))
        check_words(run_cli("verify", released))


@pytest.mark.parametrize("name", MANIFESTS)
def test_verifying_a_manifest_with_something_of_a_wrong_type_is_told_in_words(
    run_cli: RunCli, released: Path, name: str
):
    file = released / name
    envelope = json.loads(file.read_text())
    envelope["signatures"] = [{"keyid": "00", "sig": "AAAA"}]
    statement = json.loads(base64.b64decode(envelope["payload"]))
    for changed in with_wrong_leaves(envelope, rounds=len(WRONG) + 1):
        file.write_bytes(encoded(changed))
        check_words(run_cli("verify", released))
    for changed in with_wrong_leaves(statement, rounds=1):
        payload = base64.b64encode(encoded(changed)[:-1]).decode()
        file.write_bytes(encoded({**envelope, "payload": payload}))
        check_words(run_cli("verify", released))


def test_running_a_damaged_plan_is_told_in_words(run_cli: RunCli, made: Path, tmp_path: Path):
    plan = tmp_path / "plan.yaml"
    (tmp_path / "patients.csv").write_bytes((made / "patients.csv").read_bytes())
    for content in (*damaged(PLAN.encode()), *other_documents()):
        plan.write_bytes(content)
        check_words(run_cli("run", plan, "--out", tmp_path / "out"))
        shutil.rmtree(tmp_path / "out", ignore_errors=True)


# -- data ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [ending for ending in FORMATS if ending.startswith(".")])
def test_damaged_data_are_told_in_words(run_cli: RunCli, tmp_path: Path, ending: str):
    source, whole, target = (tmp_path / name for name in ("a.csv", f"whole{ending}", "b.csv"))
    source.write_text("age,name\n" + "".join(f"{20 + i % 7},n{i % 5}\n" for i in range(60)))
    form = FORMATS[ending]
    if form.writes is None:  # such a file is not at hand: no part of another is one
        whole.write_bytes(source.read_bytes())
    else:
        ta.convert(source, whole, to_table="t" if "table" in form.writes else None)
    file = tmp_path / f"a{ending}"
    for content in damaged(whole.read_bytes()):
        file.write_bytes(content)
        check_words(run_cli("inspect", file))
        check_words(run_cli("convert", file, target))
        target.unlink(missing_ok=True)


# -- ledgers and keys ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ledger.db", "anchor.json", "key"])
def test_a_damaged_ledger_is_told_in_words(run_cli: RunCli, tmp_path: Path, name: str):
    key = tmp_path / "key"
    key.write_text("a secret of the tests")
    key.chmod(0o600)
    ledger, anchor = tmp_path / "ledger.db", tmp_path / "anchor.json"
    with open_ledger(ledger, key_from_file(key), anchor) as opened:
        for number in range(3):
            opened.append("answer", {"user": "ana", "query": f"SELECT {number}"}).wait()
    verify = ("ledger", "verify", ledger, "--key-file", key, "--anchor", anchor)
    assert run_cli(*verify).code == 0
    file = tmp_path / name
    for content in damaged(file.read_bytes()):
        file.write_bytes(content)
        check_words(run_cli(*verify))
        check_words(run_cli("ledger", "head", ledger))


def test_a_damaged_key_is_told_in_words(run_cli: RunCli, released: Path, tmp_path: Path):
    pytest.importorskip("cryptography")
    assert run_cli("keys", "make", tmp_path / "house").code == 0
    public, private = tmp_path / "house.pub.pem", tmp_path / "house.pem"
    plan = tmp_path / "plan.yaml"
    plan.write_text("data: {example: {toy: 60}}\nmicrodata: {waive: a test, measure: []}\n")
    for content in damaged(public.read_bytes()):
        public.write_bytes(content)
        check_words(run_cli("verify", released, "--key", public))
    for content in damaged(private.read_bytes()):
        private.write_bytes(content)
        check_words(run_cli("run", plan, "--out", tmp_path / "signed", "--sign", private))
        shutil.rmtree(tmp_path / "signed", ignore_errors=True)
