"""Checks the shape of a document before anything is compared or sent."""

from typing import Any

from replication.domain.desired.name_lists import LIST_KINDS
from srm_cli.control.document.differences import SECTIONS, VERSION
from srm_cli.errors import UsageError
from srm_cli.service.flow_name import split_flow

_SIDES = ("allow", "deny")
_REMEDY = "srm-control export shows the shape"


def checked_document(document: Any, name: str) -> dict[str, Any]:
    """Return the document with properties as texts. Raises UsageError, which names the first wrong part."""
    if not isinstance(document, dict):
        raise UsageError(f"{name} is no document of a system: srm-control export writes one")
    unknown = sorted(str(section) for section in set(document) - {"v", *SECTIONS})
    if unknown:
        raise UsageError(f"{name} has unknown sections: {', '.join(unknown)}; known are {', '.join(SECTIONS)}")
    if document.get("v", VERSION) != VERSION:
        raise UsageError(f"{name} has version {document['v']!r}, this program reads {VERSION}: upgrade it")
    checked = {
        section: _object(document[section], f"{section} of {name}") for section in SECTIONS if section in document
    }
    for section in ("flows", "lists"):
        for flow, found in checked.get(section, {}).items():
            split_flow(flow)
            _object(found, f"{section} {flow} of {name}")
    for flow, kinds in checked.get("lists", {}).items():
        _check_lists(kinds, f"lists {flow} of {name}")
    if "clusters" in checked:
        checked["clusters"] = {alias: _cluster(found, alias, name) for alias, found in checked["clusters"].items()}
    if "properties" in checked:
        checked["properties"] = _texts(checked["properties"], name)
    return checked


def _cluster(found: Any, alias: str, name: str) -> dict[str, Any]:
    cluster = _object(found, f"clusters {alias} of {name}")
    if "client" not in cluster:
        return cluster
    return {**cluster, "client": _texts(_object(cluster["client"], f"client of {alias} in {name}"), name)}


def _object(value: Any, place: str) -> dict[str, Any]:
    found = {} if value is None else value
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise UsageError(f"{place} is no object with names: {_REMEDY}")
    return found


def _check_lists(kinds: dict[str, Any] | None, place: str) -> None:
    for kind, sides in (kinds or {}).items():
        if kind not in LIST_KINDS:
            raise UsageError(f"{place} has an unknown list {kind}; known are {', '.join(LIST_KINDS)}")
        for side, patterns in _object(sides, f"{kind} in {place}").items():
            is_list = isinstance(patterns, list) and all(isinstance(pattern, str) for pattern in patterns)
            if side not in _SIDES or not is_list:
                raise UsageError(f"{kind}.{side} in {place} is no list of patterns named allow or deny: {_REMEDY}")


def _texts(values: dict[str, Any], name: str) -> dict[str, str]:
    return {key: _text(value, key, name) for key, value in values.items()}


def _text(value: Any, key: str, name: str) -> str:
    """YAML reads `4` and `true` as a number and a truth value; properties are texts."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise UsageError(f"property {key} of {name} is no text: write it in quotes, or remove the line to keep it")
