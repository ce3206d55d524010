"""Docstrings as Markdown: prose stays prose, doctests and drawn trees become blocks."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"(?m)^( *)>>> .*(?:\n(?! *$).*)*")
DRAWN = re.compile(r"(?m)^\S.*(?:\n[ |]*\+-- .*)+")
AGAINST = "When not to use it: "


class Blocks(griffe.Extension):
    """Lets the API reference show doctests and drawn trees as they were written."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            drawn = DRAWN.sub(r"```text\n\g<0>\n```", obj.docstring.value)
            obj.docstring.value = fenced(drawn)


def fenced(text: str) -> str:
    r"""Put doctests into code blocks.

    >>> fenced("Add.\n\n>>> 1 + 1\n2")
    'Add.\n\n```pycon\n>>> 1 + 1\n2\n```'
    """
    return DOCTEST.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)


def prose(text: str) -> str:
    """Return the paragraphs of a docstring that are no doctests, as Markdown."""
    return "\n\n".join(map(_paragraph, re.split(r"\n{2,}", DOCTEST.sub("", text).strip())))


def examples(text: str) -> str:
    """Return the doctests of a docstring as code blocks."""
    return "\n\n".join(fenced(found[0]) for found in DOCTEST.finditer(text))


def _paragraph(text: str) -> str:
    if text.startswith(AGAINST):
        words = escaped(text.removeprefix(AGAINST)).replace("\n", "\n    ")
        return f'!!! warning "{AGAINST.strip(": ")}"\n\n    {words[0].upper()}{words[1:]}'
    return escaped(text)


def escaped(text: str) -> str:
    """Keep `<` and `&` from being read as HTML, except in code, where they never are.

    >>> escaped("a < b, `a < b`")
    'a &lt; b, `a < b`'
    """
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [part.replace("&", "&amp;").replace("<", "&lt;") for part in parts[::2]]
    return "".join(parts)
