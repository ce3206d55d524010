"""What a person sees when something is wrong: one sentence that helps, and nothing half written."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tacita as ta
from tacita.release import release

RunCli = Callable[..., Any]
Refuse = Callable[..., str]
Contents = dict[str, bytes | None]

PATIENCE = 900  # seconds that a process may take beside much other work
TACITA = (sys.executable, "-c", "from tacita.cli.main import main; main()")
AS_ROOT = os.geteuid() == 0

ROWS = [
    f"{i:09d},{20 + i % 20},{94100 + i % 4},{('flu', 'cold', 'gout')[i % 3]}" for i in range(40)
]
PATIENTS = "\n".join(["ssn,age,zip,disease", *ROWS, ""])
PLAN = """\
data:
  source: patients.csv
  attributes:
    ssn: {role: identifier}
    age: {role: key, kind: continuous, hierarchy: {intervals: {widths: [10, 100]}}}
    zip: {role: key, hierarchy: {prefix: 5}}
    disease: {role: confidential}
microdata:
  steps:
    - top_code: {attribute: age, above: 85}
  require:
    - uniqueness: {at_most: 1}
release:
  format: csv
"""
DISEASE = "disease: {role: confidential}"
STEP = "top_code: {attribute: age, above: 85}"
REQUIREMENT = "uniqueness: {at_most: 1}"
UNTIL = "until: {uniqueness: {at_most: 1}}"


# -- what every refusal has in common --------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a plan and its data, and nothing else."""
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "patients.csv").write_text(PATIENTS)
    return tmp_path


def contents(folder: Path) -> Contents:
    """Return every file below a folder with its bytes; hidden ones, too."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def check_sentence(err: str) -> str:
    """Check that a message is one line of sentences, and return it."""
    assert err.startswith("tacita: ")
    assert err.endswith((".\n", "?\n"))
    assert err.count("\n") == 1, "the message runs over several lines"
    assert "Traceback" not in err
    return err


@pytest.fixture
def refuse(folder: Path, run_cli: RunCli) -> Refuse:
    """Run a command that must be refused in one sentence and change nothing on disk."""

    def run(*arguments: object, naming: tuple[str, ...] = ()) -> str:
        before = contents(folder)
        ran = run_cli(*(arguments or ("run", folder / "plan.yaml", "--out", folder / "out")))
        assert ran.code == 1, ran.out
        sentence = check_sentence(ran.err)
        assert ran.out == ""
        for word in naming:
            assert word in sentence
        assert contents(folder) == before, "something was left behind"
        return sentence

    return run


def edit(file: Path, old: str, new: str) -> str:
    """Replace the one place of a text in a file, and return the file's new text."""
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    return file.read_text()


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


# -- the plan file ---------------------------------------------------------------------------------


def test_a_missing_plan_is_named_with_the_nearest_file(refuse: Refuse, folder: Path):
    missing = folder / "plam.yaml"
    sentence = refuse("run", missing, "--out", folder / "out", naming=(str(missing),))
    assert "Did you mean `plan.yaml`?" in sentence


def test_a_folder_is_no_plan(refuse: Refuse, folder: Path):
    sentence = refuse("run", folder, "--out", folder / "out", naming=(str(folder),))
    assert "Errno" not in sentence


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("data:\n  source: [a\n  b: }\n", 3, id="a bracket is never closed"),
        pytest.param("data:\n\tsource: a.csv\n", 2, id="a tab"),
        pytest.param("data: {}\n---\ndata: {}\n", 2, id="two documents"),
        pytest.param("a: 1\ndata: *other\n", 2, id="an alias of nothing"),
        pytest.param("a: 1\ndata: !!python/name:os.system\n", 2, id="a Python object"),
        pytest.param("a: 1\ndata: \x01\n", 2, id="a control character"),
    ],
)
def test_a_plan_that_is_not_yaml_names_the_line(refuse: Refuse, folder: Path, text: str, line: int):
    (folder / "plan.yaml").write_text(text)
    refuse(naming=(f"{folder / 'plan.yaml'}, line {line}:", "not YAML"))


def test_a_plan_that_is_not_utf8_is_refused(refuse: Refuse, folder: Path):
    (folder / "plan.yaml").write_bytes(PLAN.encode("utf-16"))
    refuse(naming=("plan.yaml", "cannot be read"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("- data\n- microdata\n", "found [data, microdata]", id="a list"),
        pytest.param("patients.csv\n", "'patients.csv'", id="a word"),
        pytest.param("", "empty", id="an empty file"),
        pytest.param("# later\n", "empty", id="only comments"),
    ],
)
def test_a_plan_without_fields_says_which_are_expected(
    refuse: Refuse, folder: Path, text: str, found: str
):
    (folder / "plan.yaml").write_text(text)
    refuse(naming=("plan.yaml, line 1:", "data, microdata, tables, queries, release", found))


UNKNOWN = {
    "field at the top": ("microdata:", "microdat:", "microdat", "microdata"),
    "field of data": ("source:", "sorce:", "data.sorce", "source"),
    "field of microdata": ("require:", "requir:", "microdata.requir", "require"),
    "field of release": ("format: csv", "fromat: csv", "release.fromat", "format"),
    "field of an attribute": (
        "disease: {role:", "disease: {rule:", "data.attributes.disease.rule", "role"),
    "role": (
        "confidential", "confidentail", "data.attributes.disease.role", "confidential"),
    "role in a list": (
        "role: confidential", "role: [key, confidentail]", "data.attributes.disease.role",
        "confidential"),
    "kind": (
        DISEASE, "disease: {kind: nominel}", "data.attributes.disease.kind", "nominal"),
    "attribute in attributes": ("disease:", "diseas:", "data.attributes.diseas", "disease"),
    "attribute in a step": (
        "attribute: age", "attribute: agee", "microdata.steps[0].top_code", "age"),
    "attribute in a requirement": (
        "at_most: 1", "at_most: 1, keys: [zipp]", "microdata.require[0].uniqueness", "zip"),
    "attribute in a model to reach": (
        STEP, "anonymize: {to: [{k_anonymity: {k: 2, keys: [agee]}}]}",
        "microdata.steps[0].anonymize", "age"),
    "method in a step": ("top_code:", "top_cod:", "microdata.steps[0].top_cod", "top_code"),
    "method in a requirement": (
        "uniqueness:", "uniquness:", "microdata.require[0].uniquness", "uniqueness"),
    "model to reach": (
        STEP, "anonymize: {to: [{k_anonimity: 2}]}", "microdata.steps[0].anonymize",
        "k_anonymity"),
    "algorithm": (
        STEP, "anonymize: {to: [{k_anonymity: 2}], by: dataflie}",
        "microdata.steps[0].anonymize", "datafly"),
    "parameter": ("above: 85", "abov: 85", "microdata.steps[0].top_code", "above"),
    "optional parameter": (
        "above: 85", "above: 85, labell: old", "microdata.steps[0].top_code", "label"),
    "bound": (
        "at_most: 1", "atmost: 1", "microdata.require[0].uniqueness", "at_most"),
    "field of until": (
        STEP, f"{UNTIL}\n      round: []", "microdata.steps[0].round",
        "rounds"),
    "way to say a hierarchy": ("prefix: 5", "prefx: 5", "data.attributes.zip", "prefix"),
    "format": ("format: csv", "format: csw", "release.format", "csv"),
    "example": (
        "source: patients.csv", "example: {pateints: 9}", "data.example", "patients"),
    "profile": (
        "microdata:", "microdata:\n  profile: public_use", "microdata.profile",
        "public_use_file"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field", "meant"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_word_in_a_plan_is_placed_and_corrected(
    refuse: Refuse, folder: Path, old: str, new: str, field: str, meant: str
):
    text = edit(folder / "plan.yaml", old, new)
    line = line_of(text, new) + new.count("\n")
    refuse(naming=(f"plan.yaml, line {line}, field `{field}", f"Did you mean `{meant}`?"))


MISUSED = {
    "k: 1": ("k_anonymity: 1", ("`k`", "k_anonymity", "2", "found 1")),
    "k in words": ('k_anonymity: "five"', ("`k`", "k_anonymity", "integer", "found 'five'")),
    "k with a fraction": ("k_anonymity: 2.5", ("`k`", "k_anonymity", "integer", "found 2.5")),
    "fraction: 2": ("sample: {fraction: 2}", ("`fraction`", "sample", "1", "found 2")),
    "fraction: 0": ("sample: {fraction: 0}", ("`fraction`", "sample", "0", "found 0")),
    "fraction: yes": ("sample: {fraction: yes}", ("`fraction`", "sample", "number", "found")),
    "fraction: .nan": ("sample: {fraction: .nan}", ("`fraction`", "sample", "found nan")),
    "size with a fraction": ("sample: {size: 2.5}", ("`size`", "sample", "found 2.5")),
    "no size": ("sample: {}", ("sample", "`fraction`", "`size`")),
    "a limit that is a list": ("top_code: {attribute: age, above: [1]}", ("`above`", "[1]")),
    "a limit that is no number": ("top_code: {attribute: age, above: old}", ("'old'", "number")),
    "a limit that is NaN": ("top_code: {attribute: age, above: .nan}", ("above", "nan")),
    "an infinite limit": ("top_code: {attribute: age, above: .inf}", ("above", "inf")),
    "a missing parameter": ("top_code: {attribute: age}", ("top_code", "`above`")),
    "a parameter without a name": ("top_code: {1: age, above: 3}", ("top_code", "`1`")),
    "a wrong kind": (
        "top_code: {attribute: disease, above: 3}", ("continuous", "`disease` is nominal")),
    "a level too high": ("generalize: {attribute: zip, level: 9}", ("`zip`", "0 to 5", "9")),
    "a measure as a step": ("uniqueness: {}", ("`uniqueness`", "risk", "masking")),
    "two methods in one step": ("{drop: [zip], sample: 0.5}", ("one method",)),
    "a step that is a number": ("7", ("one method", "7")),
    "an algorithm that is a list": (
        "anonymize: {to: [{k_anonymity: 2}], by: [datafly]}", ("by", "datafly")),
    "no model to reach": ("anonymize: {to: []}", ("`to`",)),
    "a limit above one": (
        "anonymize: {to: [{k_anonymity: 2}], suppression_limit: 2}",
        ("`suppression_limit`", "found 2")),
    "until without rounds": (UNTIL, ("rounds",)),
    "until with no round": (
        f"{UNTIL}\n      rounds: []", ("rounds",)),
    "rounds without until": ("rounds: [[{drop: [zip]}]]", ("rounds", "until")),
    "until inside a round": (
        f"{UNTIL}\n      rounds: [[{{{UNTIL}, rounds: [[{{drop: [zip]}}]]}}]]", ("until", "round")),
}  # fmt: skip


@pytest.mark.parametrize(("step", "words"), MISUSED.values(), ids=MISUSED)
def test_a_step_that_cannot_be_is_placed_and_explained(
    refuse: Refuse, folder: Path, step: str, words: tuple[str, ...]
):
    if step.startswith("k_anonymity"):
        step = f"anonymize: {{to: [{{{step}}}]}}"
    text = edit(folder / "plan.yaml", STEP, step)
    lines = [line_of(text, step) + more for more in range(step.count("\n") + 1)]
    sentence = refuse(naming=("field `microdata.steps[0]", *words))
    assert any(f"plan.yaml, line {line}, " in sentence for line in lines)


UNREQUIRABLE = {
    "a measure without bound": ("uniqueness", ("at_most", "at_least")),
    "a measure with empty braces": ("uniqueness: {}", ("at_most", "at_least")),
    "a model with a bound": ("k_anonymity: {k: 3, at_most: 2}", ("model", "bound")),
    "a model without its number": ("k_anonymity", ("k_anonymity", "`k`")),
    "k: 1": ("k_anonymity: 1", ("`k`", "2", "found 1")),
    "a bound in words": ("uniqueness: {at_most: few}", ("`at_most`", "number", "'few'")),
    "a bound that is NaN": ("uniqueness: {at_most: .nan}", ("`at_most`", "number", "nan")),
    "an infinite bound": ("uniqueness: {at_most: .inf}", ("`at_most`", "number", "inf")),
    "a masking method": ("top_code: {attribute: age, above: 3}", ("`top_code`", "masking")),
    "a number": ("5", ("found 5",)),
}


@pytest.mark.parametrize(("said", "words"), UNREQUIRABLE.values(), ids=UNREQUIRABLE)
def test_a_requirement_that_cannot_be_is_placed_and_explained(
    refuse: Refuse, folder: Path, said: str, words: tuple[str, ...]
):
    edit(folder / "plan.yaml", REQUIREMENT, said)
    refuse(naming=("plan.yaml, line 12, field `microdata.require[0]", *words))


MISPLACED = {
    "no data": ("data:", "dat:", ("line 1, field `dat", "Did you mean `data`?")),
    "source and example": (
        "source: patients.csv", "source: patients.csv\n  example: {toy: 9}",
        ("line 1, field `data`", "`source`", "`example`")),
    "no source": ("source: patients.csv", "undeclared: keep", (
        "line 1, field `data`", "`source`", "`example`")),
    "a source that is a list": ("patients.csv", "[patients.csv]", ("line 2, field `data.source`",)),
    "a source left empty": ("source: patients.csv", "source:", ("line 2, field `data.source`",)),
    "an example left empty": (
        "source: patients.csv", "example:", ("line 2, field `data.example`", "patients: 10000")),
    "a negative example": (
        "source: patients.csv", "example: {toy: -1}", ("line 2, field `data.example.toy`", "-1")),
    "a delimiter that is a number": (
        "source: patients.csv", "source: patients.csv\n  delimiter: 1",
        ("line 3, field `data.delimiter`", "found 1")),
    "a delimiter of example data": (
        "source: patients.csv", "example: {toy: 10}\n  delimiter: ';'",
        ("field `data.delimiter`", "means nothing for example data")),
    "a password in a plan": (
        "source: patients.csv", "source: postgresql://ana:secret@host/db",
        ("field `data.source`", "password", "PGPASSWORD")),
    "attributes as a list": (
        PLAN[PLAN.index("attributes:") : PLAN.index("microdata:")], "attributes: [age]\n",
        ("line 3, field `data.attributes`", "found [age]")),
    "an attribute that is a number": (
        DISEASE, "disease: 5", ("line 7, field `data.attributes.disease`", "role", "found 5")),
    "intervals without end": ("[10, 100]", "[.inf]", ("age", "widths", "inf")),
    "intervals that start nowhere": (
        "[10, 100]", "[10, 100], start: zero", ("age", "start", "'zero'")),
    "a tree without leaves": ("{prefix: 5}", "{tree: {any: }}", ("zip", "leaves")),
    "steps as fields": ("- top_code", "top_code", ("line 9, field `microdata.steps`", "list")),
    "release as a word": (
        "release:\n  format: csv", "release: csv", ("line 13, field `release`", "'csv'")),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), MISPLACED.values(), ids=MISPLACED)
def test_a_field_that_cannot_be_is_placed_and_explained(
    refuse: Refuse, folder: Path, old: str, new: str, words: tuple[str, ...]
):
    (folder / "plan.yaml").write_text(PLAN.replace(old, new, 1))
    refuse(naming=words)


@pytest.mark.parametrize(
    ("old", "new", "field", "lines"),
    [
        pytest.param("microdata:", "data: {}\nmicrodata:", "data", (1, 8), id="at the top"),
        pytest.param(
            "  attributes:", "  source: b.csv\n  attributes:", "data.source", (2, 3), id="source"
        ),
        pytest.param(
            DISEASE, f"{DISEASE}\n    age: key", "data.attributes.age", (5, 8), id="attribute"
        ),
        pytest.param(
            DISEASE,
            "disease: {role: key, role: confidential}",
            "data.attributes.disease.role",
            (7, 7),
            id="role",
        ),
        pytest.param(
            "above: 85",
            "above: 85, above: 90",
            "microdata.steps[0].top_code.above",
            (10, 10),
            id="parameter",
        ),
    ],
)
def test_a_field_said_twice_names_both_lines(
    refuse: Refuse, folder: Path, old: str, new: str, field: str, lines: tuple[int, int]
):
    edit(folder / "plan.yaml", old, new)
    first, second = lines
    refuse(naming=(f"line {first}, field `{field}`", "twice", f"line {second}"))


SPOKEN = {
    "an empty field": (DISEASE, "disease:"),
    "no model to reach": (STEP, "anonymize: {to: []}"),
    "an empty name": (STEP, "drop: ['']"),
    "a number for a list of keys": (REQUIREMENT, "k_anonymity: {k: 2, keys: 7}"),
    "a missing code for a list": (DISEASE, "disease: {missing: [[1]]}"),
    "a hierarchy that is a word": ("{prefix: 5}", "prefix"),
    "intervals that are a number": ("{widths: [10, 100]}", "5"),
    "an unknown field of intervals": ("widths:", "widthz:"),
    "dates that are a number": ("{prefix: 5}", "{dates: 5}"),
    "a hierarchy file that is a number": ("{prefix: 5}", "{file: 5}"),
    "a hierarchy file that is missing": ("{prefix: 5}", "{file: none.csv}"),
    "k larger than the data": (STEP, "anonymize: {to: [{k_anonymity: 500}]}"),
}
PYTHON = re.compile(
    r"tuple|dict|None|Errno|__init__|argument|operand|instance|object|iterable|validation"
    r"|[sS]tring should|value should|\{'|tacita\."
)


@pytest.mark.parametrize(("old", "new"), SPOKEN.values(), ids=SPOKEN)
def test_messages_are_in_the_words_of_plans_not_of_python(
    refuse: Refuse, folder: Path, old: str, new: str
):
    edit(folder / "plan.yaml", old, new)
    sentence = refuse().replace(str(folder), "").replace("is missing", "")
    assert not PYTHON.search(sentence), sentence


# -- the data file ---------------------------------------------------------------------------------


def test_a_missing_data_file_is_named_with_the_nearest(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", "patients.csv", "pateints.csv")
    refuse(naming=(str(folder / "pateints.csv"), "Did you mean `patients.csv`?"))


DAMAGED = {
    "a zero-byte file": (b"", ("patients.csv", "empty", "header")),
    "only line ends": (b"\n\n", ("patients.csv", "header")),
    "a row too short": (
        PATIENTS.replace(ROWS[5], "000000005,25,94101").encode(),
        ("patients.csv, line 7:", "4 fields", "found 3")),
    "a row too long": (
        PATIENTS.replace(ROWS[5], ROWS[5] + ",x").encode(),
        ("patients.csv, line 7:", "4 fields", "found 5")),
    "a quote that stays open": (
        PATIENTS.replace(ROWS[5], '000000005,25,94101,"flu').encode(),
        ("patients.csv, line 7:", "quote")),
    "a NUL byte": (
        PATIENTS.replace(ROWS[5], "\0" + ROWS[5]).encode(), ("patients.csv, line 7", "NUL")),
    "a name given twice": (
        PATIENTS.replace("disease", "age").encode(), ("patients.csv", "`age`", "2 and 4")),
    "a column without name": (
        PATIENTS.replace("disease", "").encode(), ("patients.csv", "column 4", "name")),
    "no header": (
        PATIENTS.partition("\n")[2].replace("flu", "1").replace("cold", "2").replace("gout", "3")
        .encode(), ("patients.csv", "header")),
    "a key that is missing everywhere": (
        re.sub(r"(?m)^(\d+),\d+,", r"\1,,", PATIENTS).encode(), ("`age`", "every record")),
    "infinity": (
        PATIENTS.replace("000000005,25", "000000005,inf").encode(),
        ("`age`", "finite", "record 6")),
    "minus infinity": (
        PATIENTS.replace("000000005,25", "000000005,-Infinity").encode(),
        ("`age`", "finite", "record 6")),
}  # fmt: skip


@pytest.mark.parametrize(("data", "words"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_data_are_explained_with_their_place(
    refuse: Refuse, folder: Path, data: bytes, words: tuple[str, ...]
):
    (folder / "patients.csv").write_bytes(data)
    refuse(naming=words)


NOT_UTF_8 = {
    "a value": (
        PATIENTS.encode().replace(ROWS[5].encode(), b"000000005,25,94101,\xfclcer"),
        ("patients.csv, line 7, column `disease`", "0xFC", "UTF-8", "latin-1")),
    "a name": (
        PATIENTS.encode().replace(b"disease", b"dis\xe9ase"),
        ("patients.csv, line 1, column 4", "0xE9", "UTF-8")),
}  # fmt: skip


@pytest.mark.parametrize(("data", "words"), NOT_UTF_8.values(), ids=NOT_UTF_8)
def test_what_is_not_in_the_encoding_that_was_said_is_told(
    refuse: Refuse, folder: Path, data: bytes, words: tuple[str, ...]
):
    edit(folder / "plan.yaml", "  attributes:", "  encoding: utf-8\n  attributes:")
    (folder / "patients.csv").write_bytes(data)
    refuse(naming=words)


def test_a_wrong_delimiter_is_told_with_the_right_one(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", "  attributes:", "  delimiter: ';'\n  attributes:")
    refuse(naming=("patients.csv", "delimiter", "a semicolon", "a comma"))


def test_an_unknown_encoding_is_told(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", "  attributes:", "  encoding: utf-99\n  attributes:")
    refuse(naming=("utf-99", "utf-8"))


def test_a_file_that_only_calls_itself_parquet_is_refused(refuse: Refuse, folder: Path):
    (folder / "patients.parquet").write_text(PATIENTS)
    edit(folder / "plan.yaml", "patients.csv", "patients.parquet")
    refuse(naming=("patients.parquet", "not a Parquet file"))


def test_nan_becomes_missing(run_cli: RunCli, folder: Path):
    edit(folder / "patients.csv", "000000005,25", "000000005,NaN")
    assert run_cli("run", folder / "plan.yaml", "--out", folder / "out").code == 0
    released = (folder / "out" / "public" / "data.csv").read_text().splitlines()
    assert ",94101,gout" in released


def test_data_without_records_run_and_say_so(run_cli: RunCli, folder: Path):
    (folder / "patients.csv").write_text("ssn,age,zip,disease\n")
    edit(folder / "plan.yaml", REQUIREMENT, "k_anonymity: 2")
    ran = run_cli("run", folder / "plan.yaml", "--out", folder / "out")
    assert (ran.code, ran.err) == (0, "")
    assert "0 records in, 0 records out" in ran.out
    assert "The data have no records." in ran.out
    assert (folder / "out" / "public" / "data.csv").read_text() == "age,zip,disease\n"
    assert run_cli("verify", folder / "out", "--source", folder / "patients.csv").code == 0


def test_a_measure_of_no_records_cannot_meet_a_bound(refuse: Refuse, folder: Path):
    (folder / "patients.csv").write_text("ssn,age,zip,disease\n")
    refuse(naming=("uniqueness", "undefined", "0 of 0 records"))


def test_dropping_every_attribute_leaves_nothing_to_release(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", STEP, "drop: [age, zip, disease]")
    edit(folder / "plan.yaml", f"  require:\n    - {REQUIREMENT}\n", "  waive: a test\n")
    refuse(naming=("attribute",))


def test_ten_thousand_columns_are_measured_and_released(tmp_path: Path):
    """Half numbers, half text; a process of its own, because it may have to be stopped."""
    header = ",".join(f"c{i}" for i in range(10_000))
    rows = [",".join(f"{'x' * (i % 2)}{(i * row) % 7}" for i in range(10_000)) for row in range(20)]
    (tmp_path / "wide.csv").write_text("\n".join([header, *rows, ""]))
    (tmp_path / "plan.yaml").write_text("data: {source: wide.csv}\nmicrodata: {waive: a test}\n")
    command = [*TACITA, "run", tmp_path / "plan.yaml", "--out", tmp_path / "out"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if ran.returncode:
        check_sentence(ran.stderr)
    else:
        assert "20 records in, 20 records out." in ran.stdout


WEIGHTED = "age,w,v\n" + "".join(f"{20 + i},{1 + i % 3},2\n" for i in range(8))


@pytest.mark.parametrize(
    ("old", "new", "also", "words"),
    [
        pytest.param("25,3,", "25,-3,", "", ("`w`", "above 0", "-3", "record 6"), id="negative"),
        pytest.param("25,3,", "25,0,", "", ("`w`", "above 0", "0", "record 6"), id="zero"),
        pytest.param("25,3,", "25,,", "", ("`w`", "missing", "record 6"), id="missing"),
        pytest.param("25,3,", "25,x,", "", ("`w`", "numbers"), id="text"),
        pytest.param("", "", ", v: weight", ("One", "weight", "w, v"), id="two weights"),
    ],
)
def test_weights_that_are_none_are_refused(
    refuse: Refuse, folder: Path, old: str, new: str, also: str, words: tuple[str, ...]
):
    (folder / "patients.csv").write_text(WEIGHTED.replace(old, new) if old else WEIGHTED)
    (folder / "plan.yaml").write_text(
        f"data: {{source: patients.csv, attributes: {{age: key, w: weight{also}}}}}\n"
        "microdata: {waive: a test}\n"
    )
    refuse(naming=words)


# -- hierarchies -----------------------------------------------------------------------------------

NESTED = "{role: key, hierarchy: {tree: %s}}"
BROKEN = {
    "misses values": (
        NESTED % "{any: {viral: [flu, cold]}}", ("`disease`", "does not cover 'gout'")),
    "a value twice": (
        NESTED % "{any: {viral: [flu, cold], other: [flu, gout]}}", ("`disease`", "'flu'", "twice")),
    "two roots": (
        NESTED % "{viral: [flu, cold], other: [gout]}", ("`disease`", "root", "viral", "other")),
    "intervals of text": (
        "{role: key, hierarchy: {intervals: {widths: [5]}}}", ("`disease`", "numbers", "'flu'")),
    "codes of another length": (
        "{role: key, hierarchy: {prefix: 3}}", ("`disease`", "'cold', 'gout'", "3 characters")),
    "intervals that do not nest": (
        "{role: key, hierarchy: {intervals: {widths: [10, 15]}}}", ("`disease`", "[10, 15]")),
}  # fmt: skip


@pytest.mark.parametrize(("said", "words"), BROKEN.values(), ids=BROKEN)
def test_a_hierarchy_that_does_not_fit_says_why(
    refuse: Refuse, folder: Path, said: str, words: tuple[str, ...]
):
    edit(folder / "plan.yaml", "{role: confidential}", said)
    edit(folder / "plan.yaml", STEP, "generalize: {attribute: disease, level: 1}")
    refuse(naming=words)


FILES = {
    "misses values": ("flu;viral;any\ncold;viral;any\n", ("does not cover 'gout'",)),
    "a value twice": ("flu;viral;any\nflu;other;any\n", ("'flu'", "twice")),
    "two parents": (
        "flu;viral;ill;any\ncold;viral;well;any\ngout;joints;ill;any\n",
        ("tree", "'viral'", "'ill'", "'well'")),
    "two roots": ("flu;viral;any\ncold;viral;any\ngout;other;all\n", ("one root", "'any', 'all'", "lines 1 and 3")),
    "unequal depth": ("flu;viral;any\ncold;viral;any\ngout;any\n", ("equally deep", "'gout'")),
    "empty": ("", ("diseases.csv", "empty")),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), FILES.values(), ids=FILES)
def test_a_hierarchy_file_that_does_not_fit_says_why(
    refuse: Refuse, folder: Path, text: str, words: tuple[str, ...]
):
    (folder / "diseases.csv").write_text(text)
    edit(folder / "plan.yaml", "{role: confidential}", "{hierarchy: {file: diseases.csv}}")
    edit(folder / "plan.yaml", STEP, "generalize: {attribute: disease, level: 1}")
    refuse(naming=("`disease`", *words))


def test_a_missing_hierarchy_file_is_named(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", "{role: confidential}", "{hierarchy: {file: deseases.csv}}")
    refuse(naming=("`disease`", str(folder / "deseases.csv")))


# -- promises that cannot be kept ------------------------------------------------------------------


def test_requiring_more_than_there_are_records_is_refused(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", REQUIREMENT, "k_anonymity: 41")
    refuse(naming=("Nothing was released", "40 of 40 records", "age, zip", "fewer than 41"))


def test_reaching_more_than_there_are_records_is_refused(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", STEP, "anonymize: {to: [{k_anonymity: 41}]}")
    refuse(naming=("fully generalized", "40 of 40 records", "41", "k_anonymity reaches 40"))


def test_the_greedy_way_to_more_than_there_are_records_is_refused(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", STEP, "anonymize: {to: [{k_anonymity: 41}], by: datafly}")
    refuse(naming=("fully generalized", "40 of 40 records", "41", "suppression_limit"))


def test_rounds_that_are_not_strict_enough_are_refused(refuse: Refuse, folder: Path):
    rounds = "until: {uniqueness: {at_most: 0}}\n      rounds: [[{drop: [disease]}]]"
    edit(folder / "plan.yaml", STEP, rounds)
    edit(folder / "patients.csv", ROWS[0], "000000000,99,94199,flu")
    refuse(naming=("rounds", "strict enough", "2 of 40 records"))


def test_attributes_that_nobody_declared_can_be_refused(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", f"    {DISEASE}\n", "  undeclared: refuse\n")
    refuse(naming=("declared", "disease", "undeclared"))


def test_a_sample_larger_than_the_data_is_refused(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", STEP, "sample: {size: 41}")
    refuse(naming=("sample", "41", "40 records"))


def test_a_secret_key_that_is_not_set_is_asked_for(refuse: Refuse, folder: Path):
    edit(folder / "plan.yaml", STEP, "pseudonymize: {attribute: ssn, key_from: NO_SUCH_KEY}")
    refuse(naming=("pseudonymize", "NO_SUCH_KEY", "not set"))


# -- the output folder -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the folder's data, made once."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "plan.yaml").write_text(PLAN)
    (folder / "patients.csv").write_text(PATIENTS)
    ta.run(folder / "plan.yaml", folder / "out", seed=1)
    return folder / "out"


@pytest.fixture
def released(folder: Path, made: Path) -> Path:
    """A release of the folder's data."""
    return Path(shutil.copytree(made, folder / "out"))


def to(out: Path) -> tuple[object, ...]:
    return "run", out.parent / "plan.yaml", "--out", out


def test_a_folder_that_is_no_release_is_not_touched(refuse: Refuse, folder: Path):
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.txt").write_text("years of work")
    refuse(*to(folder / "mine"), naming=(str(folder / "mine"), "not a release"))


def test_a_link_to_a_folder_that_is_no_release_is_not_followed(refuse: Refuse, folder: Path):
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.txt").write_text("years of work")
    (folder / "link").symlink_to(folder / "mine")
    refuse(*to(folder / "link"), naming=("not a release",))


def test_a_file_in_the_place_of_the_folder_is_not_touched(refuse: Refuse, folder: Path):
    (folder / "taken").write_text("years of work")
    refuse(*to(folder / "taken"), naming=(str(folder / "taken"), "a file has that name"))


def test_the_root_of_the_file_system_is_no_place_for_a_release(refuse: Refuse, folder: Path):
    refuse("run", folder / "plan.yaml", "--out", "/", naming=("/",))


def test_the_folder_around_the_output_must_exist(refuse: Refuse, folder: Path):
    out = folder / "no" / "where"
    refuse("run", folder / "plan.yaml", "--out", out, naming=(str(out), "Create the folder"))


def test_a_place_where_nobody_may_write_is_told(folder: Path, need: Callable[[str], str]):
    """A process of its own, without root's privilege to write everywhere."""
    plain = (need("setpriv"), "--inh-caps=-all", "--bounding-set=-all") if AS_ROOT else ()
    (folder / "locked").mkdir(mode=0o555)
    out = folder / "locked" / "out"
    command = [*plain, *TACITA, "run", folder / "plan.yaml", "--out", out]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    sentence = check_sentence(ran.stderr)
    assert str(out) in sentence
    assert "permission denied" in sentence
    assert list((folder / "locked").iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]
    if not AS_ROOT or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


def fill(disk: Path, leaving: int) -> None:
    """Fill a file system up to some kilobytes."""
    free = shutil.disk_usage(disk).free
    (disk / "others").write_bytes(bytes(free - 1024 * leaving))


@pytest.mark.parametrize(
    ("form", "leaving"),
    [
        pytest.param("csv", 0, id="not a byte"),
        pytest.param("csv", 8, id="not the data"),
        pytest.param("parquet", 8, id="not the data as Parquet"),
        pytest.param("csv", 64, id="not the evidence"),
        pytest.param("csv", 160, id="not the report"),
    ],
)
def test_a_full_disk_leaves_the_earlier_release_as_it_was(
    small_disk: Path, made: Path, run_cli: RunCli, form: str, leaving: int
):
    out = Path(shutil.copytree(made, small_disk / "out"))
    plan = small_disk / "plan.yaml"
    plan.write_text(
        "data: {example: {toy: 600}}\nmicrodata: {waive: a test}\n"
        f"release: {{format: {form}}}\n"
    )
    fill(small_disk, leaving)
    before = contents(small_disk)
    ran = run_cli("run", plan, "--out", out)
    assert ran.code == 1
    sentence = check_sentence(ran.err)
    assert "no space left on device" in sentence
    assert f"Cannot write {out}" in sentence
    assert ".tacita-" not in sentence
    assert contents(small_disk) == before


def test_a_disk_that_fills_up_while_writing_is_told(
    refuse: Refuse, released: Path, monkeypatch: pytest.MonkeyPatch
):
    """Also where no small disk can be had."""

    def full(_: object, path: Path) -> None:
        path.write_text("ag")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(release, "write_table", full)
    refuse(naming=(f"{released}:", "no space left on device"))


# -- Ctrl-C ----------------------------------------------------------------------------------------


def interrupted(command: list[object], folder: Path, ready: Callable[[int], bool]) -> str:
    """Start a command, interrupt it as a terminal does once it is ready, and return its words."""
    # Whoever runs the tests in the background lets them ignore interrupts, and what they start.
    with subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        end = time.monotonic() + PATIENCE
        while not ready(process.pid):
            assert process.poll() is None, "it ended before it could be interrupted"
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    return check_sentence(err)


# All but the reports is written, which then take for ever.
HELD = f"""
import time
from tacita.cli.main import main
from tacita.release import release

def hold(_, folder):
    (folder / "held").touch()
    time.sleep({PATIENCE})

release.write_report = hold
main()
"""


def megabytes(pid: int) -> float:
    """Return the memory a process uses; much of it means that it holds data."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def big_plan(folder: Path, records: int) -> Path:
    (folder / "plan.yaml").write_text(
        f"data: {{example: {{patients: {records}}}}}\n"
        "microdata: {steps: [{anonymize: {to: [{k_anonymity: 5}], suppression_limit: 0.1}}],"
        " measure: [], waive: a test}\n"
    )
    return folder / "plan.yaml"


@pytest.mark.skipif(sys.platform != "linux", reason="looks at a process through /proc")
def test_ctrl_c_while_masking_leaves_nothing(folder: Path):
    command = [*TACITA, "run", big_plan(folder, 2_000_000), "--out", folder / "out"]
    before = contents(folder)
    sentence = interrupted(command, folder, lambda pid: megabytes(pid) > 400)
    assert "Interrupted" in sentence
    assert contents(folder) == before


@pytest.mark.parametrize("reached", ["internal/plan.yaml", "public/held"])
def test_ctrl_c_while_writing_leaves_the_earlier_release_as_it_was(released: Path, reached: str):
    folder = released.parent
    command = [sys.executable, "-c", HELD, "run", big_plan(folder, 1000), "--out", released]
    before = contents(folder)
    interrupted(command, folder, lambda _: any(folder.glob(f".out.tacita-*/{reached}")))
    assert contents(folder) == before


# -- verifying -------------------------------------------------------------------------------------


def statement_of(release: Path) -> Path:
    return release / "public" / "statement.json"


def test_a_folder_without_a_statement_is_no_release(refuse: Refuse, released: Path):
    statement_of(released).unlink()
    refuse("verify", released, naming=("no release", str(statement_of(released))))


def test_what_does_not_exist_cannot_be_verified(refuse: Refuse, folder: Path):
    refuse("verify", folder / "nowhere", naming=(str(folder / "nowhere"),))


def test_a_file_cannot_be_verified(refuse: Refuse, folder: Path):
    sentence = refuse("verify", folder / "plan.yaml", naming=(str(folder / "plan.yaml"),))
    assert "Errno" not in sentence


Garble = Callable[[dict[str, Any]], Any]


def without(name: str) -> Garble:
    return lambda said: {key: value for key, value in said.items() if key != name}


def having(**changed: object) -> Garble:
    return lambda said: {**said, **changed}


def within(field: str, /, **changed: object) -> Garble:
    """Change what stands in a field, or in each row of a list."""

    def garble(said: dict[str, Any]) -> Any:
        inner = said[field]
        rows = [{**row, **changed} for row in inner] if isinstance(inner, list) else None
        return {**said, field: {**inner, **changed} if rows is None else rows}

    return garble


def garbled(file: Path, garble: Garble) -> None:
    file.write_text(json.dumps(garble(json.loads(file.read_text()))))


STATEMENTS = {
    "no object": lambda _: ["statement"],
    "nothing in it": lambda _: {},
    "no file": without("file"),
    "no attributes": without("attributes"),
    "no verdict": without("requirements_hold"),
    "a number for the file": having(file=5),
    "a number for the measures": having(measures=5),
    "a guarantee that is a number": having(guarantees=[5]),
    "an empty guarantee": having(guarantees=[{"requirement": {}}]),
    "an unknown guarantee": having(guarantees=[{"requirement": {"k_anonimity": {"k": 2}}}]),
    "an impossible guarantee": having(guarantees=[{"requirement": {"k_anonymity": {"k": 1}}}]),
    "an unknown role": within("attributes", role=["kee"]),
    "an unknown field": within("attributes", colour="red"),
    "a file elsewhere": within("file", name="../data.csv/.."),
    "a file without name": within("file", name=""),
    "a file name that is a number": within("file", name=5),
}


@pytest.mark.parametrize("garble", STATEMENTS.values(), ids=STATEMENTS)
def test_a_garbled_statement_is_named(refuse: Refuse, released: Path, garble: Garble):
    garbled(statement_of(released), garble)
    sentence = refuse("verify", released, naming=(str(released), "statement"))
    assert not re.search(r"'\w+' object|os\.PathLike|Errno", sentence), sentence


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff\xfe", b"[" * 100_000],
    ids=["empty", "cut off", "not UTF-8", "nested without end"],
)
def test_a_statement_that_is_not_json_is_named(refuse: Refuse, released: Path, raw: bytes):
    statement_of(released).write_bytes(raw)
    refuse("verify", released, naming=(str(statement_of(released)),))


EVIDENCE = {
    "no object": lambda _: 5,
    "nothing in it": lambda _: {},
    "no requirements": without("requirements"),
    "no source": without("source"),
    "no steps": without("steps"),
    "no run": without("run"),
    "a step that is a number": having(steps=[5]),
    "a seed in words": within("steps", seed="x"),
    "a key that is none": within("run", input={"key": "zz", "hmac_sha256": ""}),
    "an unknown field": within("attributes", age={"colour": "red"}),
}


@pytest.mark.parametrize("garble", EVIDENCE.values(), ids=EVIDENCE)
def test_garbled_evidence_is_named(refuse: Refuse, released: Path, garble: Garble):
    garbled(released / "internal" / "evidence.json", garble)
    source = released.parent / "patients.csv"
    sentence = refuse("verify", released, "--source", source, naming=(str(released), "evidence"))
    assert not re.search(r"'\w+' object|Errno", sentence), sentence


FOREIGN = {
    "an unknown measure": ("statement", within("measures", name="luck")),
    "a measure too many": ("statement", lambda kept: {**kept, "measures": kept["measures"] * 2}),
    "an unknown step": ("evidence", within("steps", step={"top_cod": {}})),
    "no measures": ("evidence", having(measures=[])),
}


@pytest.mark.parametrize(("document", "garble"), FOREIGN.values(), ids=FOREIGN)
def test_what_no_release_can_say_is_wrong(
    run_cli: RunCli, released: Path, document: str, garble: Garble
):
    part = "public" if document == "statement" else "internal"
    garbled(released / part / f"{document}.json", garble)
    assert wrong_lines(run_cli, released)
    source = released.parent / "patients.csv"
    assert {"all files", f"{part}/{document}.json"} & wrong_lines(
        run_cli, released, "--source", source
    )


def test_the_source_needs_the_internal_folder(run_cli: RunCli, released: Path):
    shutil.rmtree(released / "internal")
    source = released.parent / "patients.csv"
    ran = run_cli("verify", released, "--source", source, "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "not proven")
    (told,) = [line for line in ran.json["lines"] if line["what"] == "source"]
    assert told["how"] == "not proven"
    assert "is not at hand" in told["sentence"]
    assert run_cli("verify", released, "--source", source, "--strict").code == 1


def wrong_lines(run_cli: RunCli, *arguments: object) -> set[str]:
    """Verify a release that is wrong, and return the lines that are."""
    ran = run_cli("verify", *arguments, "--json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.json["verdict"] == "wrong"
    shown = run_cli("verify", *arguments)
    assert shown.code == 1
    assert "The release is NOT what it says" in shown.out
    return {line["what"] for line in ran.json["lines"] if line["how"] == "wrong"}


TAMPERED = {
    "a value": lambda text: text.replace("flu", "cold", 1),
    "a record less": lambda text: text[: text.rindex("\n", 0, -1) + 1],
    "a broken line": lambda text: text + "x\n",
    "another column name": lambda text: text.replace("age", "years", 1),
    "nothing left": lambda _: "",
    "a value of another kind": lambda text: text.replace("\n20,", "\nyoung,", 1),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED)
def test_tampered_data_are_wrong(run_cli: RunCli, released: Path, tamper: Callable[[str], str]):
    data = released / "public" / "data.csv"
    data.write_text(tamper(data.read_text()))
    assert "file" in wrong_lines(run_cli, released)
    assert "file" in wrong_lines(run_cli, released / "public")


def test_a_missing_data_file_of_a_release_is_named(refuse: Refuse, released: Path):
    (released / "public" / "data.csv").unlink()
    refuse("verify", released, naming=("data.csv", "missing"))


def test_a_changed_number_is_wrong(run_cli: RunCli, released: Path):
    garbled(statement_of(released), within("file", records=41))
    garbled(statement_of(released), within("measures", value=0.123))
    assert {"records", "uniqueness"} <= wrong_lines(run_cli, released)


SOURCES = {
    "another value": PATIENTS.replace("flu", "cold", 1),
    "a record less": PATIENTS.replace(ROWS[5] + "\n", ""),
    "a code the hierarchy does not know": PATIENTS.replace("94101", "941", 1),
    "other attributes": "a,b\n1,2\n",
}


@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES)
def test_a_wrong_source_is_wrong(run_cli: RunCli, folder: Path, text: str):
    edit(folder / "plan.yaml", STEP, "generalize: {attribute: zip, level: 1}")
    assert run_cli(*to(folder / "out")).code == 0
    other = folder / "other.csv"
    other.write_text(text)
    assert "source" in wrong_lines(run_cli, folder / "out", "--source", other)


def test_a_missing_source_is_named_with_the_nearest(refuse: Refuse, released: Path):
    source = released.parent / "patient.csv"
    refuse("verify", released, "--source", source, naming=("Did you mean `patients.csv`?",))


# -- usage -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        pytest.param(("run", "plan.yaml", "--otu", "x"), "--out", id="unknown option"),
        pytest.param(("rnu", "plan.yaml"), "'run'", id="unknown command"),
        pytest.param(("run",), "plan", id="missing argument"),
        pytest.param(("run", "plan.yaml", "other.yaml"), "other.yaml", id="one too many"),
        pytest.param(("run", "plan.yaml", "--seed", "x"), "--seed", id="seed in words"),
        pytest.param(("run", "plan.yaml", "--seed", "-1"), "--seed", id="negative seed"),
        pytest.param(("run", "plan.yaml", "--threads", "0"), "--threads", id="no threads"),
    ],
)
def test_wrong_usage_is_explained(run_cli: RunCli, arguments: tuple[str, ...], word: str):
    ran = run_cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert word in ran.err
    assert "--help" in ran.err
    assert "Traceback" not in ran.err


def test_no_command_shows_the_help(run_cli: RunCli):
    ran = run_cli()
    assert ran.code == 2
    assert all(command in ran.out + ran.err for command in ("run", "verify", "methods", "demo"))


def test_an_unknown_method_is_corrected(refuse: Refuse):
    refuse("methods", "k_anonimity", naming=("Did you mean `k_anonymity`?",))


# -- strange names ---------------------------------------------------------------------------------

NAMES = {
    "markup": "[bold]x[/bold]",
    "closing markup": "[/]",
    "emoji": "\N{GRINNING FACE}\u00e9",
    "a newline": "two\nlines",
    "a return and a newline": "two\r\nlines",
    "a comma": "a,b",
    "a quote": 'say "x"',
    "HTML": "<script>alert(1)</script>",
    "a template": "{{ 7 * 7 }}",
    "an escape": "\x1b[31mred",
}


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def strange(folder: Path, request: pytest.FixtureRequest) -> str:
    """Give the attribute `zip` a strange name; a person reads it on one line."""
    name = request.param
    header = '"' + name.replace('"', '""') + '"'
    (folder / "patients.csv").write_bytes(PATIENTS.replace("zip", header, 1).encode())
    edit(folder / "plan.yaml", "    zip:", f"    {json.dumps(name, ensure_ascii=False)}:")
    return str(name)


def readable(name: str) -> str:
    """Return what of a name must be seen, whatever is done to the rest."""
    return max(re.split(r"[\r\n\x1b]+", name), key=len)


def test_a_strange_name_goes_through_unchanged(run_cli: RunCli, folder: Path, strange: str):
    ran = run_cli(*to(folder / "out"))
    assert (ran.code, ran.err) == (0, "")
    assert readable(strange) in ran.out
    said = json.loads(statement_of(folder / "out").read_text())
    assert strange in [row["name"] for row in said["attributes"]]
    ran = run_cli("verify", folder / "out", "--source", folder / "patients.csv")
    assert ran.code == 0


def test_a_strange_name_is_told_on_one_line(refuse: Refuse, folder: Path, strange: str):
    edit(folder / "plan.yaml", REQUIREMENT, "k_anonymity: 30")
    sentence = refuse(naming=(readable(strange), "fewer than 30"))
    assert "\x1b" not in sentence


def test_a_strange_name_in_a_plan_is_told_on_one_line(refuse: Refuse, folder: Path, strange: str):
    edit(folder / "plan.yaml", "{prefix: 5}", "{prefix: 5}, kind: nominel")
    refuse(naming=("line 6, field `data.attributes.", readable(strange), "`nominal`"))


def test_half_a_character_in_a_plan_is_told(refuse: Refuse, folder: Path):
    """JSON writes an emoji as two halves; YAML reads each half as a character of its own."""
    edit(folder / "plan.yaml", "    zip:", '    "\\ud83d\\ude00":')
    refuse(naming=("plan.yaml",))


# -- paths that the system refuses -----------------------------------------------------------------

LONG = "x" * 300
WITH_LONG_PATHS = (
    f"run {LONG}.yaml --out out",
    f"run plan.yaml --out {LONG}",
    f"verify {LONG}",
    f"inspect {LONG}.csv",
    f"inspect patients.csv --out {LONG}.yaml",
    f"advise patients.csv --out {LONG}.yaml",
    f"safe-harbor patients.csv --out {LONG}.yaml",
    f"synthesize patients.csv --method bootstrap --out {LONG}",
    f"convert {LONG}.parquet b.csv",
    f"convert patients.csv {LONG}.csv",
    f"convert patients.csv {LONG}.db --to-table t",
    f"map patients.csv --out {LONG}.html",
    f"attack {LONG}.csv --original patients.csv",
    f"ledger head {LONG}",
    f"ledger verify patients.csv --key-file {LONG}",
    f"token list --tokens {LONG}",
    f"tables audit {LONG}.jj",
    f"tables run {LONG}.arb",
    f"serve {LONG}.yaml",
    f"app {LONG} --no-browser",
)


@pytest.mark.parametrize("command", WITH_LONG_PATHS, ids=lambda said: said.replace(LONG, "LONG"))
def test_a_name_that_is_too_long_is_told(
    refuse: Refuse, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
):
    monkeypatch.chdir(folder)
    assert "ile name too long" in refuse(*command.split())
