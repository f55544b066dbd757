"""A separate Kerberos realm on loopback, run by Debian's krb5-kdc without root."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from srm_cli.machine.ports import free_port
from srm_cli.machine.processes import end, start_detached
from tests.support.eventually import eventually

REALM = "SRM.TEST"
_TOOLS = ("krb5kdc", "kdb5_util", "kadmin.local")
_SYSTEM_FOLDERS = "/usr/sbin:/sbin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Realm:
    folder: Path
    environment: dict[str, str]

    @property
    def configuration(self) -> Path:
        return self.folder / "krb5.conf"

    def keytab(self, principal: str) -> Path:
        """A new principal's keytab."""
        path = self.folder / f"{principal.replace('/', '-')}.keytab"
        _run(["kadmin.local", "-q", f"addprinc -randkey {principal}"], self.environment)
        _run(["kadmin.local", "-q", f"ktadd -k {path} {principal}"], self.environment)
        return path


def missing_tools() -> list[str]:
    return [tool for tool in _TOOLS if _path_of(tool) is None]


@contextlib.contextmanager
def running_realm(folder: Path) -> Iterator[Realm]:
    """A KDC that answers; the caller sets KRB5_CONFIG where a client runs."""
    folder.mkdir(parents=True)
    port = free_port(set())
    (folder / "krb5.conf").write_text(
        f"[libdefaults]\n default_realm = {REALM}\n dns_lookup_kdc = false\n dns_canonicalize_hostname = false\n"
        f" rdns = false\n udp_preference_limit = 1\n[realms]\n {REALM} = {{\n  kdc = 127.0.0.1:{port}\n }}\n"
    )
    (folder / "kdc.conf").write_text(
        f"[kdcdefaults]\n kdc_listen = 127.0.0.1:{port}\n kdc_tcp_listen = 127.0.0.1:{port}\n[realms]\n {REALM} = {{\n"
        f"  database_name = {folder}/principal\n  key_stash_file = {folder}/stash\n }}\n"
    )
    environment = {
        **os.environ,
        "KRB5_CONFIG": str(folder / "krb5.conf"),
        "KRB5_KDC_PROFILE": str(folder / "kdc.conf"),
    }
    _run(["kdb5_util", "create", "-s", "-P", "master", "-r", REALM], environment)
    log = folder / "kdc.log"
    kdc = start_detached([str(_path_of("krb5kdc")), "-n"], log=log, env=environment, tie_to_parent=True)
    try:
        eventually(lambda: "commencing operation" in log.read_text() or _listens(port), 10, "the KDC answers")
        yield Realm(folder=folder, environment=environment)
    finally:
        end([kdc], grace_seconds=5.0)


def _listens(port: int) -> bool:
    import socket

    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        [str(_path_of(command[0])), *command[1:]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _path_of(tool: str) -> str | None:
    return shutil.which(tool, path=f"{os.environ.get('PATH', '')}:{_SYSTEM_FOLDERS}")
