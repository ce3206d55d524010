"""Mondrian: cut the records into ever smaller boxes, and release the boxes."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import ANY_KIND, AttributeName, Method
from tacita.microdata.anonymize.partitioning.cutting import cut_classes
from tacita.microdata.anonymize.partitioning.scales import Released, rulers
from tacita.microdata.anonymize.partitioning.setting import Codes, Setting
from tacita.microdata.anonymize.promises import Models
from tacita.microdata.models.class_table import Domain
from tacita.preserved import Statistic, always
from tacita.validity import Change


class Mondrian(Method):
    """Reach privacy models by cutting the records along one key at a time; none is left out.

    All records are one class at first. A class is cut in two at the median of the key in which it
    is widest, w = (max - min) / range for numbers and (leaves of the lowest common node - 1) /
    (leaves - 1) for categories with a hierarchy; if a side would break a model, the next widest key
    is tried, and when none is left, the class is released. A numeric, date or ordinal key is cut
    anywhere between two values, a key with a hierarchy between the children of a node, another one
    between values in the order of their frequency. `strict` cuts leave equal values on one side,
    `relaxed` ones share those at the median of an ordered key out, so that halves are equal.
    With `information_gain`, the cut is taken that tells most of the target:
    H(target) - sum of |side| / |class| x H(target in the side).

    A record shows of each key the value if its class has only one, else the range `[min;max]`, the
    list `{a, b}` or the lowest node of the hierarchy above its class.

    When not to use it: where one rule must say for all records what a value becomes (`lattice`
    gives one); where the loss should be as low as can be (`local_recoding`).

    >>> import tacita as ta
    >>> safe = ta.example("conditions").apply(ta.Mondrian(ta.KAnonymity(4)), seed=0)
    >>> ta.KAnonymity(4).check(safe).holds, safe.column("Age")[0].as_py()
    (True, '[21;34]')
    """

    applies_to: ClassVar = ANY_KIND - {"set_valued"}
    keeps: ClassVar = (always(Statistic.RECORDS),)
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "LeFevre, DeWitt & Ramakrishnan, Proc. ICDE 2006; information gain: Proc. KDD 2006"
    )
    missing: ClassVar = (
        "A blank is a value of its own and is cut off first; a class that has blanks and values of "
        "a key releases blanks."
    )
    example: ClassVar = {"to": [{"k_anonymity": {"k": 2}}]}
    public: ClassVar = frozenset({"to", "mode", "cut", "target", "released"})

    to: Models
    _: KW_ONLY
    mode: Annotated[
        Literal["strict", "relaxed"],
        Field(description="Whether equal values stay on one side of a cut, or may be shared out."),
    ] = "strict"
    cut: Annotated[
        Literal["median", "information_gain"],
        Field(description="Where to cut: the widest key at its median, or what tells the target."),
    ] = "median"
    target: Annotated[
        AttributeName | None,
        Field(description="The attribute that `information_gain` is about; it needs one."),
    ] = None
    released: Annotated[
        Released,
        Field(
            description="What ordered keys with a hierarchy show: ranges of values, or nodes of "
            "the hierarchy."
        ),
    ] = "ranges"

    def __post_init__(self) -> None:
        if (self.cut == "information_gain") != (self.target is not None):
            raise ParameterError(
                "`target` of `mondrian` goes with `cut` information_gain, and that needs a target."
            )
        if self.cut == "information_gain" and self.mode == "relaxed":
            raise ParameterError(
                "`mode` relaxed of `mondrian` shares values at the median out; a cut by "
                "information_gain has none. Say strict."
            )

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data in which the keys of a record tell only what its class has."""
        from tacita.kernels.box_cuts import Rule

        setting = Setting.of(data, self.to, self.released)
        setting.refuse_impossible()
        targets, count = self._targets(data)
        rule = Rule(setting.least, self.mode == "relaxed", count)
        measured = rulers(setting.scales, np.ones(len(setting.scales)))
        found = cut_classes(setting, measured, rule, setting.together, targets)
        return setting.released(found).noting(classes=len(found), suppressed_records=0)

    def _targets(self, data: Dataset) -> tuple[Codes | None, int]:
        """Return the target of every record and how many different ones there are."""
        if self.target is None:
            return None, 0
        domain, codes = Domain.of(data, self.target)
        return codes.astype(np.int32), len(domain)
