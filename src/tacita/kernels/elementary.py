"""Exponentials, logarithms and angles of numbers, made of sums, products and quotients alone.

Those are the same on every processor. The functions of a mathematical library are not: it has
others for each kind of processor, which differ in the last digit. The error of `exp` and `log` is
little above half a unit in the last place, that of the others at most some units.

Papers: Tang, Table-driven implementation of the exponential function, ACM TOMS 15(2), 1989; Tang,
Table-driven implementation of the logarithm function, ACM TOMS 16(4), 1990.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Floats = npt.NDArray[np.float64]

STEPS = 128  # of the tables, between 1 and 2
DIGITS = 50  # of the numbers that tables and constants are rounded from
HIGHEST, LOWEST = 709.782712893384, -745.1332191019412  # exponents with an exponential of their own
BITS = 32  # of the first parts of constants: whole multiples of them up to 2^21 are exact
ROOT = 0.7071067811865476  # the smallest significand
FIRST, LAST = 90, 182  # the places of significands in 128ths
SPLIT = 2.0**27 + 1  # cuts a double into halves (Veltkamp)
SINES = 9  # terms of a series for at most an eighth of a turn
TANGENTS = 13  # terms of a series for at most a 32nd of a turn
EXP, EXPM1, LOG, LOG2, LOG1P, SIN, COS, ARCTAN = range(8)  # how the functions are called
MIDDLE = 600  # more than half of the largest power of two
WIDEST = 38.0  # exponents beyond which 1 is nothing beside the exponential, or the other way round
MOST_FACTORS = 64  # of a power that is made of products
SMALL = 2.0**-54  # numbers below which one is its log(1 + x)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def _cut(number: Decimal, bits: int) -> tuple[float, float]:
    """Return a number as a double of so many bits and the rest."""
    mantissa, exponent = math.frexp(float(number))
    head = math.ldexp(math.floor(math.ldexp(mantissa, bits)), exponent - bits)
    return head, float(number - Decimal(head))


def _powers() -> tuple[Floats, Floats]:
    """Return 2^(i / 128) as doubles, and what they are short of it, as shares."""
    with localcontext(prec=DIGITS):
        exact = [(Decimal(2).ln() * i / STEPS).exp() for i in range(STEPS)]
        heads = [float(one) for one in exact]
        rests = [float(one / Decimal(head) - 1) for one, head in zip(exact, heads, strict=True)]
    return np.array(heads), np.array(rests)


def _logarithms() -> tuple[Floats, Floats]:
    """Return log(i / 128) in two parts, from the smallest significand on."""
    with localcontext(prec=DIGITS):
        parts = [_cut((Decimal(i) / STEPS).ln(), BITS) for i in range(FIRST, LAST + 1)]
    return np.array([one for one, _ in parts]), np.array([rest for _, rest in parts])


with localcontext(prec=DIGITS):
    LN2 = Decimal(2).ln()
    LN2_HEAD, LN2_REST = _cut(LN2, BITS)
    STEP_HEAD, STEP_REST = _cut(LN2 / STEPS, BITS)
    PER_STEP, PER_LN2 = float(STEPS / LN2), float(1 / LN2)
    QUARTER_HEAD, QUARTER_NEXT = _cut(PI / 2, BITS)
    QUARTER_NEXT, QUARTER_REST = _cut(PI / 2 - Decimal(QUARTER_HEAD), BITS)
POWERS, SHORT_OF = _powers()
TWOS = np.array([2.0**i for i in range(-MIDDLE, MIDDLE + 1)])
LOGS, LOGS_REST = _logarithms()


@kernel
def _series_of_exp(r: float) -> float:
    """Return e^r - 1 where |r| < 0.003."""
    return r + r * r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))))


@kernel
def _cut_exponent(x: float) -> tuple[int, int, float]:
    """Return a whole number, a place in the table and a rest that make up an exponent."""
    k = int(x * PER_STEP + (0.5 if x > 0.0 else -0.5))
    whole = k // STEPS
    return whole, k - whole * STEPS, (x - k * STEP_HEAD) - k * STEP_REST


@kernel
def _scaled(number: float, power: int) -> float:
    """Multiply by a power of two: by two of them, as it may be beyond the doubles."""
    half = power // 2
    return number * float(TWOS[half + MIDDLE]) * float(TWOS[power - half + MIDDLE])


@kernel
def exp(x: float) -> float:
    """Return e^x: a power of two, times one of 128 roots of it, times a series."""
    if math.isnan(x):
        return x
    if x > HIGHEST:
        return math.inf
    if x < LOWEST:
        return 0.0
    whole, place, rest = _cut_exponent(x)
    near = POWERS[place] + POWERS[place] * (_series_of_exp(rest) + SHORT_OF[place])
    return _scaled(near, whole)


@kernel
def expm1(x: float) -> float:
    """Return e^x - 1, whose digits are all there also where x is small."""
    if math.isnan(x) or abs(x) > WIDEST:
        return exp(x) - 1.0
    whole, place, rest = _cut_exponent(x)
    if whole == 0 and place == 0:
        return _series_of_exp(rest)
    whole_power = _scaled(float(POWERS[place]), whole)
    return (whole_power - 1.0) + whole_power * (_series_of_exp(rest) + float(SHORT_OF[place]))


@kernel
def _quotient(number: float, divisor: float) -> tuple[float, float]:
    """Return a quotient and what it is short of, where the divisor has few digits."""
    found = number / divisor
    head = SPLIT * found
    head = head - (head - found)
    left = (number - head * divisor) - (found - head) * divisor
    return found, left / divisor


@kernel
def _logarithm(x: float, more: float, by: float) -> float:
    """Return log(x) + more, over log(2) if `by` says so: of a table and a series."""
    significand, twos = math.frexp(x)
    if significand < ROOT:
        significand, twos = 2.0 * significand, twos - 1
    place = int(significand * STEPS + 0.5)
    r, rest = _quotient(significand - place / STEPS, place / STEPS)
    series = r * r * (-0.5 + r * (1 / 3 + r * (-0.25 + r * (0.2 + r * (-1 / 6 + r * (1 / 7))))))
    head, low = float(LOGS[place - FIRST]), float(LOGS_REST[place - FIRST]) + rest
    if by == 1.0:
        head, low = head + twos * LN2_HEAD, low + twos * LN2_REST
    total = head + r
    low += (head - total) + r
    found = total + (low + (series + more))
    return found if by == 1.0 else twos + found * by


@kernel
def log(x: float) -> float:
    """Return the natural logarithm."""
    return _logarithm(x, 0.0, 1.0) if 0.0 < x < math.inf else _beyond(x)


@kernel
def log2(x: float) -> float:
    """Return the logarithm to base 2, which of a power of two is a whole number."""
    return _logarithm(x, 0.0, PER_LN2) if 0.0 < x < math.inf else _beyond(x)


@kernel
def log1p(x: float) -> float:
    """Return log(1 + x), whose digits are all there also where x is small."""
    if not -1.0 < x < math.inf:
        return _beyond(1.0 + x)
    if abs(x) < SMALL:
        return x
    near = 1.0 + x
    lost = x - (near - 1.0) if x < 1.0 else 1.0 - (near - x)
    return _logarithm(near, lost / near, 1.0)


@kernel
def _beyond(x: float) -> float:
    """Return the logarithm of 0, of infinity, or of what has none."""
    if x == 0.0:
        return -math.inf
    return x if x > 0.0 else math.nan


@kernel
def power(x: float, y: float) -> float:
    """Return x^y: of small whole exponents by squares, of others, where x > 0, by logarithms."""
    if y != math.floor(y) or abs(y) > MOST_FACTORS:
        return exp(y * log(x)) if y != 0.0 else 1.0
    left, square, found = int(abs(y)), x, 1.0
    while left:
        if left & 1:
            found *= square
        square *= square
        left >>= 1
    if y >= 0.0:
        return found
    return 1.0 / found if found != 0.0 else math.inf


@kernel
def _cut_angle(x: float) -> tuple[int, float, float]:
    """Return how many quarter turns an angle has, modulo 4, and the rest in two parts."""
    turns = math.floor(x / (QUARTER_HEAD + QUARTER_NEXT) + 0.5)
    head = (x - turns * QUARTER_HEAD) - turns * QUARTER_NEXT
    low = turns * QUARTER_REST
    rest = head - low
    return int(turns) & 3, rest, (head - rest) - low


@kernel
def _sine(x: float, more: float) -> float:
    square, term = x * x, 0.0
    for n in range(SINES, 0, -1):
        term = square / (2 * n * (2 * n + 1)) * (1.0 - term)
    return x - (x * term - more * (1.0 - 0.5 * square))


@kernel
def _cosine(x: float, more: float) -> float:
    square, term = x * x, 0.0
    for n in range(SINES, 0, -1):
        term = square / ((2 * n - 1) * 2 * n) * (1.0 - term)
    return 1.0 - (term + x * more)


@kernel
def sin(x: float) -> float:
    """Return the sine of an angle of at most a million turns."""
    turns, rest, more = _cut_angle(x)
    found = _cosine(rest, more) if turns & 1 else _sine(rest, more)
    return -found if turns & 2 else found


@kernel
def cos(x: float) -> float:
    """Return the cosine of an angle of at most a million turns."""
    turns, rest, more = _cut_angle(x)
    found = _sine(rest, more) if turns & 1 else _cosine(rest, more)
    return -found if turns in (1, 2) else found


@kernel
def arctan(x: float) -> float:
    """Return the angle of a tangent: halved twice, and then by its series."""
    if abs(x) > 1.0:
        return math.copysign(math.pi / 2, x) - arctan_within(1.0 / x)
    return arctan_within(x)


@kernel
def arctan_within(x: float) -> float:
    """Return the angle of a tangent between -1 and 1."""
    for _ in range(2):
        x = x / (1.0 + math.sqrt(1.0 + x * x))
    square, total = x * x, 0.0
    for n in range(TANGENTS, 0, -1):
        total = square * (1.0 / (2 * n + 1) - total)
    return 4.0 * (x - x * total)


@kernel
def arctan2(y: float, x: float) -> float:
    """Return the angle of the point (x, y), between -pi and pi."""
    if x == 0.0 and y == 0.0:
        return y
    if x > 0.0:
        return arctan(y / x)
    if x == 0.0:
        return math.copysign(math.pi / 2, y)
    return arctan(y / x) + math.copysign(math.pi, y)


@kernel
def _value(which: int, x: float) -> float:  # noqa: PLR0911 - one for each function
    """Return the value of a function, by its number."""
    if which == EXP:
        return exp(x)
    if which == EXPM1:
        return expm1(x)
    if which == LOG:
        return log(x)
    if which == LOG2:
        return log2(x)
    if which == LOG1P:
        return log1p(x)
    if which == SIN:
        return sin(x)
    return cos(x) if which == COS else arctan(x)


@kernel
def _each(which: int, numbers: Floats, found: Floats) -> None:
    for i in range(numbers.size):
        found[i] = _value(which, numbers[i])


@kernel
def _each_power(numbers: Floats, exponents: Floats, found: Floats) -> None:
    for i in range(numbers.size):
        found[i] = power(numbers[i], exponents[i])


@kernel
def _each_point(ups: Floats, rights: Floats, found: Floats) -> None:
    for i in range(ups.size):
        found[i] = arctan2(ups[i], rights[i])


def of_each(which: int, numbers: npt.ArrayLike) -> Floats:
    """Return the values of a function of numbers.

    >>> of_each(LOG2, [1.0, 8.0])
    array([0., 3.])

    Args:
        which: one of `EXP`, `EXPM1`, `LOG`, `LOG2`, `LOG1P`, `SIN`, `COS` and `ARCTAN`.
        numbers: an array of any shape, or one number.
    """
    given = np.asarray(numbers)
    found = np.empty(given.shape)
    _each(which, frozen(given.reshape(-1), np.float64), found.reshape(-1))
    return found


def powers(numbers: npt.ArrayLike, exponents: npt.ArrayLike) -> Floats:
    """Return powers of numbers, by exponents of a shape that fits theirs.

    >>> powers([2.0, 3.0], 3)
    array([ 8., 27.])
    """
    bases, by = np.broadcast_arrays(numbers, exponents)
    found = np.empty(bases.shape)
    one, other = (frozen(np.ravel(part), np.float64) for part in (bases, by))
    _each_power(one, other, found.reshape(-1))
    return found


def angles(ups: Floats, rights: Floats) -> Floats:
    """Return the angles of points.

    >>> angles(np.array([0.0, 1.0]), np.array([1.0, 0.0])).round(6)
    array([0.      , 1.570796])
    """
    found = np.empty(len(ups))
    _each_point(frozen(ups, np.float64), frozen(rights, np.float64), found)
    return found


def warm_up() -> None:
    """Compile the kernels of this module."""
    of_each(EXP, [1.0])
    powers([1.0], 1.0)
    angles(np.ones(1), np.ones(1))
