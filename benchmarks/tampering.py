"""Tampering with releases: which share of generated mutations `tacita verify` notices.

Mutations are generated from the files of a release, not listed: every leaf of every JSON and YAML
file, every file replaced, emptied, cut, added, removed or exchanged, cells, rows, columns and order
of the data in every released format and of the risks that the house keeps. Each is tried as it is,
again after the intruder has recomputed all digests that need no secret (the statement's and those
of both manifests), and again passed off as a release of a version that wrote no manifests. Each
release is verified with and without the source, unsigned and signed.

Without source and signature somebody who can write all files can also write another, consistent
release; what is noticed there is what does not fit together. Such a release is never called more
than *not proven*.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

import tacita as ta
from tacita.data.formats import read_contents, write_table
from tacita.errors import TacitaError, load_extra
from tacita.plain_yaml import read_yaml
from tacita.release import signing
from tacita.release.manifest import (
    MANIFEST,
    Envelope,
    Signature,
    commitment,
    encode_json,
    internal_payload,
    pre_authentication,
    public_payload,
    read_envelope,
    sha256,
)

TABULAR = {".csv", ".parquet", ".feather", ".xlsx"}
SITUATIONS = [(source, signed) for signed in (False, True) for source in (False, True)]
NAMES = {
    (False, False): "neither source nor signature",
    (True, False): "source, unsigned",
    (False, True): "no source, signed",
    (True, True): "source, signed",
}

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Mutation:
    """One change to a release.

    Args:
        kind: what sort of change it is, for the table.
        name: what is changed.
        apply: makes the change in a folder.
        digests: what the intruder does to digests then; one of `DIGESTS`.
    """

    kind: str
    name: str
    apply: Callable[[Path], None]
    digests: str = "left"

    def __call__(self, folder: Path) -> None:
        self.apply(folder)
        DIGESTS[self.digests](folder)


# -- documents -------------------------------------------------------------------------------------


def leaves(document: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Give the path and value of every field and item, containers included."""
    if path:
        yield path, document
    if isinstance(document, dict):
        for key, value in document.items():
            yield from leaves(value, (*path, key))
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from leaves(value, (*path, number))


def with_change(document: Any, path: Path_, change: Callable[[Any, Any], None]) -> Any:
    """Return a document with one field or item changed."""
    changed = copy.deepcopy(document)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return changed


def another(value: Any, rng: random.Random) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 1000))
    if isinstance(value, float):
        return value * 0.5 if value else 0.25
    if value is None:
        return rng.choice((0, "none", []))
    if isinstance(value, str):
        return rng.choice((f"{value}x", value[1:] or "y", value.swapcase() + " "))
    return type(value)()


def of_document(document: Any, rng: random.Random) -> Iterator[tuple[str, str, Any]]:
    """Give changed documents: kind of change, where, and the document."""
    for path, value in leaves(document):
        where = ".".join(map(str, path))

        def replace(parent: Any, key: Any, value: Any = value) -> None:
            parent[key] = another(value, rng)

        def add(parent: Any, key: Any) -> None:
            held = parent[key]
            if isinstance(held, dict):
                held["added"] = 1
            else:
                held.append(copy.deepcopy(held[0]) if held else "added")

        def remove(parent: Any, key: Any) -> None:
            del parent[key]

        if not isinstance(value, dict | list) or value:
            yield "field changed", where, with_change(document, path, replace)
        yield "field removed", where, with_change(document, path, remove)
        if isinstance(value, dict | list):
            yield "field added", where, with_change(document, path, add)
        if isinstance(value, list) and len(value) > 1:
            yield "items reordered", where, with_change(document, path, _reversed)


def _reversed(parent: Any, key: Any) -> None:
    parent[key] = parent[key][::-1]


def of_documents(folder: Path, rng: random.Random) -> Iterator[Mutation]:
    """Change every field of every JSON and YAML file, and of what the manifests enclose."""
    for file in files(folder):
        name = file.relative_to(folder).as_posix()
        if file.suffix == ".json":
            for kind, where, changed in of_document(json.loads(file.read_text()), rng):
                yield Mutation(kind, f"{name}: {where}", writing(name, encode_json(changed)))
        if file.name == MANIFEST:
            envelope = read_envelope(file)
            for kind, where, changed in of_document(envelope.statement, rng):
                enclosed = Envelope(encode_json(changed), envelope.signatures).encode()
                yield Mutation(kind, f"{name}, enclosed: {where}", writing(name, enclosed))
        if file.suffix == ".yaml":
            for kind, where, changed in of_document(read_yaml(file.read_text()), rng):
                text = yaml.safe_dump(changed, sort_keys=False)
                yield Mutation(kind, f"{name}: {where}", writing(name, text.encode()))


def of_signatures(rng: random.Random) -> Iterator[Mutation]:
    """Take signatures away, add some, exchange them, with and without stating who signed."""
    key = load_extra("cryptography.hazmat.primitives.asymmetric.ed25519", signing.EXTRA)
    stranger = signing.PrivateKey(key.Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)))
    junk = Signature("Anna Huber, 0664 1234567", b"AAAA")

    def signed(parts: tuple[str, ...], by: Any, *, stated: bool) -> Callable[[Path], None]:
        is_key = isinstance(by, signing.PrivateKey)

        def sign(folder: Path) -> None:
            if stated:
                for part in parts:
                    envelope = read_envelope(folder / part / MANIFEST)
                    statement = envelope.statement
                    statement["predicate"]["signer"] = by.public.stated if is_key else None
                    changed = Envelope(encode_json(statement), envelope.signatures)
                    (folder / part / MANIFEST).write_bytes(changed.encode())
                recompute(folder)
            for part in parts:
                one = read_envelope(folder / part / MANIFEST)
                made = (by.sign(pre_authentication(one.payload)),) if is_key else by(one.signatures)
                (folder / part / MANIFEST).write_bytes(Envelope(one.payload, made).encode())

        return sign

    kinds: dict[str, Any] = {
        "signature taken away": lambda _: (),
        "signature that is none": lambda _: (junk,),
        "signature by a stranger": stranger,
        "signature doubled": lambda made: (*made, *made),
        "signature changed": lambda made: tuple(
            Signature(one.keyid, one.sig[::-1]) for one in made
        ),
    }
    for kind, by in kinds.items():
        for parts in (("public",), ("internal",), ("public", "internal")):
            for stated in (False, True):
                name = f"{' and '.join(parts)}{', stated' if stated else ''}"
                digests = "recomputed" if stated else "left"
                yield Mutation(kind, name, signed(parts, by, stated=stated), digests)


def writing(name: str, content: bytes) -> Callable[[Path], None]:
    """Return what writes a file."""

    def write(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)

    return write


# -- files -----------------------------------------------------------------------------------------


def files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def of_files(folder: Path, rng: random.Random) -> Iterator[Mutation]:
    """Replace, empty, cut, change, add, remove and exchange every file."""
    names = [file.relative_to(folder).as_posix() for file in files(folder)]
    for name in names:
        content = (folder / name).read_bytes()
        position = rng.randrange(len(content))
        flipped = bytearray(content)
        flipped[position] ^= 1 << rng.randrange(8)
        other = rng.choice([one for one in names if one != name])
        parent = Path(name).parent
        yield Mutation("file emptied", name, writing(name, b""))
        yield Mutation("file cut", name, writing(name, content[: len(content) // 2]))
        yield Mutation("file extended", name, writing(name, content + b"\n"))
        yield Mutation("bit flipped", f"{name}, byte {position}", writing(name, bytes(flipped)))
        yield Mutation("file replaced", name, writing(name, b"junk"))
        yield Mutation("file replaced", f"{name} by {other}", copying(other, name))
        yield Mutation("file removed", name, lambda folder, name=name: (folder / name).unlink())
        yield Mutation("file added", f"{parent}/extra.csv", copying(name, f"{parent}/extra.csv"))
        yield Mutation("file added", f"{parent}/.hidden", writing(f"{parent}/.hidden", b"seed 1"))
        yield Mutation("file linked", name, _linked(name))
    for part in ("", "public/", "internal/"):
        yield Mutation("folder added", f"{part}more", _adding_folder(f"{part}more"))
        yield Mutation("file added", f"{part}original.csv", writing(f"{part}original.csv", b"a\n1"))


def copying(source: str, target: str) -> Callable[[Path], None]:
    """Return what copies one file of a release over another."""

    def copy_file(folder: Path) -> None:
        shutil.copyfile(folder / source, folder / target)

    return copy_file


def _linked(name: str) -> Callable[[Path], None]:
    def link(folder: Path) -> None:
        aside = folder.parent / f"aside-{folder.name}"
        (folder / name).rename(aside)
        (folder / name).symlink_to(aside)

    return link


def _adding_folder(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).mkdir()


# -- data ------------------------------------------------------------------------------------------


def of_data(folder: Path, rng: random.Random, cells: int) -> Iterator[Mutation]:
    """Change cells, rows, columns and their order in every file of data and of risks."""
    for file in files(folder):
        if file.suffix not in TABULAR:
            continue
        name = file.relative_to(folder).as_posix()
        table = read_contents(file).table
        for what, changed in of_table(table, rng, cells):
            yield Mutation(what, f"{name}: {what}", rewriting(name, changed))


def of_table(table: pa.Table, rng: random.Random, cells: int) -> Iterator[tuple[str, pa.Table]]:
    """Give changed tables."""
    rows, names = table.num_rows, table.column_names
    order = list(range(rows))
    for _ in range(cells):
        row, column = rng.randrange(rows), rng.randrange(len(names))
        yield "cell changed", _with_cell(table, row, column, rng)
        first, second = rng.sample(order, 2)
        moved = order[:]
        moved[first], moved[second] = moved[second], moved[first]
        if table.slice(first, 1).to_pylist() != table.slice(second, 1).to_pylist():
            yield "rows exchanged", table.take(moved)
        yield "row removed", table.take([one for one in order if one != row])
        yield "row added", pa.concat_tables([table, table.slice(row, 1)])
    yield "order reversed", table.take(order[::-1])
    for place, name in enumerate(names):
        others = [other for other in names if other != name]
        yield "column removed", table.select(others)
        yield (
            "column renamed",
            table.rename_columns([*names[:place], f"{name}_2", *names[place + 1 :]]),
        )
        yield "column moved", table.select([*others, name]) if others[-1:] != [name] else table
        yield "column reversed", table.set_column(place, name, table[name].take(order[::-1]))
    yield "column added", table.append_column("ssn", pa.array([f"{n:09d}" for n in order]))


def _with_cell(table: pa.Table, row: int, column: int, rng: random.Random) -> pa.Table:
    values = table.column(column).to_pylist()
    others = [value for value in set(values) if value != values[row]]
    values[row] = rng.choice(sorted(others, key=str)) if others else None
    array = pa.array(values, table.schema.field(column).type)
    return table.set_column(column, table.schema.field(column), array)


def rewriting(name: str, table: pa.Table) -> Callable[[Path], None]:
    """Return what writes a table over a file of data."""
    return lambda folder: write_table(table, folder / name)


# -- what an intruder can recompute ----------------------------------------------------------------


def recompute(folder: Path) -> None:
    """Recompute all digests that need no secret, as far as the files can still be read."""
    try:
        _recompute_statement(folder)
        internal = read_envelope(folder / "internal" / MANIFEST)
        said = internal.statement["predicate"]
        payload = internal_payload(folder, said["run"], lambda _: said["seal"], said["signer"])
        (folder / "internal" / MANIFEST).write_bytes(
            Envelope(payload, internal.signatures).encode()
        )
        public = read_envelope(folder / "public" / MANIFEST)
        bound = commitment(bytes.fromhex(said["nonce"]), payload)
        said = public.statement["predicate"]
        payload = public_payload(folder / "public", said["run"], bound, said["signer"])
        (folder / "public" / MANIFEST).write_bytes(Envelope(payload, public.signatures).encode())
    except (TacitaError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # what is broken stays broken


def pass_off(folder: Path) -> None:
    """Make a release look like one of a version that wrote no manifests."""
    for part in ("public", "internal"):
        (folder / part / MANIFEST).unlink(missing_ok=True)
    try:
        for file in (folder / "public" / "statement.json", folder / "internal" / "evidence.json"):
            content = json.loads(file.read_text())
            content["run"]["tacita"] = "0.1.0"
            if file.parent.name == "public":
                content = {k: v for k, v in content.items() if k not in {"format", "requirements"}}
            file.write_bytes(encode_json(content))
        _recompute_statement(folder)
    except (TacitaError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # what is broken stays broken


def _recompute_statement(folder: Path) -> None:
    file = folder / "public" / "statement.json"
    statement = json.loads(file.read_text())
    data = statement["file"] and folder / "public" / statement["file"]["name"]
    if data and data.is_file():
        statement["file"]["sha256"] = sha256(data)
    for one in (statement.get("tables") or {}).get("tables", ()):
        for name in one["files"]:
            if (folder / "public" / "tables" / name).is_file():
                one["files"][name] = sha256(folder / "public" / "tables" / name)
    file.write_bytes(encode_json(statement))


DIGESTS: dict[str, Callable[[Path], None]] = {
    "left": lambda _: None,
    "recomputed": recompute,
    "taken away": pass_off,
}


# -- releases --------------------------------------------------------------------------------------

PLAN = """
data:
  source: {source}
  attributes:
    id: identifier
    age: {{role: key, hierarchy: {{intervals: {{widths: [10, 20, 40]}}}}}}
    sex: key
    income: {{role: confidential, kind: continuous}}
microdata:
  steps:
    - top_code: {{attribute: income, above: 4000}}
    - anonymize: {{to: {{k_anonymity: 3}}, suppression_limit: 0.1}}
    - add_noise: {{attributes: [income], alpha: 0.1}}
  require:
    - k_anonymity: 3
    - exact_linkage: {{at_most: 0.5}}
  measure: [uniqueness, exact_linkage, distance_linkage, means]
release: {{format: {format}}}
"""


@dataclass(frozen=True)
class Released:
    """A release to tamper with, unsigned and signed, and what verifies it."""

    folder: Path
    source: Path
    key: Path

    def of(self, *, signed: bool) -> Path:
        return self.folder / ("signed" if signed else "unsigned")


def release(folder: Path, form: str, records: int = 60) -> Released:
    """Make a release of generated data in a format, unsigned and signed."""
    folder.mkdir(parents=True)
    source = folder / "people.csv"
    rng = random.Random(5)
    rows = [
        f"{number},{rng.randint(18, 70)},{rng.choice('fm')},{rng.randint(900, 5000)}"
        for number in range(records)
    ]
    source.write_text("\n".join(["id,age,sex,income", *rows]) + "\n")
    (folder / "plan.yaml").write_text(PLAN.format(source=source.name, format=form))
    private, public, _ = signing.make_keys(folder / "key")
    seed = 2**80 + 1
    ta.run(folder / "plan.yaml", folder / "unsigned", seed=seed)
    ta.run(folder / "plan.yaml", folder / "signed", seed=seed, sign=private)
    return Released(folder, source, public)


def mutations(folder: Path, seed: int, cells: int = 4) -> list[Mutation]:
    """Generate all mutations of one release, each with everything that is done to digests."""
    rng = random.Random(seed)
    made = [
        *of_documents(folder, rng),
        *of_signatures(rng),
        *of_files(folder, rng),
        *of_data(folder, rng, cells),
    ]
    return [
        Mutation(one.kind, one.name, one.apply, digests)
        for one in made
        for digests in (DIGESTS if one.digests == "left" else (one.digests,))
    ]


def verdict(folder: Path, released: Released, *, source: bool, signed: bool) -> str:
    """Return what `verify` concludes; a refusal in one sentence is `refused`."""
    try:
        checked = ta.verify(
            folder,
            source=released.source if source else None,
            key=released.key if signed else None,
        )
    except TacitaError:
        return "refused"
    return checked.verdict.value


@dataclass(frozen=True)
class Tried:
    """What became of one mutation in one situation."""

    kind: str
    name: str
    digests: str
    source: bool
    signed: bool
    verdict: str

    @property
    def is_noticed(self) -> bool:
        return self.verdict in {"wrong", "refused"}


def tried(released: Released, mutation: Mutation, *, source: bool, signed: bool) -> Tried | None:
    """Tamper with a copy of a release and verify it; None where the mutation changed nothing."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "release"
        shutil.copytree(released.of(signed=signed), folder)
        before = contents(folder)
        mutation(folder)
        if contents(folder) == before:
            return None
        found = verdict(folder, released, source=source, signed=signed)
    return Tried(mutation.kind, mutation.name, mutation.digests, source, signed, found)


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return what lies in a folder."""
    return {
        entry.relative_to(folder).as_posix(): (
            None
            if entry.is_dir()
            else f"link {entry.readlink()}".encode()
            if entry.is_symlink()
            else entry.read_bytes()
        )
        for entry in folder.rglob("*")
    }


def sample(released: Released, count: int, seed: int) -> Iterator[tuple[Mutation, bool, bool]]:
    """Draw mutations of a release in all four situations, as many of each kind as can be."""
    for signed in (False, True):
        by_kind: dict[tuple[str, str], list[Mutation]] = defaultdict(list)
        for mutation in mutations(released.of(signed=signed), seed):
            by_kind[mutation.kind, mutation.digests].append(mutation)
        rng = random.Random(seed)
        for several in by_kind.values():
            rng.shuffle(several)
        drawn: list[Mutation] = []
        while len(drawn) < count and any(by_kind.values()):
            drawn += [several.pop() for several in by_kind.values() if several]
        for mutation in drawn[:count]:
            for source in (False, True):
                yield mutation, source, signed


def _part(folder: Path, form: str, count: int, seed: int, part: int, parts: int) -> list[Tried]:
    """Try every `parts`-th mutation, in a process of its own."""
    released = release(folder / f"{form}-{part}", form)
    cases = [*sample(released, count, seed)][part::parts]
    done = (tried(released, case, source=source, signed=signed) for case, source, signed in cases)
    return [one for one in done if one is not None]


def main() -> None:
    """Tamper with releases in every format, and print which share is noticed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=500, help="mutations of every format")
    options.add_argument("--formats", nargs="*", default=["csv", "parquet", "feather", "xlsx"])
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    parts = 2
    with tempfile.TemporaryDirectory() as temporary, ProcessPoolExecutor(parts) as pool:
        jobs = [
            pool.submit(_part, Path(temporary), form, given.count, given.seed, part, parts)
            for form in given.formats
            for part in range(parts)
        ]
        results = [one for job in jobs for one in job.result()]
    _print(results)


def _print(results: list[Tried]) -> None:
    print("| situation | digests | mutations | noticed | share |\n| --- | --- | --- | --- | --- |")
    for source, signed in SITUATIONS:
        for digests in DIGESTS:
            these = [
                one
                for one in results
                if (one.source, one.signed, one.digests) == (source, signed, digests)
            ]
            noticed = sum(one.is_noticed for one in these)
            share = f"{noticed / max(len(these), 1):.1%}"
            print(f"| {NAMES[source, signed]} | {digests} | {len(these)} | {noticed} | {share} |")
    missed = Counter(
        (NAMES[one.source, one.signed], one.kind, one.verdict, one.name.split(":")[0])
        for one in results
        if not one.is_noticed
    )
    print("\nNot noticed:")
    for (situation, kind, found, name), many in sorted(missed.items()):
        print(f"- {situation}: {kind} in {name}, {many} ({found})")


if __name__ == "__main__":
    main()
