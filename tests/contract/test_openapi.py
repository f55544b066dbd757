"""The committed OpenAPI document is what the code offers; whether answers follow it is tested with the service."""

import json
from pathlib import Path

from django.core.management import call_command

from replication.domain.reporting.metric_defs import METRICS

_COMMITTED = Path(__file__).parents[2] / "frontend" / "openapi.json"


def test_the_committed_document_is_up_to_date(tmp_path: Path) -> None:
    fresh = tmp_path / "openapi.json"
    call_command("spectacular", file=str(fresh), format="openapi-json", validate=True, fail_on_warn=True)

    assert json.loads(fresh.read_text()) == json.loads(_COMMITTED.read_text()), "run `make schema`"


def test_every_metric_name_has_its_place_in_the_document() -> None:
    schemas = json.loads(_COMMITTED.read_text())["components"]["schemas"]

    assert set(schemas["Metrics"]["properties"]) == set(METRICS)


def test_the_live_messages_are_in_the_document() -> None:
    schemas = json.loads(_COMMITTED.read_text())["components"]["schemas"]

    assert {"LiveFrame", "LiveFlowRow", "LiveSubscribe", "LivePing", "LiveError"} <= set(schemas)


def test_the_reference_lists_every_group_of_operations_once_and_replications_first() -> None:
    document = json.loads(_COMMITTED.read_text())
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    listed = [tag["name"] for tag in document["tags"]]

    assert sorted(listed) == sorted({tag for operation in operations for tag in operation["tags"]})
    assert listed[0] == "replications"
