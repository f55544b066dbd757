from collections.abc import Iterator

import pytest

from tests.support.engine.slots import SlotLab
from tests.support.kafka.clusters import TwoClusters


@pytest.fixture
def lab(two_clusters: TwoClusters) -> Iterator[SlotLab]:
    slot_lab = SlotLab(two_clusters)
    yield slot_lab
    slot_lab.close()
