from __future__ import annotations

import numpy as np

from tacita.microdata.risk.linking.blocking import Blocks, blocks

KNOWN, RELEASED = np.array([0, 0, 1, -1]), np.array([1, 0])
CODED = [(KNOWN, RELEASED), (np.array([7, 8, 7, 7]), np.array([7, 8]))]
RECORDS = Blocks(np.arange(4), np.arange(2))


def shared(passes: list[Blocks]) -> set[tuple[int, int]]:
    return {
        (i, j)
        for one in passes
        for i in range(4)
        for j in range(2)
        if one.known[i] >= 0 and one.known[i] == one.released[j]
    }


def test_all_attributes_or_any_of_them():
    assert shared(blocks(CODED, RECORDS, "all")) == {(2, 0), (1, 1)}
    assert shared(blocks(CODED, RECORDS, "any")) == {(2, 0), (0, 1), (1, 1), (0, 0), (3, 0)}
    assert len(blocks(CODED, RECORDS, "any")) == 2


def test_without_attributes_everybody_meets():
    assert len(shared(blocks([], RECORDS, "all"))) == 8


def test_a_blank_is_in_no_block():
    (one,) = blocks(CODED, RECORDS, "all")
    assert one.known[3] == -1
