"""What masking does to values, and what a measure of risk takes for granted of them.

Every method that masks says which changes it makes, every risk and attack after which of them its
number still means something and how it uses what an intruder holds. What is recorded of the steps
and what a measure says decide together whether a number may be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto


class Change(StrEnum):
    """What becomes of values when data are masked.

    - `RECODING`: they say less, and the truth: a wider class, a blank, nothing. So do those that an
      intruder who holds the true value can work out (a value rounded to the nearest multiple) and
      one set of keys for a whole cluster of records.
    - `SAMPLING`: some records are left out; the others are as they were.
    - `PERTURBATION`: a record's value need not be its respondent's: drawn, moved, exchanged.
    - `SYNTHESIS`: records come from nobody.
    """

    RECODING = "recoding"
    SAMPLING = "sampling"
    PERTURBATION = "perturbation"
    SYNTHESIS = "synthesis"


NON_PERTURBATIVE = frozenset({Change.RECODING, Change.SAMPLING})
OF_RESPONDENTS = NON_PERTURBATIVE | {Change.PERTURBATION}
ANY_CHANGE = frozenset(Change)


class Use(Enum):
    """How a measure uses what an intruder holds.

    - `VALUES`: what the intruder holds is compared with the release (linkage, inference). Mistakes
      are drawn into it; what is held coarsely is compared coarsely, so the release is coarsened
      alike.
    - `COUNTS`: how many released records agree with what is held. The release, the original and the
      population are coarsened alike; numbers held with an error are put into classes that the error
      does not tell apart. A value that is wrong finds other records: the number is multiplied by
      the probability that all the values are right.
    - `PARTS`: as `COUNTS`, but a few of the keys are enough: the number is multiplied by the
      probability that at least one of the values is right, which is never below the truth.
    - `NEARNESS`: whether a released value is near what is held. Mistakes are drawn, and only what
      is held is coarsened: coarse values would be near one another because they are coarse.
    - `SOME_NEAR`: as `NEARNESS`, but one near value is enough, and all that is held sets the scale,
      so that a few wrong values would move all others. Wrong values count as in `PARTS`.
    - `RELEASE`: values are worked out from the release itself, and the original is the truth that
      guesses are compared with. These are the only ones for which neither attributes nor accuracy
      can matter: nothing but the release is used.

    For all of them the number is multiplied by the probability that the source holds a target and
    the target is in the file. What a measure wants to learn (confidential values) is the truth too,
    and never made less exact.
    """

    VALUES = auto()
    COUNTS = auto()
    PARTS = auto()
    NEARNESS = auto()
    SOME_NEAR = auto()
    RELEASE = auto()


@dataclass(frozen=True)
class Changed:
    """What one masking step did.

    Args:
        by: the method, as plan files say it; empty where it was guessed from the values.
        changes: what it does to values.
        attributes: those whose values are others than before.
    """

    by: str
    changes: frozenset[Change]
    attributes: tuple[str, ...]
