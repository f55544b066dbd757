"""After a refusal one attempt at a time, ever later; new files and new settings may be tried at once."""

from pathlib import Path

import pytest

from replication.config.security.client_security import ClientSecurity
from replication.config.security.tls import Store, TlsSettings
from replication.domain.plan.slot import ClusterClient
from replication.wire.network.cluster_login import LONGEST_PAUSE_S, ClusterLogin, cluster_login
from replication.wire.network.error_translation import LoginRefusedError


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_no_login_is_tried_until_the_pause_is_over_and_then_only_one() -> None:
    clock = Clock()
    login = ClusterLogin(ClientSecurity(), clock)
    login.check()
    login.refused(LoginRefusedError("wrong password"))

    with pytest.raises(LoginRefusedError, match="wrong password"):
        login.check()
    clock.now_s = 1.5
    login.check()
    with pytest.raises(LoginRefusedError):
        login.check()


def test_pauses_double_up_to_the_longest() -> None:
    login = ClusterLogin(ClientSecurity(), Clock())
    pauses = []
    for _ in range(6):
        login.refused(LoginRefusedError("no"))
        pauses.append(login.pause_s)

    assert pauses == [1.0, 2.0, 4.0, 8.0, LONGEST_PAUSE_S, LONGEST_PAUSE_S]


def test_one_success_opens_the_door_for_everybody() -> None:
    login = ClusterLogin(ClientSecurity(), Clock())
    login.refused(LoginRefusedError("no"))
    login.accepted()

    login.check()


def test_a_new_certificate_file_may_be_tried_at_once(tmp_path: Path) -> None:
    path = tmp_path / "trusted.pem"
    path.write_text("old")
    tls = TlsSettings(trusted=Store(key="ssl.truststore.location", path=str(path)))
    login = ClusterLogin(ClientSecurity(protocol="SSL", tls=tls), Clock())
    login.refused(LoginRefusedError("expired"))
    with pytest.raises(LoginRefusedError):
        login.check()

    path.write_text("new and longer")

    login.check()


def test_all_links_with_the_same_settings_share_one_login() -> None:
    client = ClusterClient(alias="a", bootstrap=("h:1",), client={"client.id": "x"})
    same = ClusterClient(alias="a", bootstrap=("h:1",), client={"client.id": "x"})
    other = ClusterClient(alias="a", bootstrap=("h:1",), client={"client.id": "y"})
    login = cluster_login(client)

    assert cluster_login(same) is login
    assert cluster_login(other) is not login
