"""Packed files unpack to as much as their size makes likely, and no further."""

from __future__ import annotations

import gzip

import pytest

from tacita.data.formats import read_table, unpacking
from tacita.errors import InputError


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"1\n" * 2**21))
    return path


def test_what_any_file_may_unpack_to_is_read(packed):
    assert packed.stat().st_size * unpacking.TIMES < 2**22
    assert read_table(packed).num_rows == 2**21


def test_what_shrinks_too_well_is_refused(packed, monkeypatch):
    monkeypatch.setattr(unpacking, "ALWAYS", 2**20)
    expected = "unpacks to more than 1 MiB, over 200 times its own size.* unpack it first"
    with pytest.raises(InputError, match=expected):
        read_table(packed)


def test_a_large_file_may_unpack_to_much(packed, monkeypatch):
    monkeypatch.setattr(unpacking, "ALWAYS", 2**20)
    monkeypatch.setattr(unpacking, "TIMES", 2000)
    assert read_table(packed).num_rows == 2**21
