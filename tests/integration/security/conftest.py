"""The guarded cluster of this folder, started once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.engine.slots import SlotLab
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.guarded_cluster import PASSWORD, GuardedCluster, start_guarded_cluster
from tests.support.servers.kdc import Realm, missing_tools, running_realm
from tests.support.servers.pki import Authority
from tests.support.servers.token_endpoint import TokenEndpoint, running_token_endpoint


@pytest.fixture(scope="package")
def tokens() -> Iterator[TokenEndpoint]:
    with running_token_endpoint() as endpoint:
        yield endpoint


@pytest.fixture(scope="package")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm | None]:
    """None where the machine has no KDC (Debian: krb5-kdc, krb5-admin-server)."""
    if missing_tools():
        yield None
        return
    folder = tmp_path_factory.mktemp("realm") / "kdc"
    with running_realm(folder) as realm, pytest.MonkeyPatch.context() as patch:
        patch.setenv("KRB5_CONFIG", str(realm.configuration))
        yield realm


@pytest.fixture(scope="package")
def guarded(
    dev_clusters: DevClusters,
    tmp_path_factory: pytest.TempPathFactory,
    tokens: TokenEndpoint,
    realm: Realm | None,
) -> Iterator[GuardedCluster]:
    folder: Path = tmp_path_factory.mktemp("stores")
    cluster = start_guarded_cluster(dev_clusters, folder, Authority(), tokens, realm)
    for bits in (256, 512):
        cluster.set_scram_password(bits, PASSWORD)
    yield cluster
    dev_clusters.stop(["guarded-by-all"])


@pytest.fixture
def lab(guarded: GuardedCluster) -> Iterator[SlotLab]:
    slot_lab = SlotLab(TwoClusters(source=guarded.cluster, target=guarded.cluster))
    yield slot_lab
    slot_lab.close()
