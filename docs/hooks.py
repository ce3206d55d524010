"""What MkDocs does here besides rendering: pages and tables that derive from the code.

Every page under methods/ is made from the registry of methods, so that a new method needs no change
here. A line `<!-- table: name -->` in a page is replaced by a table of `tables.py`. The files for
contributors at the top of the repository are shown as pages.
"""

from __future__ import annotations

import re
from pathlib import Path

import method_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import tables

ROOT = Path(__file__).parent.parent
COPIED = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
METHODS = {"Methods": "methods/index.md"}
TABLE = re.compile(r"(?m)^<!-- table: (\w+) -->$")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the navigation with one page a method."""
    filled = {"Methods": method_pages.navigation()}
    config.nav = [filled if entry == METHODS else entry for entry in config.nav or []]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that nobody writes by hand."""
    copied = {page: copied_page(ROOT / name) for page, name in COPIED.items()}
    for path, content in {**method_pages.pages(), **copied}.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put the tables that derive from the code in their places."""
    return TABLE.sub(lambda found: tables.GENERATED_TABLES[found[1]](), markdown)


def copied_page(file: Path) -> str:
    """Return a file of the repository as a page."""
    return relinked(file.read_text(encoding="utf-8"))


def relinked(text: str) -> str:
    """Let links to files of the repository lead to their pages; those without one become text.

    >>> relinked("[rules](CONTRIBUTING.md), [plans](docs/plan.md), [code](src/tacita)")
    '[rules](contributing.md), [plans](plan.md), code'
    """
    return LINK.sub(_page_link, text)


def _page_link(found: re.Match[str]) -> str:
    words, target = found.groups()
    pages = {name: page for page, name in COPIED.items()}
    page = target.removeprefix("docs/") if target.startswith("docs/") else pages.get(target)
    return f"[{words}]({page})" if page else words
