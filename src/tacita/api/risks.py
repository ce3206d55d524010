"""`Microdata.risk()`: five lines at once, and every risk and attack when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tacita.data.dataset import Dataset
from tacita.data.pairing import are_paired, paired_rows
from tacita.errors import did_you_mean
from tacita.intruders.applying import Applying
from tacita.intruders.intruder import Intruder
from tacita.method import Method
from tacita.microdata.risk.uniqueness import Uniqueness
from tacita.progress import progress
from tacita.release.measuring import measured
from tacita.release.strongest import strongest
from tacita.results import Measurement, Measures, counted, listed

SHARED = "Records below k"
STRONGEST = "Strongest attack"
SUPPRESSED = "Suppressed values"
LEFT_OUT = "Records left out"
NEXT = "What to do next"
WIDTH = max(map(len, (SHARED, STRONGEST, SUPPRESSED, LEFT_OUT, NEXT)))
SMALL_SHARE = 0.0005  # shares below it are told as less than 0.1 %


class Risks(Measures):
    """The risks of protected data, each measured when it is first asked for.

    It prints five lines: how many records stand in classes of fewer than k, the strongest attack so
    far, what was suppressed and left out, and what to do next. For them only the attacks
    are carried out that say they open a judgement. `table()` carries out all others and prints
    every number; an index by name carries out that one.

    >>> import tacita as ta
    >>> data = ta.example("toy", 200)
    >>> found = data.apply(ta.LocalSuppression(2), seed=1).risk(k=2)
    >>> print(str(found).splitlines()[0].partition(" by ")[0])
    Records below k    0 of 200 (0 %) stand in classes of fewer than 2 records
    >>> "uniqueness" in found.pending
    True
    >>> found["uniqueness"].value, "uniqueness" in found.pending
    (Fraction(0, 1), False)

    Args:
        methods: the risks and attacks.
        original: the data before masking.
        protected: the data after masking.
        intruder: who attacks; by default the worst case that each measure assumes.
        k: classes of fewer records are told.
    """

    def __init__(
        self,
        methods: Sequence[Method],
        original: Dataset,
        protected: Dataset,
        intruder: Intruder | None = None,
        *,
        k: int = 3,
    ) -> None:
        self._methods = {method.name: method for method in methods}
        self._files = (original, protected)
        self._intruder = intruder
        self._k = k
        self._found: dict[str, Measurement | str] = {}
        self._measure([name for name, method in self._methods.items() if method.opens])

    def _measure(self, names: Sequence[str]) -> None:
        """Carry out some measures, or keep the reason why one does not apply."""
        if not names:
            return
        methods = [self._methods[name] for name in names]
        with progress(len(methods)) as tell:
            found = measured(methods, *self._files, tell, self._intruder)
        self._found.update({one.name: one for one in found.rows})
        self._found.update(found.skipped)

    @property
    def pending(self) -> tuple[str, ...]:
        """The risks and attacks that were not measured yet."""
        return tuple(name for name in self._methods if name not in self._found)

    @property
    def finished(self) -> tuple[Measurement, ...]:
        """What was measured so far."""
        held = (self._found.get(name) for name in self._methods)
        return tuple(one for one in held if isinstance(one, Measurement))

    @property
    def rows(self) -> tuple[Measurement, ...]:  # type: ignore[override]
        """Every measurement; those that are pending are carried out."""
        self._measure(self.pending)
        return self.finished

    @property
    def skipped(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        """What could not be measured, and why; what is pending is carried out."""
        self._measure(self.pending)
        held = ((name, self._found[name]) for name in self._methods)
        return tuple((name, why) for name, why in held if isinstance(why, str))

    def table(self) -> Measures:
        """Return every risk and attack as a table that prints all numbers."""
        return Measures(self.rows, self.skipped)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, str):
            return self.rows[place]
        if place not in self._methods:
            raise KeyError(f"{place} was not measured.{did_you_mean(place, self._methods)}")
        if place not in self._found:
            self._measure([place])
        found = self._found[place]
        if isinstance(found, str):
            raise KeyError(f"{place} was not measured: {found}")
        return found

    def __repr__(self) -> str:
        lines = (
            (SHARED, self._shared()),
            (STRONGEST, self._strongest()),
            (SUPPRESSED, self._suppressed()),
            (LEFT_OUT, self._left_out()),
            (NEXT, self._next()),
        )
        return "\n".join(f"{name:<{WIDTH}}  {told}" for name, told in lines)

    # -- the five lines --------------------------------------------------------------------------

    @cached_property
    def _names(self) -> list[str]:
        """The released attributes that the intruder knows, by default the keys."""
        released = self._files[1]
        held = None if self._intruder is None else self._intruder.attributes
        return [
            name for name in (released.keys if held is None else held) if name in released.names
        ]

    @cached_property
    def _why_not_counted(self) -> str | None:
        """Why no record can be said to share its key values with others, if none can."""
        original, protected = self._files
        if not self._names:
            return "not known: no attribute has the role `key`"
        if protected.is_synthetic:
            return "not applicable: the records come from nobody"
        applying = Applying(original, protected, self._intruder)
        reason = applying.reason_against(Uniqueness(keys=tuple(self._names)))
        return None if reason is None else reason.split(":")[0]

    @cached_property
    def _below(self) -> int:
        """The number of records that fewer than k share the key values of."""
        sizes = self._files[1].classes(self._names).size_of_record
        return int(np.count_nonzero(sizes < self._k))

    def _shared(self) -> str:
        if self._why_not_counted is not None:
            return self._why_not_counted
        records = len(self._files[1])
        return (
            f"{_part(self._below, records)} stand in classes of fewer than {self._k} records by "
            f"{listed(self._names, 8)}"
        )

    def _strongest(self) -> str:
        best = strongest(self.finished, self.pending)
        if best is not None:
            return str(best)
        reasons = [why for why in self._found.values() if isinstance(why, str)]
        why = f"none can be carried out: {reasons[0]}" if reasons else "none carried out"
        return f"{why}; {len(self.pending)} measures pending" if self.pending else why

    def _suppressed(self) -> str:
        protected = self._files[1]
        blanks = {name: self._blanked(name) for name in self._names}
        told = [
            f"{name} {_share(count, len(protected))}" for name, count in blanks.items() if count
        ]
        if not told:
            return "none in what an intruder knows"
        rest = "" if len(told) == len(blanks) else "; none in the other keys"
        return f"{listed(told, 12)}{rest}"

    def _blanked(self, name: str) -> int:
        """Count the values of an attribute that are blank now and were not before."""
        original, protected = self._files
        blank = np.asarray(protected.column(name).is_null())
        if name in original.attributes and are_paired(original, protected):
            blank &= np.asarray(original.column(name).is_valid())[paired_rows(original, protected)]
        elif name in original.attributes and not protected.is_synthetic:
            return max(int(np.count_nonzero(blank)) - int(original.column(name).null_count), 0)
        else:
            blank &= protected.suppressed_in(name)
        return int(np.count_nonzero(blank))

    def _left_out(self) -> str:
        original, protected = self._files
        if protected.is_synthetic:
            return f"all {len(original):,}; {counted(len(protected), 'record')} from nobody instead"
        if are_paired(original, protected):
            kept = len(np.unique(paired_rows(original, protected)))
        else:
            kept = min(len(protected), len(original))
        return _part(len(original) - kept, len(original))

    def _next(self) -> str:
        return " ".join(self._advice())

    def _advice(self) -> Iterator[str]:
        protected = self._files[1]
        if not self._names:
            yield "Say which attributes an intruder may know: `ta.read(..., roles={...: 'key'})`."
        elif protected.is_synthetic:
            yield "Compare with records set aside: `closest_records` and `membership_inference`."
        elif self._why_not_counted is None and self._below:
            few, k = counted(self._below, "record"), self._k
            ways = f"`.anonymize(ta.KAnonymity({k}))` or `.apply(ta.LocalSuppression({k}))`"
            yield f"Hide the {few}: {ways}."
        if self.pending:
            measures = counted(len(self.pending), "measure")
            yield f"`.risk().table()` carries out the {measures} pending."
        else:
            yield "`.release(folder, require=[...])` bounds what must hold and keeps the evidence."


def _share(count: int, records: int) -> str:
    """Return a count with its share in per cent; only none is 0 %."""
    share = count / records if records else 0.0
    told = "<0.1" if 0 < share < SMALL_SHARE else f"{100 * share:.3g}"
    return f"{count:,} ({told} %)"


def _part(count: int, records: int) -> str:
    """Return how many of some records, with the share.

    >>> _part(3, 2000), _part(1, 10**6), _part(0, 5)
    ('3 of 2,000 (0.15 %)', '1 of 1,000,000 (<0.1 %)', '0 of 5 (0 %)')
    """
    return _share(count, records).replace(" (", f" of {records:,} (", 1)
