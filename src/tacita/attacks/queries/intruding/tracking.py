"""What trackers have in common: sums over padded sets, combined so that the victim is left."""

from __future__ import annotations

from collections.abc import Iterable

from tacita.attacks.queries.intruding.intruder import Asking, Formula, Intruder, Outcome, Target

THE_TRACKER = (
    "Denning, D. E., Denning, P. J. and Schwartz, M. D. (1979). The tracker: a threat to "
    "statistical database security. ACM TODS 4(1), 76-96."
)


def tracked(attack: str, database: Asking, target: Target, formulas: Iterable[Formula]) -> Outcome:
    """Ask until every sum of a formula is answered, and infer what it gives.

    Args:
        attack: the name of the attack.
        database: what is asked.
        target: the victim.
        formulas: combinations of sums that give the victim's value, the most promising first.
    """
    intruder = Intruder(database, target)
    return intruder.outcome(attack, intruder.first(formulas))
