"""The report as a PDF: tagged for screen readers, the same bytes for the same content.

Nothing is ever written into Typst code. The template is static and reads the report as JSON, so
that whatever stands in it is text and can be nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from tacita.release.report import plots
from tacita.release.report.model import Report

FONT = "Libertinus Serif"  # comes with Typst
LONG_WORD = re.compile(r"\S{28,}")
BREAK = "\u200b"  # a place where a line may break


def pdf(report: Report) -> bytes:
    """Return a report as PDF."""
    import typst

    template = files("tacita.release.report").joinpath("templates", "report.typ").read_bytes()
    content = json.dumps(_plain(asdict(report)), ensure_ascii=False)
    inputs = {"report": content, "ink": plots.INK, "before": plots.BEFORE, "after": plots.AFTER}
    try:
        return _bytes(typst.compile(template, sys_inputs=inputs, pdf_standards=["ua-1"]))
    except typst.TypstError:
        # The standard for accessible files refuses characters that no font here can show.
        return _bytes(typst.compile(template, sys_inputs=inputs))


def _bytes(compiled: Any) -> bytes:
    return compiled if isinstance(compiled, bytes) else b"".join(compiled)


def _plain(value: Any, name: str = "") -> Any:
    """Make texts fit a page: long words may break, figures use the page's font."""
    if isinstance(value, Mapping):
        return {key: _plain(inner, key) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, name) for inner in value]
    if not isinstance(value, str) or name in {"kind", "key", "alt"}:
        return value
    if name == "html":
        return ""  # a page of paper says the same in tables and figures
    if name == "svg":
        return _standing_alone(value)
    return LONG_WORD.sub(lambda word: BREAK.join(word[0]), value)


def _standing_alone(drawing: str) -> str:
    named = drawing.replace(f'font-family="{plots.FONT}"', f'font-family="{FONT}"')
    return named.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
