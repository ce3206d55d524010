from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import tacita as ta
from tacita.api.experiment import TABLES, experiment, stages
from tacita.api.keyed_text import read_keyed_text
from tacita.errors import OutputError, ParameterError


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment") / "out"
    return folder, experiment(folder, records=600, seed=3, with_data=True)


@pytest.fixture(scope="module")
def made():
    return stages.discharges(600, 3, "keys")


def test_regenerated_data_have_the_margins_of_the_original_ones(made):
    for name in stages.KEYS:
        columns = (data.column(name).to_pylist() for data in (made.original, made.regenerated))
        assert len({frozenset(Counter(column).items()) for column in columns}) == 1
    assert made.regenerated.column("age_yrs").type == pa.int32()


def test_correlations_are_those_of_the_known_pairs(ran):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 3))
    points[rng.random(points.shape) < 0.3] = np.nan
    found = stages.pairwise_correlations(points)
    for a in range(3):
        for b in range(3):
            both = points[~np.isnan(points[:, [a, b]]).any(axis=1)]
            assert found[a, b] == pytest.approx(np.corrcoef(both[:, a], both[:, b])[0, 1])
    assert len(ran[1]["correlations"]) == 36


def test_the_grid_agrees_with_coarsening_all_keys_alike(ran, made):
    _, found = ran
    grid = {(row["spatiotemporal"], row["census"]): row for row in found["grid"]}
    for resolution in stages.COARSENINGS:
        row = next(r for r in found["protections"] if r["name"] == f"1/{resolution} coarsening")
        one = grid[str(resolution), str(resolution)]
        assert one["reidentification"] == pytest.approx(row["reidentification"])
        assert one["information_loss"] == pytest.approx(row["information_loss"])
    whole = grid["original", "original"]
    assert whole["information_loss"] == 0
    unique = ta.Uniqueness().measure(made.regenerated, made.regenerated).value
    assert whole["reidentification"] == pytest.approx(float(unique))
    assert found["uniqueness"][-1]["SPD"] == pytest.approx(float(unique))


def test_clusters_leave_nobody_unique_and_closeness_hides_high_charges(ran):
    rows = {row["name"]: row for row in ran[1]["protections"]}
    for k, t in stages.CLOSENESS.items():
        alone, close = rows[f"k = {k}"], rows[f"k = {k}, t = {t:g}"]
        assert alone["reidentification"] == close["reidentification"] == 0
        assert alone["random_reidentification"] <= 1 / k
        assert close["t"] <= t
        assert close["attribute_disclosure"] <= alone["attribute_disclosure"]


def test_everything_is_written_and_the_numbers_are_the_same(ran):
    folder, found = ran
    assert json.loads((folder / "numbers.json").read_text()) == found
    for name in TABLES:
        assert csv.read_csv(folder / f"{name}.csv").num_rows == len(found[name])
    page = (folder / "report.html").read_text()
    for figure in ("S3", "S4", "S5", "S6", "S7"):
        assert f"Figure {figure}" in page
    assert page.count("<svg") == 8
    assert "NaN" not in page


def test_the_data_sets_of_table_s10_keep_what_they_promise(ran, made):
    folder, _ = ran
    names = {path.name for path in folder.glob("*.txt")}
    assert names == {"SPD_dataset.txt", *(way.file for way in stages.protections())}
    assert {"10_an_005_clos_SPD.txt", "2_anonymous_SPD.txt", "32_coarsened_SPD.txt"} <= names
    back = read_keyed_text(folder / "3_an_017_clos_SPD.txt")
    assert ta.KAnonymity(3).check(back).holds
    assert ta.TCloseness(0.17).check(back).holds
    assert back.column("charge").to_pylist() == made.original.column("charge").to_pylist()


def test_a_folder_with_other_things_in_it_is_not_touched(tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(OutputError, match="choose another"):
        experiment(tmp_path, records=30)


def test_records_unique_in_fewer_attributes_are_masked_less(made):
    less = stages.discharges(600, 3, "steps")
    for name in stages.MASKED:
        gone, before = (data.masked.suppressed_in(name).sum() for data in (less, made))
        assert gone <= before
    assert less.masked.notes["masked_by_step"] != made.masked.notes["masked_by_step"]


def test_too_few_records_are_refused_before_anything_is_made(tmp_path):
    with pytest.raises(ParameterError, match="must be 20 or more; found 19"):
        experiment(tmp_path / "out", records=19)
    assert not (tmp_path / "out").exists()


def test_the_page_says_how_unique_was_read(ran):
    assert "records unique in all keys" in (ran[0] / "report.html").read_text()
