"""One Spark session for all Spark tests of a process; two at once would need another 0.6 GB."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from metrics.session import close_session, open_session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = open_session(jars=None, scratch=tmp_path_factory.mktemp("spark"), app_name="srm-tests")
    yield session
    close_session(session)
