"""Whether the number of a measure means anything after what masking did to what it looks at.

What masking did is known of the steps that were carried out here. Of values that no step accounts
for (a foreign file, a column put in by hand) it is guessed: record by record where records are
paired, else from the released file and the combinations in it that the original does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.attacks.guessing import guess_methods
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, comparable, joined_sets
from tacita.data.dataset import Dataset
from tacita.data.pairing import are_paired, paired_rows
from tacita.errors import InputError, NotApplicableError
from tacita.intruders.intruder import Intruder
from tacita.intruders.uses import knowledge_of
from tacita.kernels.grouping import factorize, group
from tacita.method import Method
from tacita.registry import find
from tacita.results import listed
from tacita.validity import Change, Changed

JUDGED = ("model", "risk", "attack")
PERTURBED = frozenset({Change.PERTURBATION})


class Applying:
    """Tells of each risk and attack whether it means anything on a release.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> swapped = data.apply(ta.RankSwap(["age"], p=10), seed=1)
    >>> applying = Applying(data, swapped)
    >>> applying.reason_against(ta.Uniqueness()).split(":")[0]
    'not applicable after rank_swap of keys (age)'
    >>> applying.reason_against(ta.RankLinkage()) is None
    True

    Args:
        original: the data before masking.
        protected: the data after masking.
        intruder: who attacks, if anybody was named.
    """

    def __init__(
        self, original: Dataset, protected: Dataset, intruder: Intruder | None = None
    ) -> None:
        self.original = original
        self.protected = protected
        self.intruder = intruder

    def refuse(self, method: Method) -> None:
        """Refuse a measure whose number would mean nothing.

        Raises:
            NotApplicableError: it would; the message says after what.
            InputError: it takes records that come from nobody for respondents'.
        """
        if self.protected.is_synthetic:
            refuse_respondents(method)
            return
        reason = self.reason_against(method)
        if reason is not None:
            raise NotApplicableError(reason)

    def reason_against(self, method: Method) -> str | None:
        """Return why the number of a measure would mean nothing, or None where it means something.

        Records that come from nobody are another matter, which `refuse_respondents` tells.
        """
        if method.family not in JUDGED or Change.PERTURBATION in method.valid_after:
            return None
        known = set(self._known(method))
        against = [
            (step.by, [name for name in step.attributes if name in known])
            for step in self.changed
            if Change.PERTURBATION in step.changes
        ]
        steps = {by: names for by, names in against if names}
        if not steps:
            return None
        keys = sorted({name for names in steps.values() for name in names}, key=self._place)
        done = listed([by for by in steps if by]) or "what looks like a perturbation"
        return (
            f"not applicable after {done} of keys ({listed(keys)}): `{method.name}` is for "
            "non-perturbative masking, after which released keys are true; linkage attacks tell "
            "the risk"
        )

    @cached_property
    def changed(self) -> tuple[Changed, ...]:
        """What was done to the release, step by step, and what nothing but the values tells."""
        known = self.protected.changed[len(self._before) :]
        done = {name for step in known for name in step.attributes}
        open_ = [name for name in self._common if name not in done]
        guessed = tuple(guessed_perturbed(self.original, self.protected, open_))
        return (*known, Changed("", PERTURBED, guessed)) if guessed else known

    @property
    def _before(self) -> tuple[Changed, ...]:
        """The steps that the original went through itself, before anything was done here."""
        own = self.original.changed
        return own if self.protected.changed[: len(own)] == own else ()

    @property
    def _common(self) -> list[str]:
        return [name for name in self.protected.names if name in self.original.attributes]

    def _known(self, method: Method) -> Sequence[str]:
        """Return what a measure counts combinations of: what it names, or else the keys."""
        word = knowledge_of(method)
        said = None if word is None else getattr(method, word)
        if said is not None:
            return tuple(said)
        held = None if self.intruder is None else self.intruder.attributes
        return self.protected.keys if held is None else held

    def _place(self, name: str) -> int:
        return self.protected.names.index(name) if name in self.protected.attributes else -1


def refuse_respondents(method: Method) -> None:
    """Refuse a risk that takes every record for a respondent's.

    That a synthetic record is alone with its key values puts nobody at risk. What it knows of
    respondents, distances and attacks can tell.

    Raises:
        InputError: it does.
    """
    if method.family == "risk" and Change.SYNTHESIS not in method.valid_after:
        raise InputError(
            f"`{method.name}` takes every record for a respondent's, and fully synthetic records "
            "come from nobody; see `closest_records`, `membership_inference` and "
            "`attribute_inference`, with a holdout."
        )


def guessed_perturbed(original: Dataset, protected: Dataset, names: Sequence[str]) -> Iterator[str]:
    """Yield those of some attributes whose released values look perturbed, not recoded.

    Args:
        original: the data before masking.
        protected: the data after masking, of which nobody knows how they were masked.
        names: the attributes looked at, which both have.
    """
    if protected is original or protected.is_synthetic or not len(protected):
        return
    if are_paired(original, protected):
        rows = pa.array(paired_rows(original, protected))
        for name in names:
            if _moved(original, protected, name, rows):
                yield name
    else:
        yield from _seen_without_pairs(original, protected, names)


def _moved(original: Dataset, protected: Dataset, name: str, rows: pa.Array) -> bool:
    """Tell whether values of an attribute were exchanged or moved, record by record.

    Recoded numbers keep their order, and alike ones stay alike. A category that was recoded into
    another one of the original always was, and that one stands for both, so that who had it keeps
    it.
    """
    held, after = _pair_of_columns(original, protected, name)
    before = held.take(rows)
    if before.equals(after):
        return False
    both = pc.and_(before.is_valid(), after.is_valid())
    before, after = before.filter(both), after.filter(both)
    if _are_numbers(original, protected, name):
        return _breaks_order(np.asarray(before), np.asarray(after))
    known, old, new = _coded([held.drop_null(), before, after])
    pairs = np.unique(np.column_stack([old, new]), axis=0)
    moved = pairs[(pairs[:, 0] != pairs[:, 1]) & np.isin(pairs[:, 1], known)]
    always = np.bincount(pairs[:, 0], minlength=1)[moved[:, 0]] == 1
    return not (always.all() and not np.isin(moved[:, 1], moved[:, 0]).any())


def _breaks_order(old: Floats, new: Floats) -> bool:
    """Tell whether alike numbers became others, or two of them changed their order."""
    order = np.lexsort((new, old))
    old, new = old[order], new[order]
    same = old[1:] == old[:-1]
    return bool((new[1:] < new[:-1]).any() or (same & (new[1:] != new[:-1])).any())


def _seen_without_pairs(
    original: Dataset, protected: Dataset, names: Sequence[str]
) -> Iterator[str]:
    """Yield what looks perturbed in files of which nobody knows which records belong together.

    A recoding leaves no record with a value that it recoded. Where all values of the original are
    still there it was not at work, and leaving out records or values makes no combination that was
    not there: one that is new was made.
    """
    looks = {
        name
        for guess in guess_methods(protected)
        if Change.PERTURBATION in find(guess.method).changes
        for name in guess.attributes
    }
    kept = [name for name in names if name not in looks and _holds(original, protected, name)]
    if kept and _has_new_combination(original, protected, kept):
        looks.update(kept)
    yield from (name for name in names if name in looks)


def _holds(original: Dataset, protected: Dataset, name: str) -> bool:
    """Tell whether an attribute is a key with the same values in both files."""
    if name not in protected.keys:
        return False
    columns = _pair_of_columns(original, protected, name)
    known, shown = _coded([column.drop_null() for column in columns])
    return set(known) == set(shown)


def _has_new_combination(original: Dataset, protected: Dataset, names: Sequence[str]) -> bool:
    """Tell whether a record without blanks has a combination that no original record has."""
    pairs = [_pair_of_columns(original, protected, name) for name in names]
    ids = group([np.concatenate(_coded(pair)) for pair in pairs]).ids
    known, shown = ids[: len(original)], ids[len(original) :]
    whole = np.all([np.asarray(released.is_valid()) for _, released in pairs], axis=0)
    return not np.isin(shown[whole], known).all()


def _pair_of_columns(original: Dataset, protected: Dataset, name: str) -> list[pa.Array]:
    """Return the values of an attribute in both files: numbers where both are, else text."""
    columns = [data.column(name) for data in (original, protected)]
    if _are_numbers(original, protected, name):
        days = [
            one.cast(pa.timestamp("us")).cast(pa.int64()) if _is_time(one) else one
            for one in columns
        ]
        return [one.cast(pa.float64(), safe=False) for one in days]
    return [
        joined_sets(one) if pa.types.is_list(one.type) else one.cast(pa.string()) for one in columns
    ]


def _are_numbers(original: Dataset, protected: Dataset, name: str) -> bool:
    return all(
        data.attribute(name).kind not in (Kind.NOMINAL, Kind.SET_VALUED)
        and (_is_time(data.column(name)) or pa.types.is_primitive(data.column(name).type))
        for data in (original, protected)
    )


def _is_time(column: pa.Array) -> bool:
    return bool(pa.types.is_date(column.type) or pa.types.is_timestamp(column.type))


def _coded(columns: Sequence[pa.Array]) -> list[Ints]:
    """Return columns as codes that are equal just where the values are; blanks are -1."""
    codes, _ = factorize(*comparable(pa.concat_arrays(columns)))
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])
