from __future__ import annotations

import json

from tacita.cli.printing import caution, print_json, print_table, say

HOSTILE = "a\x1b[2K\r\x9b8mb\u202ec"


def test_nothing_that_is_printed_moves_the_cursor_or_turns_the_writing(capsys):
    say(f"{HOSTILE}\nnext line")
    caution(HOSTILE)
    print_table("", ("one", "two"), [(HOSTILE, "x")])
    print_json({"name": HOSTILE})
    seen = capsys.readouterr().out
    assert not set("\x1b\r\x9b\u202e") & set(seen)
    assert "\nnext line\n" in seen


def test_escaped_json_is_the_same_json(capsys):
    print_json({"name": HOSTILE, "town": "Zürich", "signs": "\U0001f600"})
    seen = capsys.readouterr().out
    assert json.loads(seen) == {"name": HOSTILE, "town": "Zürich", "signs": "\U0001f600"}
    assert "Zürich" in seen
