"""The files of a deployment, and the commands that they start."""

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

PROJECT = Path(__file__).parents[3]
DOCKER = PROJECT / "docker"
UNITS = tuple(sorted((DOCKER / "systemd").glob("*.service")))
_INSTALLED = "/opt/srm/.venv/bin/srm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container of the compose file or of a Kubernetes object; `words` are the arguments of `srm`."""

    name: str
    image: str
    words: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_ours(self) -> bool:
        return self.image.startswith("srm-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A systemd unit, as far as it starts a process."""

    name: str
    words: tuple[str, ...]
    environment: Mapping[str, str]
    credentials: frozenset[str]


def compose() -> dict[str, Any]:
    """Return the compose file with its anchors and merges resolved."""
    document: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text())
    return document


def compose_containers() -> Iterator[Container]:
    """Yield the containers of the compose file."""
    for name, service in compose()["services"].items():
        yield Container(
            name=name,
            image=service["image"],
            words=_entrypoint(service["image"], service.get("command", ())),
            environment=service.get("environment", {}),
            secrets=frozenset(service.get("secrets", ())),
            raw=service,
        )


def kubernetes_objects() -> Iterator[dict[str, Any]]:
    """Yield the objects of all manifests."""
    for path in sorted((DOCKER / "kubernetes").glob("*.yaml")):
        yield from yaml.safe_load_all(path.read_text())


def kubernetes_containers() -> Iterator[Container]:
    """Yield the containers of all pods."""
    for document in kubernetes_objects():
        pod = document.get("spec", {}).get("template", {}).get("spec", {})
        for each in (*pod.get("initContainers", ()), *pod.get("containers", ())):
            values = {item["name"]: item.get("value", "a-name") for item in each.get("env", ())}
            words = _entrypoint(each["image"], each.get("args", ()))
            yield Container(name=each["name"], image=each["image"], words=words, environment=values, raw=each)


def units() -> Iterator[Unit]:
    """Yield the systemd units with their environment files; `%d` stands for the folder of credentials."""
    for path in UNITS:
        lines = path.read_text().splitlines()
        (start,) = (line.removeprefix("ExecStart=") for line in lines if line.startswith("ExecStart="))
        program, *words = shlex.split(start)
        assert program == _INSTALLED, path
        given = " ".join(line.removeprefix("Environment=") for line in lines if line.startswith("Environment="))
        files = [Path(line.partition("=")[2].lstrip("-")) for line in lines if line.startswith("EnvironmentFile=")]
        environment = dict(pair.split("=", 1) for pair in shlex.split(given))
        for file in files:
            environment |= _variables(DOCKER / "systemd" / file.name)
        loaded = (line.split("=", 1)[1].split(":")[0] for line in lines if line.startswith("LoadCredential="))
        yield Unit(name=path.stem, words=tuple(words), environment=environment, credentials=frozenset(loaded))


def make_secrets(folder: Path) -> Path:
    """Run `docker/make-secrets`; returns the folder."""
    subprocess.run([str(DOCKER / "make-secrets"), str(folder)], check=True, capture_output=True)
    return folder


def dockerfile() -> str:
    """Return the Dockerfile with its continued lines joined."""
    return re.sub(r"\\\n\s*", " ", (DOCKER / "Dockerfile").read_text())


def _variables(path: Path) -> dict[str, str]:
    lines = (line for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


def _entrypoint(image: str, words: Any) -> tuple[str, ...]:
    role = image.removeprefix("srm-").split(":")[0]
    return (role, *map(str, words)) if image.startswith("srm-") else tuple(map(str, words))
