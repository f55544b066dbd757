"""One Spark session for all Spark tests of a process; two at once would need another 0.6 GB."""

import gc
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from metrics.session import close_session, open_session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = open_session(jars=None, scratch=tmp_path_factory.mktemp("spark"), app_name="srm-tests")
    yield session
    gc.collect()  # handles of Java objects are released while their JVM lives
    close_session(session)
    gc.collect()  # an error in a finalizer is that of the last test; after the last test it would end pytest itself
