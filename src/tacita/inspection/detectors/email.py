"""E-mail addresses."""

from __future__ import annotations

import re
from typing import ClassVar

from tacita.inspection.detectors.base import PatternDetector


class Email(PatternDetector):
    """Detects e-mail addresses, anywhere in a value; one is enough.

    >>> Email().matches("write to ana@example.org"), Email().matches("ana@home")
    (True, False)
    """

    name: ClassVar = "email"
    what: ClassVar = "e-mail addresses"
    reference: ClassVar = "RFC 5322, section 3.4.1; without quoted local parts"
    hipaa: ClassVar = "F"
    filter: ClassVar = r"[^\s@,;]@[^\s@,;]+\.\p{L}{2}"
    pattern: ClassVar = re.compile(r"[^\s@,;<>()]{1,64}@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_]{2,24}")
