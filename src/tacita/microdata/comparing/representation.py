"""One representation: two columns brought to values that can be compared.

A number may be released as text, text with other capitals, spaces or accents, a date as text; to
call them different would hide links that an intruder finds. Where two spellings might or might not
mean the same, they are taken to be the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.classes import Ints, Mask, comparable, joined_sets
from tacita.data.declaration import inferred_kind

TRUE = ("true", "t", "yes", "y", "1")
FALSE = ("false", "f", "no", "n", "0")
NUMERAL = r"^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$"
WHOLE = r"^-?\d+$"
MOST_WHOLE = 2.0**53  # up to which doubles hold every whole number
ACCENTS = "[\u0300-\u036f]+"  # the combining marks of Latin, Greek and Cyrillic letters
ORDERED = (Kind.CONTINUOUS, Kind.DATE)


def alike(known: pa.Array, released: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return two columns in one type and, if that is text, in one spelling.

    - Numbers are compared as numbers: 7, 7.0 and a decimal 7.00 are equal. Beside text, they are
      equal to text that reads as the same number ("007", "7.0", "+7").
    - Dates are compared by the day unless both columns tell the time. Beside text, a date is equal
      to text that begins with the year ("1964-09-27", "1964/9/27", "1964-09-27T00:00:00"); which of
      day and month comes first elsewhere is not guessed.
    - Yes and no beside numbers are 1 and 0; beside text they are equal to true, t, yes, y and 1, or
      false, f, no, n and 0.
    - Text is compared without capitals, accents, repeated or outer spaces and, if it is all digits,
      leading zeros (see `spelled`).
    - Sets are compared by their members; beside text, as their members in order.

    >>> [part.to_pylist() for part in alike(pa.array([1, 2]), pa.array([1.0, 2.5]))]
    [[1.0, 2.0], [1.0, 2.5]]
    >>> [part.to_pylist() for part in alike(pa.array(["Ana "]), pa.array(["ANA"]))]
    [['ana'], ['ana']]
    >>> [part.to_pylist() for part in alike(pa.array([7, 8]), pa.array(["007", "eight"]))]
    [['7', '8'], ['7', 'eight']]
    """
    if known.type != released.type:
        common = _common_type(known.type, released.type)
        known, released = (
            _converted(known, common, released.type),
            _converted(released, common, known.type),
        )
    if _is_text(known.type):
        known, released = spelled(known), spelled(released)
    return known, released


def as_text(column: pa.Array) -> pa.Array:
    r"""Return the values of a column as text; those of sets joined in ascending order.

    >>> as_text(pa.array([["b", "a"], None])).to_pylist()
    ['a\x1fb', None]
    """
    return joined_sets(column) if pa.types.is_list(column.type) else column.cast(pa.string())


def spelled(column: pa.Array) -> pa.Array:
    """Return text in one spelling: lower case, no accents, single spaces, no leading zeros.

    >>> spelled(pa.array(["  JOSÉ  Díaz", "00420", "0", "0a"])).to_pylist()
    ['jose diaz', '420', '0', '0a']
    """
    return _by_value(column, _spelled)


def recoded(known: pa.Array, own: Ints, released: pa.Array, kind: Kind) -> pa.Array:
    """Return what an intruder knows as the release codes it, where the release shows how.

    A coding shows where every original value became one released value (blanks apart) and that is
    more than chance: ordered values (numbers, dates) became fewer, each made of neighbours
    (intervals, rounding, top-coding); other values occur more than once. Noise, swapping and
    misspelling are none, and what the intruder knows stays as it is. A value that no released
    record had becomes a blank.

    >>> ages = pa.array([21, 25, 38, 25])
    >>> tens = pa.array(["20-29", "20-29", "30-39", None])
    >>> recoded(ages, np.arange(4), tens, Kind.CONTINUOUS).to_pylist()
    ['20-29', '20-29', '30-39', '20-29']

    Args:
        known: the values that the intruder knows.
        own: for every released record, the place of its respondent among the known values.
        released: the released values.
        kind: the kind of the known values.
    """
    there = np.flatnonzero(np.asarray(pc.is_valid(released)))
    before, after = _numbered(known), _numbered(released)
    mine, theirs = before[own[there]], after[there]
    example = np.full(int(before.max(initial=-1)) + 2, -1, np.int64)
    example[mine] = there
    example[-1] = -1  # what is blank to the intruder stays blank
    is_coded = bool(((after[example[mine]] == theirs) | (mine < 0)).all()) if len(there) else False
    if not is_coded or not _is_shown(known.take(pa.array(own[there])), theirs, kind):
        return known
    rows = example[before]
    return released.take(pa.array(rows, mask=rows < 0))


def mostly_recoded(known: pa.Array, own: Ints, released: pa.Array) -> pa.Array:
    """Return what an intruder knows as the release usually codes it, where a few values do not fit.

    A coding shows where most records have a value most of whose several records became one released
    value. A value becomes what most of its records became, if at least half of those released with
    that have such a value, and it is new: to a value that others have originally it may as well
    have been swapped, and follows only if it has several records and nine in ten of all records
    have such a value. All others stay, or become a blank if no released record has them.

    >>> ages, tens = pa.array([21, 21, 38, 38, 38]), pa.array(["20+", "20+", "30+", "30+", "?"])
    >>> mostly_recoded(ages, np.arange(5), tens).to_pylist()
    ['20+', '20+', '30+', '30+', '30+']

    Args:
        known: the values that the intruder knows.
        own: for every released record, the place of its respondent among the known values.
        released: the released values.
    """
    before, after = common_codes(known, released)
    size = int(max(before.max(initial=-1), after.max(initial=-1))) + 1
    there = (before[own] >= 0) & (after >= 0)
    is_new = ~np.isin(np.arange(size), before)
    terms = _usual_terms(before[own][there], after[there], is_new)
    if np.array_equal(terms, np.arange(size)):
        return known
    example = np.full(size, -1)
    example[after[after >= 0]] = np.flatnonzero(after >= 0)
    rows = np.append(example[terms], -1)[before]
    return released.take(pa.array(rows, mask=rows < 0))


def _usual_terms(before: Ints, after: Ints, is_new: Mask) -> Ints:
    """Return for every code the one that stands for it in the release (see `mostly_recoded`)."""
    terms, size = np.arange(len(is_new)), len(is_new)
    pairs, counts = np.unique(before * size + after, return_counts=True)
    value, code = np.divmod(pairs, max(size, 1))
    most = 2 * counts > np.bincount(before, minlength=size)[value]
    usual = most & (counts > 1)
    shown = np.bincount(code, counts * usual, size)
    if 2 * shown.sum() <= len(after):
        return terms
    is_code = 2 * shown >= np.bincount(after, minlength=size)
    no_swap = is_new[code] | (usual & (10 * shown.sum() >= 9 * len(after)))
    coded = is_code[code] & most & no_swap
    terms[value[coded]] = code[coded]
    return terms


def common_codes(known: pa.Array, released: pa.Array) -> tuple[Ints, Ints]:
    """Return numbers for two columns that are equal where the values are; a blank has -1.

    >>> [part.tolist() for part in common_codes(pa.array(["b", None]), pa.array(["a", "B"]))]
    [[0, -1], [1, 0]]
    """
    if _is_text(known.type) or _is_text(released.type):
        return _codes_by_value(known, released)
    codes = _numbered(pa.concat_arrays(list(alike(known, released))))
    return codes[: len(known)], codes[len(known) :]


def _codes_by_value(known: pa.Array, released: pa.Array) -> tuple[Ints, Ints]:
    """Return common codes of columns of which one is text: spelling is slow, and values are few."""
    plain = [as_text(part) if pa.types.is_list(part.type) else part for part in (known, released)]
    ours, theirs = (pc.dictionary_encode(part) for part in plain)
    codes = _numbered(pa.concat_arrays(list(alike(ours.dictionary, theirs.dictionary))))
    of_ours, of_theirs = np.split(codes, [len(ours.dictionary)])
    return _taken(of_ours, ours.indices), _taken(of_theirs, theirs.indices)


def _taken(codes: Ints, places: pa.Array) -> Ints:
    taken: Ints = np.append(codes, -1)[np.asarray(places.fill_null(-1))]
    return taken


def _is_shown(known: pa.Array, after: Ints, kind: Kind) -> bool:
    """Tell whether that each value became one value is more than chance."""
    if kind not in ORDERED:
        return bool(len(np.unique(_numbered(known.drop_null()))) < len(known) - known.null_count)
    whole = np.flatnonzero(np.asarray(pc.is_valid(known)))
    values, codes = known.take(pa.array(whole)), after[whole]
    in_order = codes[np.asarray(pc.sort_indices(values))]
    runs = np.count_nonzero(np.diff(in_order)) + 1
    return bool(runs == len(np.unique(codes)) < len(pc.unique(values)))


def _numbered(column: pa.Array) -> Ints:
    from tacita.kernels.grouping import factorize

    return factorize(*comparable(column))[0]


def _common_type(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """Return the type in which columns of two different types can be compared."""
    types = pa.types
    if types.is_null(one) or types.is_null(other):
        return other if types.is_null(one) else one
    if all(_is_number(kind) or types.is_boolean(kind) for kind in (one, other)):
        whole = all(types.is_integer(kind) or types.is_boolean(kind) for kind in (one, other))
        return pa.int64() if whole else pa.float64()
    if all(inferred_kind(kind) is Kind.DATE for kind in (one, other)):
        both = all(types.is_timestamp(kind) for kind in (one, other))
        return pa.timestamp("us") if both else pa.date32()
    return pa.list_(pa.string()) if types.is_list(one) and types.is_list(other) else pa.string()


def _converted(column: pa.Array, common: pa.DataType, beside: pa.DataType) -> pa.Array:
    """Return a column in the common type; text is read as what stands beside it."""
    if not _is_text(common):
        # From yes and no to fractions there is no way but over whole numbers.
        whole = column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column
        return whole.cast(common, safe=False)
    if pa.types.is_list(column.type):
        return joined_sets(column)
    if pa.types.is_decimal(column.type) or pa.types.is_floating(column.type):
        return _shown(column.cast(pa.float64()))
    text = column.cast(pa.string())
    if pa.types.is_timestamp(column.type):
        return _dates(text)
    return _read(text, beside) if _is_text(column.type) else text


def _read(text: pa.Array, beside: pa.DataType) -> pa.Array:
    """Spell text as the type beside it spells its values, where the text can be read so."""
    if _is_number(beside):
        return _by_value(text, _numerals)
    if inferred_kind(beside) is Kind.DATE:
        return _by_value(text, _dates)
    return _by_value(text, _words) if pa.types.is_boolean(beside) else text


def _numerals(text: pa.Array) -> pa.Array:
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(text))
    unsigned = pc.replace_substring_regex(plain, r"^\+", "")
    # Whole numbers are left as they are: a double does not hold the long ones.
    fraction = pc.and_(
        pc.match_substring_regex(unsigned, NUMERAL),
        pc.invert(pc.match_substring_regex(unsigned, WHOLE)),
    )
    numbers = pc.if_else(fraction, unsigned, "0").cast(pa.float64())
    return pc.if_else(fraction, _shown(numbers), unsigned)


def _shown(numbers: pa.Array) -> pa.Array:
    """Write doubles as text, whole ones as whole numbers are written."""
    whole = pc.and_(pc.equal(numbers, pc.trunc(numbers)), pc.less(pc.abs(numbers), MOST_WHOLE))
    digits = pc.if_else(whole, numbers, 0.0).cast(pa.int64()).cast(pa.string())
    return pc.if_else(whole, digits, numbers.cast(pa.string()))


def _dates(text: pa.Array) -> pa.Array:
    date = pc.replace_substring_regex(text, r"^\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", r"\1-\2-\3")
    for short in (r"^(\d{4}-)(\d-)", r"^(\d{4}-\d\d-)(\d)\b"):
        date = pc.replace_substring_regex(date, short, r"\10\2")
    return pc.replace_substring_regex(
        date, r"^(\d{4}-\d\d-\d\d)[ T]00:00(:00(\.0+)?)?Z?\s*$", r"\1"
    )


def _words(text: pa.Array) -> pa.Array:
    plain = _spelled(text)
    word = pc.if_else(pc.is_in(plain, pa.array(FALSE)), "false", plain)
    return pc.if_else(pc.is_in(plain, pa.array(TRUE)), "true", word)


def _by_value(column: pa.Array, change: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Change every distinct value once."""
    coded = pc.dictionary_encode(column)
    return change(coded.dictionary).take(coded.indices)


def _spelled(column: pa.Array) -> pa.Array:
    plain = pc.replace_substring_regex(pc.utf8_normalize(column, "NFKD"), ACCENTS, "")
    text = pc.utf8_trim_whitespace(pc.utf8_lower(plain))
    text = pc.replace_substring_regex(text, r"\s+", " ")
    return pc.replace_substring_regex(text, r"^(-?)0+(\d+)$", r"\1\2")


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_number(kind: pa.DataType) -> bool:
    return inferred_kind(kind) is Kind.CONTINUOUS
