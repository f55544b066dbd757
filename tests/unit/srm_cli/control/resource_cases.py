"""The cases of clusters, configuration, people and everything else."""

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

CASES = [*FLOW_CASES, *CLUSTER_CASES, *CONFIG_CASES, *PEOPLE_CASES, *OTHER_CASES]
