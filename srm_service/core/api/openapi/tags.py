"""The groups of operations, in the order of the API reference: what people use first, first."""

from typing import Any

TAGS = {
    "replications": "Flows: their state, topics, partitions, metrics, settings and orders.",
    "holds": "Pauses of topics and partitions, under the name that older clients use.",
    "resets": "Orders to continue partitions at another position.",
    "consumer groups": "Translated offsets of consumer groups, and their sync to the target.",
    "audits": "Comparisons of source and copy.",
    "events": "Events of the drivers, and source records that flows do not copy.",
    "clusters": "Kafka clusters and tests of their connections.",
    "drivers": "Driver processes and their tasks.",
    "remote services": "Services that report the flows into other target clusters.",
    "metrics": "Metrics of many flows at once.",
    "configuration": "The property tree, its drafts, versions and effective values.",
    "planning": "Effects of a change before it is applied, and config drift of remote topics.",
    "lists": "Allow and deny lists of a flow.",
    "search": "Flows, topics, consumer groups, clusters and property keys by name.",
    "me": "The caller: permissions, password, preferences and saved views.",
    "sessions": "Sessions of users.",
    "tokens": "API tokens.",
    "users": "Users, their roles and their passwords.",
    "trail": "The audit trail of changes and orders.",
    "about": "The release of the service.",
    "srm": "The metrics API for existing clients, version 2.",
    "srm v1": "The metrics API for existing clients, version 1.",
    "smm": "The API that Streams Messaging Manager reads.",
}


def add_tags(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """spectacular's hook: list the groups, with what each of them holds."""
    result["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    return result
