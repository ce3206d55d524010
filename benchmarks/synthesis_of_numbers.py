"""Synthesis with exact moments against one covariance matrix.

Four million records of ten numbers. Ours is the whole method on a data set: Cholesky makes as many
records with the same means and covariances, IPSO C draws half of the attributes anew given the
other half. The other side is `np.cov` of the same numbers, once as records by attributes (what a
data frame hands out) and once with every attribute in one piece.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from measuring import race


def cholesky(chosen: argparse.Namespace) -> Callable[[], object]:
    from tacita.microdata.synthesis.cholesky import Cholesky

    return _ours(chosen, Cholesky)


def ipso(chosen: argparse.Namespace) -> Callable[[], object]:
    from tacita.microdata.synthesis.ipso import Ipso

    half = chosen.attributes // 2
    return _ours(chosen, lambda names: Ipso(names[:half], given=names[half:]))


def _ours(
    chosen: argparse.Namespace, method_of: Callable[[list[str]], object]
) -> Callable[[], object]:
    import pyarrow as pa

    import tacita as ta

    ta.use_threads(chosen.threads)
    data = ta.read(pa.table({f"x{j}": row for j, row in enumerate(_values(chosen))}))
    mask, rng = method_of(data.names).mask, np.random.default_rng(1)
    mask(data.take(np.arange(99)), rng)  # the kernels are loaded
    return lambda: mask(data, rng)


def covariance_of_records(chosen: argparse.Namespace) -> Callable[[], object]:
    records = np.ascontiguousarray(_values(chosen).T)
    return lambda: np.cov(records, rowvar=False)


def covariance_of_columns(chosen: argparse.Namespace) -> Callable[[], object]:
    columns = _values(chosen)
    return lambda: np.cov(columns)


def _values(chosen: argparse.Namespace) -> np.ndarray:
    rng = np.random.default_rng(0)
    shape = (chosen.attributes, chosen.attributes)
    return np.tril(rng.random(shape)) @ rng.normal(size=(chosen.attributes, chosen.records))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--attributes", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--method", choices=["cholesky", "ipso"], default="cholesky")
    method = parser.parse_known_args()[0].method
    contenders = {
        method: {"cholesky": cholesky, "ipso": ipso}[method],
        "cov, records": covariance_of_records,
        "cov, columns": covariance_of_columns,
    }
    race(__file__, contenders, parser, repeats=3)
