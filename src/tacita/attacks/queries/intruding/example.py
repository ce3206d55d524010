"""A guarded example and a victim in it, to try attacks on."""

from __future__ import annotations

from tacita.attacks.queries.intruding.intruder import Target
from tacita.attacks.queries.intruding.register import Register
from tacita.data.examples import generate
from tacita.method import Method
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses


def example_guard(*policies: Method, records: int = 40) -> tuple[Guard, Target]:
    """Guard the example data `toy` without any history; the target is the first unique record.

    >>> import tacita as ta
    >>> guard, target = example_guard(ta.Unprotected())
    >>> guard.ask("SELECT count(*) FROM toy", user="ana").value, target.attribute
    (40, 'income')
    """
    data = PublicClasses.of(generate("toy", records), "toy")
    register = Register.of(data)
    return Guard(data, policies), Target(next(register.unique()), "income", register)
