"""Attributes of all kinds as numbers."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa

import tacita as ta
from tacita.microdata.comparing.features import CATEGORIES, features, shared


def read(**columns):
    return ta.read(pd.DataFrame(columns))


def test_categories_have_the_same_number_in_all_data_sets():
    one, other = read(x=["b", "b", "a"]), read(x=["a", "c", None])
    coded = features([one, other], ["x"])
    assert coded.categories == (4,)
    first, second = (matrix[:, 0].tolist() for matrix in coded.matrices)
    # The most frequent first, ties in the order of the text; a blank is a category.
    assert first == [1.0, 1.0, 0.0]
    assert second == [0.0, 3.0, 2.0]


def test_rare_categories_count_as_one():
    many = read(x=[f"c{i:03}" for i in range(80)])
    coded = features([many], ["x"])
    assert coded.categories == (CATEGORIES + 1,)
    assert (coded.matrices[0] == CATEGORIES).sum() == 80 - CATEGORIES


def test_dummies_are_standardized_numbers_and_columns_of_zeros_and_ones():
    data = read(n=[1.0, 3.0, None], x=["a", "b", "a"])
    (made,) = features([data], ["n", "x"]).dummies()
    assert made.tolist() == [[-1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]


def test_dates_and_sets_are_features_too(toy):
    coded = features([toy], ["born", "languages"])
    assert coded.categories[0] == 0
    assert coded.categories[1] > 5
    days = coded.matrices[0][:, 0]
    since = np.asarray(toy.column("born")) - np.datetime64("1970-01-01")
    assert days.tolist() == since.astype(int).tolist()


def test_identifiers_weights_and_households_tell_nothing_of_respondents(toy):
    assert set(toy.names) - set(shared([toy, toy])) == {"id", "weight", "household"}
    assert "age" not in shared([toy, toy.without(["age"])])


def test_no_attributes_and_no_records_survive(toy):
    assert features([toy], []).dummies()[0].shape == (300, 0)
    assert features([toy.take(np.arange(0))], ["age", "zip"]).dummies()[0].shape[0] == 0


def test_numbers_of_any_size_are_standardized():
    (made,) = features([read(n=[1e308, -1e308])], ["n"]).dummies()
    assert made.ravel().tolist() == [1.0, -1.0]
    (made,) = features([read(n=[0.0, 0.0])], ["n"]).dummies()
    assert made.ravel().tolist() == [0.0, 0.0]


def test_whole_numbers_and_fractions_are_the_same_categories():
    one, other = (
        ta.read(pd.DataFrame({"x": values}), kinds={"x": "nominal"})
        for values in ([7, 8], [8.0, None])
    )
    coded = features([one, other], ["x"])
    assert coded.categories == (3,)
    assert coded.matrices[0][1, 0] == coded.matrices[1][0, 0]


def test_one_long_text_costs_no_more_than_itself():
    """Padding every category to the longest would take 4 GB here."""
    words = pa.array([f"word {i}" for i in range(1000)] + ["x" * 1_000_000])
    data = ta.read(pa.table({"note": words}), kinds={"note": "nominal"})
    tracemalloc.start()
    coded = features([data], ["note"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert coded.categories == (51,)
    assert peak < 100_000_000


def test_a_blank_and_an_empty_text_that_are_as_frequent_keep_their_numbers():
    words = ["", None, "a"]
    first, second = (
        features([ta.read(pa.table({"x": pa.array(part, pa.string())}))], ["x"]).matrices[0][:, 0]
        for part in (words, words[::-1])
    )
    assert first.tolist() == second[::-1].tolist()
