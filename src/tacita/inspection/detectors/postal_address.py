"""Postal addresses."""

from __future__ import annotations

import re
from typing import ClassVar

from tacita.inspection.detectors.base import PatternDetector
from tacita.inspection.detectors.word_lists import (
    STREET_HINTS,
    STREETS,
    STREETS_AFTER_NUMBER,
    STREETS_BEFORE_NUMBER,
)

NUMBER = r"[0-9]{1,4}(?:\s?[a-zA-Z])?(?:/[0-9]{1,3})?"
PATTERN = re.compile(
    rf"(?<![\w.,-]){NUMBER},?\s(?:[A-Z][\w.'-]{{1,30}}\s){{1,3}}{STREETS}"
    rf"|(?i:\b{STREETS_BEFORE_NUMBER}),?\s?(?:n[ºo°r]\.?\s)?{NUMBER}(?![\w.%]|\s?(?:km|m|%))"
    rf"|(?<![\w.,-]){NUMBER}(?:\s?(?:bis|ter))?,?\s(?i:{STREETS_AFTER_NUMBER})\s\w"
)


class PostalAddress(PatternDetector):
    """Detects streets with the number of a house, anywhere in a value; one is enough.

    >>> streets = ("Hauptstraße 12", "12 Main Street", "5 rue de la Paix", "ul. Długa 7", "street")
    >>> [PostalAddress().matches(text) for text in streets]
    [True, True, True, True, False]
    """

    name: ClassVar = "postal_address"
    what: ClassVar = "postal addresses"
    reference: ClassVar = "UPU S42, elements of postal addresses; words of 11 languages"
    hipaa: ClassVar = "B"
    filter: ClassVar = f"(?i){STREET_HINTS}"
    pattern: ClassVar = PATTERN
