"""Images, the compose file and the Kubernetes objects: valid, hardened, pinned, and with commands that exist."""

import base64
import importlib.metadata
import importlib.resources
import json
import shlex
from typing import Any

import click
import jsonschema
import kubernetes_validate
import pytest
from cryptography.fernet import Fernet

from replication.worker.settings import WorkerSettings
from srm_cli.control.main import srm_control
from srm_cli.machine.secret_files import SECRETS
from srm_cli.main import srm
from tests.support.deployment.files import (
    DOCKER,
    PROJECT,
    Container,
    compose,
    compose_containers,
    dockerfile,
    kubernetes_containers,
    kubernetes_objects,
    make_secrets,
)

COMPOSE = tuple(compose_containers())
KUBERNETES = tuple(kubernetes_containers())
OURS = tuple(each for each in (*COMPOSE, *KUBERNETES) if each.is_ours)
ROLES = ("driver", "service", "metrics")


def _named(container: Container) -> str:
    return f"{container.name} {container.image}"


def test_the_compose_file_follows_its_specification() -> None:
    vendored = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    jsonschema.validate(compose(), json.loads(vendored.read_text()))


@pytest.mark.parametrize(
    "document", kubernetes_objects(), ids=lambda each: f"{each['kind']} {each['metadata']['name']}"
)
def test_an_object_is_one_that_kubernetes_accepts(document: Any) -> None:
    kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


def test_what_a_kubernetes_object_refers_to_exists() -> None:
    found = {(each["kind"], each["metadata"]["name"]) for each in kubernetes_objects()}
    for each in kubernetes_objects():
        if each["kind"] == "StatefulSet":
            assert ("Service", each["spec"]["serviceName"]) in found
            pod = each["spec"]["template"]["spec"]
            names = {volume["name"] for volume in pod["volumes"]}
            names |= {claim["metadata"]["name"] for claim in each["spec"]["volumeClaimTemplates"]}
            mounts = {mount["name"] for one in pod["containers"] for mount in one["volumeMounts"]}
            assert mounts <= names


@pytest.mark.parametrize("container", OURS, ids=_named)
def test_a_container_of_ours_starts_a_command_with_options_that_exist(
    container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in container.environment.items():
        monkeypatch.setenv(name, str(value))
    name, *words = container.words
    command = srm.get_command(srm.make_context("srm", [name], resilient_parsing=True), name)
    assert command is not None
    command.make_context(name, list(words))


@pytest.mark.parametrize("container", [each for each in COMPOSE if each.is_ours], ids=_named)
def test_a_container_of_compose_writes_to_its_volumes_only(container: Container) -> None:
    assert container.raw["read_only"] is True
    assert container.raw["cap_drop"] == ["ALL"]
    assert any(volume.endswith(":/var/lib/srm") for volume in container.raw["volumes"])


@pytest.mark.parametrize("container", KUBERNETES, ids=_named)
def test_a_container_of_kubernetes_is_restricted(container: Container) -> None:
    context = container.raw["securityContext"]
    assert context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize("container", OURS, ids=_named)
def test_secrets_are_files_that_the_container_has(container: Container) -> None:
    files = {name: path for name, path in container.environment.items() if name.endswith("_FILE")}
    assert not set(container.environment) & set(SECRETS)
    known = {f"{name}_FILE" for name in SECRETS} | {"SRM_TOKEN_FILE"}
    assert files.keys() <= known
    if container.secrets:
        assert {path.rsplit("/", 1)[1] for path in files.values()} <= container.secrets


@pytest.mark.parametrize("container", [*COMPOSE, *KUBERNETES], ids=_named)
def test_an_image_has_the_version_that_it_was_tried_with(container: Container) -> None:
    name, colon, tag = container.image.partition(":")
    assert colon
    assert tag not in ("", "latest")
    if container.is_ours:
        assert tag == importlib.metadata.version("streams-replication-manager")
        assert name.removeprefix("srm-") in ROLES


def test_each_kafka_cluster_has_its_own_id() -> None:
    ids = [each.environment["CLUSTER_ID"] for each in COMPOSE if each.image.startswith("apache/kafka:")]
    assert len(set(ids)) == len(ids) == 2
    assert all(len(base64.urlsafe_b64decode(f"{each}==")) == 16 for each in ids)


def test_no_secret_is_an_argument_of_a_health_check() -> None:
    checks = [" ".join(each.raw.get("healthcheck", {}).get("test", ())) for each in COMPOSE]
    assert [check for check in checks if "--pass" in check or " -a " in check] == []


def _hook(name: str) -> str:
    (driver,) = (each for each in KUBERNETES if each.name == "driver")
    return str(driver.raw["lifecycle"][name]["exec"]["command"][-1])


@pytest.mark.parametrize("name", ["postStart", "preStop"])
def test_the_hooks_of_a_pod_run_options_that_exist_and_keep_the_drains_of_operators(name: str) -> None:
    line, _, end = _hook(name).partition("||")
    program, *words = shlex.split(line.replace("$SRM_DRIVER_ID", "d1"))
    drivers, verb, *given = words
    assert (program, drivers, end.strip()) == ("srm-control", "drivers", "true")
    command = srm_control.commands[drivers]
    assert isinstance(command, click.Group)
    values = command.commands[verb].make_context(verb, given).params
    if name == "preStop":
        assert (verb, values["keep"], values["reason"]) == ("drain", True, "pod stops")
    else:
        assert (verb, values["if_reason"]) == ("undrain", "pod stops")


def test_a_pod_of_a_driver_starts_without_the_token_of_an_operator_and_is_not_killed_without_redis() -> None:
    (pod,) = (
        each["spec"]["template"]["spec"]
        for each in kubernetes_objects()
        if (each["kind"], each["metadata"]["name"]) == ("StatefulSet", "srm-driver")
    )
    (token,) = (volume["secret"] for volume in pod["volumes"] if volume["name"] == "operator")
    assert token["optional"] is True
    assert not {"startupProbe", "livenessProbe"} & pod["containers"][0].keys()


def test_every_secret_of_the_compose_file_is_made_and_usable(tmp_path: Any) -> None:
    folder = make_secrets(tmp_path / "secrets")
    wanted = {each["file"].rsplit("/", 1)[1] for each in compose()["secrets"].values()}
    assert wanted <= {file.name for file in folder.iterdir()}
    assert folder.stat().st_mode & 0o077 == 0
    texts = {file.name: file.read_text().strip() for file in folder.iterdir()}
    environment = {"SRM_REDIS_URL": texts["redis-url"], "SRM_TRANSPORT_KEYS": texts["transport-keys"]}
    WorkerSettings.from_environment({"SRM_DRIVER_ID": "a", "SRM_DRIVER_ROLE": "data", **environment})
    Fernet(texts["secret-keys"])
    again = {file.name: file.read_text().strip() for file in make_secrets(folder).iterdir()}
    assert again == texts


def test_files_of_others_in_the_folder_of_secrets_keep_their_mode(tmp_path: Any) -> None:
    folder = tmp_path / "secrets"
    folder.mkdir()
    private, given = folder / "private-key", folder / "redis-url"
    for file in (private, given):
        file.write_text("redis://redis.example:6379/0\n")
        file.chmod(0o600)
    make_secrets(folder)
    assert {file.name: file.stat().st_mode & 0o777 for file in (private, given)} == {
        "private-key": 0o600,
        "redis-url": 0o600,
    }
    assert (folder / "transport-keys").stat().st_mode & 0o777 == 0o444


def test_the_dockerfile_copies_what_exists_and_what_the_context_has() -> None:
    kept = [line[1:] for line in (PROJECT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for line in dockerfile().splitlines():
        if line.startswith("COPY ") and "--from=" not in line:
            for source in line.split()[1:-1]:
                assert (PROJECT / source).exists(), line
                assert any(source == each or source.startswith(f"{each}/") for each in kept), line


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_a_lock_file_and_an_image_without_root(role: str) -> None:
    stages = dockerfile().split("\nFROM ")
    (stage,) = (each for each in stages if each.splitlines()[0].endswith(f" AS {role}"))
    assert "USER 10001:10001" in stage
    assert f'ENTRYPOINT ["srm", "{role}"]' in stage
    assert f"install-role {role}" in dockerfile()
    assert (PROJECT / "requirements" / f"{role}.txt").is_file()


def test_no_file_names_a_host_to_download_from() -> None:
    words = ("--index-url", "--extra-index-url", "curl ", "wget ")
    texts = {file: file.read_text() for file in DOCKER.rglob("*") if file.is_file() and "secrets" not in file.parts}
    assert [file.name for file, text in texts.items() if any(word in text for word in words)] == []
