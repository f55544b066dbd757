from pathlib import Path

from replication.domain.plan.slot import ClusterClient
from replication.kafka.certificates import LOOK_EVERY_S, CertificateWatch


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_changed_file_is_told_once_and_not_looked_at_all_the_time(tmp_path: Path) -> None:
    path, clock = tmp_path / "trusted.pem", Clock()
    path.write_text("old")
    settings = {"security.protocol": "SSL", "ssl.truststore.location": str(path), "ssl.truststore.type": "PEM"}
    watch = CertificateWatch(ClusterClient(alias="a", bootstrap=("h:1",), client=settings), clock)
    path.write_text("new and longer")

    assert not watch.have_changed()
    clock.now_s += LOOK_EVERY_S
    assert watch.have_changed()
    clock.now_s += LOOK_EVERY_S
    assert not watch.have_changed()


def test_nothing_changes_for_a_client_without_files() -> None:
    clock = Clock()
    watch = CertificateWatch(ClusterClient(alias="a", bootstrap=("h:1",)), clock)
    clock.now_s += LOOK_EVERY_S
    assert not watch.have_changed()
