"""How the report says things: names, numbers, parameters and long texts, in a reader's words.

Whatever comes from data or plans is hostile here: it may be long, hold control characters or turn
the direction of writing. `printable` and `clipped` make it harmless to read; escaping for a format
is the renderers' matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from numbers import Rational, Real
from typing import Any

import numpy as np

from tacita.method import Method, first_line
from tacita.results import show

LISTED = 12  # items of a list or mapping that a sentence takes
NAME_WIDTH = 60
TEXT_WIDTH = 600
BOUNDS = {"at_most": "at most", "at_least": "at least"}
# Control characters, lone surrogates, and what changes the direction of the text after it.
UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
SPACES = re.compile(r"[\s\u2028\u2029]+")


def printable(text: object) -> str:
    """Return a text on one line, without characters that cannot be read.

    >>> printable("two" + chr(10) + "lines" + chr(0))
    'two lines\ufffd'
    """
    return UNREADABLE.sub("\ufffd", SPACES.sub(" ", str(text)))


def clipped(text: object, width: int = TEXT_WIDTH) -> str:
    """Return a text that is not longer than a width; what is too much goes out of its middle.

    >>> clipped("every combination of a, b, c, d is shared", 20)
    'every co ... shared'
    """
    plain = printable(text)
    if len(plain) <= width:
        return plain
    tail = (width - 5) // 2
    return f"{plain[: width - 5 - tail].rstrip()} ... {plain[-tail:].lstrip()}"


def name_of(text: object) -> str:
    """Return the name of an attribute or category as a table shows it."""
    return clipped(text, NAME_WIDTH)


def phrase(name: str) -> str:
    """Return a name of plan files in words, for the middle of a sentence.

    >>> phrase("k_anonymity"), phrase("top_code"), phrase("non_confidential")
    ('k-anonymity', 'top code', 'non-confidential')
    """
    plain = re.sub(r"^(.|non|set)_", r"\1-", name_of(name))
    return plain.replace("_", " ")


def title(name: str) -> str:
    """Return a name of plan files in words, for the beginning of a line.

    >>> title("exact_linkage"), title("k_anonymity")
    ('Exact linkage', 'k-anonymity')
    """
    words = phrase(name)
    return words if words[1:2] == "-" else words[:1].upper() + words[1:]


def counted(number: int, thing: str) -> str:
    """Return a number of things.

    >>> counted(1, "record"), counted(1200, "record")
    ('1 record', '1,200 records')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def number(value: Real | float | None) -> str:
    """Return a number as a person reads it, whatever it is."""
    if value is None:
        return "undefined"
    if not isinstance(value, Rational) and not np.isfinite(float(value)):
        return "not finite"
    return show(float(value))


def percent(share: Real | float | None) -> str:
    """Return a share in percent; what is nearly none or nearly all is not called so.

    >>> percent(0.0193), percent(0), percent(0.99999), percent(0.00001), percent(None)
    ('1.93%', '0%', '>99.99%', '<0.01%', 'undefined')
    """
    if share is None or not np.isfinite(float(share)):
        return "undefined"
    value = 100 * float(share)
    if 0 < value < 0.01:  # noqa: PLR2004 - the last digit shown
        return "<0.01%"
    if 99.99 < value < 100:  # noqa: PLR2004
        return ">99.99%"
    return f"{value:.2f}".rstrip("0").rstrip(".") + "%"


def said(value: Any) -> str:
    """Return the value of a parameter or note in words.

    >>> said([{"k_anonymity": {"k": 5}}]), said(True), said({"age": 2, "zip": 1})
    ('k-anonymity (k = 5)', 'yes', 'age: 2, zip: 1')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, Real):
        return number(value)
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return listed(said(item) for item in value)
    return clipped(value)


def listed(items: Iterable[str], most: int = LISTED) -> str:
    """Return items as a list in a sentence that does not grow without end.

    >>> listed("abcd", 2)
    'a, b and 2 more'
    """
    rest = iter(items)
    shown = list(islice(rest, most))
    more = sum(1 for _ in rest)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _mapping(value: Mapping[Any, Any]) -> str:
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), Mapping):
        return method_said(value) if all(isinstance(key, str) for key in inner) else said(inner)
    return listed(f"{name_of(key)}: {said(item)}" for key, item in value.items())


def method_said(plan: Mapping[str, Any]) -> str:
    """Return a method of a plan in words.

    >>> method_said({"uniqueness": {"at_most": 0.05}}), method_said({"without": "sample"})
    ('uniqueness (at most 0.05)', 'without sample')
    """
    ((name, given),) = plan.items()
    if not isinstance(given, Mapping):
        return f"{phrase(name)} {phrase(str(given))}"
    inner = listed(_assigned(key, value) for key, value in given.items())
    return f"{phrase(name)} ({inner})" if inner else phrase(name)


def _assigned(key: str, value: Any) -> str:
    return f"{BOUNDS[key]} {said(value)}" if key in BOUNDS else f"{phrase(key)} = {said(value)}"


def capital(text: str) -> str:
    """Return a text whose first word, when it has more than a letter, begins with a capital."""
    return text if text[1:2] in {"-", ""} else text[:1].upper() + text[1:]


def summary(method: type[Method] | None) -> str:
    """Return the first line of what a method says of itself."""
    return "" if method is None else _without_markup(first_line(method))


def explanation(method: type[Method] | None) -> str:
    """Return what a method's docstring tells after its first line, without examples and advice."""
    paragraphs = [] if method is None else (method.__doc__ or "").strip().split("\n\n")[1:]
    return " ".join(_without_markup(part) for part in _told(paragraphs))


def _told(paragraphs: Iterable[str]) -> Iterator[str]:
    for paragraph in paragraphs:
        if paragraph.strip().startswith((">>>", "Args:", "Attributes:")):
            return
        if not paragraph.strip().startswith("When not to use"):
            yield paragraph


def promise(kept: object) -> str:
    """Return what a method keeps, without markup.

    >>> promise("means, exactly, with `exact: yes`")
    'means, exactly, with exact: yes'
    """
    return clipped(_without_markup(str(kept)))


def _without_markup(text: str) -> str:
    return re.sub(r"`([^`]*)`|\*(\w[^*]*)\*", r"\1\2", " ".join(text.split()))
