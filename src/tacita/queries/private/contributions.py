"""Contributions: how many records of a respondent count, and which."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints, Mask
from tacita.mechanisms.keyed import keyed_digests
from tacita.queries.public_classes import PublicClasses


class Contributions:
    """At most so many records of every respondent, chosen by a key.

    Of a respondent with more, those with the least keyed hashes of who it is and the how-manieth of
    its records count, the same ones as long as the records are the same. The choice looks at no
    other respondent, so that one respondent more, less or changed moves only its own records.

    Args:
        respondent: the identifier that tells respondents apart; None where every record counts, and
            somebody promises that nobody has more.
        most: how many records of a respondent count.
        key: what the choice is made with.
    """

    def __init__(self, respondent: str | None, most: int, key: bytes) -> None:
        self.respondent = respondent
        self.most = most
        self._key = key
        # By the data, since a query that was decided may be answered after the data changed.
        self._kept: WeakKeyDictionary[PublicClasses, Mask] = WeakKeyDictionary()

    def kept(self, data: PublicClasses) -> Mask | None:
        """Tell which records count, in the order of the classes; None where all do."""
        if self.respondent is None:
            return None
        if data not in self._kept:
            self._kept[data] = self._chosen(data, self.respondent)
        return self._kept[data]

    def left_out(self, data: PublicClasses) -> int:
        """Return how many records do not count; the number is confidential."""
        kept = self.kept(data)
        return 0 if kept is None else int((~kept).sum())

    def _chosen(self, data: PublicClasses, respondent: str) -> Mask:
        who = data.respondents(respondent)
        many = np.bincount(who, minlength=1)
        kept: Mask = many[who] <= self.most
        rows = np.flatnonzero(~kept)
        # Respondent after respondent, the records of each in the order of the source.
        rows = rows[np.lexsort((data.order[rows], who[rows]))]
        names = data.identifiers[respondent].take(pa.array(data.order[rows])).to_pylist()
        words = (f"{name}\0{place}" for name, place in zip(names, _places(who[rows]), strict=True))
        digests = b"".join(digest[:8] for digest in keyed_digests(words, self._key))
        rows = rows[np.lexsort((np.frombuffer(digests, np.uint64), who[rows]))]
        kept[rows[_places(who[rows]) < self.most]] = True
        return kept


def _places(sorted_groups: Ints) -> Ints:
    """Return the place of every element in its group, where groups stand together.

    >>> _places(np.array([4, 4, 4, 7, 9, 9]))
    array([0, 1, 2, 0, 0, 1])
    """
    starts = np.flatnonzero(np.diff(sorted_groups, prepend=-1))
    sizes = np.diff(np.append(starts, sorted_groups.size))
    return np.arange(sorted_groups.size) - np.repeat(starts, sizes)


ONE_EACH = Contributions(None, 1, b"")  # every record is a respondent
