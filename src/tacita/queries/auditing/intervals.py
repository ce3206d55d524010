"""How narrowly answered sums and public bounds enclose the values, by linear programming."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ProtectionError
from tacita.queries.auditing.atoms import Atoms, Chosen

TOLERANCE = 1e-7  # what the solver may be wrong by, as a share of the bounds' distance


class IntervalHistory:
    """The sets whose sums were answered, with the answers.

    Values are measured as shares: 0 at the lower bound, 1 at the upper. The unknowns are the sums z
    of the atoms, 0 <= z <= m for an atom of m records. If z can be anything from a to b, a record
    of the atom can be anything from max(0, a - (m - 1)) to min(1, b).

    Args:
        sizes: of every class the number of records that are not known anyway.
        width: the least width of every record's interval, as a share.

    >>> history = IntervalHistory(np.array([1, 1]), width=0.5)
    >>> history.allows(np.array([True, True]), 1.0), history.allows(np.array([True, True]), 1.8)
    (True, False)
    """

    def __init__(self, sizes: Ints, width: float) -> None:
        self.atoms = Atoms(sizes)
        self.width = width
        self._sets: Mask = np.zeros((0, 1), bool)
        self._answers: Floats = np.zeros(0)

    def allows(self, classes: Chosen, answer: float) -> bool:
        """Tell whether every record's interval stays wide enough with one answer more."""
        cut = self.atoms.cut(classes)
        parents = cut.split
        sizes = np.concatenate([cut.sizes, cut.inside[parents]])
        sizes[parents] -= cut.inside[parents]
        members = np.concatenate([cut.whole, np.ones(len(parents), bool)])
        sets = np.vstack([np.hstack([self._sets, self._sets[:, parents]]), members])
        try:
            widths = _widths(sets, np.append(self._answers, answer), sizes)
        except ProtectionError:  # the solver cannot tell
            return False
        return bool((widths >= self.width + TOLERANCE).all())

    def learn(self, classes: Chosen, answer: float) -> None:
        """Remember the sum over a set."""
        parents = self.atoms.split(classes)
        self._sets = np.hstack([self._sets, self._sets[:, parents]])
        members = self.atoms.cut(classes).whole
        if not (self._sets == members).all(axis=1).any():
            self._sets = np.vstack([self._sets, members])
            self._answers = np.append(self._answers, answer)

    def move(self, came_from: Ints, sizes: Ints) -> None:
        """Go on with other classes after the data changed; see `Atoms.move`."""
        self.atoms.move(came_from, sizes)
        self._sets = np.hstack([self._sets, np.zeros((len(self._sets), 1), bool)])


def _widths(sets: Mask, answers: Floats, sizes: Ints) -> Floats:
    """Return how wide the intervals of the records are, atom by atom, where answers bear on them.

    Raises:
        ProtectionError: the solver cannot tell.
    """
    from scipy.sparse import csr_array

    from tacita.solvers.linear import LinearProgram

    asked = np.flatnonzero(sets.any(axis=0) & (sizes > 0))
    program = LinearProgram(
        csr_array(sets.astype(np.float64)), answers, np.zeros(len(sizes)), sizes.astype(np.float64)
    )
    widths = np.ones(len(asked))
    for place, atom in enumerate(asked):
        most, least = (program.maximize(np.array([atom]), np.array([sign])) for sign in (1.0, -1.0))
        lower = max(0.0, -least.value - (sizes[atom] - 1))
        widths[place] = min(1.0, most.value) - lower
    return widths
