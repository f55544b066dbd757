"""The parser that checks rules and dashboards: it reads what is right and refuses what Prometheus would refuse."""

import pytest

from tests.support.monitoring.promql import ExpressionError, Selector, parsed


def test_selectors_matchers_and_groupings_are_found() -> None:
    found = parsed('sum by (source, target) (rate(a_total{x=~"b|c", y="d"}[5m])) > 2 * 3 and (topk(3, z) or absent(w))')

    assert found.selectors == [
        Selector(metric="a_total", matchers=(("x", "=~", "b|c"), ("y", "=", "d"))),
        Selector(metric="z"),
        Selector(metric="w"),
    ]
    assert found.labels == {"source", "target"}


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "sum(a",
        "sum(a))",
        "rate(a)",
        "rate(a[5])",
        "rate(a[5m]",
        'a{b="c"',
        "a{b=c}",
        'a{b>"c"}',
        "a >",
        "a b",
        "absent by (x) (a)",
        "topk(a)",
        "sum by (x y) (a)",
        "a ? b",
        'a{b="c}',
    ],
)
def test_what_is_no_expression_is_refused(wrong: str) -> None:
    with pytest.raises(ExpressionError):
        parsed(wrong)
