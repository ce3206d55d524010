"""The command line, called as a person calls it but without the start of a process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tacita.cli.main import main


@dataclass(frozen=True)
class Ran:
    """What a person sees of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What was printed, if that is JSON and nothing else."""
        return json.loads(self.out)


@pytest.fixture
def run_cli(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Run `tacita` with some arguments in this process; a traceback fails the test."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["tacita", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        seen = capsys.readouterr()
        return Ran(int(left.value.code or 0), seen.out, seen.err)

    return run
