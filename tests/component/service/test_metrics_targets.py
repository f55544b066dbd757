"""The metrics process of the same host learns of clusters and flows as they change."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from metrics.stream.targets import read_clusters
from replication.config.tree import PropertyPlace
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.services import apply_changes
from srm_service.flows.documents.metrics_targets import write_metrics_targets
from srm_service.flows.models import Flow
from srm_service.flows.selectors import flow_list
from tests.component.service.conftest import config_import, configured, flow_definition

pytestmark = pytest.mark.django_db


@pytest.fixture
def targets_file(tmp_path: Path, settings: Any) -> Path:
    settings.SRM_HOME = tmp_path
    (tmp_path / "metrics").mkdir()
    return tmp_path / "metrics" / "targets.json"


def test_targets_are_counted_and_sources_only_known(one_flow: str, targets_file: Path) -> None:
    assert write_metrics_targets()

    clusters = read_clusters(targets_file)
    assert (clusters.counted, sorted(clusters.known)) == (("eu-central",), ["eu-central", "us-east"])
    assert stat.S_IMODE(targets_file.stat().st_mode) == 0o600


def test_a_new_flow_changes_the_file_and_no_change_leaves_it_alone(one_flow: str, targets_file: Path) -> None:
    write_metrics_targets()
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-east", "analytics")))

    assert write_metrics_targets()
    assert not write_metrics_targets()
    assert read_clusters(targets_file).counted == ("analytics", "eu-central")


def test_a_broken_file_is_replaced_and_without_a_folder_nothing_is_written(
    one_flow: str, targets_file: Path, settings: Any
) -> None:
    targets_file.write_text("{")
    assert write_metrics_targets()
    assert json.loads(targets_file.read_text())

    settings.SRM_HOME = targets_file.parent / "elsewhere"
    assert not write_metrics_targets()


def test_without_flows_the_list_is_empty(one_flow: str, targets_file: Path) -> None:
    write_metrics_targets()
    Flow.objects.all().delete()

    assert write_metrics_targets()
    assert read_clusters(targets_file).counted == ()


def test_only_the_targets_of_the_managers_service_are_counted(db: None, targets_file: Path) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-east", "analytics")))
    place = PropertyPlace(level="global", name="streams.replication.manager.service.target.cluster")
    apply_changes([PropertyChange(place=place, value="analytics")], by="test", comment="")

    write_metrics_targets()

    assert read_clusters(targets_file).counted == ("analytics",)


def test_flows_into_clusters_that_no_driver_of_the_manager_writes_do_not_exist(db: None) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-east", "analytics")))
    place = PropertyPlace(level="global", name="streams.replication.manager.driver.target.cluster")

    apply_changes([PropertyChange(place=place, value="analytics")], by="test", comment="")

    assert [flow.target for flow in flow_list()] == ["analytics"]
