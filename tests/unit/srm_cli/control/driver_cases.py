"""The calls of `srm-control drivers` and `srm-control services`."""

from typing import Any
from urllib.parse import quote

from tests.unit.srm_cli.control.rest_cases import Case, changing, page, reading

_ROW = {"id": "d1", "parent": "d1", "role": "data", "tasks": 3, "drain": False, "targets": ["b"], "boot": "new"}
_PROCESS = {"id": "d1", "role": "data", "boot": "old", "drain": False, "tasks": 3}
_PEER = "https://peer.example:6670"
_REASON = "ordered with srm-control"


def _state(*, tasks: int, drained: bool, expires_ms: int | None = None) -> dict[str, Any]:
    drain = {"reason": _REASON, "by": "ann", "since_ms": 1, "expires_ms": expires_ms}
    return {"driver": "d1", "drain": drain, "tasks": tasks, "drained": drained, "processes": [_PROCESS]}


_SERVICE = {"cluster": "ap-south", "address": _PEER, "state": "live", "use": "asked", "is_first": True}
DRIVER_CASES = [
    *reading("services list", "/remote-services", page(_SERVICE), "CLUSTER", f"ap-south  {_PEER}"),
    Case(
        arguments=f"services trust {_PEER} --token-file -",
        answers={("PUT", "/api/v2/remote-services/credential"): {"address": _PEER}},
        sent=("PUT", "/api/v2/remote-services/credential", {"address": _PEER, "token": "from stdin"}),
        shown=(f"{_PEER} has a token now",),
    ),
    Case(
        arguments=f"services forget {_PEER}",
        answers={("DELETE", f"/api/v2/remote-services/credential?address={quote(_PEER, safe='')}"): {}},
        sent=("DELETE", f"/api/v2/remote-services/credential?address={quote(_PEER, safe='')}", None),
        shown=(f"{_PEER} no longer has a token",),
    ),
    *reading("drivers list", "/drivers", page({**_ROW, "labels": {"region": "eu"}}), "DRIVER", "region=eu"),
    changing(
        "drivers drain d1 --reason disks --expires 2099-01-31T18:00:00Z",
        "POST",
        "/drivers/d1/drain",
        {"reason": "disks", "expires_ms": 4_073_565_600_000},
        "d1 is being drained until 2099-01-31 18:00:00Z; tasks left: 3",
        answer=_state(tasks=3, drained=False, expires_ms=4_073_565_600_000),
    ),
    Case(
        arguments="drivers drain d1 --wait --timeout 5",
        answers={
            ("POST", "/api/v2/drivers/d1/drain"): _state(tasks=3, drained=False),
            ("GET", "/api/v2/drivers/d1/drain"): _state(tasks=0, drained=True),
        },
        sent=("GET", "/api/v2/drivers/d1/drain", None),
        shown=("d1 is being drained; tasks left: 3", "d1 has no tasks"),
    ),
    Case(
        arguments="drivers drain d1 --wait --timeout 1",
        answers={
            ("POST", "/api/v2/drivers/d1/drain"): _state(tasks=3, drained=False),
            ("GET", "/api/v2/drivers/d1/drain"): _state(tasks=2, drained=False),
        },
        sent=("GET", "/api/v2/drivers/d1/drain", None),
        shown=("tasks left: 2", "the drain of d1 has not happened after 1 s"),
        code=6,
    ),
    Case(  # a drain that exists is kept: nothing is posted
        arguments="drivers drain d1 --reason stops --keep",
        answers={("GET", "/api/v2/drivers/d1/drain"): _state(tasks=3, drained=False)},
        sent=("GET", "/api/v2/drivers/d1/drain", None),
        shown=("d1 is being drained; tasks left: 3",),
    ),
    Case(
        arguments="drivers drain d1 --reason stops --keep",
        answers={
            ("GET", "/api/v2/drivers/d1/drain"): {"drain": None, "tasks": 3, "drained": False},
            ("POST", "/api/v2/drivers/d1/drain"): _state(tasks=3, drained=False),
        },
        sent=("POST", "/api/v2/drivers/d1/drain", {"reason": "stops", "expires_ms": None}),
        shown=("d1 is being drained; tasks left: 3",),
    ),
    Case(arguments="drivers drain d1 --expires tomorrow", shown=("'tomorrow' is not a time",), code=2),
    changing(
        "drivers undrain d1 --reason ready",
        "POST",
        "/drivers/d1/undrain",
        {"reason": "ready"},
        "d1 gets tasks again",
        answer={"changed": True},
    ),
    Case(  # an operator's drain is kept: nothing is posted
        arguments="drivers undrain d1 --if-reason stops",
        answers={("GET", "/api/v2/drivers/d1/drain"): _state(tasks=0, drained=True)},
        sent=("GET", "/api/v2/drivers/d1/drain", None),
        shown=(f"d1 is drained for another reason: {_REASON}; nothing changes",),
    ),
    Case(
        arguments=f"drivers undrain d1 --reason started --if-reason '{_REASON}'",
        answers={
            ("GET", "/api/v2/drivers/d1/drain"): _state(tasks=0, drained=True),
            ("POST", "/api/v2/drivers/d1/undrain"): {"changed": True},
        },
        sent=("POST", "/api/v2/drivers/d1/undrain", {"reason": "started"}),
        shown=("d1 gets tasks again",),
    ),
    changing(
        "drivers undrain d1",
        "POST",
        "/drivers/d1/undrain",
        {"reason": _REASON},
        "was not drained",
        answer={"changed": False},
    ),
    changing(
        "drivers restart d1 --reason upgrade --grace 5m",
        "POST",
        "/drivers/d1/restart",
        {"reason": "upgrade", "grace_ms": 300_000},
        "d1 restarts: 1 process(es)",
        answer={"processes": [_PROCESS]},
    ),
    Case(
        arguments="drivers restart d1 --wait --timeout 5",
        answers={
            ("POST", "/api/v2/drivers/d1/restart"): {"processes": [_PROCESS]},
            ("GET", "/api/v2/drivers"): page(_ROW),
        },
        sent=("GET", "/api/v2/drivers", None),
        shown=("d1 has returned",),
    ),
    Case(arguments="drivers restart d1 --grace soon", shown=("'soon' is not a duration",), code=2),
]
