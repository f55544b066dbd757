from collections.abc import Iterator

import pytest

from tests.support.clusters import TwoClusters
from tests.support.slots import SlotLab


@pytest.fixture
def lab(two_clusters: TwoClusters) -> Iterator[SlotLab]:
    slot_lab = SlotLab(two_clusters)
    yield slot_lab
    slot_lab.close()
