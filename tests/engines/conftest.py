"""A real Spark cluster of two executor processes, and how each engine opens its files."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import pytest

from tacita.engines import ENGINES, open_records

# Few partitions, no generated code, no optimizing compiler: the data are small, and Spark would
# spend most of the time on warming up.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.files.openCostInBytes": "134217728",  # each file is a task of its own
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}
EXECUTORS = "local-cluster[2,1,1024]"  # two processes, one core and 1024 MB each


@pytest.fixture(scope="session")
def cluster(tmp_path_factory, need):
    """A session on two executors."""
    need("java")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PySpark's own, about the newest pandas
        from pyspark.sql import SparkSession

        patch.setenv("SPARK_HOME", str(_home(tmp_path_factory.mktemp("spark"))))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(EXECUTORS).appName("tacita tests")
        session = builder.config(map=SETTINGS).getOrCreate()
        yield session
        session.stop()


def _home(folder):
    """Make a home for Spark whose executors keep their files in a temporary folder."""
    package = Path(importlib.util.find_spec("pyspark").origin).parent
    for part in ("bin", "jars"):
        (folder / part).symlink_to(package / part)
    return folder


@pytest.fixture(scope="module", params=list(ENGINES))
def engine(request):
    """The name of every engine."""
    return request.param


@pytest.fixture(scope="module")
def opened(engine, request):
    """A function that opens files on the engine."""
    options = {"session": request.getfixturevalue("cluster")} if engine == "spark" else {}
    return lambda source: open_records(source, engine, **options)
