"""How kernels are kept on disk."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tacita.kernels
from tacita.kernels.compile import kernel

FILES = sorted(Path(tacita.kernels.__file__).parent.glob("*.py"))


def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(one, ast.Name) and one.id == "kernel" for one in node.decorator_list
    )


def is_function(name):
    return not name.isupper()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_kernel_calls_one_of_another_file(file):
    """A compiled kernel is kept as long as its own file stays the same, whatever it calls.

    The functions of `elementary` are what their laws say to the last digit, and do not change.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    elsewhere = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tacita.kernels.")
        if node.module != "tacita.kernels.elementary"
        for alias in node.names
        if is_function(alias.name)
    }
    for node in filter(is_kernel, tree.body):
        body = [part for statement in node.body for part in ast.walk(statement)]
        used = {part.id for part in body if isinstance(part, ast.Name)}
        assert not used & elsewhere, node.name


def test_a_kernel_that_cannot_be_kept_is_compiled_all_the_same():
    """As where neither the folder of the source nor a home can be written."""
    made = {}
    exec("def more(x):\n    return x + 1", made)  # noqa: S102 - what has no file cannot be kept
    assert kernel(made["more"])(1) == 2
