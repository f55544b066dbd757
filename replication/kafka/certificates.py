"""Detects changed certificate files for a long-lived client of librdkafka, which reads them only when it is made."""

import time
from collections.abc import Callable

from replication.config.security.client_security import client_security
from replication.domain.plan.slot import ClusterClient

LOOK_EVERY_S = 5.0


class CertificateWatch:
    """For one client; cheap enough to ask before every call."""

    def __init__(self, cluster: ClusterClient, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._security = client_security(cluster.client, cluster.alias)
        self._monotonic_s = monotonic_s
        self._looked_s = monotonic_s()
        self._known = self._security.fingerprint()

    def have_changed(self) -> bool:
        """True once after a file changed: create the client again."""
        now_s = self._monotonic_s()
        if now_s - self._looked_s < LOOK_EVERY_S:
            return False
        self._looked_s = now_s
        known, self._known = self._known, self._security.fingerprint()
        return known != self._known
