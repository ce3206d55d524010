"""Meaning by sets of ancestors, one pair of words at a time, to compare with."""

from __future__ import annotations

from math import log2

import pyarrow as pa

import tacita as ta

JOBS = {
    "any": {"care": ["nurse", "doctor", "medic"], "law": ["judge", "clerk"], "craft": ["smith"]}
}
# `vet` lies below two concepts, which no hierarchy can say.
BEINGS = {
    "thing": [],
    "care": ["thing"],
    "beast": ["thing"],
    "nurse": ["care"],
    "vet": ["care", "beast"],
    "cow": ["beast"],
}
PARENTS = {
    "tree": {
        "any": [],
        **{label: ["any"] for label in JOBS["any"]},
        **{word: [label] for label, words in JOBS["any"].items() for word in words},
    },
    "ontology": BEINGS,
}
WORDS = {"tree": [word for words in JOBS["any"].values() for word in words], "ontology": [*BEINGS]}


def ancestors(parents, word):
    """Return a word and all words above it."""
    return {word}.union(*(ancestors(parents, above) for above in parents[word]))


def apart(parents, one, other):
    """Return the distance in meaning of two words."""
    ours, theirs = ancestors(parents, one), ancestors(parents, other)
    return log2(1 + len(ours ^ theirs) / len(ours | theirs))


def nodes_above(parents, words):
    """Return some words and all words above them."""
    return set().union(*(ancestors(parents, word) for word in words))


def mean_of(parents, words, nodes):
    """Return the nodes that have the least sum of squared distances to some words."""
    costs = {node: sum(apart(parents, word, node) ** 2 for word in words) for node in nodes}
    return [node for node, cost in costs.items() if cost < min(costs.values()) + 1e-9]


def data_of(kind, columns, weights=None):
    """Make microdata whose attributes have the hierarchy, or the ontology."""
    table = {name: pa.array(words, pa.string()) for name, words in columns.items()}
    meaning = {"hierarchies": {"tree": JOBS}, "ontologies": {"concepts": BEINGS}}
    word = "hierarchies" if kind == "tree" else "ontologies"
    said = {word: dict.fromkeys(columns, meaning[word])}
    if weights is not None:
        table["w"], said["roles"] = pa.array(weights, pa.float64()), {"w": "weight"}
    return ta.read(pa.table(table), kinds=dict.fromkeys(columns, "nominal"), **said)
