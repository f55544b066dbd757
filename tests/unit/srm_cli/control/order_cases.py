"""The calls of `srm-control flows pause` and the other verbs, and of `srm-control orders`."""

from typing import Any

from tests.unit.srm_cli.control.rest_cases import FLOW, Case, changing, page, reading

_ACTIONS = f"{FLOW}/actions"
_PATH = "/replications/a/b/actions"
_REASON = "ordered with srm-control"
_UNTIL_MS = 1_769_882_400_000
_TASKS = [{"task": "a/source/0", "driver": "d1"}, {"task": "a/source/1", "driver": "d2"}]
_ROW = {
    "id": 7,
    "source": "a",
    "target": "b",
    "event": "flow.restart",
    "topic": "orders",
    "partition": 3,
    "task": None,
    "detail": "",
    "reason": "stuck",
    "until_ms": None,
    "ordered_by": "ann",
    "ordered_ms": _UNTIL_MS,
    "revision": 41,
    "outcome": "applied",
    "ended_ms": _UNTIL_MS + 2_000,
    "applied_by": _TASKS,
}
_SHOWN = (
    "7   a->b  2026-01-31 18:00:00Z  ann  restart  orders-3  -      41        applied  2026-01-31 18:00:02Z  d1,d2 "
)
_EVERY_SCOPE = "--topic orders --partition 3"


def _ordered(arguments: str, *, state: str, shown: str, code: int = 0, **found: Any) -> Case:
    """An order whose outcome is waited for."""
    return Case(
        arguments=f"{arguments} --wait --timeout 1",
        answers={
            ("POST", _ACTIONS): {"id": 7, "text": "it is ordered", "state": "ordered"},
            ("GET", f"{_ACTIONS}/7"): {"id": 7, "state": state, "applied_by": _TASKS, **found},
        },
        sent=("GET", f"{_ACTIONS}/7", None),
        shown=("it is ordered\n", shown),
        code=code,
    )


def _dry(verb: str, rest: str, **fields: Any) -> Case:
    """A dry run; it prints the effect, the numbers and the names."""
    counted = {"flows": 1, "topics": 1, "partitions": 4000, "slots": None}
    names = {"topics": ["orders"], "tasks": ["a/source/0", "a/source/1"]}
    return changing(
        f"flows {verb} a->b {rest} --dry-run",
        "POST",
        _PATH,
        {"action": verb, "reason": _REASON, **fields, "dry_run": True},
        "it would stop\ntouches: flows 1, topics 1, partitions 4,000, slots unknown\n",
        "topics: orders\ntasks: a/source/0 a/source/1\n",
        answer={"text": "it would stop", "touches": counted, "names": names},
    )


_SCOPED = [
    changing(
        f"flows {verb} a->b {_EVERY_SCOPE} --reason r",
        "POST",
        _PATH,
        {"action": verb, "reason": "r", "scope": {"topic": "orders", "partition": 3}},
        f"partition 3 of orders would {verb}",
        answer={"text": f"partition 3 of orders would {verb}", "state": "ordered"},
    )
    for verb in ("pause", "resume", "stop", "start", "restart")
]
_SCOPED += [
    changing(
        f"flows throttle a->b {rate} {options} --reason r",
        "POST",
        _PATH,
        {"action": "throttle", "reason": "r", "bytes_per_second": limit, "scope": scope},
        "orders reads less",
        answer={"text": "orders reads less"},
    )
    for rate, limit in (("1MB", 10**6), ("off", None))
    for options, scope in (
        (_EVERY_SCOPE, {"topic": "orders", "partition": 3}),
        ("--topic orders", {"topic": "orders"}),
    )
]
_ENDS = [
    changing(
        f"flows {verb} a->b --until 2026-01-31T18:00:00Z",
        "POST",
        _PATH,
        {"action": verb, "reason": _REASON, "until_ms": _UNTIL_MS},
        "it ends",
        answer={"text": "it ends"},
    )
    for verb in ("pause", "stop", "restart")
]
_LASTS = [
    Case(
        arguments=f"flows {verb} a->b {rest} --for 2h",
        answers={("POST", _ACTIONS): {"text": "it ends in two hours"}},
        shown=("it ends in two hours",),
    )
    for verb, rest in (("pause", ""), ("stop", ""), ("restart", ""), ("throttle", "5kB"))
]
ORDER_CASES = [
    *_SCOPED,
    *_ENDS,
    *_LASTS,
    *(_dry(verb, "") for verb in ("pause", "resume", "stop", "start")),
    _dry("restart", "--task 1", scope={"task": 1}),
    _dry("throttle", "off", bytes_per_second=None),
    _ordered("flows pause a->b", state="applied", shown="applied by 2 task(s) on d1, d2\n"),
    _ordered("flows resume a->b", state="applied", shown="applied\n", applied_by=[], tasks=[]),
    _ordered(
        "flows restart a->b",
        state="refused",
        refusal="driver d1 cannot use it",
        shown="driver d1 cannot use it",
        code=1,
    ),
    _ordered("flows restart a->b", state="expired", shown="it ended before it was applied", code=1),
    _ordered("flows stop a->b", state="overtaken", shown="a later order has replaced it", code=1),
    _ordered("flows start a->b", state="published", shown="the start of a->b has not happened after 1 s", code=6),
    _ordered("flows throttle a->b 5kB", state="applied", shown="applied by 2"),
    Case(  # nothing changed: the present revision is waited for
        arguments="flows resume a->b --wait --timeout 1",
        answers={
            ("POST", _ACTIONS): {"id": None, "text": "already"},
            ("GET", FLOW): {"revisions": {"is_applied": True}},
        },
        sent=("GET", FLOW, None),
        shown=("already\napplied\n",),
    ),
    changing(
        "flows throttle a->b 10MB --reason r --until 1769882400000",
        "POST",
        _PATH,
        {"action": "throttle", "reason": "r", "bytes_per_second": 10**7, "until_ms": _UNTIL_MS},
        "it reads at most",
        answer={"text": "it reads at most"},
    ),
    Case(arguments="flows pause a->b --partition 3", shown=("--partition needs --topic",), code=2),
    Case(arguments="flows pause a->b --for soon", shown=("'soon' is not a duration",), code=2),
    Case(arguments="flows stop a->b --for 0s", shown=("'0s' is not a duration",), code=2),
    Case(arguments="flows stop a->b --for 2h --until 5", shown=("give either --until or --for",), code=2),
    Case(arguments="flows throttle a->b quick", shown=("'quick' is not a rate",), code=2),
    Case(
        arguments="topics hold a->b --topic orders --for 2h",
        answers={("POST", f"{FLOW}/holds"): {"order": {"id": 7}}},
        shown=("orders of a->b is paused until 2",),
    ),
    *reading("orders a->b", _PATH, page(_ROW), "ID  FLOW  ORDERED", _SHOWN),
    *reading(
        "orders --source a --target b --by ann --order stop-topic --from 1970-01-01T00:00:01Z --to 2000",
        "/orders?source=a&target=b&ordered_by=ann&from_ms=1000&to_ms=2000&event=flow.stop_topic",
        page(_ROW),
        "ID  FLOW  ORDERED",
        _SHOWN,
    ),
    Case(arguments="orders a->b --source a", shown=("give either SOURCE->TARGET, or --source",), code=2),
    Case(
        arguments="orders a->b --topic orders --outcome waiting",
        answers={
            ("GET", f"{_ACTIONS}?topic=orders&outcome=waiting"): page(
                {**_ROW, "event": "flow.throttle", "detail": "5 bytes/s", "topic": "", "partition": None}
            )
        },
        sent=("GET", f"{_ACTIONS}?topic=orders&outcome=waiting", None),
        shown=("throttle 5 bytes/s  flow ",),
    ),
]
