"""Generated requests to every operation as every kind of caller: no failure, and no answer that is not documented."""

from collections import Counter

import pytest
from django.db import transaction

from tests.component.service.conftest import BOTH
from tests.support.rest.callers import PEOPLE, Caller
from tests.support.rest.generated import failures_of, service
from tests.support.rest.operations import OPERATIONS
from tests.support.rest.world import World

pytestmark = [BOTH, pytest.mark.redis]

_EXAMPLES = 3
_EXAMPLES_OF_REFUSED = 1  # every request of theirs ends at the door


def test_no_generated_request_of_an_admin_gets_an_answer_that_is_not_documented(world: World) -> None:
    check(next(caller for caller in PEOPLE if caller.role == "admin"), world, examples=1)


@pytest.mark.large
@pytest.mark.timeout(900)
@pytest.mark.parametrize("caller", PEOPLE, ids=lambda caller: caller.name)
def test_no_generated_request_gets_an_answer_that_is_not_documented(caller: Caller, world: World) -> None:
    check(caller, world, examples=_EXAMPLES if caller.refused is None else _EXAMPLES_OF_REFUSED)


def check(caller: Caller, world: World, *, examples: int) -> None:
    headers = caller.headers()
    failed: dict[str, list[str]] = {}
    seen: Counter[int] = Counter()
    with service() as schema:
        found = [result.ok() for result in schema.get_all_operations()]
        for operation in found:
            with transaction.atomic():  # a deleted flow is there again for the next operation
                wrong = failures_of(
                    operation, headers, world.known, examples=examples, before_each=world.report, seen=seen
                )
                transaction.set_rollback(True)
            if wrong:
                failed[operation.label] = wrong

    assert "\n\n".join(f"{name}: {wrong}" for name, wrong in failed.items()) == ""
    assert len(found) == len(OPERATIONS)
    assert set(seen) <= {caller.refused, 404} if caller.refused else set(seen) >= {200, 400, 404}, seen
