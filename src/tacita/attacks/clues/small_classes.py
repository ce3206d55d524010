"""k-anonymized: no combination of the keys is rare."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.attacks.clues.equal_groups import no_rare_one, none_rare_by_design
from tacita.attacks.clues.guess import REPORTED, Guess
from tacita.attacks.clues.notation import look as look_at_words
from tacita.data.dataset import Dataset
from tacita.results import listed

PAIR = 2


def look(data: Dataset) -> Iterator[Guess]:
    """Find that the keys together were anonymized; without keys, those that are written so."""
    words = {guess.attributes[0]: guess for guess in look_at_words(data)}
    keys = data.keys or list(words)
    if not keys or not len(data):
        return
    sizes = data.classes(keys).counts
    chance = (no_rare_one if set(keys) & set(words) else none_rare_by_design)(sizes)
    if sizes.min() < PAIR or (chance > REPORTED and not set(keys) & set(words)):
        return
    local = any(words[key].method == "mondrian" for key in keys if key in words)
    blanked = any(data.column(key).null_count for key in keys)
    yield Guess(
        "mondrian" if local else "lattice",
        tuple(keys),
        {"to": [{"k_anonymity": {"k": int(sizes.min())}}]},
        f"{len(data):,} records show {len(sizes):,} combinations of {listed(keys)}, each at least "
        f"{sizes.min()} times; {'values overlap' if local else 'one rule fits all records'}",
        chance if chance <= REPORTED else None,
        narrows=f"whoever knows the keys of a record finds {sizes.min()} or more",
        alternatives=_others(local=local, blanked=blanked),
    )


def _others(*, local: bool, blanked: bool) -> tuple[str, ...]:
    if local:
        return ("local_recoding", "sorted_clusters", "close_clusters")
    return ("datafly", "microaggregate", *(("local_suppression",) if blanked else ()))
