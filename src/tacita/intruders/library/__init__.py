"""The library of scenarios: one file a domain."""

from __future__ import annotations

from tacita.errors import ParameterError, did_you_mean
from tacita.intruders.library.business import BUSINESS
from tacita.intruders.library.education import EDUCATION
from tacita.intruders.library.health import HEALTH
from tacita.intruders.library.household_survey import HOUSEHOLD_SURVEY
from tacita.intruders.scenario import Scenario

SCENARIOS = (*HEALTH, *BUSINESS, *HOUSEHOLD_SURVEY, *EDUCATION)


def scenarios(domain: str | None = None) -> tuple[Scenario, ...]:
    """Return the scenarios of a domain, or all there are.

    >>> [one.name for one in scenarios("business")]
    ['competitor', 'commercial_database', 'annual_accounts', 'business_partner']
    """
    known = list(dict.fromkeys(one.domain for one in SCENARIOS))
    if domain is not None and domain not in known:
        raise ParameterError(
            f"There are scenarios of {', '.join(known)}; found `{domain}`."
            f"{did_you_mean(domain, known)}"
        )
    return tuple(one for one in SCENARIOS if domain in (None, one.domain))


def scenario(domain: str, name: str | None = None) -> Scenario:
    """Return a scenario of the library.

    Args:
        domain: health, business, household_survey or education; or both names as plans say them,
            `health/neighbour`.
        name: what the scenario is called in its domain.

    >>> scenario("health", "voter_list") is scenario("health/voter_list")
    True
    """
    if name is None:
        domain, _, name = domain.partition("/")
    found = {one.name: one for one in scenarios(domain)}
    if name not in found:
        raise ParameterError(
            f"The domain {domain} has the scenarios {', '.join(found)}; found `{name}`."
            f"{did_you_mean(name, found)}"
        )
    return found[name]
