"""Telling the log what went wrong in the workbench itself, without what it was about."""

from __future__ import annotations

import logging
from traceback import extract_tb

log = logging.getLogger("tacita.app")


def log_failure(what: str, error: BaseException) -> None:
    """Log the kind of an exception and the lines it came through.

    What an exception says may hold values of respondents, names of attributes or a query, so that
    no word of it is logged.
    """
    told = []
    cause: BaseException | None = error
    while cause is not None:
        lines = [
            f"  {one.filename}:{one.lineno} in {one.name}"
            for one in extract_tb(cause.__traceback__)
        ]
        told.append("\n".join([type(cause).__name__, *lines]))
        cause = cause.__cause__ or cause.__context__
    log.error("%s: %s", what, "\nbecause of ".join(told))
