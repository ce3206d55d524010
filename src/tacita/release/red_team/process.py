"""Starting the red team: another process, which is handed keyed hashes and never a secret.

Its arguments and its environment are the same for every release. What is asked goes by standard
input; it starts in `public/`. Whatever keeps it from answering refuses the release.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tacita.errors import RequirementError
from tacita.release.red_team.secrets import Hidden
from tacita.release.red_team.tokens import Keyed

TIME_LIMIT = 900.0  # seconds; 100,000 records of 20 columns take some 10
KEY_BYTES = 32
MOST_SENTENCES = 12
KEPT_OF_ENVIRONMENT = ("SYSTEMROOT",)  # without it no program starts on Windows
LOOK = (
    "import json,os,sys;r=json.load(sys.stdin.buffer);sys.path[:]=r['import_path'];"
    "from tacita.release.red_team.looking import main;main(r)"
)
# It is not taken apart at its end: threads of Arrow that are just starting would crash it then.
PROGRAM = f"{LOOK};sys.stdout.flush();os._exit(0)"


class RedTeamError(RequirementError):
    """The red team could not look at a release, or reports what must not leave.

    Attributes:
        sentences: one for every finding.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = tuple(sentences)
        shown = " ".join(self.sentences[:MOST_SENTENCES])
        more = len(self.sentences) - MOST_SENTENCES
        rest = f" And {more} more." if more > 0 else ""
        super().__init__(f"Nothing was released. {shown}{rest}")


def refuse_leaks(public: Path, earlier: Iterable[Path], hidden: Hidden) -> None:
    """Let another process look at a folder, and refuse what it reports.

    Args:
        public: the folder.
        earlier: the `public/` folders of earlier releases.
        hidden: what must not be there.

    Raises:
        RedTeamError: something is there that must not be, or nobody could look.
    """
    answer = _answer(ask(public, request_for(earlier, hidden)))
    if answer:
        raise RedTeamError([_sentence(*finding) for finding in answer])


def request_for(earlier: Iterable[Path], hidden: Hidden) -> dict[str, Any]:
    """Return what the other process is asked: hashes under a key that was never used before."""
    key = secrets.token_bytes(KEY_BYTES)
    keyed = Keyed(key)
    return {
        "import_path": [os.path.abspath(path) for path in sys.path],  # noqa: PTH100 - keeps links
        "public": ".",
        "earlier": [str(folder.absolute()) for folder in earlier],
        "key": base64.b64encode(key).decode(),
        "lengths": sorted({token.count(" ") + 1 for token in hidden.get("words", ())}),
        "quick": {
            purpose: sorted({keyed.quick(purpose, token) for token in tokens})
            for purpose, tokens in hidden.items()
        },
        "hashes": {
            purpose: {
                base64.b64encode(keyed.hash(purpose, token)).decode(): kind
                for token, kind in tokens.items()
            }
            for purpose, tokens in hidden.items()
        },
    }


def ask(public: Path, request: dict[str, Any]) -> str:
    """Start the other process and return what it answers.

    Raises:
        RedTeamError: it cannot be started, takes too long or ends before it answered.
    """
    if not sys.executable:
        raise RedTeamError([_not_looked("this program does not say where its Python is")])
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-X", "utf8", "-c", PROGRAM],
            input=json.dumps(request).encode(),
            capture_output=True,
            cwd=public,
            env={name: os.environ[name] for name in KEPT_OF_ENVIRONMENT if name in os.environ},
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RedTeamError([_not_looked(f"it took more than {TIME_LIMIT:g} seconds")]) from None
    except OSError as error:
        raise RedTeamError([_not_looked(f"it cannot be started: {error.strerror}")]) from error
    if ended.returncode:
        raise RedTeamError([_not_looked(f"it ended with the code {ended.returncode}")])
    return ended.stdout.decode("utf-8", "replace")


def _answer(text: str) -> list[list[str]]:
    """Return the findings in an answer.

    Raises:
        RedTeamError: it is none, or tells of a failure.
    """
    try:
        answer = json.loads(text)
        if "failed" in answer:
            raise RedTeamError([_not_looked(f"it failed: {answer['failed']}")])
        findings: list[list[str]] = [[str(part) for part in each] for each in answer["findings"]]
    except (ValueError, KeyError, TypeError) as error:
        raise RedTeamError([_not_looked("its answer cannot be read")]) from error
    return findings


def _not_looked(why: str) -> str:
    return (
        f"The process that looks at the files as an intruder would did not finish: {why}. Run it "
        "again, or say --force to write without that look, which the evidence then says."
    )


def _sentence(file: str, where: str, what: str) -> str:
    return f"`public/{file}`, {where}: {what}."
