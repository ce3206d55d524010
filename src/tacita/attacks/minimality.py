"""Minimality: whoever generalizes no further than needed tells that it was needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, replace
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.attacks.baseline.naive import beside_naive
from tacita.attacks.deducing.credibility import Beliefs, Divided, divided
from tacita.attacks.deducing.lower_levels import below
from tacita.attacks.deducing.secrets import secret_of
from tacita.attacks.deducing.worlds import Rule
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, did_you_mean
from tacita.method import ANY_KIND, AttributeName, AttributeNames, Method
from tacita.microdata.comparing.coverage import distinct
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.risk.linking.links import known_attributes
from tacita.results import Measurement, listed
from tacita.validity import NON_PERTURBATIVE, Use

UNNEEDED = "no key was generalized along its hierarchy, so that no need for it tells anything of"


class Minimality(Method):
    """The share of records of which some value is believed by more than 1/l after all.

    The release keeps a model: every class has k records or more, of which at most one in l has the
    same sensitive value. The intruder knows the keys of all respondents and that no key was
    generalized further than the model needs. So a class of n records, n_s of which have the value
    s, would one level lower on some key have been parts of m_1, ..., m_g records, not all of which
    kept the model. Of all n! / prod n_s! worlds that give the values to the respondents those are
    ruled out in which all parts do. The credibility that a respondent of part i has the value s is

        (m_i n_s / n - r E_i(s)) / (m_i (1 - r f)),

    f being the share of worlds in which all parts of the class are fine, E_i(s) the mean over all
    worlds of the number of records of part i with value s, counting 0 where they are not fine. With
    `recoding` local, r is 1: the class itself was in need. With full-domain recoding (global) any
    class may have been, and r is the product of f over all other classes. Everything is counted
    exactly. Where several keys were generalized, the one that tells most is taken, for each class
    or for the file. A k that is broken explains every world: k-anonymity alone tells nothing.

    `naive_breach` is the share of records whose class shows some value more often than 1/l.
    `guessed` and `naive_guess` are the expected shares of records whose true value is the likeliest
    with and without that knowledge. `generalized` counts the keys that were, along the hierarchies
    of the original; without any, nothing is told beyond the frequencies. `uncounted` classes would
    take too long; nothing is said of them, and of no other class of a file recoded globally.

    When not to use it: on algorithms that generalize more than they need, or left records out.

    >>> import pyarrow as pa, tacita as ta
    >>> people = ta.read(
    ...     pa.table({"zip": ["11"] * 2 + ["12"] * 5, "disease": ["HIV"] * 2 + ["flu"] * 5}),
    ...     roles={"zip": "key", "disease": "confidential"}, hierarchies={"zip": {"prefix": 2}},
    ... )
    >>> coarse = people.apply(ta.Generalize("zip", level=1), seed=0)
    >>> found = ta.Minimality(2, sensitive=["HIV"]).measure(people, coarse)
    >>> found.value, found.figures["naive_breach"], found.per_record[0]
    (Fraction(2, 7), Fraction(0, 1), np.float64(1.0))
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.VALUES
    reference: ClassVar = (
        "Wong, Fu, Wang & Pei, Minimality attack in privacy preserving data publishing, Proc. VLDB "
        "2007; Zhang, Jajodia & Brodsky, Proc. ACM CCS 2007"
    )
    missing: ClassVar = (
        "The blanks of the confidential attribute are together one value; blank keys agree with "
        "one another and with nothing else."
    )
    public: ClassVar = frozenset({"l", "k", "attribute", "keys", "recoding"})
    costly: ClassVar = True

    l: Annotated[  # noqa: E741 - the field's name for it
        int,
        Field(description="At most one in l records of a class share a value (2 or more).", ge=2),
    ] = 2
    attribute: Annotated[
        AttributeName | None,
        Field(description="The confidential attribute; by default the first one of categories."),
    ] = None
    _: KW_ONLY
    k: Annotated[int, Field(description="The least records of a class (1 or more).", ge=1)] = 1
    sensitive: Annotated[
        tuple[str, ...] | None,
        Field(description="The values that must not be frequent; all when left out.", min_length=1),
    ] = None
    recoding: Annotated[
        Literal["local", "global"],
        Field(
            description="Whether each class was generalized for itself, or the whole file alike."
        ),
    ] = "local"
    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compute what is believed of the confidential values of all records."""
        keys = known_attributes(original, protected, self.keys)
        name = secret_of(original, protected, self.attribute)
        known = paired(original, protected)
        classes = protected.classes(keys).of_record
        values, sensitive = self._values(protected.column(name), name)
        rule = Rule(self.l, self.k, sensitive)
        lower = [part for key in keys if (part := below(known, protected, key)) is not None]
        splits = [divided(classes, part, values, rule) for part in lower]
        naive = Beliefs.plain(classes, values, rule)
        believe = _of_classes if self.recoding == "local" else _of_the_file
        beliefs = believe(splits, classes, values, rule)
        uncounted = {one.number for split in splits for one in split if one.fine is None}
        what = f"{name} given {listed(keys)}"
        counts = {"generalized": len(lower), "uncounted": len(uncounted)}
        found = self._told(what, naive, beliefs, counts)
        return found if lower else replace(found, sentence=f"not applicable: {UNNEEDED} {what}")

    def _values(self, column: pa.Array, name: str) -> tuple[Ints, int]:
        """Return the values by number, all others behind the sensitive ones, and count these."""
        codes, words = distinct(column)
        if self.sensitive is None:
            return codes, len(words)
        said = as_text(words).to_pylist()
        for word in self.sensitive:
            if word not in said:
                raise ParameterError(
                    f"`sensitive` of `minimality` names {word!r}, which is no value of `{name}`."
                    f"{did_you_mean(word, [one for one in said if one])}"
                )
        order = {word: place for place, word in enumerate(dict.fromkeys(self.sensitive))}
        return np.array([order.get(word, len(order)) for word in said])[codes], len(order)

    def _told(
        self, what: str, naive: Beliefs, beliefs: Beliefs, figures: Mapping[str, int]
    ) -> Measurement:
        records = len(beliefs.exceeds)
        found, before = (int(np.count_nonzero(one.exceeds)) for one in (beliefs, naive))
        shares = [Fraction(one, records) if records else None for one in (found, before)]
        guessed = [one.guessed / records if records else None for one in (beliefs, naive)]
        return Measurement(
            self.name,
            self.family,
            shares[0],
            f"some value of {what} is credible by more than 1/{self.l} for {found:,} of "
            f"{records:,} records to whoever knows that nothing was generalized without need, and "
            f"for {before:,} to others",
            per_record=beliefs.highest,
            parameters=self.parameters(),
            figures={
                **beside_naive("breach", *shares),
                "guessed": guessed[0],
                **beside_naive("guess", *guessed),
                **figures,
            },
        )


def _of_classes(
    splits: Sequence[Sequence[Divided]], classes: Ints, values: Ints, rule: Rule
) -> Beliefs:
    """Believe of each class what the key tells on which it shows most."""
    best: dict[int, Divided] = {}
    for one in (one for split in splits for one in split):
        if one.number not in best or one.highest > best[one.number].highest:
            best[one.number] = one
    found = Beliefs.plain(classes, values, rule)
    for one in best.values():
        found.with_parts(one.beliefs(), values, one.codes, rule)
    return found


def _of_the_file(
    splits: Sequence[Sequence[Divided]], classes: Ints, values: Ints, rule: Rule
) -> Beliefs:
    """Believe of the file what the key tells on which most records show more than 1/l."""
    best = Beliefs.plain(classes, values, rule)
    whole = best.exceeds | (np.bincount(classes)[classes] < rule.k)
    for split in splits:
        found = Beliefs.plain(classes, values, rule)
        # Classes that stay whole are as they were; those that cannot be counted may explain all.
        apart = np.isin(classes, [one.number for one in split])
        shares = [Fraction(0) if one.fine is None else one.fine.share for one in split]
        if not whole[~apart].any():
            for one, others in zip(split, _products_of_others(shares), strict=True):
                found.with_parts(one.beliefs(others), values, one.codes, rule)
        if np.count_nonzero(found.exceeds) > np.count_nonzero(best.exceeds):
            best = found
    return best


def _products_of_others(shares: Sequence[Fraction]) -> list[Fraction]:
    """Return for each number the product of all others.

    >>> _products_of_others([Fraction(2), Fraction(3), Fraction(0)])
    [Fraction(0, 1), Fraction(0, 1), Fraction(6, 1)]
    """
    before = list(accumulate(shares[:-1], mul, initial=Fraction(1)))
    behind = list(accumulate(reversed(shares[1:]), mul, initial=Fraction(1)))
    return [one * other for one, other in zip(before, reversed(behind), strict=True)]
