"""A driver process answers the service's questions: flow by flow, those that it leads, and only genuine ones."""

import json
import time
import uuid
from typing import cast

import pytest

from replication.config.security.signed_document import signed
from replication.domain.desired.desired_document import (
    DesiredCluster,
    DesiredDocument,
    DesiredFlow,
    NamePatterns,
    desired_to_json,
)
from replication.domain.questions.flow_changes import FlowChanges
from replication.domain.questions.json_shape import from_plain
from replication.domain.questions.question import (
    QUESTIONS_KEY,
    RECEIPT,
    FlowAnswer,
    Question,
    answer_from_json,
    answer_key,
    question_to_json,
)
from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_processes import SOURCE, START_S, TARGET, Fleet

pytestmark = pytest.mark.redis
ORDERS = NamePatterns(allow=("orders",))


def _question(*flows: DesiredFlow, target: str = TARGET) -> Question:
    aliases = {target, *(flow.source for flow in flows)}
    document = DesiredDocument(
        target=target,
        revision=0,
        published_ms=0,
        clusters={alias: DesiredCluster(bootstrap=("127.0.0.1:1",)) for alias in aliases},
        flows=flows,
    )
    return Question(
        id=uuid.uuid4().hex,
        kind="change_plan",
        target=target,
        sources=tuple(flow.source for flow in flows),
        document=desired_to_json(document),
        asked_ms=time.time_ns() // 1_000_000,
    )


def _ask(fleet: Fleet, question: Question, key: str | None = None) -> None:
    with fleet.client() as client:
        client.hset(
            QUESTIONS_KEY, question.id, signed([key or fleet.transport_key], question_to_json(question), "question")
        )


def _answers(fleet: Fleet, question: Question) -> dict[str, FlowAnswer]:
    with fleet.client() as client:
        found = cast("dict[bytes, bytes]", client.hgetall(answer_key(question.id)))
    return {source.decode(): answer_from_json(text) for source, text in found.items() if source != RECEIPT.encode()}


def _change(fleet: Fleet, question: Question, source: str) -> FlowChanges:
    content = _answers(fleet, question)[source].content
    assert content is not None
    return from_plain(FlowChanges, content)


def test_a_driver_answers_for_the_target_that_it_leads_and_drops_forged_questions(fleet: Fleet) -> None:
    flow = DesiredFlow(source=SOURCE, tasks_max=2, heartbeats=False)
    fleet.publish(flow)
    fleet.start("d1", "control")
    assert wait_until(lambda: f"{SOURCE}/plan/0" in fleet.want(), START_S), fleet.logs()
    fleet.wait_for_state(f"{SOURCE}/plan/0", "running", START_S)
    forged, genuine = (
        _question(flow),
        _question(
            DesiredFlow(source=SOURCE, tasks_max=3, heartbeats=False, topics=ORDERS),
            DesiredFlow(source="dead-north", heartbeats=False, topics=ORDERS),
        ),
    )

    _ask(fleet, forged, "another key")
    _ask(fleet, genuine)

    assert wait_until(lambda: len(_answers(fleet, genuine)) == 2, START_S), fleet.logs()
    change = _change(fleet, genuine, SOURCE)
    assert change.tasks is not None
    assert (change.tasks.before, change.tasks.after, change.tasks.moved_partitions) == (2, 3, 4)
    assert "dead-north" in _change(fleet, genuine, "dead-north").unlooked[0].reason
    assert _answers(fleet, forged) == {}
    with fleet.client() as client:
        assert client.hgetall(QUESTIONS_KEY) == {}
        receipt = cast("bytes", client.hget(answer_key(genuine.id), RECEIPT))
    assert json.loads(receipt)["driver"] == "d1"


def test_a_target_that_no_document_names_yet_is_answered_for(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    question = _question(DesiredFlow(source=SOURCE, topics=ORDERS), target="brand-new")

    _ask(fleet, question)

    assert wait_until(lambda: SOURCE in _answers(fleet, question), START_S), fleet.logs()
    assert _change(fleet, question, SOURCE).topics_added == ("orders",)
