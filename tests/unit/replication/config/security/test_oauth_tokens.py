"""Tokens are kept, renewed in time, and their absence is explained."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from replication.config.security.oauth_login import OAuthLogin
from replication.config.security.oauth_tokens import TokenError, TokenSource
from tests.support.servers.token_endpoint import CLIENT_ID, CLIENT_SECRET, TokenEndpoint, running_token_endpoint


@pytest.fixture(scope="module")
def endpoint() -> Iterator[TokenEndpoint]:
    with running_token_endpoint() as running:
        yield running


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_token_is_kept_for_four_fifths_of_its_life() -> None:
    clock = Clock()
    clock.now_s = 1_000.0
    source = TokenSource(OAuthLogin(unsecured_claims={"sub": "srm"}, unsecured_lifetime_s=100), clock)
    first = source.token()

    clock.now_s = 1_079.0
    assert source.token() is first
    clock.now_s = 1_081.0
    assert source.token().expires_s == 1_181.0


def test_the_endpoint_is_asked_with_the_clients_secret(endpoint: TokenEndpoint) -> None:
    login = OAuthLogin(endpoint=f"{endpoint.base}/token", client_id=CLIENT_ID, client_secret=CLIENT_SECRET)

    token = TokenSource(login).token()

    assert token.principal == CLIENT_ID
    assert token.text not in repr(token)


def test_a_refused_client_is_told_where_and_what_to_check(endpoint: TokenEndpoint) -> None:
    login = OAuthLogin(endpoint=f"{endpoint.base}/token", client_id=CLIENT_ID, client_secret="hush")

    with pytest.raises(TokenError, match="answered 401; are the client's id and secret right") as caught:
        TokenSource(login).token()
    assert "hush" not in str(caught.value)


def test_a_dead_endpoint_leaves_the_token_that_still_holds(endpoint: TokenEndpoint) -> None:
    clock = Clock()
    clock.now_s = 1_000.0
    source = TokenSource(OAuthLogin(unsecured_claims={"sub": "srm"}, unsecured_lifetime_s=100), clock)
    first = source.token()
    source._login = OAuthLogin(endpoint="http://127.0.0.1:1/token", client_id="a", client_secret="b")

    clock.now_s = 1_090.0
    assert source.token() is first
    clock.now_s = 1_101.0
    with pytest.raises(TokenError, match="gave no token"):
        source.token()


def test_a_missing_token_file_is_named() -> None:
    with pytest.raises(TokenError, match="/no/token"):
        TokenSource(OAuthLogin(file="/no/token")).token()


def test_a_failure_is_told_to_all_who_waited_for_it_before_the_next_attempt(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "token"
    source = TokenSource(OAuthLogin(file=str(path)), clock)
    with pytest.raises(TokenError, match="cannot be read"):
        source.token()

    path.write_text("opaque")
    with pytest.raises(TokenError, match="cannot be read"):
        source.token()
    clock.now_s = 1.5
    assert source.token().text == "opaque"
