"""Statuses as files tell them: by words and letters, by columns of TRUE and FALSE, by blanks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Mask
from tacita.errors import InputError, ParameterError, did_you_mean, shown
from tacita.tables.cells import Words
from tacita.tables.status import Status, Statuses, is_suppressed

FLAGS = ("primary", "suppressed")
WORDS: Mapping[str, Status] = {
    **dict.fromkeys(("safe", "shown", "s", "v", "e", ""), Status.SAFE),
    **dict.fromkeys(("sensitive", "primary", "unsafe", "u", "a", "b", "c"), Status.SENSITIVE),
    **dict.fromkeys(("secondary", "suppressed", "m", "x", "w", "d"), Status.SECONDARY),
    **dict.fromkeys(("published", "protected", "p", "z"), Status.PUBLISHED),
}
TRUE, FALSE = frozenset({"true", "t", "1", "yes"}), frozenset({"false", "f", "0", "no", ""})


def read_statuses(
    rows: pa.Table, values: Floats, roles: Mapping[str, Sequence[str]], words: Mapping[str, str]
) -> tuple[Statuses, Words]:
    """Return the status of each cell, and who decided it.

    Args:
        rows: the file, one row a cell.
        values: the value of each cell, NaN where it is blank.
        roles: the columns that tell a `status`, a `reason`, or `primary` and `suppressed` cells.
        words: for a word in the status column, the status; beside those that are known.

    Raises:
        InputError: a word is no status, or two columns contradict each other.

    >>> rows = pa.table({"sdcStatus": ["s", "u", "x"]})
    >>> read_statuses(rows, np.array([9.0, 2.0, 7.0]), {"status": ["sdcStatus"]}, {})[0]
    array([0, 1, 2], dtype=int8)
    """
    status = np.zeros(len(values), np.int8)
    if "status" in roles:
        status = _worded(rows, roles["status"][0], words)
    status = _flagged(rows, roles, status)
    _refuse_blank(status, values, told="status" in roles)
    unsaid = np.isnan(values) & ~is_suppressed(status)
    status[unsaid] = Status.SECONDARY
    reason = np.where(status == Status.SAFE, "", "given").astype(object)
    reason[unsaid] = "not published"
    if "reason" in roles:
        reason = np.array(_texts(rows, roles["reason"][0]), object)
    return status, reason


def _worded(rows: pa.Table, name: str, words: Mapping[str, str]) -> Statuses:
    known = {**WORDS, **{word.lower(): _status(said) for word, said in words.items()}}
    column = _texts(rows, name)
    told = [word.strip().lower() for word in column]
    for row, word in enumerate(told):
        if word not in known:
            raise InputError(
                f"Column `{name}` says {column[row]!r} in row {row + 1}, which is no status; say "
                "what it means: `words={" + repr(column[row]) + ": 'sensitive'}`, for instance."
            )
    return np.array([known[word] for word in told], np.int8)


def _texts(rows: pa.Table, name: str) -> list[str]:
    texts: list[str] = rows.column(name).cast(pa.string()).fill_null("").to_pylist()
    return texts


def _status(said: str) -> Status:
    names = {status.word: status for status in Status}
    if said not in names:
        raise ParameterError(
            f"A status is {', '.join(names)}; found {shown(said)}.{did_you_mean(str(said), names)}"
        )
    return names[said]


def _flagged(rows: pa.Table, roles: Mapping[str, Sequence[str]], status: Statuses) -> Statuses:
    """Add what columns of TRUE and FALSE say, as long as it is not the contrary."""
    primary, suppressed = (
        _flags(rows, roles[what][0]) if what in roles else None for what in FLAGS
    )
    made = status.copy()
    if suppressed is not None:
        made[suppressed & (status == Status.SAFE)] = Status.SECONDARY
        contrary = np.where(suppressed, status == Status.PUBLISHED, is_suppressed(status))
        _refuse_contrary(contrary, roles["suppressed"][0])
    if primary is not None:
        made[primary] = Status.SENSITIVE
        _refuse_contrary(primary & (status == Status.PUBLISHED), roles["primary"][0])
        if suppressed is not None:
            _refuse_contrary(primary & ~suppressed, roles["suppressed"][0])
    return made


def _flags(rows: pa.Table, name: str) -> Mask:
    told = [flag.strip().lower() for flag in _texts(rows, name)]
    for row, flag in enumerate(told):
        if flag not in TRUE | FALSE:
            raise InputError(
                f"Column `{name}` says {flag!r} in row {row + 1}; expected TRUE or FALSE."
            )
    return np.array([flag in TRUE for flag in told], bool)


def _refuse_contrary(wrong: Mask, name: str) -> None:
    if wrong.any():
        raise InputError(
            f"Column `{name}` contradicts another column in row {int(np.argmax(wrong)) + 1}: a "
            "cell is suppressed or it is not. Mend one of them, or leave one out."
        )


def _refuse_blank(status: Statuses, values: Floats, *, told: bool) -> None:
    """Refuse a cell without a value that is said to be published."""
    wrong = np.isnan(values) & ~is_suppressed(status)
    if told and wrong.any():
        raise InputError(
            f"The cell in row {int(np.argmax(wrong)) + 1} has no value and its status says that it "
            "is published; give the value or say that it is suppressed."
        )
