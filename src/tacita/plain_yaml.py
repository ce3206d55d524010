"""YAML that does not grow when it is read, and lies no deeper than people write.

An alias can stand for the part that it lies in, and ten lines of aliases of aliases for more than
any machine holds; both are refused. Whatever reads YAML that somebody else may have written reads
it by this module.
"""

from __future__ import annotations

from typing import Any

import yaml

DEEPEST = 50  # levels of lists and fields in each other
MOST_ALIASES = 100


class NotPlainError(yaml.MarkedYAMLError):
    """YAML that would have to be unfolded first."""


class PlainLoader(yaml.SafeLoader):
    """Reads YAML without aliases of aliases, and not too deep."""

    _depth = _named = _aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Read one node, and what lies in it."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            self._aliases += 1
            if self._named or self._aliases > MOST_ALIASES:
                raise NotPlainError(
                    problem=f"`*{event.anchor}` stands in a part that is referred to itself, or "
                    f"after {MOST_ALIASES} others; write out what it stands for",
                    problem_mark=event.start_mark,
                )
            return super().compose_node(parent, index)
        if self._depth > DEEPEST:
            raise NotPlainError(
                problem=f"fields and lists may lie {DEEPEST} deep in each other, not deeper",
                problem_mark=event.start_mark,
            )
        is_named = event.anchor is not None
        self._depth, self._named = self._depth + 1, self._named + is_named
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth, self._named = self._depth - 1, self._named - is_named
        return node


class PlainTextLoader(PlainLoader):
    """Reads everything as the text that was written: 007 is not the number 7."""

    yaml_implicit_resolvers: dict[str, Any] = {}


def read_yaml(text: str) -> Any:
    """Read YAML into plain types.

    >>> read_yaml("{k: [1, a]}")
    {'k': [1, 'a']}

    Raises:
        yaml.YAMLError: it is none, it would grow, or a value cannot be made of it.
    """
    try:
        return yaml.load(text, Loader=PlainLoader)  # noqa: S506 - it is a safe loader
    except (ValueError, TypeError, OverflowError) as error:  # such as the 40th of May
        raise yaml.YAMLError("a value cannot be read; there is no such date or number") from error
