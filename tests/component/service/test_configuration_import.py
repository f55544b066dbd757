"""Imports of configuration files into the property tree."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from rest_framework.test import APIClient

from srm_service.clusters.models import Cluster
from srm_service.configuration.contracts import InvalidChangeError
from srm_service.configuration.models import StoredProperty
from srm_service.configuration.selectors import current_tree, current_version
from srm_service.configuration.transfer.importing import EARLIER_RELEASE, import_tree
from srm_service.configuration.transfer.reading import read_text
from srm_service.flows.models import Flow
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH
from tests.component.service.test_configuration import BASE, apply

pytestmark = BOTH


@pytest.fixture
def base(db: None) -> int:
    return apply(BASE).version


FILE = """# our clusters
clusters = a, b
a.bootstrap.servers = h:1
b.bootstrap.servers = h:2
a->b.enabled = true
b->a.emit.heartbeats.enabled = false
# only these
a->b.topics = orders.*
"""


def read(text: str, name: str = "one.properties") -> Any:
    return read_text(text, format="mm2", name=name)


def test_an_import_keeps_comments_origins_and_the_order_of_the_file(db: None) -> None:
    applied = import_tree(read(FILE), by="ann", comment="")

    assert (applied.version, applied.clusters, applied.flows) == (1, ("a", "b"), (("a", "b"),))
    assert current_tree() == read(FILE).tree
    assert import_tree(read(FILE), by="ann", comment="").is_new is False
    assert import_tree(read(f"\n\n{FILE}"), by="ann", comment="").is_new is False


def test_a_property_without_a_name_is_refused_with_its_line(db: None) -> None:
    with pytest.raises(InvalidChangeError) as refused:
        import_tree(read(f"{FILE}=novalue\n"), by="ann", comment="")

    (finding,) = [each for each in refused.value.findings if "has no name" in each.message]
    assert finding.line == FILE.count("\n") + 1


def test_an_import_removes_what_left_its_file_and_keeps_what_people_set(db: None) -> None:
    import_tree(read(FILE), by="ann", comment="")
    apply({"a->b.tasks.max": "4"})
    import_tree(
        read("clusters = c, a\nc.bootstrap.servers = h:3\na.bootstrap.servers = h:1\n", "two.properties"),
        by="ann",
        comment="",
    )

    import_tree(read(FILE.replace("a->b.topics = orders.*", "")), by="ann", comment="")

    tree = current_tree()
    values = {each.place.key: each.value for each in tree.properties}
    assert values["clusters"] == "a, b, c"
    assert values["a->b.tasks.max"] == "4"
    assert "a->b.topics" not in values


def test_a_replacing_import_makes_the_tree_equal_to_the_file(base: int) -> None:
    import_tree(read(FILE), by="ann", comment="", replaces=True)

    assert current_tree() == read(FILE).tree


def test_a_file_of_another_dialect_is_converted_to_that_of_the_kept_properties(base: int) -> None:
    apply({"connectors.sync.topic.acls.enabled": "false"})

    import_tree(read(f"{FILE}sync.topic.configs.enabled = false\n"), by="ann", comment="")

    settings = Flow.objects.get().connectors["source"]
    assert current_tree().dialect == "srm"
    assert (settings["sync.topic.acls.enabled"], settings["sync.topic.configs.enabled"]) == ("false", "false")


def test_a_start_imports_its_file_only_if_the_file_has_changed(tmp_path: Path, db: None) -> None:
    file = tmp_path / "mm2.properties"
    file.write_text(FILE)
    call_command("import_properties", file, unless_unchanged=True, stdout=StringIO())
    apply({"a->b.topics": "payments"})
    out = StringIO()

    call_command("import_properties", file, unless_unchanged=True, stdout=out)
    kept = Flow.objects.get().topics_allow
    file.write_text(f"{FILE}tasks.max = 3\n")
    call_command("import_properties", file, unless_unchanged=True, stdout=StringIO())

    assert "has not changed" in out.getvalue()
    assert kept == ["payments"]
    assert (Flow.objects.get().topics_allow, Flow.objects.get().tasks_max) == (["orders.*"], 3)


def test_a_file_replaces_what_an_upgrade_made_of_it(base: int) -> None:
    StoredProperty.objects.update(origin=EARLIER_RELEASE)

    import_tree(read(f"{FILE}tasks.max = 3\n"), by="ann", comment="")

    assert current_tree() == read(f"{FILE}tasks.max = 3\n").tree
    assert Flow.objects.get().tasks_max == 3


def test_a_file_with_errors_changes_nothing_and_names_them_with_their_lines(base: int) -> None:
    text = FILE.replace("h:2", "nowhere") + "a->b.tasks.max = many\nbad = \\u00zz\n"

    with pytest.raises(InvalidChangeError) as error:
        import_tree(read(text), by="ann", comment="", replaces=True)

    assert {finding.line for finding in error.value.findings} == {4, 9, 10}
    assert current_version() == base


def test_a_file_without_clusters_is_refused(db: None) -> None:
    with pytest.raises(InvalidChangeError, match="clusters"):
        import_tree(read("some = thing\n"), by="ann", comment="")


MIRROR = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaMirrorMaker2
metadata: {name: prod, labels: {team: pay}}
spec:
  version: 3.9.0
  clusters:
  - {alias: a, bootstrapServers: "h:1", config: {security.protocol: PLAINTEXT}}
  - {alias: b, bootstrapServers: "h:2", tls: {trustedCertificates: []}}
  mirrors:
  - sourceCluster: a
    targetCluster: b
    sourceConnector: {tasksMax: 4, config: {sync.topic.acls.enabled: false}}
    topicsPattern: orders.*
"""


def test_a_mirror_maker_resource_is_imported_and_exported_over_rest(admin: APIClient) -> None:
    order = {"text": MIRROR, "format": "operator", "name": "prod.yaml"}

    imported = admin.post("/api/v2/properties/import", order, format="json")
    assert imported.status_code == 200, imported.content
    answer = admin.get("/api/v2/properties/export?format=operator").json()

    assert (Flow.objects.get().tasks_max, Flow.objects.get().topics_allow) == (4, ["orders.*"])
    assert yaml.safe_load(answer["text"]) == yaml.safe_load(MIRROR)
    assert [finding for finding in answer["findings"] if finding["severity"] != "note"] == []


def test_the_login_of_an_operator_resource_is_a_secret_of_the_cluster(admin: APIClient) -> None:
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="planted";'
    config = f"{{security.protocol: SASL_PLAINTEXT, sasl.mechanism: PLAIN, sasl.jaas.config: '{jaas}'}}"
    text = MIRROR.replace("{security.protocol: PLAINTEXT}", config)
    order = {"text": text, "format": "operator", "name": "prod.yaml"}

    imported = admin.post("/api/v2/properties/import", order, format="json")

    cluster = Cluster.objects.get(alias="a")
    assert imported.status_code == 200, imported.content
    assert (sorted(cluster.client), cluster.secrets != "") == (["sasl.mechanism", "security.protocol"], True)
    stored = [str(list(model.objects.values())) for model in (StoredProperty, Cluster, Flow, TrailEntry)]
    assert "planted" not in "".join(stored) + imported.content.decode()
