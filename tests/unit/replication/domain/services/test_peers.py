"""Who is asked for the flows into a target: an advertisement is a claim, not a right."""

from dataclasses import replace

import pytest

from replication.domain.services.address import advertised_address, parse_address
from replication.domain.services.advertisement import Advertisement
from replication.domain.services.peers import PeerOffer, peer_use, peers_by_target

EU = PeerOffer(
    id="eu.1", address="https://eu.example:6670", cluster="eu", targets=("eu", "eu-2"), state="live", started_ms=5
)
ALLOWED = {EU.address}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://EU.example:6670/", "https://eu.example:6670"),
        ("https://eu.example", "https://eu.example:443"),
        (" http://127.0.0.1:80/srm/ ", "http://127.0.0.1:80/srm"),
        ("http://[FE80::1]:7/a/b", "http://[fe80::1]:7/a/b"),
    ],
)
def test_two_spellings_of_an_address_are_equal(text: str, address: str) -> None:
    assert parse_address(text) == address
    assert parse_address(address) == address


@pytest.mark.parametrize(
    "text",
    [
        "eu.example:6670",
        "ftp://eu.example",
        "https://user:pass@eu.example",
        "https://eu.example/?a=b",
        "https://eu.example/#a",
        "https://eu.example:0x50",
        "https://eu.example:99999",
        "https://",
        "https://eu.example/../admin",
        "https://eu example",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_address(text)


def test_an_advertised_address_has_the_form_of_the_allow_list() -> None:
    advertised = Advertisement(
        id="eu.1",
        protocol="https",
        host="EU.example",
        port=443,
        root_path="/srm/",
        targets=("eu",),
        version="1",
        started_ms=1,
        sent_ms=1,
        interval_ms=1,
    )

    assert advertised_address(advertised) == parse_address("https://eu.example/srm")


@pytest.mark.parametrize(
    ("offer", "use"),
    [
        (EU, "asked"),
        (replace(EU, state="stale"), "asked"),
        (replace(EU, state="gone"), "gone"),
        (replace(EU, id="me.7"), "own"),
        (replace(EU, id="me"), "own"),
        (replace(EU, id="meadow.7"), "asked"),
        (replace(EU, targets=("other",)), "other_target"),
        (replace(EU, address="http://eu.example:6670"), "not_allowed"),
        (replace(EU, address="https://eu.example:6671"), "not_allowed"),
        (replace(EU, address="https://eu.example:6670/admin"), "not_allowed"),
        (replace(EU, address="https://eu.example.evil:6670"), "not_allowed"),
    ],
)
def test_only_allowed_addresses_are_asked_and_only_for_their_cluster(offer: PeerOffer, use: str) -> None:
    assert peer_use(offer, own="me", allowed=ALLOWED, with_credential={EU.address}) == use


def test_without_a_credential_no_one_is_asked_and_an_empty_list_allows_no_one() -> None:
    assert peer_use(EU, own="me", allowed=ALLOWED, with_credential=()) == "no_credential"
    assert peer_use(EU, own="me", allowed=(), with_credential={EU.address}) == "not_allowed"


def test_live_services_come_first_then_those_that_started_earlier() -> None:
    second = replace(EU, id="eu.2", address="https://b:1", started_ms=7)
    stale = replace(EU, id="eu.0", address="https://c:1", started_ms=1, state="stale")

    found = peers_by_target([second, stale, EU], own_targets=())

    assert found == {"eu": (EU.address, "https://b:1", "https://c:1")}


def test_an_own_target_is_asked_of_no_one_and_an_address_once_per_target() -> None:
    here = replace(EU, cluster="here", targets=("here",))

    found = peers_by_target([EU, replace(EU, id="eu.9"), here], own_targets={"here"})

    assert found == {"eu": (EU.address,)}
