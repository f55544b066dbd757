"""Reads the document of a system over REST, and applies differences to it."""

from collections.abc import Collection, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from replication.domain.desired.name_lists import LIST_KINDS
from srm_cli.control.document.differences import SECTIONS, VERSION, SystemDifference
from srm_cli.errors import ExitCode, OperatorError
from srm_cli.service.flow_name import flow_path, split_flow

if TYPE_CHECKING:
    from srm_cli.service.rest import ServiceClient

_DESCRIPTION = ("labels", "owner", "criticality", "runbook")
_CLUSTER_FIELDS = ("bootstrap", "client", "location", *_DESCRIPTION)
_FLOW_FIELDS = ("enabled", "heartbeats", *_DESCRIPTION)
_COMMENT = "applied from a document"
_SIDES = (("allow", "add", "remove"), ("deny", "add_denied", "remove_denied"))


def read_system(client: "ServiceClient", sections: Collection[str] = SECTIONS) -> dict[str, Any]:
    """Return the document of the system with these sections; secrets are hidden. Raises OperatorError."""
    document: dict[str, Any] = {"v": VERSION}
    names = [f"{flow['source']}->{flow['target']}" for flow in client.replications()]
    if "clusters" in sections:
        document["clusters"] = {each["alias"]: _chosen(each, _CLUSTER_FIELDS) for each in client.pages("/clusters")}
    if "flows" in sections:
        document["flows"] = {name: _flow(client, name) for name in names}
    if "properties" in sections and (properties := _properties(client)) is not None:
        document["properties"] = properties
    if "lists" in sections:
        document["lists"] = {name: found for name in names if (found := _lists(client, name))}
    return document


def apply_differences(client: "ServiceClient", section: str, found: Sequence[SystemDifference]) -> None:
    """Apply the differences of one section; those of properties make one version. Raises OperatorError."""
    if section == "properties":
        changes = [{"key": each.name, "value": each.after} for each in found]
        client.change("/properties", {"changes": changes, "comment": _COMMENT})
        return
    apply = {"clusters": _apply_cluster, "flows": _apply_flow, "lists": _apply_lists}[section]
    for difference in found:
        apply(client, difference)


def _chosen(found: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: found[name] for name in fields if name in found}


def _flow(client: "ServiceClient", name: str) -> dict[str, Any]:
    found = client.get(flow_path(name))
    return _chosen(found.get("settings") or found, _FLOW_FIELDS)


def _properties(client: "ServiceClient") -> dict[str, Any] | None:
    """Return all properties in the order of their keys; None from a service that does not store properties."""
    try:
        return {each["key"]: each["value"] for each in sorted(client.pages("/properties"), key=itemgetter("key"))}
    except OperatorError as error:
        if error.exit_code == ExitCode.NOT_FOUND:
            return None
        raise


def _lists(client: "ServiceClient", flow: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in LIST_KINDS:
        answer = client.get(f"{flow_path(flow)}/lists/{kind}")
        sides = {side: [row["pattern"] for row in answer[side]] for side, _, _ in _SIDES}
        if any(sides.values()):
            found[kind] = sides
    return found


def _apply_cluster(client: "ServiceClient", difference: SystemDifference) -> None:
    path = f"/clusters/{quote(difference.name, safe='')}"
    if difference.kind == "create":
        client.send("POST", "/clusters", {"alias": difference.name, **difference.after})
    elif difference.kind == "delete":
        client.send("DELETE", path)
    else:
        client.change(path, _without_missing(difference))


def _without_missing(difference: SystemDifference) -> dict[str, Any]:
    """Null removes client settings that the wanted cluster does not have."""
    fields = difference.fields
    if "client" in fields:
        fields["client"] = {**dict.fromkeys(difference.before.get("client") or {}), **fields["client"]}
    return fields


def _apply_flow(client: "ServiceClient", difference: SystemDifference) -> None:
    if difference.kind == "create":
        source, target = split_flow(difference.name)
        client.send("POST", "/replications", {"source": source, "target": target, **difference.after})
    elif difference.kind == "delete":
        client.send("DELETE", flow_path(difference.name))
    else:
        client.change(flow_path(difference.name), difference.fields)


def _apply_lists(client: "ServiceClient", difference: SystemDifference) -> None:
    before, after = difference.before or {}, difference.after or {}
    for kind in LIST_KINDS:
        if difference.kind == "change" and kind not in after:
            continue
        body: dict[str, list[str]] = {}
        for side, add, remove in _SIDES:
            known, wanted = (list((each.get(kind) or {}).get(side) or []) for each in (before, after))
            body[add] = [pattern for pattern in wanted if pattern not in known]
            body[remove] = [pattern for pattern in known if pattern not in wanted]
        if any(body.values()):
            client.send("POST", f"{flow_path(difference.name)}/lists/{kind}", body)
