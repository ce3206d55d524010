"""Web addresses."""

from __future__ import annotations

import re
from typing import ClassVar

from tacita.inspection.detectors.base import PatternDetector

DOMAINS = "com|org|net|info|biz|edu|gov|io|me|eu|uk|de|at|ch|fr|es|it|pl|nl|be|se|no|dk|fi|pt|us|ca"


class WebAddress(PatternDetector):
    """Detects web addresses: with a scheme, with `www.`, or a domain with a path; one is enough.

    >>> [WebAddress().matches(t) for t in ("see https://a.example/1", "fb.com/ana", "a.com", "w/o")]
    [True, True, False, False]
    """

    name: ClassVar = "url"
    what: ClassVar = "web addresses"
    reference: ClassVar = "RFC 3986, section 3"
    hipaa: ClassVar = "N"
    filter: ClassVar = r"(?i)://\S|www\.|\.(?:" + DOMAINS + r")/\S"
    pattern: ClassVar = re.compile(
        r"(?:https?|ftps?)://[^\s/]|\bwww\.[\w-]{1,63}\.\w|\b[\w-]{2,63}\.(?:"
        + DOMAINS
        + r")/[\w~@]",
        re.IGNORECASE,
    )
