"""The intruder: which attributes an external source holds, how exactly, and of how many."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field
from pydantic.dataclasses import dataclass as checked_dataclass

from tacita.data.dataset import Dataset
from tacita.data.pairing import PairBy
from tacita.errors import ParameterError, did_you_mean, shown
from tacita.intruders.accuracy import Accuracy, Share, explained
from tacita.method import CONFIG, AttributeNames, Method
from tacita.microdata.risk.linking.assignment import as_attacked
from tacita.results import Measurement, exactly, listed, show

NAMED = 8  # attributes that a sentence names
EXACT = Accuracy()


def _accuracies(said: Any) -> Any:
    if not isinstance(said, Mapping):
        raise ParameterError(
            f"`accuracy` of `intruder` says how exact attributes are, like "
            f"`{{age: {{rounded: 5}}}}`; found {shown(said)}."
        )
    return MappingProxyType({str(name): Accuracy.of(one) for name, one in said.items()})


def _respondents(said: Any) -> Any:
    whole = isinstance(said, int) and not isinstance(said, bool) and said >= 1
    share = isinstance(said, float) and 0 < said <= 1
    if said is None or whole or share:
        return said
    raise ParameterError(
        f"`respondents` of `intruder` should be a whole number above 0 or a share above 0 and at "
        f"most 1.0; found {shown(said)}."
    )


@explained
@checked_dataclass(frozen=True, config=CONFIG)
class Intruder:
    """What an intruder's external source holds of the respondents.

    A risk measured for an intruder is what this intruder achieves: P(the source holds the target)
    x P(the target is in the file) x P(disclosure, by these attributes as exactly as held).

    >>> print(Intruder(["age", "zip"], accuracy={"age": {"rounded": 5}}, respondents=0.2))
    holds age (rounded to 5), zip of 20 % of the respondents

    Args:
        attributes: the attributes that the source holds; those with the role key when left out.
        accuracy: how exactly it holds some of them (`Accuracy`, or as plans say it); the others
            are exact.
        respondents: of how many of the respondents it holds them: a whole number, or a share (0
            to 1); of all when left out.
        in_file: the probability that somebody in the source is in the file at all; 1 where the
            intruder knows who took part.
        seed: where errors are drawn from.
        scenario: the name of the scenario it comes from, if it does.
        notes: what the scenario holds that the data do not have.
    """

    name: ClassVar = "intruder"

    attributes: AttributeNames | None = None
    accuracy: Annotated[Any, BeforeValidator(_accuracies)] = field(default_factory=dict)
    respondents: Annotated[Any, BeforeValidator(_respondents)] = None
    in_file: Share = 1.0
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    scenario: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse the accuracy of attributes that are not held."""
        if self.attributes is None:
            return
        for name in self.accuracy:
            if name not in self.attributes:
                raise ParameterError(
                    f"`accuracy` says how exact `{name}` is, which is not among the `attributes` "
                    f"that the intruder holds.{did_you_mean(name, self.attributes)}"
                )

    @classmethod
    def from_plan(cls, said: Mapping[str, Any]) -> Intruder:
        """Make an intruder from what a plan file says."""
        return cls(**{str(word): given for word, given in said.items()})

    def to_plan(self) -> dict[str, Any]:
        """Return the intruder as a plan file says it."""
        said = {
            "attributes": None if self.attributes is None else list(self.attributes),
            "accuracy": {name: one.to_plan() for name, one in self.accuracy.items()} or None,
            "respondents": self.respondents,
            "in_file": None if self.in_file == 1 else self.in_file,
            "seed": self.seed or None,
            "scenario": self.scenario,
        }
        return {word: given for word, given in said.items() if given is not None}

    def exactness(self, name: str) -> Accuracy:
        """Return how exactly an attribute is held."""
        found: Accuracy = self.accuracy.get(name, EXACT)
        return found

    def reach(self, records: int) -> Fraction:
        """Return the probability that the source holds a target, who is in the file.

        >>> Intruder(respondents=150, in_file=0.1).reach(300)
        Fraction(1, 20)
        """
        if isinstance(self.respondents, int):
            held = min(Fraction(self.respondents, max(records, 1)), Fraction(1))
        else:
            held = Fraction(1) if self.respondents is None else exactly(self.respondents)
        return held * exactly(self.in_file)

    def of(self, data: Dataset) -> Intruder:
        """Return the intruder, if the data have the attributes and they can be held so.

        Raises:
            InputError: there is no attribute of a name.
            ParameterError: values of an attribute cannot be held as `accuracy` says.
        """
        for name in (*(self.attributes or ()), *self.accuracy):
            why = self.exactness(name).misfit(data.attribute(name))
            if why:
                raise ParameterError(f"`{name}` cannot be held {self.exactness(name)}: {why}.")
        return self

    def measure(
        self, method: Method, original: Any, protected: Any, *, pair_by: PairBy | None = None
    ) -> Measurement:
        """Return what a risk or attack comes to for this intruder.

        `disclosure_risk` and a plan do so for many; what they share is then made once.

        Args:
            method: a risk or an attack.
            original: the data before masking: microdata or a data frame.
            protected: the data after masking.
            pair_by: how records are paired, as `pair` takes it; by what is known when left out.

        Raises:
            InputError: its number means nothing after what was done to the data.

        >>> import tacita as ta
        >>> data = ta.example("conditions")
        >>> print(Intruder(respondents=3).measure(ta.ExactLinkage(), data, data).value)
        1/4
        """
        from tacita.intruders.applying import Applying
        from tacita.intruders.measuring import Knowing

        before, after = as_attacked(original, protected, pair_by)
        Applying(before, after, self).refuse(method)
        return Knowing(self, before, after).measure(method)

    def told_with(self, released: Dataset) -> dict[str, Any]:
        """Return the intruder as far as the released attributes go, in plain types."""
        said = {word: given for word, given in self.to_plan().items() if word != "seed"}
        if "attributes" in said:
            said["attributes"] = [n for n in said["attributes"] if n in released.attributes]
        if "accuracy" in said:
            held = said["accuracy"].items()
            said["accuracy"] = {name: one for name, one in held if name in released.attributes}
        return said

    def __str__(self) -> str:
        return self.told((*(self.attributes or ()), *self.accuracy))

    def told(self, names: Collection[str]) -> str:
        """Say what is held, of attributes that may be named."""
        less = {name: f"{name} ({one})" for name, one in self.accuracy.items() if name in names}
        if self.attributes is None:
            held = ["the keys", *less.values()]
        else:
            held = [less.get(name, name) for name in self.attributes if name in names]
        return f"holds {listed(held, NAMED) or 'no released attribute'} of {self.whom}"

    @property
    def whom(self) -> str:
        """Of how many the source holds something, in words."""
        if self.respondents is None:
            told = "all respondents"
        elif isinstance(self.respondents, int):
            told = f"{self.respondents:,} respondents"
        else:
            told = f"{show(100 * self.respondents)} % of the respondents"
        return told if self.in_file == 1 else f"{told}, each in the file by {show(self.in_file)}"
