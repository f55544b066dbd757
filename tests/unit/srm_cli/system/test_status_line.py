"""The live line of `srm demo`."""

from srm_cli.system.status_line import flows_line


def test_each_flow_shows_its_status_and_rate() -> None:
    flows = [
        {"source": "a", "target": "b", "status": "healthy", "metrics": {"records_per_second": {"latest": 1234.4}}},
        {"source": "b", "target": "a", "status": "starting", "metrics": {}},
        {"source": "b", "target": "c", "status": "disabled", "metrics": {}},
    ]
    assert flows_line(flows) == "a->b healthy 1,234 records/s | b->a starting ? records/s"


def test_without_flows_it_says_so() -> None:
    assert flows_line([]) == "no flows yet"
