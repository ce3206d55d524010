"""Trees in YAML files, nested as in a plan: `root: {branch: [leaf, leaf], branch: [leaf]}`.

A leaf beside branches stands with them in a list. A label is the text as it is written: `no` and
`007` stay what they are. The file is read piece by piece, so that its depth does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tacita.data.hierarchies.files.text import read_text, refusal, tree_of, write_text
from tacita.data.hierarchies.outline import Node, leaf_paths, outline
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError

TEXT = "tag:yaml.org,2002:str"
NULL = "tag:yaml.org,2002:null"
DEEPEST = 50  # levels that are indented; a deeper tree is written in braces
RULES: Any = yaml.resolver.Resolver()
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def read(path: Path) -> Tree:
    """Read the tree of a YAML file."""
    text = read_text(path)
    try:
        nodes = list(_Outline(path).nodes(yaml.parse(text, Loader=LOADER)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        lines = [] if mark is None else [mark.line + 1]
        problem = getattr(error, "problem", None) or "it holds characters that YAML does not allow"
        raise refusal(path, f"this is not YAML: {problem}.", *lines) from error
    roots = [node for node in nodes if node.depth == 0]
    if len(roots) > 1:
        told = f"{roots[0].label!r} and {roots[1].label!r} are both roots; a tree has one."
        raise refusal(path, told, roots[0].line, roots[1].line)
    return tree_of(path, *leaf_paths(nodes))


@dataclass
class _Branch:
    """A mapping or list that is not closed yet."""

    depth: int
    is_list: bool
    lines: dict[str, int] = field(default_factory=dict)  # where its labels stand
    key: str | None = None  # the label of a mapping whose branch is to come
    is_empty: bool = True


class _Outline:
    """Follows the pieces of a YAML file and lists the labels they say."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self.open: list[_Branch] = []

    def nodes(self, events: Iterable[Any]) -> Iterator[Node]:
        documents = 0
        for event in events:
            self.line = event.start_mark.line + 1
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1 or isinstance(event, yaml.AliasEvent):
                what = "a second document" if documents > 1 else "an alias"
                raise self.refused(f"{what} is no part of a tree.")
            if isinstance(event, yaml.ScalarEvent):
                yield self.label(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self.begin(is_list=isinstance(event, yaml.SequenceStartEvent))
            elif isinstance(event, yaml.CollectionEndEvent) and self.open.pop().is_empty:
                raise self.refused("a branch has no leaves.")

    def label(self, event: yaml.ScalarEvent) -> Node:
        if not self.open:
            raise self.refused("expected a tree such as `root: [leaf, leaf]`, found one text.")
        if _is_null(event):
            raise self.refused("a label is blank; put quotes around one that is meant as text.")
        branch = self.open[-1]
        if branch.key is not None:  # the only leaf below a label
            branch.key = None
            return Node(branch.depth + 1, event.value, self.line)
        if event.value in branch.lines:
            problem = f"{event.value!r} stands twice in one branch."
            raise refusal(self.path, problem, branch.lines[event.value], self.line)
        branch.lines[event.value] = self.line
        branch.is_empty = False
        branch.key = None if branch.is_list else event.value
        return Node(branch.depth, event.value, self.line)

    def begin(self, *, is_list: bool) -> None:
        if not self.open:
            self.open.append(_Branch(0, is_list))
            return
        around = self.open[-1]
        if around.key is not None:
            self.open.append(_Branch(around.depth + 1, is_list))
        elif around.is_list and not is_list:  # branches beside leaves
            self.open.append(_Branch(around.depth, is_list, around.lines))
        else:
            raise self.refused("expected a label, found a list or a mapping.")
        around.key, around.is_empty = None, False

    def refused(self, problem: str) -> HierarchyError:
        return refusal(self.path, problem, self.line)


def _is_null(event: yaml.ScalarEvent) -> bool:
    """Tell a blank, `~` or `null` from a text that says so in quotes."""
    return bool(event.implicit[0]) and _meaning(event.value) == NULL


def _meaning(text: str) -> str:
    """Return what type a text without quotes is taken for."""
    return str(RULES.resolve(yaml.ScalarNode, text, (True, False)))


def write(tree: Tree, path: Path) -> None:
    """Write a tree as a YAML file, as a plan would say it; one that exists is replaced."""
    write_text(tree, path, lambda: _text(tree))


def _text(tree: Tree) -> str:
    return str(yaml.emit(_events(tree), Dumper=DUMPER, allow_unicode=True, width=2**30))


def _events(tree: Tree) -> Iterator[yaml.Event]:
    yield yaml.StreamStartEvent()
    yield yaml.DocumentStartEvent(explicit=False)
    yield _opened(0, tree.height)
    depth = 0
    for node in outline(tree.paths):
        yield from (_closed(level, tree.height) for level in range(depth, node.depth, -1))
        depth = node.depth
        yield _scalar(node.label)
        if depth < tree.height:
            depth += 1
            yield _opened(depth, tree.height)
    yield from (_closed(level, tree.height) for level in range(depth, -1, -1))
    yield yaml.DocumentEndEvent(explicit=False)
    yield yaml.StreamEndEvent()


def _opened(depth: int, height: int) -> yaml.Event:
    """Begin the labels of a depth: leaves are listed, branches are mapped."""
    start = yaml.SequenceStartEvent if depth == height else yaml.MappingStartEvent
    return start(anchor=None, tag=None, implicit=True, flow_style=height > DEEPEST)


def _closed(depth: int, height: int) -> yaml.Event:
    return yaml.SequenceEndEvent() if depth == height else yaml.MappingEndEvent()


def _scalar(label: str) -> yaml.Event:
    """Say a label, in quotes where it would be taken for something else than text."""
    is_text = _meaning(label) == TEXT
    return yaml.ScalarEvent(
        anchor=None, tag=None, implicit=(is_text, True), value=label, style=None if is_text else "'"
    )
