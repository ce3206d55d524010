"""`tacita tables perturb`."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tacita as ta
from tacita.tables.ready import grid_table


@pytest.fixture
def source(tmp_path):
    """A table of two attributes as a data file and as a JJ file."""
    made = ta.Table.of(grid_table("t", {"x": [11, 2], "y": [13, 4]}, ["u", "v"]))
    made.write(tmp_path / "in.jj")
    made.write(tmp_path / "in.csv")
    return tmp_path


def perturb(run_cli, source, name, *options):
    return run_cli("tables", "perturb", source / name, "--out", source / f"out-{name}", *options)


def test_writes_rounded_cells(run_cli, source):
    ran = perturb(run_cli, source, "in.csv", "--by", "row", "--by", "column", "--set", "base=5")
    assert ran.code == 0
    assert "all totals add up" in ran.out
    read = ta.read_table(source / "out-in.csv", by=["row", "column"])
    assert (read.cells.value % 5 == 0).all()


def test_writes_cells_and_relations_without_anything_true(run_cli, source):
    ran = perturb(run_cli, source, "in.jj", "--set", "base=5", "--json")
    told = json.loads(ran.out)
    assert (told["not_additive"], told["optimal"]) == (0, True)
    read = ta.read_table(source / "out-in.jj")
    assert (read.cells.value % 5 == 0).all()
    assert np.isnan(read.cells.frequency).all()


def test_the_same_seed_writes_the_same_file(run_cli, source):
    way = ("--by", "row", "--by", "column", "--method", "random_rounding", "--set", "base=7")
    written = []
    for seed in (1, 1, 2, 3, 4):
        perturb(run_cli, source, "in.csv", *way, "--seed", seed, "--overwrite")
        written.append((source / "out-in.csv").read_text())
    assert written[0] == written[1]
    assert len(set(written)) > 1


def test_secure_noise_is_not_taken_for_a_search_that_was_stopped(run_cli, source):
    way = ("--method", "private_noise", "--set", "epsilon=1", "--set", "largest_contribution=50")
    ran = perturb(run_cli, source, "in.jj", *way)
    assert "its noise comes from a secure source" in ran.out
    assert "clock" not in ran.out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--set", "bas=5"), "Did you mean `base`"),
        (("--set", "5"), "Expected NAME=VALUE"),
        (("--method", "fast_suppression"), "perturbation"),
        (("--method", "random_rounding", "--set", "base=7", "--seed", "1"), "must add up"),
    ],
)
def test_mistakes_are_told_in_a_sentence_and_nothing_is_written(run_cli, source, options, told):
    ran = perturb(run_cli, source, "in.jj", *options)
    assert ran.code == 1
    assert told in ran.err
    assert not (source / "out-in.jj").exists()
