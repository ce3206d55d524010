"""Dates of birth in text."""

from __future__ import annotations

import re
from typing import ClassVar

from tacita.inspection.detectors.base import PatternDetector

BORN = (
    "born|birth ?date|date of birth|birthday|d\\.?o\\.?b|geb(?:oren|oors|urtsdatum|urtstag)?|"
    "n[ée]e?|naissance|nacid[oa]|nacimiento|nascid[oa]|nascimento|nat[oa]|nascita|"
    "ur(?:odz(?:ony|ona|enia)?)?|f[öø]dt?|f[öø]dd?|f[öø]dselsdato|f[öø]delsedatum|geboortedatum|"
    "narozen[aáý]?|született|syntynyt"
)
MONTHS = (
    "jan|feb|m[aä]r|apr|ma[iyj]|jun|jul|aug|sep|o[ckt]t|nov|de[czs]|gen|mag|giu|lug|ago|set|ott|"
    "dic|ene|abr|avr|f[ée]v|juin|juil|ao[uû]|d[ée]c|sty|lut|kwi|maj|cze|lip|sie|wrz|pa[zź]|lis|gru"
)
DATE = (
    r"(?:[0-3]?[0-9]\s?[./-]\s?[0-3]?[0-9]\s?[./-]\s?(?:[12][0-9]{3}|[0-9]{2})"
    r"|[12][0-9]{3}[./-][01]?[0-9][./-][0-3]?[0-9]"
    rf"|[0-3]?[0-9](?:\.|st|nd|rd|th|er)?\s(?:de\s|of\s)?(?:{MONTHS})\w{{0,10}}\.?,?\s(?:del?\s)?"
    r"[12][0-9]{3}"
    rf"|(?:{MONTHS})\w{{0,10}}\.?\s[0-3]?[0-9](?:st|nd|rd|th)?,?\s[12][0-9]{{3}})(?![0-9])"
)


class BirthDate(PatternDetector):
    """Detects dates of birth in text: a word for birth and a whole date soon after it.

    One is enough. A column of dates is none: whether a date is a key is for its role to say.

    >>> BirthDate().matches("A. Huber, born 3.4.1910"), BirthDate().matches("born 1946-1964")
    (True, False)
    """

    name: ClassVar = "birth_date"
    what: ClassVar = "dates of birth in text"
    reference: ClassVar = "45 CFR 164.514(b)(2)(i)(C); words of 14 languages"
    hipaa: ClassVar = "C"
    filter: ClassVar = rf"(?i)(?:^|[^\p{{L}}])(?:{BORN}|f\.|\*)(?:[^\p{{L}}].*|)[0-9].*[0-9]"
    pattern: ClassVar = re.compile(
        rf"(?:\b(?:{BORN})\b|\bf\.\s|(?:^|[\s(,])\*)[^0-9]{{0,24}}?(?<![0-9]){DATE}", re.IGNORECASE
    )
