"""Columns of clusters and flows that follow from the property tree have one writer each."""

import ast
from collections.abc import Iterator
from pathlib import Path

from replication.config import FlowDefinition
from srm_service.flows.derived_flows import derived_columns

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ROOT / "srm_service"
FLOW_COLUMNS = {*derived_columns(FlowDefinition(source="a", target="b", enabled=True, heartbeats=True)), "problem"}
CLUSTER_COLUMNS = {"bootstrap", "client", "secrets", "problem", "is_counted"}
WRITERS = {"srm_service/flows/derived_flows.py", "srm_service/clusters/services.py"}
CALLER = "srm_service/configuration/derived/projection.py"
_CREATING = {"update", "create", "get_or_create", "update_or_create", "bulk_create", "Flow", "Cluster"}
_OF_MODELS = {"Flow", "Cluster", "flow", "cluster", "flows", "clusters", "objects"}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SERVICE.rglob("*.py")):
        if "migrations" not in path.parts:
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text())


def assigned(tree: ast.AST) -> Iterator[str]:
    """The derived columns that a file assigns on a flow or cluster, or hands to a query that writes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _names(node.value) & _OF_MODELS:
            yield node.attr
        elif isinstance(node, ast.Call) and _called(node.func) in _CREATING and _names(node.func) & _OF_MODELS:
            yield from (keyword.arg for keyword in node.keywords if keyword.arg is not None)


def _names(node: ast.AST) -> set[str]:
    """All identifiers in an expression."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def test_columns_that_follow_from_the_tree_are_written_in_one_place() -> None:
    columns = FLOW_COLUMNS | CLUSTER_COLUMNS

    written = {path: columns & set(assigned(tree)) for path, tree in sources()}

    assert {path: found for path, found in written.items() if found and path not in WRITERS} == {}
    assert written["srm_service/clusters/services.py"] == CLUSTER_COLUMNS


def test_only_the_projection_calls_the_writers() -> None:
    callers = {
        path
        for path, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called(node.func) in {"flows_write", "clusters_write", "clusters_remove"}
    }

    assert callers == {CALLER}


def test_the_search_finds_what_it_looks_for() -> None:
    code = "flow.tasks_max = 1\nFlow.objects.filter(pk=1).update(enabled=True)\nFlow(start=1)\nother.enabled = 1"

    assert set(assigned(ast.parse(code))) == {"tasks_max", "enabled", "start"}
