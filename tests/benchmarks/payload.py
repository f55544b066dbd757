"""The records that the benchmarks copy: JSON events of a given size, the same in every run."""

import random
from collections.abc import Iterator

import cramjam

_KINDS = ("order_placed", "order_paid", "order_packed", "order_shipped", "order_returned")
_CITIES = ("Lisbon", "Oslo", "Kraków", "Lyon", "Gent", "Turin", "Brno", "Graz", "Cork", "Porto")
DISTINCT = 2_000


def values(size_bytes: int) -> list[bytes]:
    """`DISTINCT` JSON documents of exactly that many bytes."""
    chance = random.Random(size_bytes)
    return [_document(chance, size_bytes) for _ in range(DISTINCT)]


def compressed_share(documents: list[bytes]) -> float:
    """Return the share of their size that LZ4 leaves, 0..1, over a batch of a hundred."""
    plain = b"".join(documents[:100])
    return len(bytes(cramjam.lz4.compress(plain, level=1))) / len(plain)


def _document(chance: random.Random, size_bytes: int) -> bytes:
    if size_bytes < 200:
        text = f'{{"id":"{chance.getrandbits(64):016x}","kind":"{chance.choice(_KINDS)}","amount":{chance.random():.2f}'
    else:
        text = ",".join(_fields(chance, size_bytes))
    padding = size_bytes - len(text.encode()) - len(',"note":""}')
    if padding < 0:
        text, padding = text.encode()[: size_bytes - len(',"note":""}')].decode(errors="ignore"), 0
    body = f'{text},"note":"{"x" * padding}"}}'.encode()
    return body[:size_bytes].ljust(size_bytes, b" ")


def _fields(chance: random.Random, size_bytes: int) -> Iterator[str]:
    yield f'{{"id":"{chance.getrandbits(128):032x}","kind":"{chance.choice(_KINDS)}"'
    yield f'"customer":"{chance.getrandbits(64):016x}","city":"{chance.choice(_CITIES)}"'
    length = 150
    while length < size_bytes - 120:
        line = (
            f'"item-{chance.randrange(9999):04d}":{{"sku":"{chance.getrandbits(40):010x}",'
            f'"count":{chance.randrange(20)},"price":{chance.random() * 100:.2f}}}'
        )
        length += len(line) + 1
        yield line
