"""International bank account numbers."""

from __future__ import annotations

import re
from typing import ClassVar

from tacita.inspection.detectors.base import PatternDetector

START = re.compile(r"(?<![A-Z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}")
SHORTEST, LONGEST = 15, 34


class Iban(PatternDetector):
    """Detects bank accounts (IBAN) with right check digits, anywhere in a value; one is enough.

    The country must be known, the length and the signs must be those of the country, and the check
    digits modulo 97 right.

    >>> Iban().matches("pay GB29 NWBK 6016 1331 9268 19, please")
    True
    >>> Iban().matches("GB28 NWBK 6016 1331 9268 19")
    False
    """

    name: ClassVar = "iban"
    what: ClassVar = "bank account numbers (IBAN)"
    reference: ClassVar = "ISO 13616-1:2020; ISO 7064"
    hipaa: ClassVar = "J"
    filter: ClassVar = r"(?i)[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11}"

    def matches(self, text: str) -> bool:
        """Tell whether a value holds an account."""
        return any(_begins_account(run.group()) for run in START.finditer(text.upper()))


def _begins_account(run: str) -> bool:
    """Tell whether an account stands at the beginning of a run; words may follow it."""
    from stdnum import iban

    signs = run.replace(" ", "")
    return any(
        iban.is_valid(signs[:length], check_country=False)
        for length in range(SHORTEST, min(len(signs), LONGEST) + 1)
    )
