"""Bytes of records as people read them."""

import pytest

from replication.domain.questions.records import ShownBytes, shown_bytes


@pytest.mark.parametrize(
    ("content", "most", "shown"),
    [
        (None, 10, None),
        (b"", 10, ShownBytes(size=0, text="")),
        ("größe".encode(), 10, ShownBytes(size=7, text="größe")),
        (b"\xff\x00", 10, ShownBytes(size=2, base64="/wA=")),
        (b"abcdef", 3, ShownBytes(size=6, text="abc", is_cut=True)),
        ("aé".encode(), 2, ShownBytes(size=3, text="a", is_cut=True)),
        ("a€€".encode(), 3, ShownBytes(size=7, text="a", is_cut=True)),
        (b"\xff\xff\xff\xff\xff\xff", 5, ShownBytes(size=6, base64="//////8=", is_cut=True)),
        (b"a\xff", 10, ShownBytes(size=2, base64="Yf8=")),
    ],
)
def test_bytes_are_text_or_base64_up_to_the_limit(content: bytes | None, most: int, shown: ShownBytes | None) -> None:
    assert shown_bytes(content, most) == shown
