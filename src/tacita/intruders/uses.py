"""How each measure uses what an intruder holds. Here and nowhere else.

- `VALUES`: what the intruder holds is compared with the release (linkage, inference). Mistakes are
  drawn into it; what is held coarsely is compared coarsely, so the release is coarsened alike.
- `COUNTS`: how many released records agree with what is held. The release, the original and the
  population are coarsened alike; numbers held with an error are put into classes that the error
  does not tell apart. A value that is wrong finds other records: the number is multiplied by the
  probability that all the values are right.
- `PARTS`: as `COUNTS`, but a few of the keys are enough: the number is multiplied by the
  probability that at least one of the values is right, which is never below the truth.
- `NEARNESS`: whether a released value is near what is held. Mistakes are drawn, and only what is
  held is coarsened: coarse values would be near one another because they are coarse.
- `SOME_NEAR`: as `NEARNESS`, but one near value is enough, and all that is held sets the scale, so
  that a few wrong values would move all others. Wrong values count as in `PARTS`.

- `RELEASE`: values are worked out from the release itself, and the original is the truth that
  guesses are compared with. These are the only ones for which neither attributes nor accuracy can
  matter: nothing but the release is used.

For all of them the number is multiplied by the probability that the source holds a target and the
target is in the file. What a measure wants to learn (confidential values) is the truth too, and
never made less exact.
"""

from __future__ import annotations

from dataclasses import fields
from enum import Enum, auto

from tacita.method import Method


class Use(Enum):
    """A way to use what an intruder holds."""

    VALUES = auto()
    COUNTS = auto()
    PARTS = auto()
    NEARNESS = auto()
    SOME_NEAR = auto()
    RELEASE = auto()


COUNTED = frozenset(
    {
        "attribute_disclosure",
        "dankar_uniqueness",
        "diversity",
        "exact_linkage",
        "fitting_uniqueness",
        "household_risk",
        "individual_risk",
        "journalist_risk",
        "log_linear_risk",
        "marketer_risk",
        "pitman_uniqueness",
        "population_uniqueness",
        "prosecutor_risk",
        "snb_uniqueness",
        "unicity",
        "uniqueness",
        "zayatz_uniqueness",
    }
)
USES = {
    **dict.fromkeys(COUNTED, Use.COUNTS),
    "minimum_unsafe_combination": Use.PARTS,
    "suda2": Use.PARTS,
    "threshold_rule": Use.PARTS,
    "interval_disclosure": Use.NEARNESS,
    "rmd_disclosure": Use.SOME_NEAR,
    "order_linkage": Use.RELEASE,
    "rounding_reconstruction": Use.RELEASE,
    "suppression_reconstruction": Use.RELEASE,
}
# They look at all attributes that tell of respondents unless told otherwise, not at the keys.
AT_EVERYTHING = frozenset(
    {"closest_records", "interval_disclosure", "membership_inference", "rmd_disclosure"}
)
KNOWLEDGE = ("keys", "known", "attributes")


def use_of(method: Method) -> Use:
    """Return how a measure uses what an intruder holds; attacks compare values."""
    return USES.get(method.name, Use.VALUES)


def knowledge_of(method: Method) -> str | None:
    """Return the parameter that names what an intruder knows, if there is one."""
    named = {field.name for field in fields(method)}  # type: ignore[arg-type]
    return next((word for word in KNOWLEDGE if word in named), None)
