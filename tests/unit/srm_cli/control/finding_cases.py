"""Calls of `srm-control` that read across all flows: gaps, the search, the topology."""

from tests.unit.srm_cli.control.rest_cases import Case, page, reading

_GAP = {
    "detected_ms": 5,
    "source": "a",
    "target": "b",
    "topic": "orders",
    "partition": 0,
    "from_offset": 5,
    "to_offset": 105,
    "records": 100,
    "cause": "retention",
    "policy": "stop",
}
_HIT = {"kind": "topic", "label": "orders", "rank": 0, "text": "a.orders", "source": "a", "target": "b"}
_EDGE = {"source": "a", "target": "b", "status": "healthy", "bytes_per_second": 7.5, "lag_offsets": 3}
_TOPOLOGY = {"nodes": [{"alias": "a"}], "edges": [_EDGE]}

FINDING_CASES: list[Case] = [
    *reading(
        "gaps --source a --target b --topic orders --partition 0 --cause retention --from 4 --to 1970-01-01T00:00:01Z",
        "/gaps?source=a&target=b&topic=orders&partition=0&cause=retention&from_ms=4&to_ms=1000",
        page(_GAP),
        "1970-01-01 00:00:00Z  a->b  orders  0          5     105  100      retention  stop",
    ),
    *reading(
        "gaps --last 2 --label team=payments --owner ann --criticality high",
        "/gaps?label=team%3Apayments&owner=ann&criticality=high&limit=2",
        page(_GAP),
        "retention",
    ),
    *reading(
        "search orders --kind topic --limit 9",
        "/search?q=orders&kind=topic&limit=9",
        {"items": [_HIT], "cut": [], "partial": []},
        "topic  orders  a->b  a.orders",
    ),
    Case(
        arguments="search x",
        answers={("GET", "/api/v2/search?q=x"): {"items": [], "cut": ["topic"], "partial": [{"error": "no store"}]}},
        shown=("There are more of kind topic", "warning: no store"),
    ),
    *reading("topology --cluster a", "/topology?cluster=a", _TOPOLOGY, "a       b       healthy  7.5      3"),
]

_RECORD = {
    "offset": 80,
    "timestamp_ms": 1_000,
    "key": {"size": 2, "text": "k1", "base64": None, "is_cut": False},
    "headers": [{"name": "h", "value": {"size": 2, "text": None, "base64": "/wA=", "is_cut": True}}],
    "headers_total": 1,
    "value_size": 5,
    "value": {"size": 5, "text": "hello", "base64": None, "is_cut": False},
}
_SIDE = {"cluster": "a", "topic": "orders", "partition": 0, "state": "found", "text": "a has it at 80"}
_ORIGINAL = {**_SIDE, "log_start": 0, "log_end": 100, "record": _RECORD}
_COPY = {**_ORIGINAL, "cluster": "b", "topic": "a.orders", "log_end": 81, "record": {**_RECORD, "offset": 61}}
_PAIR = {"source": "a", "target": "b", "original": _ORIGINAL, "copy": _COPY, "evidence": "a run", "differences": []}
_NO_COPY = {**_COPY, "state": "not_copied", "text": "it was filtered", "record": None}
_RECORDS = "/replications/a/b/topics/a.orders/partitions/0/records"
_ASK_RECORD = "record 'a->b' --topic a.orders --partition 0"

RECORD_CASES = [
    *reading(
        f"{_ASK_RECORD} --offset 80 --value",
        f"{_RECORDS}/80?on=source&value=true",
        _PAIR,
        "value bytes  5",
        "header h     base64:/wA=...",
        "value        hello",
        "key          k1",
    ),
    Case(
        arguments=f"{_ASK_RECORD} --offset 61 --on-target",
        answers={("GET", f"/api/v2{_RECORDS}/61?on=target&value=false"): {**_PAIR, "differences": ["key", "value"]}},
        shown=("the records differ in key, value",),
        code=1,
    ),
    Case(
        arguments=f"{_ASK_RECORD} --offset 80",
        answers={
            ("GET", f"/api/v2{_RECORDS}/80?on=source&value=false"): {**_PAIR, "copy": _NO_COPY, "differences": None}
        },
        shown=("not_copied", "a.orders-0 on b: it was filtered"),
        code=1,
    ),
]
FINDING_CASES += RECORD_CASES
