"""JSON Schema of the live messages, added to the OpenAPI document."""

import types
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from replication.domain.groups.group_summary import GroupCounts
from replication.domain.health.flow_facts import StatusCause
from srm_service.flows.contracts import OrdersInForce
from srm_service.live.payloads import MESSAGES
from srm_service.monitoring.flow_columns import LIVE_COLUMNS

_NAMES = {StatusCause: "LiveCause", GroupCounts: "LiveGroupCounts", OrdersInForce: "LiveOrdersInForce"}
_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


def add_live_messages(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """spectacular's hook."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    schemas.update({message.__name__: message_schema(message) for message in MESSAGES})
    schemas.update({name: message_schema(shape) for shape, name in _NAMES.items()})
    schemas["LiveFlowRow"] = flow_row_schema()
    return result


def flow_row_schema() -> dict[str, Any]:
    """The columns of topic `flows`; `x-rest` says where a flow of REST has the same value."""
    properties = {column.name: _schema(column.hint) for column in LIVE_COLUMNS}
    for column in LIVE_COLUMNS:
        if column.place is not None:
            properties[column.name]["x-rest"] = column.place
    properties["updated_ms"] = _schema(int)
    return {
        "type": "object",
        "description": "The columns of topic `flows`, in their order.",
        "properties": properties,
        "required": list(properties),
    }


def message_schema(message: type) -> dict[str, Any]:
    """Return the schema of one TypedDict or dataclass; others it refers to are named, not repeated."""
    hints = get_type_hints(message, include_extras=True)
    required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
    return {
        "type": "object",
        "description": " ".join((message.__doc__ or "").split()),
        "properties": {name: _schema(hint) for name, hint in hints.items()},
        "required": required,
    }


def _schema(hint: Any) -> dict[str, Any]:
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if is_typeddict(hint):
        return {"$ref": f"#/components/schemas/{hint.__name__}"}
    if hint in _NAMES:
        return {"$ref": f"#/components/schemas/{_NAMES[hint]}"}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return {**_schema(arguments[0]), "description": arguments[1]}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is NotRequired:
        return _schema(arguments[0])
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0])}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(argument) for argument in arguments]}
    raise TypeError(f"no JSON Schema for {hint!r}: add it to srm_service/live/schema.py")
