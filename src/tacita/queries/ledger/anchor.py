"""Anchors: the head of a ledger kept outside of it, so that nobody can turn it back unnoticed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tacita.data.formats.atomic import atomic_file
from tacita.errors import LedgerError, ParameterError
from tacita.queries.ledger.entries import Head


@dataclass(frozen=True)
class Anchor:
    """A small file with the number and digest of a ledger's last entry.

    It protects as much as it is out of reach of those who can write the ledger: put it on another
    disk or machine. Keeping a head by hand, now and then, does the same. The ledger is forced to
    the disk before its anchor is written, and the anchor itself is not: after a power failure it
    may be older than the ledger, which is no harm, and never ahead of it.

    Args:
        path: the file; it appears whole or not at all.
    """

    path: Path

    def read(self) -> Head | None:
        """Return the head that is kept; None if there is no file."""
        try:
            kept = json.loads(Path(self.path).read_bytes())
            return Head.parse(f"{kept['number']}:{kept['digest']}")
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, ParameterError) as error:
            raise LedgerError(
                f"The anchor {self.path} cannot be read; check the ledger against a head that "
                "somebody kept (`tacita ledger verify --head`), move the file away and write it "
                "anew with `tacita ledger anchor`."
            ) from error

    def write(self, head: Head) -> None:
        """Keep a head in place of the one before."""
        kept = {
            "number": head.number,
            "digest": head.digest.hex(),
            "time": datetime.now(UTC).isoformat(timespec="microseconds"),
        }
        with atomic_file(self.path) as temporary:
            temporary.write_text(json.dumps(kept, indent=2) + "\n")
