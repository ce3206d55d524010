"""Several copies of one data set: what can make them, and how to combine what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacita.errors import ParameterError, shown
from tacita.method import Method
from tacita.microdata.synthesis.inference.combining import OF_FINITE, SAID, Rule

SAMPLED = "sampled"  # the note by which a generator tells what share of a population it had


@dataclass(frozen=True)
class CopyOf:
    """Which of several copies a data set is.

    Args:
        number: the copy, from 1 on.
        of: how many there are.
        rule: the combining rule that holds for copies made so.
        sampled: the share of a finite population that was sampled; 0 where it is endless.
    """

    number: int
    of: int
    rule: Rule
    sampled: float = 0.0

    @property
    def folder(self) -> str:
        """What the folder of its release is called."""
        return copy_folder(self.number)

    @property
    def sentence(self) -> str:
        """What whoever analyses the copies must know.

        >>> CopyOf(1, 5, "partial").sentence[:38]
        'This is copy 1 of 5, each with its own'
        """
        rule = OF_FINITE.format(sampled=self.sampled) if self.sampled else SAID[self.rule]
        return (
            f"This is copy {self.number} of {self.of}, each with its own draws. Analyse every copy "
            "as if it were real; of m copies, q is the mean of the estimates, v that of their "
            "variances and b the variance of the estimates between the copies. By the rule "
            f"`{self.rule}`, {rule}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain types."""
        return {
            "number": self.number,
            "of": self.of,
            "rule": self.rule,
            **({SAMPLED: self.sampled} if self.sampled else {}),
            "sentence": self.sentence,
        }


def copy_folder(number: int) -> str:
    """Return what the folder of one of several copies is called.

    >>> copy_folder(1)
    'copy-1'
    """
    return f"copy-{number}"


def rule_for(method: Method, *, is_synthetic: bool) -> Rule:
    """Return the combining rule for copies made by a method.

    Args:
        method: the generator.
        is_synthetic: whether the records come from nobody.
    """
    if not is_synthetic:
        return "partial"
    return "full" if getattr(method, "proper", False) else "plug_in"


def usual_copies(method: Method) -> int:
    """Return how many copies of a method are made where nobody says it.

    Intervals by the rule `full` from 20 copies are about 1.4 times as long as those of the data,
    from 5 they are 3.5 times as long; the other rules need few.

    Args:
        method: the generator.
    """
    return 20 if getattr(method, "proper", False) else 5


def refuse_copying(method: Any) -> None:
    """Refuse a method that several copies cannot come from.

    Raises:
        ParameterError: it makes no synthetic data, or spends a privacy budget.
    """
    if not isinstance(method, Method) or method.family != "synthesis" or not method.draws:
        raise ParameterError(
            "Several copies come from a method that draws synthetic data, for instance "
            f"`multiple_imputation`; found {shown(getattr(method, 'name', method))}."
        )
    if not method.repeatable:
        raise ParameterError(
            f"Every copy by `{method.name}` would spend its privacy budget again; make one data "
            "set with it."
        )


def refuse_number(copies: Any) -> None:
    """Refuse what is no number of copies.

    Raises:
        ParameterError: it is not a whole number, 1 or more.
    """
    if not isinstance(copies, int) or isinstance(copies, bool) or copies < 1:
        raise ParameterError(f"`copies` is a whole number, 1 or more; found {shown(copies)}.")
