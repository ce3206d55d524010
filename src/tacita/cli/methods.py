"""`tacita methods`: what there is, to which kinds it applies, and its paper."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tacita.cli.options import Json

Name = Annotated[str | None, typer.Argument(help="One method, with its parameters.")]


def methods(name: Name = None, json: Json = False) -> None:
    """List the methods, to which kinds of attributes they apply, and their papers."""
    from tacita.cli.printing import print_json, print_table
    from tacita.registry import described, find
    from tacita.registry import methods as all_methods

    if name is not None:
        one = described(find(name))
        print_json(one) if json else _show(one, find(name).__doc__ or "")
        return
    rows = [described(cls) for cls in all_methods().values()]
    if json:
        print_json(rows)
        return
    table = [(r["name"], r["family"], ", ".join(r["applies_to"]), r["reference"]) for r in rows]
    print_table("Methods", ("method", "family", "applies to", "paper"), table)


def _show(one: dict[str, Any], text: str) -> None:
    import inspect

    from tacita.cli.printing import print_table, say

    say(f"{one['name']} ({one['family']})\n")
    say(inspect.cleandoc(text) + "\n")
    rows = [
        (
            name,
            "required" if about["required"] else str(about.get("default", "")),
            about.get("description", ""),
        )
        for name, about in one["parameters"].items()
    ]
    print_table("Parameters", ("parameter", "default", "meaning"), rows)
    say(f"Applies to: {', '.join(one['applies_to'])}")
    say(f"Missing values: {one['missing']}")
    for promise in one["keeps"]:
        say(f"Keeps {promise}")
    if one["needs"]:
        say(f"Needs: the {' and the '.join(one['needs'])}")
    say(f"Paper: {one['reference']}")
