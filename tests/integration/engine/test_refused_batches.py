"""A target refuses batches as a whole; the engine finds the records it means and copies all others."""

import uuid
from typing import Any

import pytest

from replication.domain.rejected_records.error_policy import ErrorHandling
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import Seen, create_topic, produce, read_all

pytestmark = pytest.mark.kafka

COUNT = 300
BAD = (37, 38, 250)


def compacted(lab: SlotLab) -> str:
    """A topic whose remote topic takes no record without a key."""
    topic = f"refused-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, topic)
    create_topic(lab.target_bootstrap, lab.remote(topic), 1, cleanup_policy="compact")
    return topic


def records(bad: tuple[int, ...] = BAD) -> list[dict[str, Any]]:
    keys = [None if n in bad else f"k{n}" for n in range(COUNT)]
    return [{"key": key, "value": f"value {n}", "headers": [("h", b"1")]} for n, key in enumerate(keys)]


def arrived(lab: SlotLab, topic: str) -> list[int]:
    seen = read_all(lab.target_bootstrap, lab.remote(topic), 1, "read_committed")[0]
    return [int((record.value or b"").split()[-1]) for record in seen]


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_skipped_records_are_named_and_all_others_arrive_in_order(lab: SlotLab, delivery: str) -> None:
    topic = compacted(lab)
    produce(lab.source_bootstrap, topic, records(), linger_ms=200, compression_type="lz4")
    spec = lab.spec(
        {topic: 1}, delivery=delivery, isolation_level="read_committed", errors=ErrorHandling(policy="skip")
    )

    with lab.running(spec) as handle:
        until(handle, lambda live: live.get("lag_offsets") == 0 and live["refused_total"] == len(BAD))
        refused = handle.live()["refused"]
        assert handle.live()["cause"] is None

    assert [(each["topic"], each["partition"], each["offset"]) for each in refused] == [(topic, 0, n) for n in BAD]
    assert "INVALID_RECORD" in refused[0]["error"]
    assert arrived(lab, topic) == [n for n in range(COUNT) if n not in BAD]


def test_dead_letters_are_kept_as_they_were_with_the_headers_of_kafka_connect(lab: SlotLab) -> None:
    topic, letters = compacted(lab), f"letters-{uuid.uuid4().hex[:6]}"
    create_topic(lab.target_bootstrap, letters)
    produce(lab.source_bootstrap, topic, records(), linger_ms=200)
    errors = ErrorHandling(policy="dead_letter", dead_letter_topic=letters)

    with lab.running(lab.spec({topic: 1}, errors=errors)) as handle:
        until(handle, lambda live: live.get("lag_offsets") == 0 and live["refused_total"] == len(BAD))

    kept: list[Seen] = read_all(lab.target_bootstrap, letters)[0]
    assert [(record.key, record.value) for record in kept] == [(None, f"value {n}".encode()) for n in BAD]
    headers = dict(kept[0].headers)
    assert headers["h"] == b"1"
    assert headers["__connect.errors.topic"] == topic.encode()
    assert headers["__connect.errors.partition"] == b"0"
    assert headers["__connect.errors.offset"] == b"37"
    assert arrived(lab, topic) == [n for n in range(COUNT) if n not in BAD]


def test_a_missing_dead_letter_topic_holds_the_partition_back_and_says_so(lab: SlotLab) -> None:
    topic, letters = compacted(lab), f"letters-{uuid.uuid4().hex[:6]}"
    produce(lab.source_bootstrap, topic, records((5,)), linger_ms=200)
    errors = ErrorHandling(policy="dead_letter", dead_letter_topic=letters)

    with lab.running(lab.spec({topic: 1}, errors=errors)) as handle:
        until(handle, lambda live: (live.get("cause") or {}).get("code") == "dead_letter_waits")
        assert handle.live()["refused_total"] == 0
        create_topic(lab.target_bootstrap, letters)
        until(handle, lambda live: live.get("lag_offsets") == 0 and live["refused_total"] == 1)

    assert arrived(lab, topic) == [n for n in range(COUNT) if n != 5]


def test_a_stopped_partition_has_copied_everything_before_the_bad_record_and_names_it(lab: SlotLab) -> None:
    topic = compacted(lab)
    produce(lab.source_bootstrap, topic, records(), linger_ms=200)

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, lambda live: live.get("states", {}).get("failed") == 1)
        cause = handle.live()["cause"]

    assert cause["code"] == "batch_refused"
    assert "offset 37" in cause["text"]
    assert arrived(lab, topic) == list(range(37))


def test_a_batch_the_broker_calls_too_large_is_split_and_only_a_record_too_large_is_refused(lab: SlotLab) -> None:
    topic = f"large-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, topic)
    create_topic(lab.target_bootstrap, lab.remote(topic), 1, max_message_bytes="20000")  # the plan does not know
    sizes = [30_000 if n == 111 else 1_000 for n in range(COUNT)]
    produce(
        lab.source_bootstrap,
        topic,
        ({"value": bytes([n % 250]) * size} for n, size in enumerate(sizes)),
        linger_ms=200,
    )

    with lab.running(lab.spec({topic: 1}, errors=ErrorHandling(policy="skip"))) as handle:
        until(handle, lambda live: live.get("lag_offsets") == 0 and live["refused_total"] == 1)
        refused = handle.live()["refused"]

    assert refused[0]["offset"] == 111
    assert "MESSAGE_TOO_LARGE" in refused[0]["error"]
    seen = read_all(lab.target_bootstrap, lab.remote(topic))[0]
    assert [len(record.value or b"") for record in seen] == [size for n, size in enumerate(sizes) if n != 111]
