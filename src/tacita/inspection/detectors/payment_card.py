"""Payment cards."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import ClassVar

from tacita.inspection.detectors.base import Detection, Detector, Values, spread_sample
from tacita.inspection.detectors.chance import is_beyond_chance
from tacita.inspection.detectors.national_number import CERTAIN, MOST_WRONG, tail_limit

PREFIX = "(?:4|5[1-5]|2[2-7]|6011|64[4-9]|65|50|5[6-8]|6[37]|3[47])"
CARD = re.compile(rf"(?<![\w.,])(?={PREFIX})[0-9]{{13,19}}(?![\w]|[.,][0-9])")
GROUPED = re.compile(
    rf"(?<![\w.,])(?:(?={PREFIX})[0-9]{{4}}([ -])[0-9]{{4}}\1[0-9]{{4}}\1[0-9]{{4}}"
    r"|3[47][0-9]{2}([ -])[0-9]{6}\2[0-9]{5})(?!\w)"
)
CHANCE = Fraction(1, 10)  # Luhn's check is modulo 10


class PaymentCard(Detector):
    """Detects card numbers that pass Luhn's check.

    One that is written in its groups is enough. One plain number in ten passes by accident:
    plain digits count when more pass than chance explains.

    >>> from tacita.inspection.columns import column_of
    >>> import pyarrow as pa
    >>> cards = column_of("x", pa.array(["none", "4539 5787 6362 1486"]))
    >>> PaymentCard().detect(Values(cards)).matches
    1
    """

    name: ClassVar = "payment_card"
    what: ClassVar = "card numbers"
    reference: ClassVar = "ISO/IEC 7812-1:2017, annex B"
    hipaa: ClassVar = "J"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values hold a card number, if chance does not explain them."""
        from stdnum import luhn

        texts = values.with_digits.to_pylist()
        grouped = sum(any(map(luhn.is_valid, _digits(GROUPED, text))) for text in texts)
        if grouped:
            return self.detection(values, grouped)
        tested = [numbers[0] for text in texts if (numbers := _digits(CARD, text))]
        some = spread_sample(tested, CERTAIN)
        passing = sum(map(luhn.is_valid, some))
        if MOST_WRONG * passing < len(some) or not is_beyond_chance(
            passing, len(some), CHANCE, tail_limit(values, len(tested))
        ):
            return None
        share = f"{passing:,} of {len(some):,} tested pass the check, by chance 1 in 10"
        return self.detection(values, passing * len(tested) // len(some), share)


def _digits(pattern: re.Pattern[str], text: str) -> list[str]:
    return [re.sub("[ -]", "", found.group()) for found in pattern.finditer(text)]
