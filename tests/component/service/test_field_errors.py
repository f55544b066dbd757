"""Errors of fields are sentences that name the thing and the remedy."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH

pytestmark = BOTH

_FLOW = "replications/us-east/eu-central"


@pytest.mark.parametrize(
    ("method", "path", "body", "error"),
    [
        ("post", f"{_FLOW}/holds", {"topic": "t", "until_ms": 1}, "The end is in the past: choose a later time."),
        ("put", f"{_FLOW}/throttle", {}, "bytes_per_second is missing: send it."),
        ("post", "config/drafts", {"name": "", "changes": []}, "Name is empty: enter a value."),
        ("patch", "properties", {}, "Changes is missing: send it."),
        ("post", "me/views", {"page": "overview"}, "Name is missing: send it."),
        ("post", f"{_FLOW}/audits", {"mode": "full", "sample": 5}, "Only the mode sample has a sample, full has none"),
    ],
)
def test_an_error_of_a_field_names_the_thing_and_the_remedy(
    person: Any, one_flow: str, method: str, path: str, body: dict[str, Any], error: str
) -> None:
    operator: APIClient = person("operator")

    answer = getattr(operator, method)(f"/api/v2/{path}", body, format="json")

    assert answer.status_code == 400, answer.content
    assert [each["detail"] for each in answer.json()["errors"] if each["detail"].startswith(error)], answer.json()
