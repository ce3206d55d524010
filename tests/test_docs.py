"""The documentation builds, holds what it must, needs no network, and its examples run."""

import contextlib
import dataclasses
import html
import io
import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

import tacita as ta
from tacita.cli.main import main
from tacita.data.attribute import Kind, Role
from tacita.data.declaration import Declaration
from tacita.data.formats import Layout
from tacita.data.hierarchies import build
from tacita.data.hierarchies.building import is_made
from tacita.registry import methods
from tacita.release.plan import DataPlan
from tacita.release.profile import PROFILES

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    return folder


def blocks(text, *languages):
    """The code blocks of a page: language, title, code."""
    return [found.groups() for found in BLOCK.finditer(text) if found[1] in languages]


def written(name):
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def method_pages():
    """The generated pages as Markdown, by path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        import method_pages

        return method_pages.pages()


# -- the site --------------------------------------------------------------------------------------


def test_every_method_has_a_page_and_a_row(site):
    index = (site / "methods" / "index.html").read_text(encoding="utf-8")
    for name, cls in methods().items():
        page = (site / "methods" / f"{name}.html").read_text(encoding="utf-8")
        assert f'href="{name}.html"' in index
        assert html.escape(cls.reference, quote=False) in page


@pytest.mark.no_cover  # there is nothing of ours to cover
def test_no_page_loads_anything_from_the_network(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(methods())
    for page in pages:
        found = _Loads()
        found.feed(page.read_text(encoding="utf-8"))
        assert not [address for address in found.loads if "//" in address], page
    for style in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", style.read_text("utf-8")), (
            style
        )


class _Loads(HTMLParser):
    """Gathers the addresses of what a browser loads to show a page."""

    def __init__(self):
        super().__init__()
        self.loads = []

    def handle_starttag(self, tag, attrs):
        address = dict(attrs).get(LOADING.get(tag, ""))
        if address:
            self.loads.append(address)


def test_search_finds_a_method(site):
    assert "top_code" in (site / "search" / "search_index.js").read_text(encoding="utf-8")


# -- what the pages say ----------------------------------------------------------------------------


def test_the_plan_page_has_every_field(site):
    page = (site / "plan.html").read_text(encoding="utf-8")
    for name, field in Declaration.model_fields.items():
        assert f"<code>{name}</code>" in page
        assert html.escape(field.description, quote=False) in page
    for name in {field.name for field in dataclasses.fields(DataPlan)} - {"layout"}:
        assert f"<code>data.{name}</code>" in page
    for name, field in Layout.model_fields.items():
        assert f"<code>data.{name}</code>" in page
        assert html.escape(field.description, quote=False).replace("`", "") in without_code(page)
    for word in (*PROFILES, "at_most", "at_least", "rounds", "release.format"):
        assert word in page


def without_code(page):
    """Return a page without the marks of code, which a description writes as backticks."""
    return page.replace("<code>", "").replace("</code>", "")


def test_the_concepts_page_has_every_role_and_kind():
    page = written("concepts.md")
    for word in (*Role, *Kind):
        assert f"| `{word}` |" in page


@pytest.mark.parametrize("page", ["plan.md", "getting-started.md"])
def test_the_plans_of_a_page_can_be_read(page, tmp_path):
    plans = blocks(written(page), "yaml")
    assert plans
    for _, _, code in plans:
        _assert_plan(code, tmp_path / "plan.yaml")


def _assert_plan(code, file):
    """Read a plan, or a part of one, and build its hierarchies."""
    plan = yaml.safe_load(code)
    plan.setdefault("data", {"example": {"toy": 10}})
    file.write_text(yaml.safe_dump(plan, sort_keys=False), encoding="utf-8")
    for said in ta.read_plan(file).data.attributes.values():
        if said.hierarchy and "file" not in said.hierarchy and not is_made(said.hierarchy):
            build(said.hierarchy)


def test_a_hierarchy_generalizes_as_the_plan_page_says():
    import datetime as dt

    import pyarrow as pa

    said = [yaml.safe_load(code)["data"] for _, _, code in blocks(written("plan.md"), "yaml")[1:5]]
    values = [37, "94138", "nurse", dt.date(1964, 9, 27)]
    for data, value in zip(said, values, strict=True):
        (attribute,) = data["attributes"].values()
        hierarchy = build(attribute["hierarchy"])
        for level in range(1, hierarchy.height + 1):
            label = hierarchy.labels(pa.array([value]), level)[0].as_py()
            assert f"`{label}`" in written("plan.md")


# -- the examples run ------------------------------------------------------------------------------


EXECUTED = [
    "getting-started.md",
    "concepts.md",
    "index.md",
    "formats.md",
    "inspect.md",
    "engines.md",
    "measures.md",
    "tables.md",
    "trade-off.md",
    "attacks-on-files.md",
    "scenarios.md",
    "advise.md",
    "synthesis.md",
]


@pytest.mark.parametrize("page", EXECUTED)
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    """Run the blocks of a page in order; a `text` block is what the one before it prints."""
    monkeypatch.chdir(tmp_path)
    names, printed = {}, ""
    for language, title, code in blocks(written(page), "python", "sh", "text", "yaml"):
        match language:
            case "python":
                printed = _run_python(code, names)
            case "sh":
                _run_commands(code)
            case "text":
                assert printed == code
            case "yaml":
                (tmp_path / title).write_text(code, encoding="utf-8")


def _run_python(code, names):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "example", "exec"), names)  # noqa: S102 - the page's own example
    return out.getvalue()


def _run_commands(code):
    """Run the commands of Tacita; those that install it are what the test stands on."""
    for line in code.splitlines():
        program, *words = shlex.split(line)
        if program == "tacita":
            with contextlib.redirect_stdout(io.StringIO()):
                assert not main(words, standalone_mode=False)
        elif program == "make":
            assert f"\n{words[0]}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
        else:
            assert program in {"git", "source"}


def test_the_examples_of_the_methods_run(method_pages, tmp_path):
    for text in method_pages.values():
        for language, _, code in blocks(text, "python", "yaml"):
            if language == "python":
                _run_python(code, {})
            else:
                _assert_plan(code, tmp_path / "plan.yaml")


def test_the_doctests_of_the_hooks_pass():
    files = sorted(DOCS.glob("*.py"))
    done = subprocess.run(
        [sys.executable, "-m", "doctest", *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
