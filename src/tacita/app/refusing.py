"""Why something is refused, without the line of a file that nobody wrote."""

from __future__ import annotations

import re
from pathlib import Path


def why(sentence: str, file: Path) -> str:
    """Return why a plan cannot be carried out; a field is named where the sentence needs it.

    Args:
        sentence: what was said of the plan, which may begin with file, line and field.
        file: where the plan would stand, if it were a file.

    >>> plan = Path("/x/plan.yaml")
    >>> why("/x/plan.yaml, line 6, field `microdata.steps[0].rounds`: expected a list.", plan)
    '`rounds`: expected a list.'
    >>> why("/x/plan.yaml, line 6, field `microdata.steps[0]`: There is no method `a`.", plan)
    'There is no method `a`.'
    """
    found = re.fullmatch(
        rf"{re.escape(str(file))}(?:, line \d+)?(?:, field `(.*?)`)?: (.+)", sentence, re.DOTALL
    )
    if found is None:
        return sentence
    field, said = found.groups()
    whole = field is None or not said[0].islower()
    return str(said) if whole else f"`{field.rpartition('.')[2]}`: {said}"
