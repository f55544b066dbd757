"""The settings we applied to a remote topic: key the remote topic, value compact JSON.

`{"v": 1, "configs": {name: value}, "acls": [[principal, host, operation, permission]]}`; the newest record counts.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.errors import MalformedRecordError
from replication.domain.json_documents import read_json
from replication.domain.plan.acl import AclEntry, Permission

_VERSION = 1
_PERMISSIONS: dict[str, Permission] = {"allow": "allow", "deny": "deny"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedSettings:
    """Configs with the values we gave them, and the ACLs we created."""

    configs: Mapping[str, str] = field(default_factory=dict)
    acls: frozenset[AclEntry] = frozenset()


def encode_applied(remote: str, settings: AppliedSettings) -> tuple[bytes, bytes]:
    acls = [[acl.principal, acl.host, acl.operation, acl.permission] for acl in sorted(settings.acls)]
    value = {"v": _VERSION, "configs": dict(sorted(settings.configs.items())), "acls": acls}
    return remote.encode(), json.dumps(value, separators=(",", ":")).encode()


def decode_applied(key: bytes | None, value: bytes | None) -> tuple[str, AppliedSettings]:
    """MalformedRecordError for what cannot be read; an absent value means nothing is set."""
    try:
        remote = (key or b"").decode()
        if value is None:
            return remote, AppliedSettings()
        document = read_json(value)
        acls = frozenset(
            AclEntry(principal=str(who), host=str(host), operation=str(what), permission=_PERMISSIONS[how])
            for who, host, what, how in document.get("acls", ())
        )
        configs = {str(name): str(text) for name, text in document.get("configs", {}).items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MalformedRecordError(f"not a record of applied settings: {error!r}") from error
    return remote, AppliedSettings(configs=configs, acls=acls)
