"""Waivers: a release of which nothing is required is written for a stated reason only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tacita.errors import ParameterError, RequirementError, shown

if TYPE_CHECKING:
    from tacita.release.plan import Plan


def read_waiver(spec: Any) -> str | None:
    """Read the reason for which nothing is required; None for no waiver.

    >>> read_waiver(" a file for the test of a loader ")
    'a file for the test of a loader'

    Raises:
        ParameterError: it is not a reason in words.
    """
    if spec is None:
        return None
    reason = " ".join(spec.split()) if isinstance(spec, str) else ""
    if not (reason and reason.isprintable()):
        raise ParameterError(
            f"`waive` should say in words why nothing is required; found {shown(spec)}."
        )
    return reason


def with_waiver(plan: Plan, spec: Any) -> Plan:
    """Return a plan with a waiver that stands beside it, on the command line or in Python.

    Raises:
        ParameterError: it gives no reason, or the plan gives another one.
    """
    reason = read_waiver(spec)
    if reason is None:
        return plan
    if plan.waive not in (None, reason):
        raise ParameterError("The plan waives its requirements for another reason; keep one.")
    return replace(plan, waive=reason)


def refuse_unrequired(plan: Plan) -> None:
    """Refuse a release of which nothing is required, unless a waiver says why.

    Raises:
        RequirementError: nothing is required, and nobody waived that.
        ParameterError: something is required, and waived all the same.
    """
    if plan.requires_something:
        refuse_needless_waiver(plan)
    elif plan.waive is None:
        raise RequirementError(
            "Nothing was released, because nothing is required of the records; add `require` or a "
            '`profile`, or waive both with a reason (`waive: "..."` under `microdata`, '
            '`--waive "..."` or `waive="..."`).'
        )


def refuse_needless_waiver(plan: Plan) -> None:
    """Refuse a waiver beside requirements: a reader could not tell which of the two counts.

    Raises:
        ParameterError: something is required, and waived all the same.
    """
    if plan.waive is None or not plan.requires_something:
        return
    what = "something is required" if plan.releases_records else "tables carry their requirement"
    raise ParameterError(f"`waive` says that nothing is required, but {what}; leave out `waive`.")
