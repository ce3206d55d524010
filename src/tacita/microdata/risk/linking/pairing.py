"""Pairing: links in which no known record is taken twice."""

from __future__ import annotations

from math import fsum

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.errors import InputError
from tacita.microdata.risk.linking.links import Found, Links
from tacita.microdata.risk.linking.nearest_records import Search

EXACTLY = 10_000  # known records up to which the assignment problem is solved in full: 0.8 GB
CANDIDATES = 20  # nearest places from which larger problems choose
CELLS = 2**22  # distances computed at a time


def one_to_one(
    search: Search, own: Ints, known: Ints, rows: Ints, records: int, seed: int
) -> Found:
    """Link released to known records so that the sum of all distances is smallest.

    Of equally good assignments one is taken at random, and records that cannot be told apart
    share their links: of a known place with c records, a went to the r released records of one
    question, so that each of these is linked to its owner with probability a / (c r).

    Args:
        search: the search for the linked records.
        own: the original record that each of them comes from.
        known: the original records that are searched, ascending.
        rows: their numbers in the release.
        records: the number of released records, linked or not.
        seed: where the choice between equally good assignments is drawn from.

    Raises:
        InputError: there are more released records than known ones.
    """
    if len(rows) > len(known):
        raise InputError(
            f"Records are linked one to one only to as many respondents; found {len(rows):,} "
            f"records of {len(known):,}. Choose the assignment `nearest`."
        )
    exact = len(known) <= EXACTLY
    linked = assigned(search, np.random.default_rng(seed), exactly=exact)
    asked, place = search.question, search.place
    owner = place[np.searchsorted(known, own)]
    taken = _taken(asked, place[linked], owner, len(place))
    guesses = search.sizes[owner] * np.bincount(asked, minlength=1)[asked]
    links = Links(taken, guesses, records)
    distance = search.metric.distance(search.sums(asked, place[linked]))
    total = fsum(distance)
    figures = {
        "mean_distance": total / len(rows) if len(rows) else None,
        "total_distance": total,
    }
    details = {"record": rows, "own": own, "nearest": known[linked], "distance": distance}
    table = pa.table({**details, "probability": links.probability})
    way = ", one to one" if exact else f", one to one among the {CANDIDATES} nearest"
    return Found(links, figures, table, way)


def assigned(search: Search, rng: np.random.Generator, *, exactly: bool) -> Ints:
    """Return the known record of every released one so that the sum of distances is smallest.

    Args:
        search: the search for the released records; there are at least as many known ones.
        rng: where the choice between equally good assignments is drawn from.
        exactly: whether all pairs are looked at, or the nearest of every record only.
    """
    if not len(search.question):
        return np.zeros(0, np.int64)
    return (_exactly if exactly else _among_candidates)(search, rng)


def _taken(asked: Ints, linked: Ints, own: Ints, places: int) -> Ints:
    """Count, for each record, the links of its question that go to its owner's place."""
    pairs, counts = np.unique(asked * places + linked, return_counts=True)
    wanted = asked * places + own
    at = np.minimum(np.searchsorted(pairs, wanted), max(len(pairs) - 1, 0))
    return np.where(pairs[at] == wanted, counts[at], 0) if len(pairs) else np.zeros(0, np.int64)


def _exactly(search: Search, rng: np.random.Generator) -> Ints:
    """Solve the assignment problem over all pairs."""
    from scipy.optimize import linear_sum_assignment

    # Shuffled, because the solver prefers the first of equally good records.
    columns = rng.permutation(len(search.place))
    costs = np.empty((len(search.question), len(columns)))
    step = max(CELLS // len(columns), 1)
    for start in range(0, len(costs), step):
        asked = search.question[start : start + step]
        places = np.tile(search.place[columns], len(asked))
        sums = search.sums(np.repeat(asked, len(columns)), places)
        costs[start : start + step] = search.metric.distance(sums).reshape(len(asked), -1)
    return np.asarray(columns[linear_sum_assignment(costs)[1]])


def _among_candidates(search: Search, rng: np.random.Generator) -> Ints:
    """Solve the assignment problem over the nearest places of every record.

    That everybody finds a partner is made sure by one more candidate each: both files are put in
    the order in which the forest holds the places, and stand beside each other.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    size, asked = len(search.question), search.question
    near = search.nearest(min(CANDIDATES, len(search.sizes)))[0]
    shuffled = rng.permutation(size)
    # Records that share a question take different members of the same place.
    turn = np.empty(size, np.int64)
    turn[shuffled] = np.arange(size)
    places = near[asked].ravel()
    members = search.starts[places] + np.repeat(turn, near.shape[1]) % search.sizes[places]
    beside = np.empty(size, np.int64)
    beside[np.lexsort((turn, near[asked, 0]))] = np.arange(size) * len(search.place) // size
    linked = search.members[np.append(members, beside)]
    who = np.append(np.repeat(np.arange(size), near.shape[1]), np.arange(size))
    _, first = np.unique(who * len(search.place) + linked, return_index=True)
    who, linked = who[first], linked[first]
    costs = search.metric.distance(search.sums(asked[who], search.place[linked]))
    # A cost of 0 would be taken for no candidate; all pairings cost the same more.
    shape = (size, len(search.place))
    candidates = coo_array((costs + _unit(costs), (who, linked)), shape=shape).tocsr()
    return np.asarray(min_weight_full_bipartite_matching(candidates)[1])


def _unit(costs: Floats) -> float:
    return float(costs.mean()) or 1.0
