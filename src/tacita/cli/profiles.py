"""`tacita profiles`: ready sets of requirements, with the reason of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacita.release.profile import Profile

Which = Annotated[str | None, typer.Argument(help="A profile, to see the reasons of all it asks.")]


def profiles(which: Which = None, json: Json = False) -> None:
    """List the profiles that a plan can name, with what they require and why."""
    from tacita.cli.printing import print_json, print_table, say
    from tacita.release.profile import PROFILES, find_profile

    one = find_profile(which)
    chosen = list(PROFILES.values()) if one is None else [one]
    if json:
        print_json([profile.to_dict() for profile in chosen])
        return
    for profile in chosen:
        print_table(profile.name, ("what", "why", "source"), list(_rows(profile)))
        say(f"For: {profile.audience}")
        say(f"From: {profile.reference}\n")


def _rows(profile: Profile) -> Iterator[tuple[str, str, str]]:
    from tacita.results import brief

    for demand in (*profile.demands, *profile.confidential):
        yield brief(demand.requirement.to_plan()), demand.reason, demand.reference
    for name, reason in profile.reasons.items():
        how = "needs" if name in profile.needs else "must not have"
        yield f"{how} {name}", reason, ""
