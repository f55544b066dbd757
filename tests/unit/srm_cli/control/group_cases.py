"""Calls of `srm-control groups` and `offsets translate`: what the service answers, what is sent, what is printed."""

from typing import Any

from tests.unit.srm_cli.control.rest_cases import FLOW, Case, page, reading

_GROUPS = f"{FLOW}/groups"
_NOTE = {
    "code": "subscription_misses_remote",
    "text": "check the subscription",
    "remedy": "subscribe to both",
    "readiness": "ready",
}
_CAUSE = {
    "readiness": "approximate",
    "code": "copy_behind",
    "text": "orders-1: 12 records are not copied yet",
    "remedy": "wait",
}
_READY: dict[str, Any] = {
    "group": "billing",
    "state": "active",
    "readiness": "ready",
    "lag": 4,
    "rereads": 0,
    "checkpoint_ms": 1_769_882_400_000,
    "target_state": "empty",
    "causes": [_NOTE],
    "checked_ms": 4_102_444_800_000,  # never old
    "interval_ms": 5_000,
}
_OLD: dict[str, Any] = {**_READY, "checked_ms": 1}
_WAITING = {**_READY, "group": "pay 1/x", "readiness": "approximate", "causes": [_CAUSE, _CAUSE, _NOTE]}
_PARTIAL = [{"peer": "groups", "error": "the checkpoint task a/checkpoint/0 has not reported for 95 s", "age_ms": 1}]
_LISTED = {**page(_READY, _WAITING), "partial": _PARTIAL}
_PLACES = {
    "partitions": [
        {"topic": "orders", "partition": 1, "committed": 7, "kind": "bounded", "downstream": 5, "reason": "sync_only"},
        {"topic": "other", "partition": 0, "committed": 3, "evidence": "the lists do not allow it"},
    ],
    "unlooked": [{"part": "source", "reason": "a does not answer"}],
}
_RECEIPT = {
    "group": "billing",
    "topic": "a.orders",
    "partition": 0,
    "state": "written",
    "before": 3,
    "after": 5,
    "rereads": 0,
    "skips": 0,
    "text": "written",
}
_REFUSED = {**_RECEIPT, "state": "refused", "text": "the group has 2 members on b"}
_NONE = {"written": 0, "unchanged": 0, "refused": 0, "impossible": 0}
_MORE = {"dry_run": False, "skipped": [], "unlooked": []}
_DONE = {"items": [_RECEIPT], "counts": {**_NONE, "written": 1, "unchanged": 7}, **_MORE}
_DRY = {**_DONE, "dry_run": True}
_NOT_DONE = {"items": [_REFUSED], "counts": {**_NONE, "refused": 1}, **_MORE}
_PARTLY = {
    **_DONE,
    "skipped": [{"group": "shares", "reason": "it is a share group"}],
    "unlooked": [{"part": "source", "reason": "a does not answer"}],
}
_PLACE = {
    "topic": "orders",
    "partition": 0,
    "given_offset": 7,
    "kind": "exact",
    "offset": 17,
    "latest": None,
    "rereads": 0,
    "evidence": "the run 0..99",
}
_IMPOSSIBLE = {**_PLACE, "kind": "impossible", "offset": None, "evidence": "nothing was copied yet"}


def _sync(groups: list[str], reason: str = "", dry_run: bool = False) -> dict[str, Any]:
    return {"dry_run": dry_run, "reason": reason, "limit": 10_000, "wait_ms": 25_000, "groups": groups}


GROUP_CASES = [
    *reading("groups status a->b", "/replications/a/b/groups?limit=1000", _LISTED),
    Case(
        arguments="groups status a->b --readiness approximate",
        answers={("GET", f"{_GROUPS}?limit=1000&readiness=approximate"): {**page(_WAITING), "partial": []}},
        shown=("pay 1/x  active  approximate  4", "orders-1: 12 records are not copied yet (+1); wait"),
    ),
    Case(
        arguments="groups status a->b --group billing,'pay 1/x' --check",
        answers={("GET", f"{_GROUPS}/billing"): _READY, ("GET", f"{_GROUPS}/pay%201%2Fx"): _WAITING},
        shown=("2026-01-31 18:00:00Z", "1 of 2 group(s) are not ready, for example pay 1/x (approximate)"),
        code=1,
    ),
    Case(
        arguments="groups status a->b --group billing --check",
        answers={("GET", f"{_GROUPS}/billing"): _READY},
        shown=("billing  active  ready",),
    ),
    Case(
        arguments="groups status a->b --group billing --wait --timeout 5",
        answers={("GET", f"{_GROUPS}/billing"): [{**_READY, "readiness": "blocked"}, _READY]},
        shown=("billing  active  ready",),
    ),
    Case(
        arguments="groups status a->b --group 'pay 1/x' --wait --timeout 1",
        answers={("GET", f"{_GROUPS}/pay%201%2Fx"): _WAITING},
        shown=("1 of 1 group(s) are not ready, for example pay 1/x (approximate)",),
        code=6,
    ),
    *(
        Case(
            arguments=f"groups status a->b {named} {flag}",
            answers={("GET", f"{_GROUPS}{path}"): answer},
            shown=("1 of 1 group(s) are not ready, for example billing (ready ", "check that the flow's driver runs"),
            code=code,
        )
        for named, path, answer in (
            ("--group billing", "/billing", _OLD),
            ("", "?limit=1000", {**page(_OLD), "partial": []}),
        )
        for flag, code in (("--check", 1), ("--wait --timeout 1", 6))
    ),
    Case(
        arguments="groups status a->b --group billing --wait --timeout 5",
        answers={("GET", f"{_GROUPS}/billing"): [_OLD, _READY]},
        shown=("billing  active  ready",),
    ),
    Case(
        arguments="groups status a->b --group billing --check",
        answers={("GET", f"{_GROUPS}/billing"): {**_OLD, "interval_ms": 10**12}},
        shown=("billing  active  ready",),
    ),
    Case(arguments="groups status a->b --group nothing", answers={("GET", "/x"): {}}, code=3),
    Case(
        arguments="groups status a->b --check",
        answers={("GET", f"{_GROUPS}?limit=1000"): {**page(), "partial": _PARTIAL}},
        shown=("warning: the checkpoint task a/checkpoint/0 has not reported for 95 s", "a->b has no such groups"),
        code=3,
    ),
    Case(
        arguments="groups status a->b --group billing -w --watch --every 0.1 --times 3",
        answers={("GET", f"{_GROUPS}/billing"): [_READY, {**_READY, "checked_ms": 2}, {**_READY, "lag": 99}]},
        shown=("  4  ", "  99  "),
    ),
    Case(
        arguments="groups status a->b --group billing --partitions",
        answers={("GET", f"{_GROUPS}/billing/partitions"): _PLACES},
        shown=(
            "orders  1          7          bounded  5",
            "sync_only",
            "the lists do not allow it",
            "warning: source: a does not answer",
        ),
    ),
    Case(arguments="groups status a->b --partitions", shown=("--partitions needs one group",), code=2),
    *(
        Case(
            arguments=f"groups sync a->b --group billing,other --reason move -o {name}",
            answers={("POST", f"{_GROUPS}/sync"): _DONE},
            sent=("POST", f"{_GROUPS}/sync", _sync(["billing", "other"], "move")),
            shown=("billing", "1 written, 7 unchanged", "1 of 8 receipts are shown"),
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    Case(
        arguments="groups sync a->b --all",
        answers={("POST", f"{_GROUPS}/sync"): _PARTLY},
        shown=("warning: shares is not synced: it is a share group", "warning: source: a does not answer"),
    ),
    *(
        Case(
            arguments=f"groups sync a->b --group billing,shares {option}",
            answers={("POST", f"{_GROUPS}/sync"): {**_PARTLY, "dry_run": bool(option)}},
            shown=("a.orders  0", "1 of 2 group(s) are not synced, for example shares: it is a share group"),
            code=1,
        )
        for option in ("", "--dry-run")
    ),
    Case(
        arguments="groups status a->b",
        answers={("GET", f"{_GROUPS}?limit=1000"): {**page(), "partial": []}},
        shown=("no group is listed", "srm-control groups --source a --target b --add '.*'"),
    ),
    Case(
        arguments="groups sync a->b --all --dry-run",
        answers={("POST", f"{_GROUPS}/sync"): _DRY},
        sent=("POST", f"{_GROUPS}/sync", _sync([], dry_run=True)),
        shown=("1 written, 7 unchanged (dry run)",),
    ),
    Case(
        arguments="groups sync a->b --group billing",
        answers={("POST", f"{_GROUPS}/sync"): _NOT_DONE},
        shown=("1 partition(s) are refused: billing a.orders-0: the group has 2 members on b",),
        code=1,
    ),
    Case(
        arguments="groups sync a->b --group billing --wait --timeout 5",
        answers={("POST", f"{_GROUPS}/sync"): [_NOT_DONE, _DONE]},
        shown=("1 written, 7 unchanged",),
    ),
    Case(
        arguments="groups sync a->b --group billing --wait --timeout 1",
        answers={("POST", f"{_GROUPS}/sync"): _NOT_DONE},
        shown=("1 partition(s) are still refused after 1 s", "the group has 2 members on b"),
        code=6,
    ),
    Case(arguments="groups sync a->b", shown=("take all of them with --all",), code=2),
    *(
        Case(
            arguments=f"offsets translate a->b --topic orders --partition 0 --offset 7 -o {name}",
            answers={("POST", f"{FLOW}/translate"): {"items": [_PLACE], "unlooked": []}},
            sent=(
                "POST",
                f"{FLOW}/translate",
                {"items": [{"topic": "orders", "direction": "to_target", "offset": 7, "partition": 0}]},
            ),
            shown=("the run 0..99",),
        )
        for name in ("table", "json", "yaml", "csv")
    ),
    Case(
        arguments="offsets translate a->b --topic a.orders --partition 0 --partition 3 --time 1769882400000 --back",
        answers={
            ("POST", f"{FLOW}/translate"): {
                "items": [_PLACE, {**_IMPOSSIBLE, "partition": 3}],
                "unlooked": _PLACES["unlooked"],
            }
        },
        sent=(
            "POST",
            f"{FLOW}/translate",
            {
                "items": [
                    {
                        "topic": "a.orders",
                        "direction": "to_source",
                        "timestamp_ms": 1_769_882_400_000,
                        "partition": partition,
                    }
                    for partition in (0, 3)
                ]
            },
        ),
        shown=("1 place(s) cannot be translated, for example partition 3 of orders: nothing was copied yet",),
        code=1,
    ),
    Case(arguments="offsets translate a->b --topic t --partition 0", shown=("give either --offset or --time",), code=2),
]
