"""Each REST command of `srm-control` with its options: what the service answers, what is sent, what is printed."""

from dataclasses import dataclass, field
from typing import Any

FLOW = "/api/v2/replications/a/b"
LISTS = f"{FLOW}/lists"
_FLOW = {
    "source": "a",
    "target": "b",
    "status": "running",
    "since_ms": 1_795_443_656_441,
    "metrics": {"lag_offsets": {"latest": 1200, "unit": "offsets"}, "bytes_per_second": {"latest": None}},
    "labels": {},
    "revisions": {"tasks": [{"task": "s/plan/0"}]},
}
_FLOWS = {"items": [_FLOW, {**_FLOW, "source": "c"}], "next_cursor": None}
_LISTED = {"pattern": "orders.*", "offset": 4, "written_ms": 1, "by": "ann", "problem": None}
_LIST = {"allow": [_LISTED], "deny": [{**_LISTED, "pattern": "tmp", "offset": 5}], "problem": None}
_HOLD = {"id": 1, "topic": "orders", "partition": None, "until_ms": None, "held_by": "ann", "reason": "repair"}
_RESET = {"id": "r1", "topic": "orders", "partition": 0, "to": {"offset": 7}, "state": "done"}
_RESET_FULL = {**_RESET, "requested_ms": 0, "requested_by": "ann"}


def page(*items: Any) -> dict[str, Any]:
    return {"items": list(items), "next_cursor": None}


def _dry_run(*text: str, **touches: int) -> dict[str, Any]:
    counted = {name: touches.get(name) for name in ("flows", "topics", "partitions", "slots")}
    return {"dry_run": True, "touches": counted, "text": list(text)}


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
        "partition 1 of t of a->b is paused until 2026-01-31 18:00:00Z",
    ),
    Case(
        arguments="topics release a->b --topic orders --partition 3",
        answers={("GET", f"{FLOW}/holds"): page({**_HOLD, "partition": 3}), ("DELETE", f"{FLOW}/holds/1"): {}},
        sent=("DELETE", f"{FLOW}/holds/1", None),
        shown=("partition 3 of orders of a->b is resumed",),
    ),
    Case(
        arguments="topics hold a->b --topic orders --wait 5",
        answers={
            ("POST", f"{FLOW}/holds"): {**_HOLD, "order": {"id": 8, "state": "published"}},
            ("GET", f"{FLOW}/actions/8"): [{"id": 8, "state": "published"}, {"id": 8, "state": "applied"}],
        },
        sent=("GET", f"{FLOW}/actions/8", None),
        shown=("orders of a->b is paused until it is resumed\ndone\n",),
    ),
    Case(
        arguments="topics hold a->b --topic orders --partition 2 --wait 1",
        answers={
            ("POST", f"{FLOW}/holds"): {**_HOLD, "order": {"id": 8, "state": "published"}},
            ("GET", f"{FLOW}/actions/8"): {"id": 8, "state": "published"},
        },
        shown=("the pause of partition 2 of orders of a->b has not happened after 1 s: check that drivers run",),
        code=6,
    ),
    changing(
        "topics hold a->b --topic t --dry-run",
        "POST",
        "/replications/a/b/holds",
        {"topic": "t", "partition": None, "until_ms": None, "reason": "", "dry_run": True},
        "t would be held\nhold 4 ends\ntouches: flows 1, topics 1, partitions unknown, slots unknown\n",
        answer=_dry_run("t would be held", "hold 4 ends", flows=1, topics=1),
    ),
    Case(
        arguments="topics release a->b --topic orders --dry-run",
        answers={
            ("GET", f"{FLOW}/holds"): page(_HOLD),
            ("DELETE", f"{FLOW}/holds/1?dry_run=true"): {**_HOLD, **_dry_run("orders would be released", flows=1)},
        },
        sent=("DELETE", f"{FLOW}/holds/1?dry_run=true", None),
        shown=("orders would be released\ntouches: flows 1, ",),
    ),
    *reading("topics holds a->b", "/replications/a/b/holds", page(_HOLD), "orders  all        -      ann  repair"),
    *reading(
        "topics throttles a->b",
        "/replications/a/b/throttles",
        page({**_HOLD, "partition": 3, "bytes_per_second": 1_000_000, "throttled_by": "ann"}),
        "orders  3          1,000,000  -      ann  repair",
    ),
    *reading("topics resets a->b", "/replications/a/b/resets", page(_RESET_FULL), "done", "offset:7"),
    Case(
        arguments="topics reset a->b --topic orders --partition 0 --to offset:7 --reason repair --wait 5",
        answers={("POST", f"{FLOW}/resets"): page(_RESET_FULL), ("GET", f"{FLOW}/resets"): page(_RESET_FULL)},
        shown=("1 partition(s) of orders in a->b will continue at offset:7: requested", "done"),
    ),
    changing(
        "topics reset a->b --topic t --to latest --dry-run",
        "POST",
        "/replications/a/b/resets",
        {"topic": "t", "partition": None, "to": "latest", "dry_run": True},
        "at most 40 records would be skipped\ntouches: flows 1, topics 1, partitions unknown, slots unknown\n",
        answer=_dry_run("at most 40 records would be skipped", flows=1, topics=1),
    ),
]

FLOW_CASES = [
    *reading("flows list", "/replications", _FLOWS, "a->b  running  -          1,200"),
    Case(
        arguments="flows list",
        answers={
            ("GET", "/api/v2/replications"): page(
                {**_FLOW, "reason": "All is copied.", "orders_in_force": {"text": "Throttled to 1 kB/s"}},
                {**_FLOW, "source": "c", "reason": "All is copied.", "orders_in_force": None},
            )
        },
        shown=(
            "1,200  Throttled to 1 kB/s  All is copied.\n",
            "1,200  -                    All is copied.\n",
        ),
    ),
    Case(
        arguments="flows list --source c --target b --status degraded --label team=pay --label x:y=z --owner ann "
        "--criticality high",
        answers={
            (
                "GET",
                "/api/v2/replications?source=c&target=b&status=degraded&label=team%3Apay&label=x%3Ay%3Dz&owner=ann"
                "&criticality=high",
            ): _FLOWS
        },
        shown=("c->b",),
    ),
    *reading("flows show a->b", "/replications/a/b", _FLOW, "status                  running"),
    Case(
        arguments="flows show a->b",
        answers={("GET", FLOW): _FLOW},
        shown=(
            "since                   2026-11-23 14:20:56Z\n",
            "metrics.lag_offsets     1,200 offsets\n",
            "labels                  -\n",
            "revisions.tasks.1.task  s/plan/0\n",
        ),
    ),
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
    changing(
        "flows enable a->b --reason done",
        "PATCH",
        "/replications/a/b",
        {"enabled": True, "comment": "done"},
        "a->b is enabled",
    ),
    changing(
        "flows disable a->b",
        "PATCH",
        "/replications/a/b",
        {"enabled": False, "comment": "ordered with srm-control"},
        "a->b is disabled",
    ),
    nothing_sent("flows enable a->b --dry-run", "a->b is enabled (dry run)"),
    Case(
        arguments="flows disable a->b --reason moved --wait --timeout 1",
        answers={("GET", FLOW): _FLOW, ("PATCH", FLOW): {}},
        shown=("the stop of a->b has not happened after 1 s",),
        code=6,
    ),
    nothing_sent("flows disable a->b --dry-run", "a->b is disabled (dry run)"),
    changing(
        "flows delete a->b --yes --reason moved", "DELETE", "/replications/a/b?reason=moved", None, "a->b is deleted"
    ),
    nothing_sent("flows delete a->b --dry-run", "a->b would be deleted"),
    Case(
        arguments="flows act pause --label team=pay --owner ann --criticality high --wait --timeout 5",
        answers={
            ("POST", "/api/v2/replications/actions"): {
                "refused": 0,
                "results": [
                    {"source": source, "target": "b", "result": "done", "text": "it stops", "order": number}
                    for source, number in (("a", 4), ("c", 5))
                ],
            },
            ("GET", f"{FLOW}/actions/4"): [{"state": "ordered"}, {"state": "applied"}],
            ("GET", "/api/v2/replications/c/b/actions/5"): {"state": "overtaken"},
        },
        sent=("GET", "/api/v2/replications/c/b/actions/5", None),
        shown=("a->b  done    it stops",),
    ),
    Case(
        arguments="flows act disable --source a --wait --timeout 5",
        answers={
            ("POST", "/api/v2/replications/actions"): {
                "refused": 0,
                "results": [{"source": "a", "target": "b", "result": "done", "text": "", "order": None}],
            },
            ("GET", FLOW): [_FLOW, {**_FLOW, "status": "disabled"}],
        },
        sent=("GET", FLOW, None),
        shown=("a->b  done",),
    ),
    Case(arguments="flows act stop --source a --until 5 --for 2h", shown=("either --until or --for",), code=2),
    *(
        changing(
            f"flows act pause --source c --target b --label team:pay --reason r --until 5 --dry-run -o {name}",
            "POST",
            "/replications/actions",
            {
                "action": "pause",
                "reason": "r",
                "filter": {"source": "c", "target": "b", "label": ["team:pay"]},
                "until_ms": 5,
                "dry_run": True,
            },
            "it stops",
            answer={"refused": 0, "results": [{"source": "c", "target": "b", "result": "done", "text": "it stops"}]},
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    Case(
        arguments="flows act resume a->b --dry-run",
        answers={("POST", "/api/v2/replications/actions"): {"refused": 0, "results": [], **_dry_run(flows=0)}},
        shown=("touches: flows 0, ",),
    ),
]


CASES = [*LIST_CASES, *ORDER_CASES, *FLOW_CASES]
