"""Cell keys: noise that is a secret function of the records a number is about.

Every record has a random key that never changes; the key of a cell is the sum of the keys of its
records, modulo one. The same records get the same noise in whatever table they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import count

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tacita.arithmetic import exp, log, product, solved
from tacita.data.classes import Floats, Ints, joined_sets
from tacita.errors import ParameterError, ProtectionError

Keys = npt.NDArray[np.uint64]
BYTES = 8
EXACT = 1e-13  # by which a moment of a perturbation table may miss
MOST_STEPS = 200


def uniform(key: bytes, *parts: bytes) -> float:
    """Return a number between 0 and 1 that only those with the key can tell (BLAKE2b, RFC 7693).

    >>> uniform(b"k" * 32, b"a", b"b") == uniform(b"k" * 32, b"ab")
    False
    """
    drawn = blake2b(key=key, digest_size=BYTES)
    for part in parts:
        drawn.update(len(part).to_bytes(BYTES, "big") + part)
    return as_share(int.from_bytes(drawn.digest(), "big"))


def as_share(key: int) -> float:
    """Return a key of 64 bits as a number between 0 and 1, both left out.

    >>> 0 < as_share(0) < as_share(2**63) < as_share(2**64 - 1) < 1
    True
    """
    return ((key >> 12) + 0.5) / 2**52  # with 53 bits the half would be rounded up to 1


def as_shares(keys: Keys) -> Floats:
    """Return many keys of 64 bits as numbers between 0 and 1, both left out.

    >>> as_shares(np.array([0, 2**63], np.uint64)).tolist() == [as_share(0), as_share(2**63)]
    True
    """
    shares: Floats = ((keys >> np.uint64(12)).astype(np.float64) + 0.5) / 2**52
    return shares


def largest_noise(
    sizes: Floats, magnitudes: Floats, directions: Sequence[float], varied: Sequence[float]
) -> float:
    """Return the noise of a sum: shares of its largest contributions, up or down.

    It is the sum of m_j d_j (1 + w_j) |x_j| over the largest contributions x_j, where the direction
    d_j, 1 or -1, belongs to the record and w_j to the cell.

    >>> sizes, magnitudes = np.array([100.0, 40.0]), np.array([0.3, 0.2])
    >>> largest_noise(sizes, magnitudes, [0.7, 0.2], [0.1, -0.5])
    29.0

    Args:
        sizes: the largest contributions, whatever their signs.
        magnitudes: the share of each.
        directions: a number between 0 and 1 of each record; it goes up from a half on.
        varied: how much each share varies, as a part of it.
    """
    ways = np.where(np.asarray(directions) < 1 / 2, -1.0, 1.0)
    return float((magnitudes * ways * (1 + np.asarray(varied)) * sizes).sum())


def record_keys(columns: Sequence[pa.Array], records: int, key: bytes) -> Keys:
    """Return a key of every record: a secret function of its values.

    Of records that have all values in common each gets another one, by their order: which of them
    it is makes no difference. Records keep their keys when others come and go.

    >>> keys = record_keys([pa.array(["IT", "HC", "IT"]), pa.array([1, 2, 1])], 3, b"k" * 32)
    >>> len(set(keys.tolist()))
    3
    """
    from tacita.kernels.grouping import group

    values = np.zeros((records, len(columns) + 1), np.uint64)
    for place, column in enumerate(columns):
        values[:, place] = _digests(column, key)
    alike = group(
        [values[:, place].view(np.int64) for place in range(len(columns))], records=records
    )
    values[:, -1] = _occurrences(np.asarray(alike.ids))
    return _hashed(values, key)


def _digests(column: pa.Array, key: bytes) -> Keys:
    """Return a digest of every value; equal values have equal ones, and so have blanks."""
    told = pc.dictionary_encode(joined_sets(column) if pa.types.is_list(column.type) else column)
    digests = np.append(_of_distinct(told.dictionary, key), np.uint64(0))
    found: Keys = digests[np.asarray(told.indices.fill_null(len(digests) - 1))]
    return found


def _of_distinct(values: pa.Array, key: bytes) -> Keys:
    """Return the digests of values; a number has one, whether a file says 1 or 1.0."""
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        numbers = np.asarray(values.cast(pa.float64(), safe=False)) + 0.0  # the two zeros are one
        return _hashed(numbers.view(np.uint64).reshape(-1, 1), key)
    return _joined(_digest(repr(one).encode(), key) for one in values.to_pylist())


def _hashed(values: Keys, key: bytes) -> Keys:
    """Return a digest of every row."""
    rows, width = values.tobytes(), values.shape[1] * BYTES
    return _joined(_digest(rows[at : at + width], key) for at in range(0, len(rows), width))


def _joined(digests: Iterable[bytes]) -> Keys:
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _digest(word: bytes, key: bytes) -> bytes:
    return blake2b(word, key=key, digest_size=BYTES).digest()


def _occurrences(groups: Ints) -> Ints:
    """Return the number of every member in its group, from 0."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    numbers = np.empty(len(groups), np.int64)
    numbers[order] = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return numbers


@dataclass(frozen=True, eq=False)
class PerturbationTable:
    """The chances of every noise, of every number: the p-table of the cell-key method.

    Args:
        values: the noise of each column, ascending.
        cumulated: of each number the chances, added up, of the noise up to each column.
        numbers: the number that each row stands for, ascending from 0 on; the last row stands for
            all larger ones, too.

    >>> table = perturbation_table(5, 3.0, smallest=2)
    >>> [table.noise(4, share) for share in (0.01, 0.5, 0.99)]
    [-4, 0, 4]
    """

    values: Floats
    cumulated: Floats
    numbers: Floats

    @property
    def largest(self) -> float:
        """The largest noise, up or down."""
        return float(np.abs(self.values).max())

    @property
    def chances(self) -> Floats:
        """The probability of every noise (column), of every number (row)."""
        return np.diff(self.cumulated, axis=1, prepend=0.0)

    @property
    def variances(self) -> Floats:
        """The variance of the noise of every number."""
        means = product(self.chances, self.values)
        found: Floats = product(self.chances, self.values**2) - means**2
        return found

    def noise(self, number: int, cell_key: float) -> int:
        """Return the noise of a count.

        Args:
            number: the count.
            cell_key: the key of the cell, between 0 and 1.
        """
        row = self.cumulated[np.searchsorted(self.numbers, number, side="right") - 1]
        return int(self.values[np.searchsorted(row, cell_key, side="right")])

    def drawn(self, numbers: Floats, cell_keys: Floats) -> Floats:
        """Return the noise of many counts: that of the row of each, or of the next lower one.

        >>> perturbation_table(5, 3.0).drawn(np.array([4.0, 0.0]), np.array([0.99, 0.99]))
        array([4., 0.])

        Args:
            numbers: the counts, 0 or more.
            cell_keys: the keys of their cells, from 0 on and below 1.
        """
        from tacita.kernels.drawing import drawn_by_row

        return drawn_by_row(self.values, self.cumulated, self._rows(numbers), cell_keys)

    def interpolated(self, numbers: Floats, cell_keys: Floats) -> Floats:
        """Return the noise of many numbers between the rows: a mixture of that of the two next.

        >>> table = perturbation_table(5, 3.0, parts=2)
        >>> table.interpolated(np.array([0.0, 0.25, 1.0]), np.full(3, 0.1))
        array([ 0.  , -0.25, -1.  ])

        Args:
            numbers: 0 or more.
            cell_keys: the keys of their cells, from 0 on and below 1.
        """
        from tacita.kernels.drawing import drawn_by_row

        below = self._rows(numbers)
        above = np.minimum(below + 1, len(self.numbers) - 1)
        gap = self.numbers[above] - self.numbers[below]
        # In the last row there is no gap: whatever lies beyond has its noise.
        share = np.minimum(numbers - self.numbers[below], gap) / np.where(gap > 0, gap, 1.0)
        lower, upper = (
            drawn_by_row(self.values, self.cumulated, rows, cell_keys) for rows in (below, above)
        )
        return (1 - share) * lower + share * upper

    def _rows(self, numbers: Floats) -> Ints:
        from tacita.kernels.rounding import places_between

        return places_between(numbers, self.numbers) - 1


@cache
def perturbation_table(
    largest: int, variance: float, smallest: int = 0, *, parts: int = 1
) -> PerturbationTable:
    """Make a perturbation table.

    Of all distributions with mean 0 and the variance, over noise no further than the largest, it
    has the one with most entropy: p(v) is proportional to exp(a v + b v^2). No number becomes
    negative or one of the small ones that shall not occur, and a zero stays zero.

    Args:
        largest: the largest noise.
        variance: the variance of the noise of every number but 0.
        smallest: numbers above 0 up to this one shall not occur.
        parts: how many steps of noise make a unit; 1 for counts.

    Raises:
        ParameterError: no noise has that variance.
    """
    refuse_variance(largest, variance, smallest, parts=parts)
    steps = _steps(largest, parts)
    numbers = np.arange(largest + smallest + 2)
    rows = [
        (steps == 0).astype(float),
        *(
            _most_entropy(steps / parts, _possible(one, steps, smallest, parts), variance)
            for one in numbers[1:].tolist()
        ),
    ]
    cumulated = np.cumsum(rows, axis=1)
    return PerturbationTable(steps / parts, cumulated / cumulated[:, -1:], numbers.astype(float))


def refuse_variance(largest: int, variance: float, smallest: int, *, parts: int = 1) -> None:
    """Raise unless there is noise with mean 0 and a variance for all numbers."""
    steps = _steps(largest, parts)
    lowest, highest = 0.0, float(largest * largest)
    for number in range(1, largest + smallest + 2):
        possible = steps[_possible(number, steps, smallest, parts)] / parts
        below, above = possible[possible <= 0], possible[possible >= 0]
        if not (below.size and above.size):
            raise ParameterError(
                f"A count of {number} cannot be changed without bias by at most {largest} if "
                f"counts up to {smallest} shall not occur; let the largest noise be larger."
            )
        lowest = max(lowest, float(-below[-1] * above[0]))
        highest = min(highest, float(-possible[0] * possible[-1]))
    if not lowest < variance < highest:
        raise ParameterError(
            f"With noise of at most {largest}, and no counts up to {smallest}, the variance must "
            f"be above {lowest:g} and below {highest:g}; got {variance:g}."
        )


def _steps(largest: int, parts: int) -> Ints:
    """Return all noise, in whole steps."""
    return np.arange(-largest * parts, largest * parts + 1)


def _possible(number: int, steps: Ints, smallest: int, parts: int) -> npt.NDArray[np.bool_]:
    after = number * parts + steps
    possible: npt.NDArray[np.bool_] = (after == 0) | (after > smallest * parts)
    return possible


def _most_entropy(noise: Floats, possible: npt.NDArray[np.bool_], variance: float) -> Floats:
    """Return the distribution of most entropy with mean 0 and a variance.

    It minimizes the convex log sum exp(a v + b (v^2 - V)), by Newton's method with a line search.
    """
    features = np.array([noise[possible], noise[possible] ** 2 - variance], float)
    scale = np.abs(features).max(axis=1, keepdims=True)
    features /= scale
    multipliers = np.zeros(2)
    for step in count():
        chances = _chances(multipliers, features)
        missed = product(features, chances)
        if np.abs(missed).max() < EXACT:
            break
        if step == MOST_STEPS:
            raise ProtectionError(
                f"No perturbation table of variance {variance:g} was found; take a variance that "
                "is farther from what the largest noise allows."
            )
        curvature = product(features * chances, features.T) - np.outer(missed, missed)
        multipliers = _descended(multipliers, solved(curvature, missed), features)
    found = np.zeros(len(noise))
    found[possible] = chances
    return found


def _chances(multipliers: Floats, features: Floats) -> Floats:
    exponents = product(multipliers, features)
    grown = exp(exponents - exponents.max())
    return np.asarray(grown / grown.sum())


def _descended(multipliers: Floats, direction: Floats, features: Floats) -> Floats:
    """Go so far in Newton's direction that the function does not grow."""

    def height(at: Floats) -> float:
        exponents = product(at, features)
        return float(exponents.max() + log(exp(exponents - exponents.max()).sum()))

    length, before = 1.0, height(multipliers)
    while height(multipliers - length * direction) > before + EXACT:
        length /= 2
    return multipliers - length * direction
