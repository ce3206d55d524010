"""Work on a plan that was asked about, whether it is a variant already or only tried."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import yaml

from tacita.app.hands.work import Work
from tacita.app.refusing import why
from tacita.data.dataset import Dataset
from tacita.errors import TacitaError
from tacita.release.execute import released as as_released


def as_asked(work: Work) -> Work:
    """Return the work with the plan that its arguments hold."""
    text = yaml.safe_dump(work.arguments["plan"], sort_keys=False, allow_unicode=True)
    return replace(work, text=text)


def released(work: Work) -> Dataset:
    """Return the masked data as the reader of the released file would see them."""
    return as_released(work.masked[0], work.plan.format, work.plan.order)


@contextmanager
def plainly(work: Work) -> Iterator[None]:
    """Let what is refused say why, without the line of a file that the person never wrote."""
    try:
        yield
    except TacitaError as error:
        told = why(str(error), work.file)
        if told == str(error):
            raise
        raise type(error)(told) from error
