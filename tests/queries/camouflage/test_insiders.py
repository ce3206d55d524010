"""What insiders leave: by hand for one of three, nothing for two of three."""

from __future__ import annotations

import numpy as np

from tacita.queries.camouflage.insiders import residual_widths


def test_one_insider_of_three_vertices_by_hand() -> None:
    """An insider with the values (0, 0, 1) learns the third weight t: the others share 1 - t.

    So a value with (0, 1, 0) is between 0 and 1 - t, and one with (0, 0, 1) is known.
    """
    vertices = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]])
    widths = residual_widths(vertices, 1, draws=20)
    np.testing.assert_allclose(widths, 0, atol=1e-9)
    vertices = np.array([[0.0, 0.0, 1.0]] * 500 + [[0.0, 1.0, 0.0]] * 1)
    widths = residual_widths(vertices, 1, draws=200)[:, -1]
    assert 0.5 < widths.mean() < 0.8  # 1 - t is 2/3 on average


def test_more_vertices_leave_more() -> None:
    rng = np.random.default_rng(3)
    left = [
        [np.median(residual_widths(rng.random((200, k)), c, draws=30)) for c in range(k)]
        for k in (3, 5)
    ]
    for shares in left:
        assert shares[0] == 1
        assert (np.diff(shares) < 0).all()
        assert shares[-1] < 1e-6
    assert left[1][1] > left[0][1] > 0.1
