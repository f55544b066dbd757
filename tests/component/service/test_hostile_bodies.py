"""Request bodies that a parser may accept and later steps cannot handle get a 400, never a 500."""

import pytest
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH

pytestmark = [BOTH, pytest.mark.redis]

_PAUSE = "/api/v2/replications/us-east/eu-central/actions"


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        "[" * 900 + "]" * 900,
        '{"action": ' + '{"a":' * 40 + "1" + "}" * 40 + "}",
        '{"action": "\\ud800"}',
        '{"\\ud800": 1}',
        '{"action": NaN}',
        '{"action": 1e999}',
        "{",
        "\xff",
        '{"action": ' + "9" * 5_000 + "}",
    ],
    ids=["open", "nested", "nested object", "surrogate", "surrogate name", "NaN", "infinite", "cut", "latin", "digits"],
)
def test_a_hostile_body_is_refused(operator: APIClient, one_flow: str, body: str) -> None:
    answer = operator.post(_PAUSE, data=body.encode("latin-1"), content_type="application/json")

    assert answer.status_code == 400, answer.content[:200]
    assert answer["Content-Type"] == "application/problem+json"
