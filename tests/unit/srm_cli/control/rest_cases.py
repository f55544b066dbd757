"""Each REST command of `srm-control` with its options: what the service answers, what is sent, what is printed."""

from dataclasses import dataclass, field
from typing import Any

FLOW = "/api/v2/replications/a/b"
LISTS = f"{FLOW}/lists"
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
_FLOW = {"source": "a", "target": "b", "status": "running", "metrics": {"lag_offsets": {"latest": 1200}}}
_FLOWS = {"items": [_FLOW, {**_FLOW, "source": "c"}], "next_cursor": None}
_LISTED = {"pattern": "orders.*", "offset": 4, "written_ms": 1, "by": "ann", "problem": None}
_LIST = {"allow": [_LISTED], "deny": [{**_LISTED, "pattern": "tmp", "offset": 5}], "problem": None}
_HOLD = {"id": 1, "topic": "orders", "partition": None, "until_ms": None, "held_by": "ann", "reason": "repair"}
_RESET = {"id": "r1", "topic": "orders", "partition": 0, "to": {"offset": 7}, "state": "done"}
_RESET_FULL = {**_RESET, "requested_ms": 0, "requested_by": "ann"}
_PROPERTY = {"level": "flow", "source": "a", "target": "b", "name": "tasks.max", "value": "4", "origin": "rest"}
_VERSION = {"number": 3, "at": "2026-01-31T18:00:00Z", "author": "ann", "edits": 1, "comment": "more load"}
_CHANGE = {"level": "flow", "name": "tasks.max", "alias": "", "source": "a", "target": "b"}
_PLAN = {"flows": [], "version": 7}
_REPORT = {
    "ok": True,
    "error": "",
    "problem": "",
    "brokers": [{"address": "a:1", "steps": [{"name": "tcp", "state": "ok", "text": "", "remedy": ""}]}],
}
_USER = {"name": "ann", "role": "operator", "active": True, "last_login_ms": None}
_TOKEN = {"prefix": "4f1c", "name": "ci", "owner": "ann", "scopes": ["read"], "state": "active", "expires_ms": 5}
_ENTRY = {"id": 17, "at": "2026", "actor": "ann", "action": "flow.pause", "subject": "a->b", "outcome": "done"}


def page(*items: Any) -> dict[str, Any]:
    return {"items": list(items), "next_cursor": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call of `srm-control`. `sent` is the last request; `shown` are texts of the output."""

    arguments: str
    answers: dict[tuple[str, str], Any] = field(default_factory=dict)
    sent: tuple[str, str, Any] | None = None
    shown: tuple[str, ...] = ()
    code: int = 0
    stdin: str | None = None


def reading(arguments: str, path: str, answer: Any, *shown: str) -> list[Case]:
    """The command in each format."""
    answers = {("GET", f"/api/v2{path}"): answer}
    sent = ("GET", f"/api/v2{path}", None)
    formats = {"table": shown, "json": ("{",), "yaml": (": ",), "csv": (",",)}
    return [
        Case(arguments=f"{arguments} -o {name}", answers=answers, sent=sent, shown=texts)
        for name, texts in formats.items()
    ]


def changing(arguments: str, method: str, path: str, body: Any, *shown: str, answer: Any = None) -> Case:
    full = f"/api/v2{path}"
    answers = {(method, full): {} if answer is None else answer, ("GET", full): {}}
    return Case(arguments=arguments, answers=answers, sent=(method, full, body), shown=shown)


def nothing_sent(arguments: str, *shown: str) -> Case:
    return Case(arguments=arguments, shown=shown)


_ASK_LIST = "--source a --target b"
LIST_CASES = [
    changing(
        f"topics {_ASK_LIST} --add 'orders.*,pay{{1,2}}' --remove old --add-blacklist tmp --remove-blacklist x",
        "POST",
        "/replications/a/b/lists/topics",
        {
            "add": ["orders.*", "pay{1,2}"],
            "remove": ["old"],
            "add_denied": ["tmp"],
            "remove_denied": ["x"],
            "dry_run": False,
        },
        "orders.*, pay{1,2}: added to the allow list of topics of a->b",
        "tmp: added to the deny list of topics of a->b",
    ),
    changing(
        f"topics {_ASK_LIST} --add-denied tmp --remove-denied x --dry-run",
        "POST",
        "/replications/a/b/lists/topics",
        {"add_denied": ["tmp"], "remove_denied": ["x"], "dry_run": True},
        "x: removed from the deny list of topics of a->b (dry run)",
    ),
    *(
        case
        for kind in ("topics", "groups", "reverse-checkpointed-topics")
        for case in (
            *reading(f"{kind} {_ASK_LIST} --list", f"/replications/a/b/lists/{kind}", _LIST, "LIST   PATTERN", "tmp"),
            Case(
                arguments=f"{kind} {_ASK_LIST} --list",
                answers={("GET", f"{LISTS}/{kind}"): _LIST},
                shown=("Current whitelist:\norders.*\nCurrent blacklist:\ntmp\nDone.\n",),
            ),
        )
    ),
    *(
        changing(
            f"{kind} {_ASK_LIST} --add a --remove b --add-denied c --remove-denied d --dry-run",
            "POST",
            f"/replications/a/b/lists/{kind}",
            {"add": ["a"], "remove": ["b"], "add_denied": ["c"], "remove_denied": ["d"], "dry_run": True},
            f"a: added to the allow list of {kind} of a->b (dry run)",
        )
        for kind in ("groups", "reverse-checkpointed-topics")
    ),
    Case(
        arguments=f"topics {_ASK_LIST} --list",
        answers={
            ("GET", f"{LISTS}/topics"): {
                "allow": [{**_LISTED, "pattern": "(", "problem": "pattern '(' is wrong"}],
                "deny": [],
                "problem": "cluster b does not answer",
            }
        },
        shown=("warning: pattern '(' is wrong; remove it from the list", "warning: cluster b does not answer"),
    ),
]

ORDER_CASES = [
    changing(
        "topics hold a->b --topic t --partition 1 --until 1769882400000 --reason r",
        "POST",
        "/replications/a/b/holds",
        {"topic": "t", "partition": 1, "until_ms": 1_769_882_400_000, "reason": "r"},
        "partition 1 of t of a->b is held until 2026-01-31 18:00:00Z",
    ),
    Case(
        arguments="topics release a->b --topic orders --partition 3",
        answers={("GET", f"{FLOW}/holds"): page({**_HOLD, "partition": 3}), ("DELETE", f"{FLOW}/holds/1"): {}},
        sent=("DELETE", f"{FLOW}/holds/1", None),
        shown=("partition 3 of orders of a->b is released",),
    ),
    *reading("topics holds a->b", "/replications/a/b/holds", page(_HOLD), "orders  all        -      ann  repair"),
    *reading("topics resets a->b", "/replications/a/b/resets", page(_RESET_FULL), "done", "offset:7"),
    Case(
        arguments="topics reset a->b --topic orders --partition 0 --to offset:7 --wait 5",
        answers={("POST", f"{FLOW}/resets"): page(_RESET_FULL), ("GET", f"{FLOW}/resets"): page(_RESET_FULL)},
        shown=("1 partition(s) of orders in a->b will continue at offset:7: requested", "done"),
    ),
]

FLOW_CASES = [
    *reading("flows list", "/replications", _FLOWS, "a->b  running  -          1,200"),
    Case(
        arguments="flows list --source c --target b", answers={("GET", "/api/v2/replications"): _FLOWS}, shown=("c->b",)
    ),
    *reading("flows show a->b", "/replications/a/b", _FLOW, "status   running"),
    changing(
        "flows create a->b --disabled --set tasks.max=4 --label team=pay --owner ann --criticality high --runbook http://r",
        "POST",
        "/replications",
        {
            "source": "a",
            "target": "b",
            "enabled": False,
            "labels": {"team": "pay"},
            "owner": "ann",
            "criticality": "high",
            "runbook": "http://r",
            "properties": {"tasks.max": "4"},
        },
        "a->b is created",
    ),
    nothing_sent("flows create a->b --dry-run", "a->b would be created"),
    changing(
        "flows change a->b --set tasks.max=4 --label team=pay --owner ann --criticality low --runbook http://r",
        "PATCH",
        "/replications/a/b",
        {
            "labels": {"team": "pay"},
            "owner": "ann",
            "criticality": "low",
            "runbook": "http://r",
            "properties": {"tasks.max": "4"},
        },
        "a->b is changed",
    ),
    nothing_sent("flows change a->b --owner ann --dry-run", "a->b is changed (dry run)"),
    Case(
        arguments="flows enable a->b --wait --timeout 3",
        answers={("GET", FLOW): _FLOW, ("PATCH", FLOW): {}},
        shown=("a->b is enabled",),
    ),
    nothing_sent("flows enable a->b --dry-run", "a->b is enabled (dry run)"),
    Case(
        arguments="flows disable a->b --wait --timeout 1",
        answers={("GET", FLOW): _FLOW, ("PATCH", FLOW): {}},
        shown=("the stop of a->b has not happened after 1 s",),
        code=6,
    ),
    nothing_sent("flows disable a->b --dry-run", "a->b is disabled (dry run)"),
    changing("flows delete a->b --yes", "DELETE", "/replications/a/b", None, "a->b is deleted"),
    nothing_sent("flows delete a->b --dry-run", "a->b would be deleted"),
    Case(
        arguments="flows pause a->b --reason r --until 1769882400000 --wait --timeout 5",
        answers={
            ("POST", f"{FLOW}/actions"): {"text": "it stops"},
            ("GET", FLOW): {"state": "", "condition": "paused"},
        },
        shown=("it stops", "has not happened"),
        code=6,
    ),
    changing(
        "flows pause a->b --dry-run",
        "POST",
        "/replications/a/b/actions",
        {"action": "pause", "reason": "ordered with srm-control", "until_ms": None, "dry_run": True},
        "it would stop",
        answer={"text": "it would stop"},
    ),
    Case(
        arguments="flows resume a->b --reason r --wait --timeout 5",
        answers={("POST", f"{FLOW}/actions"): {"text": "it continues"}, ("GET", FLOW): _FLOW},
        shown=("it continues",),
    ),
    changing(
        "flows resume a->b --dry-run",
        "POST",
        "/replications/a/b/actions",
        {"action": "resume", "reason": "ordered with srm-control", "until_ms": None, "dry_run": True},
        "nothing",
        answer={"text": "nothing changes"},
    ),
    *(
        Case(
            arguments=f"flows act pause a->b --source c --target b --reason r --until 5 --dry-run -o {name}",
            answers={
                ("GET", "/api/v2/replications"): _FLOWS,
                ("POST", "/api/v2/replications/actions"): page({"flow": "a->b", "state": "ordered", "text": "stops"}),
            },
            sent=(
                "POST",
                "/api/v2/replications/actions",
                {
                    "action": "pause",
                    "reason": "r",
                    "flows": [{"source": "a", "target": "b"}, {"source": "c", "target": "b"}],
                    "dry_run": True,
                    "until_ms": 5,
                },
            ),
            shown=("stops",),
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    changing(
        "flows throttle a->b 10MB", "PUT", "/replications/a/b/throttle", {"bytes_per_second": 10**7}, "10,000,000"
    ),
    nothing_sent("flows throttle a->b off --dry-run", "a->b has no throttle (dry run)"),
]

CLUSTER_CASES = [
    *reading("clusters list", "/clusters", _CLUSTERS, "a      a:1,a:2    yes        3        ann    -"),
    *reading("clusters show a", "/clusters/a", _CLUSTER, "bootstrap     a:1,a:2"),
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
]

_WITH_CLUSTERS = {("GET", "/api/v2/clusters"): _CLUSTERS}
CONFIG_CASES = [
    *reading("config keys tasks", "/settings", page({"key": "tasks.max", "type": "int", "default": "1"}), "tasks.max"),
    *reading("config tree", "/properties", page(_PROPERTY), "a->b.tasks.max  4      rest    -"),
    Case(
        arguments="config tree --level global",
        answers={("GET", "/api/v2/properties"): page(_PROPERTY)},
        shown=("KEY  VALUE",),
    ),
    *reading("config get a->b.tasks.max", "/properties", page(_PROPERTY), "a->b.tasks.max  4"),
    Case(
        arguments="config get x.y", answers={("GET", "/api/v2/properties"): page(_PROPERTY)}, shown=("not set",), code=3
    ),
    *(
        Case(
            arguments=f"config set a->b.tasks.max=4 b.x=1 workers.y= z=2 --comment why -o {name}",
            answers={
                **_WITH_CLUSTERS,
                ("GET", "/api/v2/properties"): {},
                ("PATCH", "/api/v2/properties"): {"version": 7},
            },
            sent=(
                "PATCH",
                "/api/v2/properties",
                {
                    "changes": [
                        {**_CHANGE, "value": "4"},
                        {"level": "cluster", "name": "x", "alias": "b", "source": "", "target": "", "value": "1"},
                        {"level": "workers", "name": "y", "alias": "", "source": "", "target": "", "value": ""},
                        {"level": "global", "name": "z", "alias": "", "source": "", "target": "", "value": "2"},
                    ],
                    "comment": "why",
                },
            ),
            shown=("version", "7"),
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    *(
        Case(
            arguments=f"config {command}",
            answers={**_WITH_CLUSTERS, ("POST", "/api/v2/config/plan"): _PLAN},
            sent=("POST", "/api/v2/config/plan", {"changes": [{**_CHANGE, "value": value}]}),
            shown=("version", "7"),
        )
        for command, value in (
            ("set a->b.tasks.max=4 --dry-run", "4"),
            ("unset a->b.tasks.max --dry-run", None),
            ("plan a->b.tasks.max=4 -o table", "4"),
            ("plan a->b.tasks.max=4 -o json", "4"),
            ("plan a->b.tasks.max=4 -o yaml", "4"),
            ("plan a->b.tasks.max=4 -o csv", "4"),
        )
    ),
    *(
        Case(
            arguments=f"config unset a->b.tasks.max --comment why -o {name}",
            answers={
                **_WITH_CLUSTERS,
                ("GET", "/api/v2/properties"): {},
                ("PATCH", "/api/v2/properties"): {"version": 8},
            },
            sent=("PATCH", "/api/v2/properties", {"changes": [{**_CHANGE, "value": None}], "comment": "why"}),
            shown=("version", "8"),
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    *reading(
        "config effective a->b tasks",
        "/replications/a/b/effective",
        page({"key": "tasks.max", "value": "4", "level": "a->b"}),
        "tasks.max  4      a->b",
    ),
    *reading("config versions", "/config/versions", page(_VERSION), "3        2026-01-31T18:00:00Z  ann     1"),
    *reading(
        "config diff 3 5",
        "/config/diff?from=3&to=5",
        page({**_PROPERTY, "before": "1", "after": "4"}),
        "a->b.tasks.max  1       4",
    ),
    *(
        changing(
            f"config revert 3 --comment back -o {name}",
            "POST",
            "/config/versions/3/revert",
            {"comment": "back"},
            "version",
            answer={"version": 9},
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    *(
        changing(
            f"config import --file KEYFILE --dialect srm --comment why --dry-run -o {name}",
            "POST",
            "/properties/import",
            {"dialect": "srm", "text": "from the file\n", "file": "key", "comment": "why", "dry_run": True},
            "version",
            answer={"version": 9},
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    Case(
        arguments="config export --dialect srm",
        answers={("GET", "/api/v2/properties/export?dialect=srm"): "clusters = a, b\n"},
        shown=("clusters = a, b\n",),
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
    *reading("tokens list --user ann", "/tokens?user=ann", page(_TOKEN), "4f1c    ci    ann    read    active"),
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
        "17  2026  ann  flow.pause",
    ),
    *reading("trail show 17", "/trail/17", _ENTRY, "flow.pause"),
    Case(
        arguments="trail export --file json --actor ann --action a --subject s --outcome done",
        answers={("GET", "/api/v2/trail/export?actor=ann&action=a&subject=s&outcome=done&file=json"): "[]"},
        shown=("[]",),
    ),
]

OTHER_CASES = [
    *reading("drivers list", "/drivers", page({"driver": "d1", "alive": True}), "DRIVER  ALIVE", "d1"),
    *reading("get clusters/a", "/clusters/a", _CLUSTER, "alias"),
    Case(
        arguments="get /api/v2/clusters/a -w --every 0.1 --times 3 -o yaml",
        answers={("GET", "/api/v2/clusters/a"): [{"n": 1, "as_of_ms": 1}, {"n": 1, "as_of_ms": 2}, {"n": 2}]},
        shown=("n: 1\nas_of_ms: 1\nn: 2\n",),
    ),
]

CASES = [
    *LIST_CASES,
    *ORDER_CASES,
    *FLOW_CASES,
    *CLUSTER_CASES,
    *CONFIG_CASES,
    *PEOPLE_CASES,
    *OTHER_CASES,
]
