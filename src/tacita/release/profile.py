"""Ready sets of requirements for the usual audiences of a file, with the reason of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tacita.data.attribute import Role
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, did_you_mean
from tacita.method import Method
from tacita.microdata.models.k_anonymity import KAnonymity
from tacita.microdata.models.l_diversity import LDiversity
from tacita.microdata.models.t_closeness import TCloseness
from tacita.microdata.risk.exact_linkage import ExactLinkage
from tacita.microdata.risk.probabilistic_linkage import ProbabilisticLinkage
from tacita.release.requirement import Requirement
from tacita.results import Verdict, exactly

Look = Callable[[Dataset, Iterable[Method]], Iterator[Verdict]]


@dataclass(frozen=True)
class Demand:
    """A requirement of a profile: why it stands there, and where its number comes from."""

    requirement: Requirement
    reason: str
    reference: str


@dataclass(frozen=True)
class Profile:
    """What a file for an audience must keep.

    Args:
        name: as a plan file says it.
        audience: who gets the file, in a sentence.
        demands: what must hold of every file, with reasons.
        reference: where the profile comes from.
        confidential: what must hold of the confidential attributes, where there are some.
        refuses: masking methods that a file for this audience must not rest on.
        needs: masking methods that it cannot do without.
        reasons: why a method is refused or needed, or something else is looked at, by its name.
        every_attribute: whether every attribute must be declared in the plan.
        look: what else is judged of the released data and their masking, if anything.
    """

    name: str
    audience: str
    demands: tuple[Demand, ...]
    reference: str
    confidential: tuple[Demand, ...] = ()
    refuses: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    reasons: Mapping[str, str] = field(default_factory=dict)
    every_attribute: bool = True
    look: Look | None = None

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What must hold of every file."""
        return tuple(demand.requirement for demand in self.demands)

    def inference(self, released: Dataset) -> Iterator[Verdict]:
        """Judge what is learned of confidential attributes; a file without any gives none away."""
        has_some = bool(released.with_role(Role.CONFIDENTIAL))
        for demand in self.confidential:
            if has_some:
                yield demand.requirement.check(released, released)
                continue
            name = demand.requirement.method.name
            told = f"no released attribute is confidential, so that `{name}` does not apply"
            yield Verdict({"without": f"confidential attributes for {name}"}, True, None, told)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile in plain types.

        >>> found = PROFILES["gdpr_public_use"].to_dict()
        >>> found["requirements"][0]["requirement"]
        {'k_anonymity': {'k': 11}}
        """
        rows = [(demand, False) for demand in self.demands]
        rows += [(demand, True) for demand in self.confidential]
        return {
            "name": self.name,
            "audience": self.audience,
            "requirements": [
                {
                    "requirement": demand.requirement.to_plan(),
                    "of_confidential_attributes": confidential,
                    "reason": demand.reason,
                    "reference": demand.reference,
                }
                for demand, confidential in rows
            ],
            "needs": sorted(self.needs),
            "refuses": sorted(self.refuses),
            "every_attribute_declared": self.every_attribute,
            "reasons": dict(self.reasons),
            "reference": self.reference,
        }


EL_EMAM = "El Emam & Arbuckle, Anonymizing Health Data, O'Reilly 2013"
EMA = (
    "European Medicines Agency, Policy 0070 guidance (a probability of 0.09 in public, one in "
    "eleven)"
)
THRESHOLDS = f"{EL_EMAM}; {EMA}"
COMMON_K = "El Emam & Dankar, JAMIA 15:627, 2008 (5 as the usual size in practice, 3 as the least)"
OPINION = "Article 29 Working Party, Opinion 05/2014 on anonymisation techniques (WP216)"
GDPR = f"GDPR, Recital 26; {OPINION}; ISO/IEC 27559:2022"
EXPERT = "45 CFR 164.514(b)(1); HHS guidance on de-identification, 2012"
OWN_CHOICE = "no source holds this number: it is the choice of Tacita"
PSEUDONYMS = "Pseudonyms let whoever holds a second file link the records of a person to it."
EVERY = "What nobody declared, nobody judged."


def _safe_harbor(released: Dataset, methods: Iterable[Method]) -> Iterator[Verdict]:
    from tacita.release.safe_harbor import safe_harbor_verdicts

    return safe_harbor_verdicts(released, methods)


def _direct_identifiers(released: Dataset, _: Iterable[Method]) -> Iterator[Verdict]:
    from tacita.release.safe_harbor import direct_identifier_verdicts

    return direct_identifier_verdicts(released)


def _linkage(bound: str, law: str, source: str) -> tuple[Demand, ...]:
    """Return the two attacks by linkage, both with the same bound."""
    most = exactly(bound)
    exact = Demand(
        Requirement(ExactLinkage(), at_most=most),
        f"{law}: an intruder who looks respondents up by their keys succeeds that rarely.",
        source,
    )
    weighed = Demand(
        Requirement(ProbabilisticLinkage(), at_most=most),
        f"{law}: an intruder whose keys contain errors weighs agreements. The bound is that of "
        "exact linkage; to apply it to this attack is the choice of Tacita.",
        source,
    )
    return exact, weighed


def _class_size(k: int, law: str, source: str) -> Demand:
    reason = f"{law}: nobody's key values are shared by fewer than {k} records."
    return Demand(Requirement(KAnonymity(k)), reason, source)


DIVERSE = Demand(
    Requirement(LDiversity(2)),
    "Inference: whoever finds the class of a person must not be certain of the value; two values "
    "are the least with which that holds.",
    f"{OPINION}, which names the model and no number; {OWN_CHOICE}",
)
CLOSE = Demand(
    Requirement(TCloseness(0.3)),
    "Inference: whoever finds the class of a person learns little more than from the whole file.",
    f"{OPINION}, which names the model and no number; {OWN_CHOICE}",
)
INSIDE = exactly("0.33")


def _inside(reason: str) -> Demand:
    source = f"{EL_EMAM} (cells of 3 as the least precedent); {OWN_CHOICE} for use inside the house"
    return Demand(Requirement(ExactLinkage(), at_most=INSIDE), reason, source)


PUBLIC_LAW = "Singling out"
LINKABLE = "Linkability"
VERY_SMALL = "The risk must be very small, and the rule holds no number"

PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "public_use_file",
            "Anybody, without a contract: an intruder tries and tells the world.",
            (
                _class_size(11, PUBLIC_LAW, THRESHOLDS),
                _linkage("0.09", LINKABLE, THRESHOLDS)[0],
            ),
            refuses=frozenset({"pseudonymize"}),
            needs=frozenset({"shuffle_records"}),
            reasons={
                "pseudonymize": PSEUDONYMS,
                "shuffle_records": "The order of the source could tell who is who.",
                "undeclared attributes": EVERY,
            },
            reference=THRESHOLDS,
        ),
        Profile(
            "scientific_use_file",
            "Researchers under contract: an intruder would break an agreement.",
            (
                _class_size(3, PUBLIC_LAW, THRESHOLDS),
                _linkage("0.2", LINKABLE, THRESHOLDS)[0],
            ),
            every_attribute=False,
            reference=THRESHOLDS,
        ),
        Profile(
            "gdpr_public_use",
            "Anybody, without a contract. The data are meant to be anonymous; whether they are, "
            "the controller judges by all means reasonably likely to be used.",
            (_class_size(11, PUBLIC_LAW, EMA), *_linkage("0.09", LINKABLE, EMA)),
            confidential=(DIVERSE, CLOSE),
            refuses=frozenset({"pseudonymize"}),
            reasons={"pseudonymize": PSEUDONYMS, "undeclared attributes": EVERY},
            reference=GDPR,
        ),
        Profile(
            "gdpr_scientific_use",
            "Researchers under contract. Whether the data are anonymous to them depends on the "
            "means reasonably likely to be used, which a file alone does not show.",
            (
                _class_size(5, PUBLIC_LAW, COMMON_K),
                *_linkage("0.2", LINKABLE, f"{COMMON_K}: one in five"),
            ),
            confidential=(DIVERSE,),
            reasons={"undeclared attributes": EVERY},
            reference=GDPR,
        ),
        Profile(
            "gdpr_internal_use",
            "Colleagues who need no names. The data stay personal data, pseudonymised or not: "
            "nothing here makes them anonymous.",
            (
                _inside(
                    "Data minimisation and security (Art. 5(1)(c), 25, 32): colleagues should "
                    "rarely recognise anybody by keys."
                ),
            ),
            reasons={"undeclared attributes": EVERY},
            reference="GDPR, Art. 4(5), 5(1)(c), 25 and 32, Recital 26",
        ),
        Profile(
            "hipaa_safe_harbor",
            "Whom US health data may go to once the 18 identifiers of HIPAA are removed.",
            (),
            refuses=frozenset({"pseudonymize", "shift_dates"}),
            reasons={
                "pseudonymize": "A code must not be derived from what it stands for.",
                "shift_dates": "A shifted date is still a date finer than its year.",
                "the 18 identifiers": "45 CFR 164.514(b)(2)(i) names them, letters A to R.",
                "undeclared attributes": EVERY,
            },
            reference="45 CFR 164.514(b)(2); HHS guidance on de-identification, 2012",
            look=_safe_harbor,
        ),
        Profile(
            "hipaa_expert_public_use",
            "Anybody, after an expert found the risk of identification very small. The profile "
            "measures; the determination is the expert's.",
            (_class_size(11, VERY_SMALL, THRESHOLDS), *_linkage("0.09", VERY_SMALL, THRESHOLDS)),
            refuses=frozenset({"pseudonymize"}),
            reasons={"pseudonymize": PSEUDONYMS, "undeclared attributes": EVERY},
            reference=EXPERT,
        ),
        Profile(
            "hipaa_expert_scientific_use",
            "Researchers under contract, after an expert found the risk of identification by them "
            "very small. The profile measures; the determination is the expert's.",
            (
                _class_size(5, VERY_SMALL, COMMON_K),
                *_linkage("0.2", VERY_SMALL, f"{COMMON_K}: one in five"),
            ),
            reasons={"undeclared attributes": EVERY},
            reference=EXPERT,
        ),
        Profile(
            "hipaa_limited_data_set",
            "Recipients under a data use agreement, for research, public health or health care "
            "operations. The data stay protected health information.",
            (),
            reasons={
                "direct identifiers": "45 CFR 164.514(e)(2) names them; dates, towns, states and "
                "ZIP codes may stay. Street addresses are found by their values only.",
                "undeclared attributes": EVERY,
            },
            reference="45 CFR 164.514(e)",
            look=_direct_identifiers,
        ),
        Profile(
            "hipaa_internal_use",
            "The covered entity's own people. The data stay protected health information: nothing "
            "here de-identifies them.",
            (
                _inside(
                    "Minimum necessary (45 CFR 164.502(b), 164.514(d)): staff should rarely "
                    "recognise anybody by keys."
                ),
            ),
            reasons={"undeclared attributes": EVERY},
            reference="45 CFR 164.502(b) and 164.514(d)",
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
