"""What the pages on queries tell people to type is understood."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tacita.cli.main import main
from tacita.release.plan import read_plan

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^tacita (.*?)(?<!\\)$", re.MULTILINE | re.DOTALL)
NEEDED = {"view": "toy", "policies": ["unprotected"], "ledger": "ledger.db"}


def blocks(page: str, *languages: str) -> list[str]:
    found = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    return [code for language, code in found if language in languages]


@pytest.mark.parametrize("page", ["queries.md", "query-attacks.md"])
def test_the_commands_of_a_page_have_the_options_that_it_gives_them(page, capsys):
    lines = [line for code in blocks(page, "console", "bash") for line in COMMAND.findall(code)]
    assert lines
    for line in lines:
        words = shlex.split(line.replace("\\\n", " "), comments=True)
        assert not main([*words, "--help"], standalone_mode=False)
    assert "Usage" in capsys.readouterr().out


def test_the_plans_of_the_page_can_be_read(tmp_path):
    plans = [yaml.safe_load(code) for code in blocks("queries.md", "yaml")]
    assert len(plans) > 1
    for number, plan in enumerate(plans):
        # A part of a plan stands for the whole of it.
        queries = NEEDED | plan.get("queries", plan)
        whole = {"data": plan.get("data", {"example": {"toy": 10}}), "queries": queries}
        file = tmp_path / f"{number}.yaml"
        file.write_text(yaml.safe_dump(whole), encoding="utf-8")
        assert read_plan(file).queries is not None
