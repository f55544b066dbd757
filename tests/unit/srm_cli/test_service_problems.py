import httpx
import pytest

from srm_cli.errors import OperatorError
from srm_cli.service.problems import check_answer


def test_an_error_has_the_hint_of_the_service_after_its_detail() -> None:
    document = {"detail": "There is no replication a->b.", "hint": "GET /api/v2/replications lists all."}

    with pytest.raises(OperatorError) as refused:
        check_answer(httpx.Response(404, json=document), "http://srm", "/x")

    assert str(refused.value).startswith("There is no replication a->b. GET /api/v2/replications lists all. (404")
