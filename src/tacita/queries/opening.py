"""A guard that takes up the history its ledger tells of, also where the data changed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, LedgerError, ParameterError, shown
from tacita.method import Method
from tacita.queries.guard import Guard
from tacita.queries.ledger.entries import Entry, canonical
from tacita.queries.ledger.ledger import Ledger
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import Update, refuse_unnamed, updated
from tacita.queries.versions import Versions, in_order

DATA = "data"  # the kind of the entries that name the version of the data and the policies
POLICIES = "policies"  # of those that name other policies for the same data
REPLAYED = ("answer", "failure", "debit")


@dataclass(frozen=True)
class Guarding:
    """What is guarded and how.

    Args:
        view: what the view is called in queries.
        policies: what has a say.
        published: queries whose answers were published before.
        record: the attribute that names the records, so that they can be followed when they change.
        known: the values of `record` of those that an insider is taken to know.
        versions: where earlier data are kept, if they may change.
        about: what was done to the data, told with every answer; empty for nothing.
    """

    view: str
    policies: Sequence[Method]
    published: Sequence[str] = ()
    record: str | None = None
    known: Sequence[Any] = ()
    versions: Versions | None = None
    about: str = ""

    def __post_init__(self) -> None:
        if self.record is None and (self.known or self.versions is not None):
            raise InputError(
                "Records that an insider knows, or that may change, need a name: say which "
                "attribute is the `record`."
            )

    def said_policies(self) -> list[Any]:
        """Return the policies as a ledger says them."""
        said = canonical({"policies": [policy.to_plan() for policy in self.policies]})
        policies: list[Any] = json.loads(said)["policies"]
        return policies

    def known_in(self, data: Dataset) -> Mask | None:
        """Tell which records an insider is taken to know."""
        if not self.known or self.record is None:
            return None
        column = data.column(self.record)
        try:
            told = pa.array(self.known).cast(column.type)
        except pa.ArrowException as error:
            raise InputError(
                f"`known` names records by `{self.record}`, which holds {column.type}; "
                f"found {shown(list(self.known))}."
            ).about(self.record) from error
        return np.asarray(pc.is_in(column, told))

    def refuse_unknown(self, *versions: Dataset) -> None:
        """Refuse names of records that no version of the data has."""
        found = [self.known_in(data) for data in versions]
        named = {
            name
            for data, known in zip(versions, found, strict=True)
            if known is not None
            for name in data.column(str(self.record)).filter(pa.array(known)).to_pylist()
        }
        if len(named) < len(set(self.known)):
            raise InputError(
                f"`known` names records of `{self.record}` that the data do not have."
            ).about(str(self.record))


class Followed:
    """A guard together with the data it has, so that it goes on when they change.

    Args:
        data: the records.
        guarding: what is guarded and how.
        ledger: where the history is; None for none.
    """

    def __init__(self, data: Dataset, guarding: Guarding, ledger: Ledger | None) -> None:
        self._guarding, self._ledger = guarding, ledger
        if ledger is not None:
            _refuse_passing_noise(guarding.policies)
        if guarding.record is not None:
            refuse_unnamed(data, guarding.record)
        data = in_order(data, guarding.record)
        past, names, policies = _history(ledger)
        self._data = self._version(names[0], data) if names else data
        guarding.refuse_unknown(self._data, data)
        known = guarding.known_in(self._data)
        classes = PublicClasses.of(self._data, guarding.view, known)
        self.guard = Guard(
            classes,
            guarding.policies,
            ledger=ledger,
            published=guarding.published,
            about=guarding.about,
        )
        self.guard.replay(past[0])
        for number, name in enumerate(names[1:], start=1):
            self._go_on(*self._update_to(self._version(name, data)))
            self.guard.replay(past[number])
        if names:
            self._keep(self._data)  # versions may be kept from now on only
            self._note_policies(policies)
        else:
            self._note(self._data)
        self.refresh(data)

    def refresh(self, data: Dataset) -> bool:
        """Go on with the data as they are now; return whether they changed.

        The change is in the ledger before anything is answered from the new data.
        """
        data = in_order(data, self._guarding.record)
        if data.fingerprint() == self._data.fingerprint():
            return False
        self._refuse_unfollowed()
        update = self._update_to(data)
        self._note(data)
        self._go_on(*update)
        return True

    def _update_to(self, data: Dataset) -> tuple[Dataset, Update]:
        """Return other data with what is the same in them; nothing is changed yet."""
        record = self._guarding.record
        if record is None:
            raise self._unfollowed()
        known = self._guarding.known_in(data)
        update = updated(self.guard.data, self._data, data, record, known)
        self.guard.refuse_data(update.data)
        return data, update

    def _go_on(self, data: Dataset, update: Update) -> None:
        self.guard.move(update)
        self._data = data

    def _version(self, name: str, today: Dataset) -> Dataset:
        """Return the data that the ledger names."""
        if today.fingerprint() == name:
            return today
        if self._guarding.versions is None:
            raise self._unfollowed()
        return self._guarding.versions.read(name, today)

    def _refuse_unfollowed(self) -> None:
        if self._guarding.versions is None and self._ledger is not None:
            raise self._unfollowed()

    def _unfollowed(self) -> LedgerError:
        return LedgerError(
            "The data are not those that were answered from before, and the history cannot be "
            "taken up without them: say which attribute names a `record` and where `versions` of "
            "the data are kept before the first question, or begin a new ledger."
        )

    def _note(self, data: Dataset) -> None:
        """Write down which data are answered from, and by which policies."""
        if self._ledger is None:
            return
        self._keep(data)
        said = {"data": data.fingerprint(), "policies": self._guarding.said_policies()}
        self._ledger.append(DATA, said).wait()

    def _keep(self, data: Dataset) -> None:
        if self._guarding.versions is not None and self._ledger is not None:
            self._guarding.versions.keep(data)

    def _note_policies(self, before: Sequence[Any]) -> None:
        """Write down the policies if they are others than at the last start."""
        policies = self._guarding.said_policies()
        if self._ledger is not None and policies != before:
            self._ledger.append(POLICIES, {"policies": policies}).wait()


def _refuse_passing_noise(policies: Sequence[Method]) -> None:
    """Refuse noise that would be drawn anew at every start: whoever waits could average it."""
    for policy in policies:
        if getattr(policy, "key_from", "") is None:
            raise ParameterError(
                f"`{policy.name}` draws other noise at every start, which can be averaged; name "
                "with `key_from` the environment variable that holds its key."
            )


def _history(
    ledger: Ledger | None,
) -> tuple[defaultdict[int, list[Entry]], list[str], Sequence[Any]]:
    """Return the answers of every version of the data, their names, and the last policies."""
    past: defaultdict[int, list[Entry]] = defaultdict(list)
    names: list[str] = []
    policies: Sequence[Any] = ()
    for entry in ledger.entries() if ledger is not None else ():
        if entry.kind in REPLAYED:
            past[entry.content["version"]].append(entry)
        elif entry.kind in (DATA, POLICIES):
            policies = entry.content["policies"]
            names += [entry.content["data"]] if entry.kind == DATA else []
    return past, names, policies
