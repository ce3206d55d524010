"""Nearness: how far records lie apart, seen with the eyes of an intruder.

Numbers and dates count in standard deviations, all other values 0 if they are the same and 1 if
not; the distance of two records is the root of the sum of the squares over their attributes.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import are_paired
from tacita.errors import InputError
from tacita.microdata.comparing.features import features, shared
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.representation import alike, as_text, common_codes
from tacita.results import listed

Pair = tuple[Any, Any, int]  # a known value, what it was released as, and how often
FARTHEST = 1e6  # standard deviations: a model need not tell apart what lies beyond


@dataclass(frozen=True, eq=False)
class Points:
    """Records of one data set as numbers and codes that are the same for all data sets.

    Args:
        numbers: records by numeric attributes; a blank is NaN.
        codes: records by all other attributes; equal where the values are.
        spreads: the standard deviation of every numeric attribute in all data sets together.
        middles: a value of every numeric attribute that is in the middle of all.
    """

    numbers: Floats
    codes: Ints
    spreads: Floats
    middles: Floats

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def columns(self) -> Floats:
        """Numbers in deviations from the middle and codes side by side, small for any model."""
        # Models keep few digits: without its middle, a year or a time would look like a constant.
        scaled = np.clip((self.numbers - self.middles) / self.spreads, -FARTHEST, FARTHEST)
        return np.column_stack([scaled, self.codes])

    def distinct(self) -> tuple[Points, Ints]:
        """Return every point once, in an order that is not that of the records, and whose is which.

        The second is the place among the distinct points of every record's.
        """
        from tacita.kernels.grouping import group

        numbers = self.numbers + 0.0  # of the two zeros there is one
        columns = [*numbers.T.view(np.int64), *self.codes.T]
        ids, first, _ = group(
            [np.ascontiguousarray(column) for column in columns], records=len(self)
        )
        order = np.lexsort([*self.codes[first].T, *numbers[first].T, np.zeros(len(first))])
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        rows = first[order]
        return Points(self.numbers[rows], self.codes[rows], self.spreads, self.middles), place[ids]

    def closest(self, others: Points) -> tuple[Floats, Ints]:
        """Return the distance of every record to the closest of others, and which one that is."""
        from tacita.kernels.closest import closest

        theirs = others.numbers, others.codes
        squared, places = closest((self.numbers, self.codes), theirs, self.spreads)
        return np.sqrt(squared), places


def points(datasets: Sequence[Dataset], names: Sequence[str]) -> list[Points]:
    """Lay the records of several data sets out in one space.

    >>> import tacita as ta
    >>> toy = ta.example("toy", 40)
    >>> first, second = points([toy, toy], ["age", "income", "disease"])
    >>> float(first.closest(second)[0].max())
    0.0
    """
    numeric = [name for name in names if is_numeric(datasets, name)]
    columns = [of_moderate_size(np.concatenate(numbers(datasets, name))) for name in numeric]
    coded = [np.concatenate(codes(datasets, name)) for name in names if name not in numeric]
    spreads = np.array([spread_of(column) or 1.0 for column in columns])
    middles = np.array([_middle(column) for column in columns])
    size, ends = sum(map(len, datasets)), np.cumsum([len(data) for data in datasets])[:-1]
    parts = zip(
        np.split(np.column_stack([np.zeros((size, 0)), *columns]), ends),
        np.split(np.column_stack([np.zeros((size, 0), np.int64), *coded]), ends),
        strict=True,
    )
    return [Points(*part, spreads, middles) for part in parts]


def known_in_terms(
    original: Dataset, protected: Dataset, asked: Sequence[str] | None
) -> tuple[list[str], Dataset, Dataset]:
    """Return the attributes that all hold, and original and holdout records in released terms.

    Args:
        original: the data before masking or synthesis, with a holdout beside.
        protected: the released data.
        asked: the attributes; by default all that tell of respondents.

    Raises:
        InputError: there is no holdout, or nothing that can be compared.
    """
    held = shared([original, protected])
    names = [name for name in held if asked is None or name in asked]
    if not names:
        raise InputError(
            "The protected data hold none of the attributes to compare; say which `attributes` "
            "both files hold."
        )
    holdout = holdout_of(original, names)
    known, other = recoded_alike([original, holdout], original, protected, names)
    return names, known, other


def numbers(datasets: Sequence[Dataset], name: str) -> list[Floats]:
    """Return the values of a numeric attribute of several data sets; days of dates."""
    return [matrix[:, 0] for matrix in features(datasets, [name]).matrices]


def is_numeric(datasets: Sequence[Dataset], name: str) -> bool:
    """Tell whether an attribute is a number in all of some data sets, or a date in all."""
    kinds = {data.attribute(name).kind for data in datasets}
    dates = all(pa.types.is_temporal(data.column(name).type) for data in datasets)
    return kinds == {Kind.CONTINUOUS} or (kinds == {Kind.DATE} and dates)


def codes(datasets: Sequence[Dataset], name: str) -> list[Ints]:
    """Return numbers for the values of several data sets, equal where they are; a blank has -1.

    They ascend with the values, so that the order of the records does not matter.
    """
    *known, released = [data.column(name) for data in datasets]
    joined = reduce(lambda one, other: pa.concat_arrays(list(alike(one, other))), known)
    coded = np.concatenate(common_codes(joined, released))
    words = pa.concat_arrays([as_text(column) for column in alike(joined, released)])
    example = np.zeros(int(coded.max(initial=-1)) + 1, np.int64)
    example[coded[coded >= 0]] = np.flatnonzero(coded >= 0)
    ascending = np.asarray(pc.sort_indices(words.take(pa.array(example))))
    coded = np.append(np.argsort(ascending), -1)[coded]
    return np.split(coded, np.cumsum([len(data) for data in datasets])[:-1])


def of_moderate_size(values: Floats) -> Floats:
    """Return numbers times a power of two, which loses no digit, so that they spread by about 1.

    >>> of_moderate_size(np.array([2.0**600, -(2.0**600)]))
    array([ 0.5, -0.5])
    """
    size = spread_of(values) or float(np.abs(values[~np.isnan(values)]).max(initial=0.0))
    return np.asarray(np.ldexp(values, -math.frexp(size)[1]))


def _middle(values: Floats) -> float:
    """Return one of the values, so that whole numbers differ from it by whole numbers."""
    known = values[~np.isnan(values)]
    return float(np.partition(known, len(known) // 2)[len(known) // 2]) if len(known) else 0.0


def spread_of(values: Floats, weights: Floats | None = None) -> float:
    """Return the standard deviation of the values that are not blank; 0 where there is none.

    >>> spread_of(np.array([1.0, 3.0, np.nan])), spread_of(np.array([5.0]))
    (1.4142135623730951, 0.0)
    """
    from tacita.kernels.moments import moments

    there = ~np.isnan(values)
    if weights is not None:
        there &= weights > 0
        weights = weights[there] * (np.count_nonzero(there) / max(weights[there].sum(), 1e-300))
    # Squares of very large numbers have no double; by a power of two, scaling loses no digit.
    scale = 2.0 ** (int(np.frexp(np.abs(values[there]).max(initial=0.0))[1]) - 1)
    variance = float(moments([values[there] / scale], weights).covariance[0, 0])
    return min(scale * math.sqrt(variance), sys.float_info.max) if variance > 0 else 0.0


def holdout_of(original: Dataset, names: Sequence[str] = ()) -> Dataset:
    """Return the records that the protected data were not made from.

    Raises:
        InputError: there are none, or they lack attributes that are compared: an intruder who
            does without these would seem weaker than one is.
    """
    holdout = original.external.holdout
    if holdout is None:
        raise InputError(
            "This needs a holdout: records of the same kind that the protected data were not made "
            "from; give them as `holdout`."
        )
    missing = [name for name in names if name not in holdout.attributes]
    if missing:
        raise InputError(f"The holdout lacks {listed(missing)}, which the data hold; add it.")
    return holdout


def recoded_alike(
    known: Sequence[Dataset], original: Dataset, protected: Dataset, names: Sequence[str]
) -> list[Dataset]:
    """Return what an intruder knows in the terms of the release.

    Where released records have values that no original record has, the attribute was recoded, all
    of it or a part (as by top-coding), and the file shows how: a known value becomes the released
    value that most of the original records with it have, if that is a new one and no chance. Else
    it stays what it is, or becomes a blank if no released record has it.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> masked = data.apply(ta.Generalize("Zip code", level=2), seed=0)
    >>> recoded_alike([data], data, masked, ["Zip code"])[0].column("Zip code")[0]
    <pyarrow.StringScalar: '230**'>
    """
    made = list(known)
    for name in names:
        terms = _terms_of(original, protected, name)
        if terms is not None:
            attribute = protected.attribute(name)
            made = [
                # The codes that say why values are missing are those of the original attribute.
                data.without_reasons([name]).with_column(attribute, _in_terms(data, name, terms))
                for data in made
            ]
    return made


def _terms_of(original: Dataset, protected: Dataset, name: str) -> pa.Table | None:
    """Return what stands for every original value of an attribute; None if it is not recoded."""
    columns = original.column(name), protected.column(name).drop_null()
    if is_numeric([original, protected], name) or any(_holds_sets(column) for column in columns):
        return None
    known, released = alike(*columns)
    new = len(released) - int(np.count_nonzero(pc.is_in(released, known)))
    if not new:
        return None
    belong_together = protected.is_synthetic or are_paired(original, protected)
    if not (belong_together or 2 * new > len(released)):
        return None
    return _terms(paired(original, protected).column(name), protected.column(name))


def _holds_sets(column: pa.Array) -> bool:
    return bool(pa.types.is_list(column.type))


def _terms(known: pa.Array, released: pa.Array) -> pa.Table | None:
    """Return for every known value the released value that stands for it; None if none is coded."""
    pairs = _pairs(known, released)
    usual = {value: word for value, word, _ in pairs}
    values, words = known.unique().drop_null(), released.unique().drop_null()
    before, after = common_codes(values, words)
    new = set(words.filter(pa.array(~np.isin(after, before))).to_pylist())
    codings = _codings(pairs, new)
    if not codings:
        return None
    same = dict(zip(after.tolist(), words.to_pylist(), strict=True))
    terms = [
        usual[value] if usual.get(value) in codings else same.get(code)
        for value, code in zip(values.to_pylist(), before.tolist(), strict=True)
    ]
    return pa.table({"known": values, "released": pa.array(terms, released.type)})


def _pairs(known: pa.Array, released: pa.Array) -> list[Pair]:
    """Count which known value is released as which; the most frequent stand last."""
    table = pa.table({"known": known, "released": released}).drop_null()
    counts = table.group_by(["known", "released"]).aggregate([([], "count_all")])
    # Of equally frequent ones the order is the same whatever the threads did.
    order = [("count_all", "ascending"), ("released", "descending")]
    chosen = counts.sort_by(order).select(["known", "released", "count_all"])
    return list(zip(*(column.to_pylist() for column in chosen.columns), strict=True))


def _codings(pairs: list[Pair], new: set[Any]) -> set[Any]:
    """Return the new values that code others: all if most values are new, else no chance ones.

    A synthetic record may have a value that nobody has, beside whichever record it stands. Of those
    released with a code, at least half have a value most of whose several records became it.
    """
    of_value, of_word, shown = Counter[Any](), Counter[Any](), Counter[Any]()
    for value, word, count in pairs:
        of_value[value] += count
        of_word[word] += count
    if 2 * sum(of_word[word] for word in new) > of_word.total():
        return new
    for value, word, count in pairs:
        shown[word] += count if count > 1 and 2 * count > of_value[value] else 0
    return {word for word in new if 2 * shown[word] >= of_word[word]}


def _in_terms(data: Dataset, name: str, terms: pa.Table) -> pa.Array:
    known, asked = common_codes(terms.column("known").combine_chunks(), data.column(name))
    place = np.full(max(int(known.max(initial=-1)), int(asked.max(initial=-1))) + 2, -1)
    place[known] = np.arange(len(known))
    rows = place[asked]
    return terms.column("released").combine_chunks().take(pa.array(rows, mask=rows < 0))
