"""One record of a demonstration topic. Pure: chance comes as an argument."""

import json
import random
from dataclasses import dataclass

from srm_cli.traffic.topics import DemoTopic

_COUNTRIES = ("DE", "FR", "NL", "PL", "SE", "US", "CA", "BR", "IN", "JP")
_KEYS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRecord:
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]


def make_record(topic: DemoTopic, number: int, now_ms: int, chance: random.Random) -> DemoRecord:
    """`number` counts the records of the topic; the value is JSON padded to about `value_bytes`."""
    entity = chance.randrange(_KEYS)
    key = b"%s-%05d" % (topic.name.encode(), entity) if topic.has_keys else None
    if key is not None and chance.random() < topic.tombstone_ratio:
        return DemoRecord(key=key, value=None, headers=())
    body = {
        "id": number,
        "entity": entity,
        "amount_cents": chance.randrange(100, 90_000),
        "country": chance.choice(_COUNTRIES),
        "created_ms": now_ms,
    }
    text = json.dumps(body, separators=(",", ":"))
    padding = max(0, topic.value_bytes - len(text) - len(',"note":""'))
    value = f'{text[:-1]},"note":"{_words(padding, entity)}"}}'.encode()
    headers = (("source", b"demo"), ("trace-id", b"%016x" % chance.getrandbits(64)))
    return DemoRecord(key=key, value=value, headers=headers if topic.has_keys else ())


def _words(length: int, offset: int) -> str:
    """Text that compresses about as well as real text does."""
    start = offset % len(_PROSE)
    return (_PROSE[start:] + _PROSE * (length // len(_PROSE) + 1))[:length]


_PROSE = (
    "leave the parcel with the neighbour on the second floor; customer asked for a gift wrap and an invoice by mail; "
    "second attempt after the address was corrected; paid in two parts; partial refund agreed on the phone; "
    "fragile, this side up; collected at the counter; replaces an earlier order; weight checked at the gate; "
)
