"""Writes `__init__.pyi`, by which type checkers and editors see what `tacita` loads lazily.

`python -m tacita.stub` writes it anew after a method was added; a test says when it is stale.
"""

from __future__ import annotations

from pathlib import Path

from tacita.exports import homes

STUB = Path(__file__).with_name("__init__.pyi")


def content() -> str:
    """Return the stub: one import a public name."""
    lines = ["# Derived from the registry of methods; written by `make generate`.", ""]
    found = homes()
    for name, home in sorted(found.items(), key=lambda item: (item[1], item[0])):
        origin = "tacita" if home == f"tacita.{name}" else home
        lines.append(f"from {origin} import {name} as {name}")
    names = "".join(f'    "{name}",\n' for name in sorted(found))
    return "\n".join([*lines, "", f"__all__ = [\n{names}]", ""])


if __name__ == "__main__":
    STUB.write_text(content(), encoding="utf-8")
