"""The confidential attribute that an attack aims at."""

from __future__ import annotations

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset
from tacita.microdata.risk.learners import confidential_in

CATEGORIES = (Kind.NOMINAL, Kind.ORDINAL)


def secret_of(original: Dataset, protected: Dataset, asked: str | None) -> str:
    """Return the attribute asked for, else the first confidential one, of categories if there is.

    Raises:
        InputError: there is none that both files hold.
    """
    names = confidential_in(original, protected, asked if asked is None else [asked])
    categories = [name for name in names if protected.attribute(name).kind in CATEGORIES]
    return (categories or names)[0]
