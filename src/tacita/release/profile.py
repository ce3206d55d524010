"""Ready sets of requirements for the usual audiences of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, did_you_mean
from tacita.method import Method
from tacita.microdata.models.k_anonymity import KAnonymity
from tacita.microdata.risk.exact_linkage import ExactLinkage
from tacita.release.requirement import Requirement
from tacita.results import Verdict, exactly


@dataclass(frozen=True)
class Profile:
    """What a file for an audience must keep.

    Args:
        name: as a plan file says it.
        audience: who gets the file, in a sentence.
        requirements: what must hold.
        refuses: masking methods that a file for this audience must not rest on.
        needs: masking methods that it cannot do without.
        every_attribute: whether every attribute must be declared in the plan.
        reference: where the thresholds come from.
        look: what else is judged of the released data and their masking, if anything.
    """

    name: str
    audience: str
    requirements: tuple[Requirement, ...]
    refuses: frozenset[str]
    needs: frozenset[str]
    every_attribute: bool
    reference: str
    look: Callable[[Dataset, Iterable[Method]], Iterator[Verdict]] | None = None


THRESHOLDS = (
    "El Emam & Arbuckle, Anonymizing Health Data, O'Reilly 2013; European Medicines Agency, "
    "Policy 0070 guidance (a probability of 0.09 in public, one in eleven)"
)


def _safe_harbor(released: Dataset, methods: Iterable[Method]) -> Iterator[Verdict]:
    from tacita.release.safe_harbor import safe_harbor_verdicts

    return safe_harbor_verdicts(released, methods)


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "public_use_file",
            "Anybody, without a contract: an intruder tries and tells the world.",
            (Requirement(KAnonymity(11)), Requirement(ExactLinkage(), at_most=exactly("0.09"))),
            refuses=frozenset({"pseudonymize"}),
            needs=frozenset({"shuffle_records"}),
            every_attribute=True,
            reference=THRESHOLDS,
        ),
        Profile(
            "scientific_use_file",
            "Researchers under contract: an intruder would break an agreement.",
            (Requirement(KAnonymity(3)), Requirement(ExactLinkage(), at_most=exactly("0.2"))),
            refuses=frozenset(),
            needs=frozenset(),
            every_attribute=False,
            reference=THRESHOLDS,
        ),
        Profile(
            "hipaa_safe_harbor",
            "Whom US health data may go to once the 18 identifiers of HIPAA are removed.",
            (),
            refuses=frozenset({"pseudonymize", "shift_dates"}),
            needs=frozenset(),
            every_attribute=True,
            reference="45 CFR 164.514(b)(2); HHS guidance on de-identification, 2012",
            look=_safe_harbor,
        ),
    )
}


def find_profile(name: str | None) -> Profile | None:
    """Return a profile by name; None for None."""
    if name is None or name in PROFILES:
        return PROFILES[name] if name else None
    raise ParameterError(
        f"There is no profile `{name}` ({', '.join(PROFILES)}).{did_you_mean(name, PROFILES)}"
    )
