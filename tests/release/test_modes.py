"""Who may read a release."""

from __future__ import annotations

import os

import pytest

import tacita as ta


@pytest.mark.skipif(os.name == "nt", reason="the system has no modes")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_only_the_owner_reads_what_could_undo_the_masking(tmp_path, mask):
    usual = os.umask(mask)
    try:
        ta.example("toy", 60).release(tmp_path / "out", mapping=True, waive="a test")
    finally:
        os.umask(usual)
    internal = tmp_path / "out" / "internal"
    assert internal.stat().st_mode & 0o777 == 0o700
    kept = {path.name: path.stat().st_mode & 0o777 for path in internal.iterdir()}
    assert {"evidence.json", "plan.yaml", "records.parquet", "mapping.csv"} <= set(kept)
    assert set(kept.values()) == {0o600}
    public = {path.stat().st_mode & 0o777 for path in (tmp_path / "out" / "public").iterdir()}
    assert public == {0o666 & ~mask}
