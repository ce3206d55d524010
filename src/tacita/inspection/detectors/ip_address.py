"""IP addresses."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address
from typing import ClassVar

from tacita.inspection.detectors.base import Detection, PatternDetector, Values

QUAD = re.compile(
    r"(?<![\w.:])((?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
    r"(?:\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3})(?!\w|\.[0-9])"
)
HEX = re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:|:)[0-9A-Fa-f:]{1,38}(?![\w:])")
LEAST = 20  # sections of a document or classification are not numbered so high in four levels
GROUPS = 4  # colons from which on it is no time and no ratio
VERSIONS = frozenset({"version", "release", "section", "chapter", "firmware", "build"})


class IpAddress(PatternDetector):
    """Detects IPv4 and IPv6 addresses, anywhere in a value; one is enough.

    Four small numbers such as `1.2.3.4` may be a section or a version: an address has a number of
    20 or more, or a zero.

    >>> [IpAddress().matches(text) for text in ("10.0.0.7", "fe80::1", "1.2.3.4", "12:30:00")]
    [True, True, False, False]
    """

    name: ClassVar = "ip_address"
    what: ClassVar = "IP addresses"
    reference: ClassVar = "RFC 791; RFC 4291, section 2.2"
    hipaa: ClassVar = "O"
    filter: ClassVar = r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]|::|:[0-9A-Fa-f]{0,4}:"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values hold an address; numbers of versions are none."""
        return None if values.name_words & VERSIONS else super().detect(values)

    def matches(self, text: str) -> bool:
        """Tell whether a value holds an address."""
        quads = (found.group(1).split(".") for found in QUAD.finditer(text))
        if any(any(int(part) >= LEAST or part == "0" for part in quad) for quad in quads):
            return True
        return any(_is_v6(found.group()) for found in HEX.finditer(text))


def _is_v6(text: str) -> bool:
    if text.count(":") < GROUPS and not ("::" in text and len(text) > GROUPS):
        return text == "::1"
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True
