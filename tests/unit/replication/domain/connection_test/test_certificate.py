"""A broker's certificate: the names for which it is valid, and the days left."""

import pytest

from replication.domain.connection_test.certificate import days_left, hostname_matches

_DAY_MS = 24 * 3_600_000


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("broker.example.com", ("broker.example.com",)),
        ("BROKER.example.com.", ("broker.EXAMPLE.com",)),
        ("b1.example.com", ("*.example.com",)),
        ("127.0.0.1", ("localhost", "127.0.0.1")),
        ("::1", ("0:0:0:0:0:0:0:1",)),
    ],
)
def test_a_certificate_is_valid_for_its_names(host: str, names: tuple[str, ...]) -> None:
    assert hostname_matches(host, names)


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("broker.example.com", ()),
        ("example.com", ("*.example.com",)),
        ("a.b.example.com", ("*.example.com",)),
        (".example.com", ("*.example.com",)),
        ("127.0.0.1", ("*.0.0.1", "127.0.0.2")),
        ("broker", ("broker.example.com",)),
    ],
)
def test_a_certificate_is_not_valid_for_other_names(host: str, names: tuple[str, ...]) -> None:
    assert not hostname_matches(host, names)


def test_days_are_rounded_down_and_negative_after_the_end() -> None:
    assert days_left(10 * _DAY_MS, 0) == 10
    assert days_left(10 * _DAY_MS, 1) == 9
    assert days_left(0, 1) == -1
