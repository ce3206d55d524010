"""A piece of work as the process that does it sees it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tacita.app.reaching import refuse_elsewhere, states
from tacita.app.workplace import HIDDEN, INCOMING, Workplace
from tacita.data.dataset import Dataset
from tacita.release.execute import Done, derived, mask, read_source
from tacita.release.plan import Plan, understood

T = TypeVar("T")
KEPT = 4  # data sets that a process remembers
SAMPLE = 20_000  # records that are looked at while a person tries things
SAMPLING = 5  # the place of the sample's seed among those derived from the project's


def digest(*parts: Any) -> str:
    """Return a name for what was asked: the same for the same, another for anything else.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    said = dumps(parts, sort_keys=True, default=str, ensure_ascii=False)
    return sha256(said.encode()).hexdigest()[:32]


@dataclass(eq=False)
class Memory:
    """The data sets that a process used last, by what they were made from.

    Args:
        held: the data sets.
        shut: the projects whose database a person closed here.
    """

    held: OrderedDict[str, Any] = field(default_factory=OrderedDict)
    shut: set[str] = field(default_factory=set)

    def get(self, key: str, made: Callable[[], T]) -> T:
        """Return what is remembered under a key, made now if it is not."""
        if key not in self.held:
            self.held[key] = made()
            while len(self.held) > KEPT:
                self.held.popitem(last=False)
        self.held.move_to_end(key)
        found: T = self.held[key]
        return found


@dataclass(eq=False)
class Work:
    """What is to be done.

    Args:
        text: the plan, in YAML.
        file: where the plan would stand; nothing outside of its folder is read.
        seed: where all randomness comes from.
        arguments: what the task knows besides.
        tell: is told of every step that begins; before the first, how many there are.
        memory: what the process remembers.
        session: where the workbench keeps its own, which no plan may name.
        project: the project that it belongs to, by name.
    """

    text: str
    file: Path
    seed: int
    arguments: Mapping[str, Any]
    tell: Callable[[str | int], None]
    memory: Memory
    session: Path | None = None
    project: str = ""

    @cached_property
    def plan(self) -> Plan:
        """The plan; it was looked at when it was made, but what names lead to may have changed."""
        found = understood(self.text, self.file)
        folder = self.file.parent.resolve()
        refuse_elsewhere(found, Workplace(folder, self.session or folder / HIDDEN))
        return found

    @property
    def scratch(self) -> Path | None:
        """Where files of the moment lie; what a stop leaves there, the next start removes."""
        return None if self.session is None else self.session / INCOMING

    @property
    def is_sampled(self) -> bool:
        """Whether a sample is enough."""
        return bool(self.arguments.get("sample"))

    @cached_property
    def original(self) -> Dataset:
        """The data as they are read, or a sample of them that is the same for all variants."""
        key = self._state
        whole = self.memory.get(key, lambda: read_source(self.plan))
        if self._state != key:  # files were replaced while they were read: it may be of neither
            self.memory.held.pop(key, None)
        if not self.is_sampled or len(whole) <= SAMPLE:
            return whole
        key = f"sample of {id(whole)} {self.seed}"
        return self.memory.get(key, lambda: (whole, self._sampled(whole)))[1]

    @cached_property
    def masked(self) -> tuple[Dataset, tuple[Done, ...]]:
        """The data after all steps of the plan, and the steps as they were carried out."""
        steps = (self.plan.located.document.get("microdata") or {}).get("steps")  # type: ignore[union-attr]
        key = digest(steps, self.plan.format, str(self.plan.intruder), self.seed)
        data = self.original

        def made() -> tuple[Dataset, tuple[Dataset, tuple[Done, ...]]]:
            return data, mask(data, self.plan, self.seed, self.tell)

        # The data are kept beside, so that no other data can have their number.
        return self.memory.get(f"masked {id(data)} {key}", made)[1]

    @property
    def _state(self) -> str:
        """Name what the data depend on: what the plan says of them, and the state of the files."""
        said = self.plan.located.document["data"]  # type: ignore[union-attr]
        return digest("whole", said, states(said, self.file.parent), str(self.file))

    def _sampled(self, whole: Dataset) -> Dataset:
        rng = np.random.default_rng(derived(self.seed, SAMPLING))
        rows = np.sort(rng.choice(len(whole), SAMPLE, replace=False))
        return whole.take(rows)
