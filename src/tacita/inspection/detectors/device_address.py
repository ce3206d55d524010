"""Addresses of network devices."""

from __future__ import annotations

import re
from typing import ClassVar

from tacita.inspection.detectors.base import PatternDetector


class DeviceAddress(PatternDetector):
    """Detects MAC addresses, anywhere in a value; one is enough.

    >>> DeviceAddress().matches("00:1a:2b:3c:4d:5e"), DeviceAddress().matches("12:30:45")
    (True, False)
    """

    name: ClassVar = "device_address"
    what: ClassVar = "addresses of devices (MAC)"
    reference: ClassVar = "IEEE 802-2014, section 8"
    hipaa: ClassVar = "M"
    filter: ClassVar = "(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}"
    pattern: ClassVar = re.compile(
        r"(?<![\w:-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])"
    )
