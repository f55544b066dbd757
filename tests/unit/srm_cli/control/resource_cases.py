"""The cases of clusters, configuration, people and everything else."""

from typing import Any

from tests.unit.srm_cli.control.driver_cases import DRIVER_CASES
from tests.unit.srm_cli.control.finding_cases import FINDING_CASES
from tests.unit.srm_cli.control.group_cases import GROUP_CASES
from tests.unit.srm_cli.control.order_cases import ORDER_CASES
from tests.unit.srm_cli.control.rest_cases import CASES as FLOW_CASES
from tests.unit.srm_cli.control.rest_cases import Case, changing, nothing_sent, page, reading

_CLUSTER = {
    "alias": "a",
    "bootstrap": ["a:1", "a:2"],
    "client": {"client.rack": "r"},
    "secret_names": [],
    "reachable": True,
    "brokers": 3,
    "owner": "ann",
    "error": None,
}
_CLUSTERS = {"items": [_CLUSTER, {**_CLUSTER, "alias": "b"}], "next_cursor": None}
_PROPERTY = {"key": "a->b.tasks.max", "value": "4", "origin": "rest", "effect": "live", "comment": ""}
_VERSION = {"number": 3, "at_ms": 5000, "author": "ann", "edits": 1, "comment": "more load"}
_PLAN = {
    "version": 7,
    "findings": [],
    "flows": [
        {
            "source": "a",
            "target": "b",
            "outcome": "changed",
            "values": [{"key": "tasks.max", "before": "1", "after": "4"}],
            "changes": {
                "topics_created": [{"name": "a.orders", "partitions": 4}],
                "topics_widened": [],
                "topics_added": ["orders"],
                "topics_removed": ["bills"],
                "topics_renamed": [],
                "configs": [],
                "findings": [
                    {"severity": "warning", "topic": "orders", "text": "a.orders exists", "remedy": "deny orders"}
                ],
                "tasks": {"restarts": [{"slot": 0, "because": ["tasks.max"]}]},
                "acls": None,
                "estimate": {"partitions": 4, "records": 1200, "bytes": None},
                "unlooked": [{"part": "acls", "reason": "no driver"}],
            },
        }
    ],
}
_REPORT = {
    "ok": True,
    "error": "",
    "problem": "",
    "brokers": [{"address": "a:1", "steps": [{"name": "tcp", "state": "ok", "text": "", "remedy": ""}]}],
}
_USER = {"name": "ann", "role": "operator", "active": True, "last_login_ms": None}
_TOKEN = {"id": "4f1c", "name": "ci", "owner": "ann", "scopes": ["read"], "state": "active", "expires_ms": 5}
_ENTRY = {"id": 17, "at_ms": 5, "actor": "ann", "action": "flow.pause", "subject": "a->b", "outcome": "done"}

_EVENT = {
    "time_ms": 5,
    "source": "a",
    "target": "b",
    "scope": "partition",
    "topic": "orders",
    "partition": 0,
    "from_state": "caught_up",
    "to_state": "stalled",
    "cause": "not_progressing",
    "text": "no record for 60 s",
}

CLUSTER_CASES = [
    *reading("clusters list", "/clusters", _CLUSTERS, "a      a:1,a:2    yes        3        -      ann    -"),
    Case(
        arguments="clusters list --label team=pay --owner ann --criticality high",
        answers={("GET", "/api/v2/clusters?label=team%3Apay&owner=ann&criticality=high"): _CLUSTERS},
        shown=("a      a:1,a:2",),
    ),
    *reading("clusters show a", "/clusters/a", _CLUSTER, "bootstrap           a:1,a:2"),
    changing(
        "clusters add a --bootstrap-servers a:1,a:2 --client security.protocol=SSL --secret 'x=${env:X}' "
        "--secret-file key=KEYFILE --location external --label team=pay --owner ann --criticality normal --runbook http://r",
        "POST",
        "/clusters",
        {
            "alias": "a",
            "labels": {"team": "pay"},
            "owner": "ann",
            "criticality": "normal",
            "runbook": "http://r",
            "bootstrap": ["a:1", "a:2"],
            "client": {"security.protocol": "SSL"},
            "secrets": {"x": "${env:X}", "key": "from the file"},
            "location": "external",
        },
        "cluster a is added",
    ),
    nothing_sent("clusters add a --bootstrap-servers a:1 --dry-run", "cluster a is added (dry run)"),
    changing(
        "clusters change a --bootstrap-servers a:3 --client x=1 --secret y=2 --secret-file key=KEYFILE "
        "--location colocated --label t=p --owner bob --criticality critical --runbook http://q --unset client.rack",
        "PATCH",
        "/clusters/a",
        {
            "labels": {"t": "p"},
            "owner": "bob",
            "criticality": "critical",
            "runbook": "http://q",
            "bootstrap": ["a:3"],
            "client": {"x": "1", "client.rack": None},
            "secrets": {"y": "2", "key": "from the file"},
            "location": "colocated",
        },
        "cluster a is changed",
    ),
    nothing_sent("clusters change a --owner ann --dry-run", "cluster a is changed (dry run)"),
    changing("clusters delete a --yes", "DELETE", "/clusters/a", None, "cluster a is deleted"),
    nothing_sent("clusters delete a --dry-run", "cluster a is deleted (dry run)"),
    *(
        changing(f"clusters test a -o {name}", "POST", "/clusters/a/test", {}, "tcp", answer=_REPORT)
        for name in ("table", "json", "yaml", "csv")
    ),
    Case(
        arguments="clusters test a",
        answers={("POST", "/api/v2/clusters/a/test"): {**_REPORT, "ok": False, "problem": "a:1: tcp: refused"}},
        shown=("the connection test of a has failed: a:1: tcp: refused",),
        code=1,
    ),
    *reading(
        "clusters discovered", "/clusters/discovered", page({"source": "z", "target": "b"}), "SOURCE  TARGET", "z"
    ),
    changing(
        "clusters adopt a->b --enabled --label t=p --owner ann --criticality low --runbook http://r",
        "POST",
        "/clusters/discovered/adopt",
        {
            "source": "a",
            "target": "b",
            "enabled": True,
            "labels": {"t": "p"},
            "owner": "ann",
            "criticality": "low",
            "runbook": "http://r",
        },
        "a->b is adopted",
    ),
    nothing_sent("clusters adopt a->b --dry-run", "a->b is adopted (dry run)"),
]

_FORMATS = ("table", "json", "yaml", "csv")
_DONE = {
    "version": 7,
    "changed": True,
    "dry_run": False,
    "differences": [{"key": "a->b.tasks.max", "before": "1", "after": "4"}],
    "findings": [{"severity": "note", "key": "z", "message": "has no effect"}],
}


def _properties(changes: list[tuple[str, str | None]], comment: str, *, dry_run: bool) -> dict[str, Any]:
    listed = [{"key": key, "value": value} for key, value in changes]
    return {"changes": listed, "comment": comment, "dry_run": dry_run}


CONFIG_CASES = [
    *reading("config keys tasks", "/settings?q=tasks", page({"key": "tasks.max", "kind": "int"}), "tasks.max  int"),
    *reading("config tree", "/properties", page(_PROPERTY), "a->b.tasks.max  4      rest    live"),
    *reading("config tree --level flow", "/properties?level=flow", page(_PROPERTY), "a->b.tasks.max"),
    *reading("config get tasks", "/properties?key=tasks", page({**_PROPERTY, "key": "tasks"}), "tasks  4"),
    Case(
        arguments="config get tasks",
        answers={("GET", "/api/v2/properties?key=tasks"): page(_PROPERTY)},
        shown=("tasks is not set",),
        code=3,
    ),
    *(
        changing(
            f"config set a->b.tasks.max=4 workers.y= --comment why -o {name}",
            "PATCH",
            "/properties",
            _properties([("a->b.tasks.max", "4"), ("workers.y", "")], "why", dry_run=False),
            "a->b.tasks.max",
            answer=_DONE,
        )
        for name in _FORMATS
    ),
    changing(
        "config set z=2 --dry-run",
        "PATCH",
        "/properties",
        _properties([("z", "2")], "", dry_run=True),
        "a->b.tasks.max  1       4\nversion 7 is in force\nnote: z: has no effect",
        answer=_DONE,
    ),
    *(
        changing(
            f"config unset z --comment why --dry-run -o {name}",
            "PATCH",
            "/properties",
            _properties([("z", None)], "why", dry_run=True),
            "a->b.tasks.max",
            answer=_DONE,
        )
        for name in _FORMATS
    ),
    *(
        changing(
            f"config plan a->b.tasks.max=4 workers.y= --unset z -o {name}",
            "POST",
            "/config/plan",
            {
                "changes": [
                    {"key": "a->b.tasks.max", "value": "4"},
                    {"key": "workers.y", "value": ""},
                    {"key": "z", "value": None},
                ]
            },
            shown,
            answer=_PLAN,
        )
        for name, shown in (
            ("table", "a->b  warning      orders         a.orders exists: deny orders"),
            ("csv", "a->b,not checked,acls,no driver"),
            ("json", '"outcome": "changed"'),
            ("yaml", "outcome: changed"),
        )
    ),
    Case(arguments="config plan", answers={}, shown=("--unset",), code=2),
    *reading(
        "config effective a->b tasks",
        "/replications/a/b/effective?key=tasks",
        page({"client": "flow", "name": "tasks.max", "value": "4", "level": "flow", "origin": "rest"}),
        "flow    tasks.max  4      flow   rest",
    ),
    *reading("config versions", "/config/versions", page(_VERSION), "3        1970-01-01 00:00:05Z  ann     1"),
    *reading(
        "config diff 3 5",
        "/config/diff?from=3&to=5",
        {"differences": [{**_PROPERTY, "before": "1", "after": "4"}]},
        "a->b.tasks.max  1       4",
    ),
    *(
        changing(
            f"config revert 3 --comment back -o {name}",
            "POST",
            "/config/versions/3/revert",
            {"comment": "back"},
            "a->b.tasks.max",
            answer=_DONE,
        )
        for name in _FORMATS
    ),
    *(
        changing(
            f"config import --file KEYFILE --format srm --replace --comment why --dry-run -o {name}",
            "POST",
            "/properties/import",
            {
                "format": "srm",
                "name": "key",
                "text": "from the file\n",
                "replace": True,
                "comment": "why",
                "dry_run": True,
            },
            "a->b.tasks.max",
            answer=_DONE,
        )
        for name in _FORMATS
    ),
    Case(
        arguments="config export --format srm",
        answers={
            ("GET", "/api/v2/properties/export?format=srm"): {
                "text": "clusters = a, b\n",
                "findings": [{"severity": "note", "key": "x", "message": "is not in this format"}],
            }
        },
        shown=("clusters = a, b\n", "note: x: is not in this format"),
    ),
]

PEOPLE_CASES = [
    *reading("users list", "/users", page(_USER), "ann   operator  yes     -"),
    *reading("users show ann", "/users/ann", _USER, "role           operator"),
    changing(
        "users create ann --role operator --password-file -",
        "POST",
        "/users",
        {"name": "ann", "role": "operator", "password": "from stdin"},
        "user ann is created",
    ),
    changing(
        "users create bob --role viewer",
        "POST",
        "/users",
        {"name": "bob", "role": "viewer", "password": None},
        "password: generated",
        answer={"password": "generated"},
    ),
    changing("users change ann --role admin", "PATCH", "/users/ann", {"role": "admin"}, "user ann has the role admin"),
    changing("users enable ann", "PATCH", "/users/ann", {"active": True}, "user ann is enabled"),
    changing("users disable ann", "PATCH", "/users/ann", {"active": False}, "user ann is disabled"),
    changing(
        "users password ann --password-file KEYFILE",
        "POST",
        "/users/ann/password",
        {"password": "from the file"},
        "user ann has a new password",
    ),
    *reading("tokens list --user ann", "/tokens?user=ann", page(_TOKEN), "4f1c  ci    ann    read    active"),
    *(
        changing(
            f"tokens create ci --scope read --scope metrics --expires 5 -o {name}",
            "POST",
            "/tokens",
            {"name": "ci", "scopes": ["read", "metrics"], "expires_ms": 5},
            "srm_4f1c",
            answer={**_TOKEN, "token": "srm_4f1c"},
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    changing("tokens revoke 4f1c", "DELETE", "/tokens/4f1c", None, "token 4f1c is revoked"),
    *reading(
        "trail list --actor ann --action flow.pause --subject s --outcome done",
        "/trail?actor=ann&action=flow.pause&subject=s&outcome=done",
        page(_ENTRY),
        "17  1970-01-01 00:00:00Z  ann  flow.pause",
    ),
    *reading("trail show 17", "/trail/17", _ENTRY, "flow.pause"),
    Case(
        arguments="trail export --file json --actor ann --action a --subject s --outcome done",
        answers={("GET", "/api/v2/trail/export?actor=ann&action=a&subject=s&outcome=done&file=json"): "[]"},
        shown=("[]",),
    ),
]

OTHER_CASES = [
    *reading(
        "events --source a --target b --topic orders --partition 0 --scope partition --state stalled --cause c "
        "--from 4 --to 1970-01-01T00:00:01Z",
        "/events?source=a&target=b&topic=orders&partition=0&scope=partition&state=stalled&cause=c&from_ms=4&to_ms=1000",
        page(_EVENT),
        "1970-01-01 00:00:00Z  a       b       partition  orders  0          caught_up  stalled",
    ),
    *reading(
        "events --last 2 --label team=payments --owner ann --criticality high",
        "/events?label=team%3Apayments&owner=ann&criticality=high&limit=2",
        page(_EVENT),
        "no record for 60 s",
    ),
    *reading("events --last 20", "/events?limit=20", page(_EVENT), "no record for 60 s"),
    *FINDING_CASES,
    *reading("get clusters/a", "/clusters/a", _CLUSTER, "alias"),
    Case(
        arguments="get /api/v2/clusters/a -w --every 0.1 --times 3 -o yaml",
        answers={("GET", "/api/v2/clusters/a"): [{"n": 1, "as_of_ms": 1}, {"n": 1, "as_of_ms": 2}, {"n": 2}]},
        shown=("n: 1\nas_of_ms: 1\nn: 2\n",),
    ),
]

CASES = [
    *GROUP_CASES,
    *FLOW_CASES,
    *CLUSTER_CASES,
    *CONFIG_CASES,
    *PEOPLE_CASES,
    *DRIVER_CASES,
    *ORDER_CASES,
    *OTHER_CASES,
    *FINDING_CASES,
]
