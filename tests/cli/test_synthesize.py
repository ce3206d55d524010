"""`tacita synthesize`, called as a person calls it."""

from __future__ import annotations

import pytest

import tacita as ta

WAIVE = ("--waive", "a test")
ROLES = ("--role", "id=identifier", "--role", "household=household")
PARTIAL = "partial_imputation: {attributes: income, given: [age, zip]}"


@pytest.fixture
def file(tmp_path):
    target = tmp_path / "toy.csv"
    ta.example("toy", 80).write(target)
    return target


def test_one_copy_is_a_release(run_cli, file, tmp_path):
    options = ("--role", "id=identifier", "--role", "age=key", "--seed", "1", "--json")
    ran = run_cli("synthesize", file, "--out", tmp_path / "out", *WAIVE, *options)
    assert ran.code == 0
    assert ran.json["records"] == {"original": 80, "protected": 80}
    assert "copies" not in ran.json
    assert (
        run_cli("verify", tmp_path / "out", "--source", file, "--json").json["verdict"] == "holds"
    )


def test_several_copies_verify(run_cli, file, tmp_path):
    options = (*ROLES, "--method", PARTIAL, "--copies", "2", "--seed", "1", "--json")
    ran = run_cli("synthesize", file, "--out", tmp_path / "out", *WAIVE, *options)
    assert ran.code == 0
    places = [tmp_path / "out" / f"copy-{number}" / "public" for number in (1, 2)]
    assert [one["public"] for one in ran.json["copies"]] == [str(place) for place in places]
    assert places[0].joinpath("data.csv").read_text() != places[1].joinpath("data.csv").read_text()
    again = run_cli("verify", tmp_path / "out", "--source", file, "--json").json
    assert again["verdict"] == "holds"
    assert {"copy-1: file", "copy-2: file"} <= {line["what"] for line in again["lines"]}


def test_says_where_the_copies_lie(run_cli, file, tmp_path):
    options = (*ROLES, "--method", PARTIAL, "--copies", 2)
    ran = run_cli("synthesize", file, *WAIVE, *options, "--out", tmp_path / "out")
    assert "the first of 2 copies" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--method", "top_code"), "`top_code` is a method of the family masking"),
        (("--method", "sequential_tree"), "Did you mean `sequential_trees`"),
        (("--method", "[1"), "`--method` should name a method as plans say it"),
        (("--require", "0.1"), "`--require` should name a method as plans say it"),
        (("--role", "age"), "`--role` should be like age=key"),
        (
            ("--method", "private_histogram: {epsilon: 1}", "--copies", "2"),
            "spend its privacy budget again",
        ),
    ],
)
def test_refuses_in_one_sentence(run_cli, file, tmp_path, options, said):
    ran = run_cli("synthesize", file, "--out", tmp_path / "out", *options)
    assert ran.code == 1
    assert said in ran.err
    assert not (tmp_path / "out").exists()
