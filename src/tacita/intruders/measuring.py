"""Measuring for an intruder: what a risk or attack comes to by what the source holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from tacita.data.attribute import Kind, Role
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.intruders.intruder import NAMED, Intruder
from tacita.intruders.mixing import Names, mixed, patterns_of, weakened
from tacita.intruders.uses import knowledge_of
from tacita.intruders.view import View, chance, view_of, with_keys
from tacita.method import Method
from tacita.microdata.comparing.features import shared
from tacita.microdata.risk.household_risk import HouseholdRisk
from tacita.microdata.risk.interval_disclosure import IntervalDisclosure, comparable_attributes
from tacita.results import Measurement, listed, show
from tacita.validity import Use

MEASURED = ("risk", "attack")
LEARNT = ("attributes", "attribute")  # the parameter of a measure with `keys` that says what
NOT_HELD = frozenset({Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD})


class Knowing:
    """Measures a release for an intruder; what several measures need is made once.

    The value, its interval and the numbers of single records are what the intruder achieves; parts,
    figures and details are of the respondents that the source holds rightly.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> found = Knowing(Intruder(["age"], respondents=0.5), data, data).measure(ta.Uniqueness())
    >>> found.value == found.figures["given_known"] / 2
    True
    """

    def __init__(self, intruder: Intruder, original: Dataset, protected: Dataset) -> None:
        self.intruder = intruder.of(original)
        self.whole = View(original, protected)
        self.reach = intruder.reach(len(protected))
        self.keyed = cache(self._keyed)
        self.seen = cache(self._seen)

    def measure(self, method: Method) -> Measurement:
        """Return what a risk or attack comes to; other measures have nothing to do with intruders.

        Raises:
            InputError: it cannot be measured by what the intruder holds.
        """
        if method.family not in MEASURED:
            return _measured(method, self.whole)
        if method.uses is Use.RELEASE:
            return weakened(_measured(method, self.whole), self.reach)
        names = self._names(method)
        patterns = patterns_of(self.intruder, names)
        found = [(weight, self._tried(method, names, known)) for weight, known in patterns]
        told = mixed(found)
        sentence = f"{told.sentence}{self._conflict(method)}"
        return replace(told, sentence=sentence, parameters=method.parameters())

    def notes(self) -> Iterator[str]:
        """Say what of the intruder's knowledge cannot be used on this release."""
        released, asked = self.whole.protected, self.intruder.attributes or ()
        yield from self.intruder.notes
        if self.reach < 1:
            yield (
                f"Risks are multiplied by {show(self.reach)}, the chance that the intruder holds a "
                "target who is in the file; to bound the risk of those whom the intruder holds, "
                "leave `respondents` out."
            )
        if lost := [name for name in asked if name not in released.attributes]:
            yield f"The intruder holds {listed(lost)}, which is not released."
        names = self._held(asked or released.keys)
        for name in self.seen(Use.COUNTS, names, frozenset(), None).in_other_terms:
            yield (
                f"`{name}` is released in other terms than the intruder holds it in; it counts as "
                "held exactly."
            )

    # -- by which attributes ---------------------------------------------------------------------

    def _names(self, method: Method) -> Names:
        """Return the attributes by which a measure is taken: explicit parameters win."""
        said = _explicit(method)
        if said is not None:
            return said
        if self.intruder.attributes is not None:
            names = self._held(self.intruder.attributes)
            if not names:
                raise InputError(
                    "None of the attributes that the intruder holds "
                    f"({listed(self.intruder.attributes)}) is released."
                )
            return names
        if method.at_everything:
            return tuple(shared([self.whole.original, self.whole.protected]))
        return tuple(self.whole.protected.keys)

    def _held(self, names: Sequence[str]) -> Names:
        """Return those of some attributes that both files have and that tell of respondents."""
        original, protected = self.whole.original, self.whole.protected
        return tuple(
            name
            for name in names
            if name in original.attributes
            and name in protected.attributes
            and not original.attribute(name).roles & NOT_HELD
        )

    def _conflict(self, method: Method) -> str:
        """Say that a measure names other attributes than the intruder holds."""
        said, held = _explicit(method), self.intruder.attributes
        if said is None or held is None or set(said) == set(held):
            return ""
        beyond = [name for name in said if name not in held]
        told = f", with {listed(beyond)} that the intruder does not hold" if beyond else ""
        return f"; by what the measure names, not by all that the intruder holds{told}"

    # -- what is seen ----------------------------------------------------------------------------

    def _keyed(self, keys: Names | None) -> View:
        if keys is None:
            return self.whole
        return View(with_keys(self.whole.original, keys), with_keys(self.whole.protected, keys))

    def _seen(self, use: Use, names: Names, truth: frozenset[str], keys: Names | None) -> View:
        """Return the view by some names; what is to be learnt keeps its true values."""
        changed = [name for name in self._held(names) if name not in truth]
        return view_of(self.intruder, self.keyed(keys), use, changed)

    # -- one pattern of what is held -------------------------------------------------------------

    def _tried(self, method: Method, names: Names, known: Names) -> Measurement | None:
        """Measure by what is known of a target; None where nothing can be done with it."""
        if known == names:
            return self._by(method, names, names)
        try:
            return self._by(method, names, known) if known else None
        except (InputError, ParameterError):
            return None

    def _by(self, method: Method, names: Names, known: Names) -> Measurement:
        use, explicit = method.uses, _explicit(method) is not None
        changed = self.intruder.attributes is not None or known != names
        by_role = changed and not explicit
        keys = self._role_names(known, by_role=by_role and not method.at_everything)
        truth = _to_be_learnt(method, self.keyed(keys).original)
        view = self.seen(_viewed(use), known, truth, keys)
        asked = _asking(method, known, view.original, explicit=explicit) if changed else method
        used = [name for name in self._held(known) if name not in truth]
        factor = self.reach * chance(use, view.chance_right(self.intruder, used))
        if isinstance(asked, HouseholdRisk) and factor != 1:
            found = asked.measured(view.protected, float(factor))
            return replace(found, figures={**found.figures, "chance": factor})
        if isinstance(asked, IntervalDisclosure) and by_role:
            factor *= _share_of_values(asked, view, self.whole)
        return weakened(_measured(asked, view), factor)

    def _role_names(self, known: Names, *, by_role: bool) -> Names | None:
        if by_role:
            return known
        held = self.intruder.attributes
        return None if held is None else self._held(held) or None


def within(intruder: Intruder, data: Dataset) -> Intruder:
    """Return an intruder by those attributes only that some data have.

    Raises:
        InputError: there is none, so that no bound measures anything of what is known.
    """
    less = {name: one for name, one in intruder.accuracy.items() if name in data.attributes}
    if intruder.attributes is None:
        return replace(intruder, accuracy=less)
    held = tuple(name for name in intruder.attributes if name in data.attributes)
    if all(data.attribute(name).roles & NOT_HELD for name in held):
        raise InputError(
            f"The intruder holds {listed(intruder.attributes, NAMED)} only, which is not released "
            "or tells nothing of a respondent, so that no bound on a risk measures anything of it; "
            "say what else is known."
        )
    return replace(intruder, attributes=held, accuracy=less)


def _explicit(method: Method) -> Names | None:
    """Return the attributes that a measure itself says an intruder knows."""
    word = knowledge_of(method)
    said = None if word is None else getattr(method, word)
    return None if said is None else tuple(said)


def _viewed(use: Use) -> Use:
    """Return the use that makes the same view."""
    return Use.COUNTS if use is Use.PARTS else use


def _to_be_learnt(method: Method, original: Dataset) -> frozenset[str]:
    """Return the attributes whose truth a measure compares guesses with."""
    learns = [word for word in LEARNT if hasattr(method, word)]
    if knowledge_of(method) != "keys" or not learns:
        return frozenset()
    said = getattr(method, learns[0])
    named = (said,) if isinstance(said, str) else said
    return frozenset(named or original.confidential)


def _asking(method: Method, known: Names, original: Dataset, *, explicit: bool) -> Method:
    """Return the measure by what is known, which the roles tell where there are `keys`."""
    word = knowledge_of(method)
    if word is None or (word == "keys" and not explicit):
        return method
    fit = tuple(n for n in known if explicit or original.attribute(n).kind in method.applies_to)
    if not fit:
        wanted = ", ".join(kind.value for kind in Kind if kind in method.applies_to)
        raise InputError(
            f"`{method.name}` needs {wanted} attributes; the intruder holds {listed(known)}."
        )
    return replace(method, **{word: fit})  # type: ignore[type-var]


def _share_of_values(method: IntervalDisclosure, view: View, whole: View) -> Fraction:
    """Return the share of the attributes that the intruder holds: no others can be compared."""
    known = comparable_attributes(view.original, view.protected, method.attributes)
    every = comparable_attributes(whole.original, whole.protected, None)
    return min(Fraction(len(known), max(len(every), 1)), Fraction(1))


def _measured(method: Method, view: View) -> Measurement:
    return method.measure(view.original, view.protected)  # type: ignore[attr-defined,no-any-return]
