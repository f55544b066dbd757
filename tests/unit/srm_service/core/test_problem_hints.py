import pytest
from rest_framework.exceptions import NotFound, ValidationError

from srm_service.core.api.problem import problem_document


@pytest.mark.parametrize(
    ("clause", "detail", "hint"),
    [
        (
            "there is no replication a->b; GET /api/v2/replications lists all",
            "There is no replication a->b.",
            "GET /api/v2/replications lists all.",
        ),
        ("a->b has no topic t; GET .../topics lists all", "a->b has no topic t.", "GET .../topics lists all."),
        (
            "there is no resource at /x; /swagger/ lists all resources",
            "There is no resource at /x.",
            "/swagger/ lists all resources.",
        ),
        (
            "there is a cluster a already; PATCH /api/v2/clusters/a changes it",
            "There is a cluster a already.",
            "PATCH /api/v2/clusters/a changes it.",
        ),
    ],
)
def test_the_hint_for_programs_is_no_part_of_the_detail(clause: str, detail: str, hint: str) -> None:
    document = problem_document(NotFound(clause), "/x")

    assert (document["detail"], document["hint"]) == (detail, hint)


def test_a_problem_without_a_hint_has_no_such_member() -> None:
    document = problem_document(NotFound("the flow is paused; resume it"), "/x")

    assert document["detail"] == "The flow is paused; resume it."
    assert "hint" not in document


def test_the_hint_of_an_invalid_field_is_that_of_the_document() -> None:
    error = ValidationError(
        {"topics": ["a->b does not copy a topic t; GET .../topics lists all"], "limit": ["too high"]}
    )

    document = problem_document(error, "/x")

    assert document["errors"] == [
        {"field": "topics", "detail": "a->b does not copy a topic t."},
        {"field": "limit", "detail": "Too high."},
    ]
    assert document["detail"] == "topics: a->b does not copy a topic t. limit: Too high."
    assert document["hint"] == "GET .../topics lists all."
