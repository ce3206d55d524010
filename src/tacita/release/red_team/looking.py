"""What runs in the other process: every file of `public/` is read, and leaks are reported.

The request comes by standard input, the report goes by standard output; neither holds a secret, and
no value is ever quoted.
"""

from __future__ import annotations

import base64
import json
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tacita.release.red_team.tokens import Keyed, canonical, names_in, paths_in, sequences, words

ALWAYS = frozenset({"statement.json", "report.html", "report.pdf", "manifest.json"})
TABLES = "tables"
SHORTEST = 6  # characters of a text that has enough bits to be looked for: 36^5 < 2^30
DIGITS = 10  # that have enough bits: 10^9 < 2^30
NOT_READ = "it cannot be read as what its name says"


@dataclass(frozen=True, order=True)
class Finding:
    """Something in a released file that must not be there.

    Args:
        file: the file, below `public/`.
        where: where in the file.
        what: what kind of thing it is; never the value.
    """

    file: str
    where: str
    what: str


class Secrets:
    """What must not be there, as keyed hashes, and what was seen of it.

    Args:
        request: the key and the hashes, as `process` sends them.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self._keyed = Keyed(base64.b64decode(request["key"]))
        self._lengths = request["lengths"]
        self._quick = {purpose: {*sums} for purpose, sums in request["quick"].items()}
        self._hashes = {
            purpose: {base64.b64decode(each): kind for each, kind in hashes.items()}
            for purpose, hashes in request["hashes"].items()
        }

    def in_text(self, text: str) -> set[str]:
        """Return the kinds of secrets that a text holds."""
        kinds = self._known("words", set(sequences(words(text), self._lengths)))
        if "/" in text or "\\" in text:
            kinds |= self._known("path", set(paths_in(text)))
        if "." in text:
            kinds |= self._known("name", set(names_in(text)))
        return kinds

    def in_cells(self, column: str, values: Iterable[Any]) -> set[str]:
        """Return the kinds of secrets that the values of a released column hold."""
        spelled = {canonical(value) for value in values}
        kinds = self._known(f"cell\0{column}", spelled)
        long = [text for text in spelled if len(text) >= SHORTEST]
        numbers = {text for text in long if text.replace(".", "", 1).lstrip("-").isdecimal()}
        # A number is looked for as it is: it has no words, and files hold millions.
        told = {each.lstrip("-").replace(".", " ") for each in numbers if len(each) >= DIGITS}
        kinds |= self._known("words", told)
        return kinds.union(*(self.in_text(text) for text in long if text not in numbers))

    def _known(self, purpose: str, tokens: set[str]) -> set[str]:
        hashes = self._hashes.get(purpose)
        if not hashes:
            return set()
        quick, keyed = self._quick[purpose], self._keyed
        likely = (token for token in tokens if keyed.quick(purpose, token) in quick)
        hashed = (keyed.hash(purpose, token) for token in likely)
        return {hashes[each] for each in hashed if each in hashes}


@dataclass
class Look:
    """One look at a release: what is stated, what is secret, what was seen so far.

    Args:
        public: the folder.
        secrets: what must not be there.
        statement: what the release says of itself.
        findings: what was reported so far.
    """

    public: Path
    secrets: Secrets
    statement: dict[str, Any] = field(default_factory=dict)
    findings: set[Finding] = field(default_factory=set)

    @cached_property
    def columns(self) -> dict[str, list[Any] | None]:
        """The names of the released columns and the orders of their categories, as stated."""
        return {row["name"]: row.get("order") for row in self.statement["attributes"]}

    def report(self, file: Path, where: str, what: str) -> None:
        """Report a finding."""
        name = file.relative_to(self.public).as_posix()
        if self.secrets.in_text(name):
            name = f"(a file whose name cannot be shown){file.suffix}"
        self.findings.add(Finding(name, where, what))

    def text(self, file: Path, where: str, text: str) -> None:
        """Look for secrets in a text."""
        for kind in self.secrets.in_text(text):
            self.report(file, where, f"it holds {kind}")

    def cells(self, file: Path, where: str, column: str, values: Iterable[Any]) -> None:
        """Look for secrets in values of a column."""
        for kind in self.secrets.in_cells(column, values):
            self.report(file, where, f"it holds {kind}")

    def released(self, file: Path, where: str, column: str, values: Iterable[Any]) -> None:
        """Look at the cells of a released column, and at the order that is stated of them."""
        cells = [*values]
        self.cells(file, where, column, cells)
        order = self.columns.get(column)
        if order and not {*map(canonical, order)} <= {*map(canonical, cells)}:
            self.report(
                self.public / "statement.json",
                f"the order of column `{column}`",
                "it lists a category that no cell uses",
            )

    def header(self, file: Path, names: list[str]) -> None:
        """Compare the columns of the data file with those that are stated."""
        for number, name in enumerate(names, 1):
            if name not in self.columns:
                self.report(file, f"column {number}", "the statement names no such column")
        if len(names) != len(self.statement["attributes"]):
            self.report(file, "the columns", "their number is not the one stated")


class WithoutPandas:
    """Finds no pandas: Arrow would load it where it is, which takes longer than to look at much."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Say that pandas is not there; leave all other modules to others."""
        if name == "pandas":
            raise ModuleNotFoundError("Nothing here uses pandas.", name=name)


def main(request: dict[str, Any]) -> None:
    """Look at a release and write what was seen to standard output."""
    sys.meta_path.insert(0, WithoutPandas)
    try:
        found = look_at(request)
        answer: dict[str, Any] = {"findings": [[f.file, f.where, f.what] for f in sorted(found)]}
    except Exception as error:  # noqa: BLE001 - its text could quote a value, so it stays here
        last = traceback.extract_tb(error.__traceback__)[-1]
        at = f"{Path(last.filename).stem}, line {last.lineno}"
        answer = {"failed": f"{type(error).__name__} in {at}"}
    sys.stdout.write(json.dumps(answer))


def look_at(request: dict[str, Any]) -> set[Finding]:
    """Return every finding in a folder."""
    look = Look(Path(request["public"]), Secrets(request))
    files = sorted(file for file in look.public.rglob("*") if not file.is_dir())
    look.statement = json.loads((look.public / "statement.json").read_text(encoding="utf-8"))
    _list_files(look, files, [Path(each) for each in request["earlier"]])
    for file in files:
        if file.is_symlink() or not file.is_file():
            look.report(file, "the folder", "it is no plain file")
            continue
        look.text(file, "its name", file.name)
        _look_at_file(look, file)
    _look_at_order(look)
    return look.findings


def _look_at_order(look: Look) -> None:
    from tacita.release.red_team import order

    try:
        order.look_at(look)
    except Exception as error:  # noqa: BLE001 - libraries raise anything at damaged files
        look.report(
            look.public / "statement.json",
            "the file it names",
            f"{NOT_READ} ({type(error).__name__})",
        )


def _list_files(look: Look, files: list[Path], earlier: list[Path]) -> None:
    """Report files that the statement does not name."""
    named = {look.public / name for name in ALWAYS}
    if look.statement["file"]:
        named.add(look.public / look.statement["file"]["name"])
    for table in (look.statement.get("tables") or {}).get("tables", ()):
        named |= {look.public / TABLES / name for name in table["files"]}
    for file in files:
        if file in named:
            continue
        what = "the statement names no such file"
        if any(_is_copy(file, folder) for folder in earlier):
            what = "it is a file of an earlier release"
        look.report(file, "the folder", what)


def _is_copy(file: Path, folder: Path) -> bool:
    size = file.stat().st_size
    alike = (
        other for other in folder.rglob("*") if other.is_file() and other.stat().st_size == size
    )
    return any(other.read_bytes() == file.read_bytes() for other in alike)


def _look_at_file(look: Look, file: Path) -> None:
    """Read a file in every way that an intruder would."""
    from tacita.release.red_team import texts

    if not (is_data(look, file) and file.suffix == ".csv"):  # of which every cell is looked at
        texts.look_at_bytes(look, file)
    reader = _readers().get(file.suffix.lower())
    if reader is None:
        return
    try:
        reader(look, file)
    except Exception as error:  # noqa: BLE001 - libraries raise anything at damaged files
        look.report(file, "the file", f"{NOT_READ} ({type(error).__name__})")


def _readers() -> dict[str, Callable[[Look, Path], None]]:
    """Return what reads which kind of file; libraries are imported where they are used."""
    from tacita.release.red_team import coded, columnar, pdf, texts, workbook

    return {
        ".json": texts.look_at_json,
        ".html": texts.look_at_html,
        ".pdf": pdf.look_at,
        ".csv": texts.look_at_csv,
        ".parquet": columnar.look_at_parquet,
        ".feather": columnar.look_at_feather,
        ".xlsx": workbook.look_at,
        ".sav": coded.look_at_spss,
        ".dta": coded.look_at_stata,
    }


def is_data(look: Look, file: Path) -> bool:
    """Tell whether a file holds the released records."""
    stated = look.statement["file"]
    return bool(stated) and file == look.public / stated["name"]


def parts_of(text: str, size: int = 1 << 20) -> Iterator[str]:
    """Cut a long text into pieces that overlap, so that no secret is cut in two."""
    for start in range(0, max(len(text), 1), size):
        yield text[max(start - 200, 0) : start + size]
