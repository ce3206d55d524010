"""Everything Tacita raises on purpose, drawn once.

TacitaError                 a person's mistake or an impossible wish, told in one sentence
 +-- InputError             the data cannot be read or do not fit what was said of them
 |    +-- HierarchyError    a generalization hierarchy misses values or is not a tree
 |    +-- NotApplicableError  a measure's number means nothing after what was done to the data
 +-- ParameterError         a parameter of a method is unknown, missing or out of range
 |    +-- MemoryLimitError  a question needs more memory than an engine may take
 +-- QueryError             a question is not a statistical query that this database answers
 +-- LedgerError            the ledger is broken or cannot be written; nothing more is answered
 +-- PlanError              a plan file does not say something that can be run (file, line, field)
 +-- ProtectionError        what was asked for cannot be reached with these data
 |    +-- RequirementError  the protected data fail a requirement, so nothing was released
 +-- OutputError            a file or folder cannot be written
 +-- ServerError            a server cannot be reached, or does not let one in
 +-- MissingExtraError      an optional dependency is not installed
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Self

LONGEST = 120  # characters of a value that a message shows
DEEPEST = 8  # levels of what is shown in a message


class TacitaError(Exception):
    """The root of every error that Tacita raises on purpose."""


class InputError(TacitaError):
    """The data cannot be read, or do not fit what was said of them.

    Attributes:
        attribute: the attribute it is about, where it is about one.
    """

    attribute: str | None = None

    def about(self, attribute: str) -> Self:
        """Return the error with the attribute it is about."""
        self.attribute = attribute
        return self


class HierarchyError(InputError):
    """A generalization hierarchy misses values of the data or is not a tree."""


class NotApplicableError(InputError):
    """A measure's number would mean nothing after what masking did to the values it counts."""


class ParameterError(TacitaError):
    """A parameter of a method is unknown, missing, of the wrong type or out of range."""


class MemoryLimitError(ParameterError):
    """A question needs more memory than an engine may take, even with the help of the disk."""


class QueryError(TacitaError):
    """A question is not a statistical query that this database answers; the message says why."""


class LedgerError(TacitaError):
    """The ledger is broken or cannot be written; nothing more is answered."""


class PlanError(TacitaError):
    """A plan file cannot be understood; the message names file, line and field."""


class ProtectionError(TacitaError):
    """The protection asked for cannot be reached with these data and parameters."""


class RequirementError(ProtectionError):
    """The protected data fail a requirement, so nothing was released.

    Attributes:
        verdicts: the judgement on every requirement, in plain types.
    """

    def __init__(self, message: str, verdicts: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(message)
        self.verdicts = tuple(verdicts)


class OutputError(TacitaError):
    """A file or folder cannot be written; nothing was left behind."""


class ServerError(TacitaError):
    """A server cannot be reached, does not let one in, or could not answer."""


class MissingExtraError(TacitaError):
    """An optional dependency is needed and not installed."""


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """Return a hint naming the known word closest to a wrong one, or nothing.

    >>> did_you_mean("k_anonimity", ["k_anonymity", "sample"])
    ' Did you mean `k_anonymity`?'
    >>> did_you_mean("xyz", ["k_anonymity"])
    ''
    """
    near = difflib.get_close_matches(str(wrong), list(known), n=1, cutoff=0.6)
    return f" Did you mean `{near[0]}`?" if near else ""


def load_extra(module: str, extra: str) -> Any:
    """Import an optional package where it is used.

    Raises:
        MissingExtraError: it is not installed; the message says how to get it.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"This needs {module}, which is not installed: pip install 'tacita[{extra}]'."
        ) from error


def in_words(error: BaseException) -> str:
    """Say what an error of a library means, in no words of that library and without a full stop.

    What a library says is made for whoever calls it: names of its errors, types and arguments. Of
    those who are told here nobody did.

    >>> in_words(KeyError("seed")), in_words(TypeError("'NoneType' object is not iterable"))
    ('`seed` is missing', 'something in it is not of the kind it should be')
    """
    if isinstance(error, TacitaError):
        return str(error).removesuffix(".")
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    if isinstance(error, KeyError) and isinstance(key := (*error.args, None)[0], str):
        return f"`{printable(key)}` is missing"
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON from line {error.lineno} on"
    return next((said for kind, said in MEANINGS if isinstance(error, kind)), NOT_THE_KIND)


# What reading or using damaged contents raises, be it in a library; `in_words` says it.
OF_DAMAGE = (
    OSError, LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RuntimeError,
)  # fmt: skip
MEANINGS: tuple[tuple[type[BaseException], str], ...] = (
    (UnicodeError, "it is not a text in UTF-8"),
    (RecursionError, "it is nested too deep"),
    (OverflowError, "a number in it is too large"),
    (MemoryError, "it is too large for the memory"),
)
NOT_THE_KIND = "something in it is not of the kind it should be"


def shown(value: object) -> str:
    """Return a value as a plan file would say it, on one line and not too long.

    >>> shown(None), shown({"a": [1, "x", None, True]}), shown("old")
    ('nothing', '{a: [1, x, null, true]}', "'old'")
    """
    if value is None:
        return "nothing"
    text = _flow(value, DEEPEST) if isinstance(value, Mapping | list | tuple) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _flow(value: object, levels: int) -> str:
    """Return a value on one line; what lies deeper than so many levels is three dots."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, Mapping | list | tuple):
        return str(value)
    if levels == 0:
        return "..."
    if isinstance(value, Mapping):
        rows = (f"{key}: {_flow(item, levels - 1)}" for key, item in value.items())
        return "{" + ", ".join(rows) + "}"
    return "[" + ", ".join(_flow(item, levels - 1) for item in value) + "]"


def printable(text: str) -> str:
    r"""Return text without signs that confuse a terminal: they are shown as they are escaped.

    What comes from files may hold signs that move the cursor, change colours or turn the direction
    of writing, and so hide what a reader relies on.

    >>> printable("name" + chr(27) + "[2Kof a file"), printable("Zürich")
    ('name\\x1b[2Kof a file', 'Zürich')
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
