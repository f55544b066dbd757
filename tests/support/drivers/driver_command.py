"""`srm driver` as a process, for tests of the command and of its Redis."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet
from redis import Redis

from srm_cli.machine.processes import wait_until

LIMIT_S = 60.0


class RunningDriver:
    """`srm driver` with the id berlin, and the memberships of its processes in the Redis that `watched` is."""

    def __init__(self, redis_url: str, watched: str, home: Path, *options: str, **variables: str) -> None:
        self.output = home.with_suffix(".out")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SRM_")}
        with self.output.open("w") as target:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "srm_cli", "driver", "--id", "berlin", *options],
                env={
                    **environment,
                    "SRM_HOME": str(home),
                    "SRM_REDIS_URL": redis_url,
                    "SRM_TRANSPORT_KEYS": Fernet.generate_key().decode(),
                    **variables,
                },
                stdin=subprocess.DEVNULL,
                stdout=target,
                stderr=target,
            )
        self.redis = Redis.from_url(watched)

    def members(self) -> dict[str, dict[str, Any]]:
        found = [json.loads(value) for key in self.redis.scan_iter("srm:driver:*") if (value := self.redis.get(key))]
        return {f"{member['id']}:{member['role']}": member for member in found}

    def wait_for(self, names: set[str]) -> dict[str, dict[str, Any]]:
        assert wait_until(lambda: set(self.members()) == names, LIMIT_S), self.output.read_text()
        return self.members()

    def stop(self) -> None:
        """End it, if it still runs."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(LIMIT_S)
