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

FINDING_CASES = [
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
