"""Services that answer by HTTPS, with certificates of an authority that only the operator knows."""

import ssl
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.remote.asking.loop import peer_loop
from tests.component.service.conftest import BOTH
from tests.component.service.remote.peers import FLOW_PATH, Recorded, advertised, serve
from tests.support.servers.peer import ScriptedPeer, running_peer
from tests.support.servers.pki import Authority, Identity

pytestmark = [BOTH, pytest.mark.redis]

OWN, THEIRS = ("us-east", "eu-central"), ("us-east", "ap-south")
_ONE_DAY_AGO = timedelta(days=-1)


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority("authority of the services")


@pytest.fixture
def trusted(settings: Any, recorded: Recorded, authority: Authority, tmp_path: Path) -> None:
    """This service verifies certificates of others by those of the authority."""
    trust(settings, authority.write_pem(tmp_path / "authority.pem"))


def trust(settings: Any, ca_file: Path | None) -> None:
    settings.SRM_REMOTE = replace(settings.SRM_REMOTE, ca_file="" if ca_file is None else str(ca_file))
    peer_loop.renew_client()


def serving(opened: ExitStack, identity: Identity, folder: Path, recorded: Recorded, host: str) -> ScriptedPeer:
    """The other service with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity.write_pem(folder / "peer.pem"))
    peer = opened.enter_context(running_peer(host, context))
    serve(peer, recorded)
    advertised(peer, service=recorded.service)
    return peer


def listed(viewer: APIClient) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """The flows, and the services that are missing, with the reason."""
    body = viewer.get("/api/v2/replications").json()
    flows = [(flow["source"], flow["target"]) for flow in body["items"]]
    return flows, {part["peer"]: part["error"] for part in body["partial"]}


def test_lists_and_details_come_over_verified_tls(
    viewer: APIClient, trusted: None, recorded: Recorded, authority: Authority, tmp_path: Path
) -> None:
    with ExitStack() as opened:
        peer = serving(opened, authority.issue("peer"), tmp_path, recorded, "127.0.0.1")

        assert listed(viewer) == ([THEIRS, OWN], {})
        detail = viewer.get(f"/api/v2/{FLOW_PATH}").json()
        assert detail["service"] == peer.address
        assert peer.address.startswith("https://")
        assert {request.token for request in peer.requests} == {"srm_token_of_the_peer"}


@pytest.mark.parametrize("fault", ["unknown authority", "no own authority", "other host", "expired"])
def test_a_certificate_that_cannot_be_verified_gets_no_token(
    viewer: APIClient,
    settings: Any,
    trusted: None,
    recorded: Recorded,
    authority: Authority,
    tmp_path: Path,
    fault: str,
) -> None:
    identity = authority.issue("peer", **({"life": _ONE_DAY_AGO} if fault == "expired" else {}))
    if fault == "unknown authority":
        identity = Authority("another one").issue("peer")
    if fault == "no own authority":
        trust(settings, None)
    with ExitStack() as opened:
        host = "127.0.0.2" if fault == "other host" else "127.0.0.1"
        peer = serving(opened, identity, tmp_path, recorded, host)

        flows, partial = listed(viewer)

        assert flows == [OWN]
        assert "certificate verify failed" in partial[peer.address]
        assert peer.requests == []
