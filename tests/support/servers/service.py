"""The service as a separate process: the command of `srm service` over SQLite files in a folder."""

import contextlib
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from srm_cli.machine.home import HomeFolder
from srm_cli.machine.own_secrets import ensure_secrets, process_environment
from srm_cli.machine.ports import free_port
from srm_cli.machine.processes import end, start_detached
from srm_cli.system import commands
from tests.support.eventually import eventually

START_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningService:
    """`log` receives all output; the state folder holds both databases and the password of the first admin."""

    url: str
    home: Path
    log: Path
    env: Mapping[str, str]
    pid: int = 0

    @property
    def admin_password(self) -> str:
        return (self.home / "admin-password").read_text().strip()

    def manage(self, *arguments: str) -> str:
        """Run a command of `manage.py` with the service's settings; returns its output, which the log gets too."""
        command = (commands.service(host="", port=0)[0], str(commands.PROJECT / "manage.py"), *arguments)
        done = subprocess.run(command, env=dict(self.env), capture_output=True, text=True, cwd=commands.PROJECT)
        with self.log.open("a") as log:
            log.write(done.stdout + done.stderr)
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextlib.contextmanager
def running_service(home: Path, redis_url: str, **more: str) -> Iterator[RunningService]:
    """Run the service on SRM_PORT, or else a free port; `more` are environment variables, such as SRM_OIDC_ISSUER."""
    folder, port = HomeFolder(path=home), int(more.get("SRM_PORT") or free_port())
    home.mkdir(parents=True, exist_ok=True)
    env = process_environment(
        {
            **ensure_secrets(folder),
            "SRM_HOME": str(home),
            "SRM_REDIS_URL": redis_url,
            "SRM_HOST": "127.0.0.1",
            "SRM_PORT": str(port),
            "SRM_LOG_LEVEL": "DEBUG",
            "DJANGO_SETTINGS_MODULE": "srm_service.settings.local",
            "PYTHONUNBUFFERED": "1",
            **more,
        }
    )
    service = RunningService(url=f"http://127.0.0.1:{port}", home=home, log=home / "service.log", env=env)
    service.manage("prepare")
    command = commands.service(host="127.0.0.1", port=port, workers=int(env.get("SRM_WEB_WORKERS", "1")))
    process = start_detached(command, log=service.log, env=env, tie_to_parent=True)
    service = replace(service, pid=process.pid)
    try:
        eventually(lambda: _is_ready(service.url), START_S, "the service is ready")
        yield service
    finally:
        end([process], grace_seconds=10.0)


def _is_ready(url: str) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return httpx.get(f"{url}/readyz", timeout=5.0, trust_env=False).status_code == 200
    return False
