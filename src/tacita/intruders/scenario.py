"""A disclosure scenario: an intruder in plain words, over concepts that anybody's data may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tacita.data.attribute import Attribute
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError, did_you_mean
from tacita.inspection.names import meaning, words
from tacita.inspection.vocabulary import CONCEPTS
from tacita.intruders.accuracy import COARSE, ERRORS, Accuracy
from tacita.intruders.intruder import Intruder
from tacita.intruders.measuring import NOT_HELD
from tacita.results import listed

SAID = {concept.name: concept.what for concept in CONCEPTS}


@dataclass(frozen=True)
class Held:
    """Something that a source holds of a person or firm.

    Args:
        concept: what it is: one of the vocabulary that `inspect` knows names by, or a new name.
        accuracy: how exactly it is held.
        words: the words of an attribute's name that mean it, parted by commas, where the
            vocabulary has no such concept or only a wider one.
    """

    concept: str
    accuracy: Accuracy = field(default_factory=Accuracy)
    words: str = ""

    @property
    def what(self) -> str:
        """What it is, in a sentence."""
        return SAID.get(self.concept, self.concept.replace("_", " "))

    def is_meant_by(self, attribute: Attribute) -> bool:
        """Tell whether an attribute holds it, by its name or the label that its file gives it."""
        if self.words:
            said = set(words(attribute.name)) | set(words(attribute.meaning.label or ""))
            return any(said.issuperset(words(phrase)) for phrase in self.words.split(","))
        meant = meaning(attribute.name, attribute.meaning.label)
        if meant is None or meant.concept.name != self.concept:
            return False
        return meant.plainly or not meant.concept.vague


@dataclass(frozen=True)
class Scenario:
    """Who attacks with which source, what it holds, and why to expect so.

    It fits any data in which some of its concepts are found by the names of attributes; `naming`
    says which attributes mean them where names do not tell. Numbers that its papers do not give
    are assumptions: change what your own sources say otherwise (`respondents`, `in_file`).

    >>> import tacita as ta
    >>> str(ta.scenario("household_survey", "population_register").of(ta.example("survey", 100)))
    'holds region, urban, sex, birth_date, marital_status of 98 % of the respondents'

    Args:
        domain: health, business, household_survey or education.
        name: what it is called in its domain.
        who: the intruder, in plain words.
        source: where the intruder's knowledge comes from.
        why: how exact the source is, and why to expect so.
        reference: the papers it comes from.
        holds: what the source holds.
        respondents: of how many (a whole number, or a share); of all when left out.
        in_file: the probability that somebody in the source is in the file; None for the
            sampling fraction that the data's weights tell, if `respondents` is a whole number.
        naming: the attributes that mean a concept, said by hand.
    """

    domain: str
    name: str
    who: str
    source: str
    why: str
    reference: str
    holds: tuple[Held, ...]
    respondents: int | float | None = None
    in_file: float | None = 1.0
    naming: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The scenario as a plan file says it."""
        return f"{self.domain}/{self.name}"

    def changed(
        self,
        attributes: Mapping[str, str | Sequence[str]] | None = None,
        **others: Any,
    ) -> Scenario:
        """Return the scenario with other numbers, or with attributes named for its concepts.

        Args:
            attributes: for concepts of the scenario, the attributes that mean them.
            others: `respondents` or `in_file`.
        """
        known = [held.concept for held in self.holds]
        naming = {}
        for concept, named in (attributes or {}).items():
            if concept not in known:
                raise ParameterError(
                    f"The scenario {self.path} holds no `{concept}` (it holds {listed(known, 20)})."
                    f"{did_you_mean(str(concept), known)}"
                )
            naming[concept] = (named,) if isinstance(named, str) else tuple(named)
        given = {word: value for word, value in others.items() if value is not None}
        Intruder(**given)  # refuses what no intruder has
        return replace(self, naming={**self.naming, **naming}, **others)

    def of(self, data: Dataset) -> Intruder:
        """Return the intruder on some data; it tells of concepts that the data do not have.

        Raises:
            InputError: none of the concepts is found, or an attribute named for one is not there.
        """
        accuracy: dict[str, Accuracy] = {}
        meant = {held: self._meant(held, data) for held in self.holds}
        notes = _unmapped([held.what for held, names in meant.items() if not names])
        for held, names in meant.items():
            for name in names:
                accuracy[name] = fit = fitted(held.accuracy, data.attribute(name))
                if fit != held.accuracy:
                    told = f"`{name}` cannot be held {held.accuracy}; it counts as held {fit}."
                    notes.append(told)
        if not accuracy:
            raise InputError(
                f"None of what the scenario {self.path} holds was found in the data "
                f"({listed([held.concept for held in self.holds], 20)}); say which attributes mean "
                "it, as in `attributes: {age: years}`."
            )
        attributes = tuple(name for name in data.names if name in accuracy)
        less = {name: one for name, one in accuracy.items() if one != Accuracy()}
        return Intruder(
            attributes,
            less,
            self.respondents,
            self._in_file(data),
            scenario=self.path,
            notes=tuple(notes),
        )

    def _in_file(self, data: Dataset) -> float:
        """Return how probably somebody in the source is in the file.

        A share of the respondents is in the file already; so many people are not.
        """
        if self.in_file is not None:
            return self.in_file
        return _sampling_fraction(data) if isinstance(self.respondents, int) else 1.0

    def _meant(self, held: Held, data: Dataset) -> list[str]:
        if held.concept in self.naming:
            return [data.attribute(name).name for name in self.naming[held.concept]]
        return [
            name
            for name, attribute in data.attributes.items()
            if not attribute.roles & NOT_HELD and held.is_meant_by(attribute)
        ]

    def to_plan(self) -> dict[str, Any]:
        """Return the scenario as a plan file says it."""
        naming = {concept: list(names) for concept, names in self.naming.items()}
        said = {"scenario": self.path, **({"attributes": naming} if naming else {})}
        return {**said, "respondents": self.respondents, "in_file": self.in_file}

    def to_dict(self) -> dict[str, Any]:
        """Return the scenario in plain types, with all its words."""
        told = ("domain", "name", "who", "source", "why", "reference", "respondents", "in_file")
        holds = {held.concept: held.accuracy.to_plan() for held in self.holds}
        return {**{word: getattr(self, word) for word in told}, "holds": holds}

    def __str__(self) -> str:
        held = [f"  {one.concept}: {one.accuracy}" for one in self.holds]
        about = [f"{self.path}: {self.who}", f"Source: {self.source}", f"Why: {self.why}", "Holds"]
        whom = Intruder(respondents=self.respondents, in_file=self.in_file or 1.0).whom
        sampled = ", each in the file by the sampling fraction" if self.in_file is None else ""
        return "\n".join([*about, *held, f"  of {whom}{sampled}", f"Reference: {self.reference}"])


def _unmapped(what: Sequence[str]) -> list[str]:
    return [f"No attribute was found that is {'; '.join(what)}."] if what else []


def _sampling_fraction(data: Dataset) -> float:
    """Return how many of the population are in the file, 1 where no weights tell."""
    weight = data.weight
    total = float(len(data) if weight is None else weight.sum())
    return min(len(data) / total, 1.0) if total else 1.0


def fitted(accuracy: Accuracy, attribute: Attribute) -> Accuracy:
    """Return the accuracy as far as an attribute can be held so; else it is exact.

    >>> from tacita.data.attribute import Kind
    >>> str(fitted(Accuracy(unit="year", wrong=0.1), Attribute("born", kind=Kind.CONTINUOUS)))
    'wrong for 10 %'
    """
    if not accuracy.misfit(attribute):
        return accuracy
    return replace(accuracy, **dict.fromkeys((*COARSE, *ERRORS)))  # type: ignore[arg-type]
