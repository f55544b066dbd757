"""Spark's checkpoint files on a local disk: few processes, and never half a file."""

import json
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.support.eventually import eventually

pytestmark = pytest.mark.spark


def test_a_checkpoint_has_one_complete_file_per_batch_and_no_checksum_files(
    spark: SparkSession, tmp_path: Path
) -> None:
    batches: list[int] = []

    def count(_frame: DataFrame, number: int) -> None:
        batches.append(number)

    stream = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    query = stream.writeStream.foreachBatch(count).option("checkpointLocation", tmp_path.as_uri()).start()
    try:
        eventually(lambda: len(batches) >= 3, 60, "three batches have run")
    finally:
        query.stop()

    offsets = [path for path in (tmp_path / "offsets").iterdir() if not path.name.endswith(".tmp")]
    assert {path.name for path in offsets} == {str(number) for number in range(len(offsets))}
    assert len(offsets) >= 3
    for path in offsets:
        version, metadata, *_ = path.read_text().splitlines()
        assert version == "v1"
        assert "batchTimestampMs" in json.loads(metadata)
