"""The compose file and the Kubernetes objects have the parts of a real deployment."""

from typing import Any

from tests.support.deployment.files import DOCKER, compose, compose_containers, kubernetes_objects

CONTAINERS = {each.name: each for each in compose_containers()}


def _value(name: str, option: str) -> str:
    words = CONTAINERS[name].words
    return words[words.index(option) + 1]


def _kubernetes(kind: str, name: str) -> dict[str, Any]:
    (found,) = (each for each in kubernetes_objects() if (each["kind"], each["metadata"]["name"]) == (kind, name))
    return found


def test_compose_has_the_stores_two_clusters_the_service_and_the_metrics() -> None:
    images = {name: each.image.partition(":")[0] for name, each in CONTAINERS.items()}

    assert {image for image in images.values() if not image.startswith("srm-")} == {
        "apache/kafka",
        "nginx",
        "postgres",
        "redis",
    }
    assert sum(image == "apache/kafka" for image in images.values()) == 2
    assert {"srm-service", "srm-metrics", "srm-driver"} <= set(images.values())


def test_two_drivers_of_compose_serve_different_targets_with_different_labels_and_folders() -> None:
    names = [name for name, each in CONTAINERS.items() if each.image.startswith("srm-driver:")]
    assert len(names) == 2

    for option in ("--id", "--targets", "--label"):
        assert len({_value(name, option) for name in names}) == 2
    assert len({str(CONTAINERS[name].raw["volumes"]) for name in names}) == 2
    assert all(int(_value(name, "--processes")) > 1 for name in names)


def test_what_others_wait_for_has_a_health_check() -> None:
    services = compose()["services"]
    waits = [wait for each in services.values() for wait in each.get("depends_on", {}).items()]
    healthy = {other for other, how in waits if how["condition"] == "service_healthy"}

    assert healthy >= {"redis", "postgres", "service"}
    assert all("healthcheck" in services[name] for name in healthy)
    assert all(
        "healthcheck" in each for each in services.values() if each["image"].startswith(("srm-driver", "apache"))
    )


def test_redis_asks_for_a_login_keeps_an_append_only_file_and_evicts_nothing() -> None:
    lines = (DOCKER / "redis" / "redis.conf").read_text().splitlines()

    assert {"appendonly yes", "maxmemory-policy noeviction", "aclfile /run/secrets/redis-users.acl"} <= set(lines)
    assert "user default off" in (DOCKER / "redis" / "users.acl").read_text()
    redis = CONTAINERS["redis"].raw
    assert "./redis/redis.conf:/etc/redis/redis.conf:ro" in redis["volumes"]
    assert "redis-users.acl" in redis["secrets"]


def test_a_pod_of_a_driver_has_a_probe_a_disruption_budget_and_secrets_as_files() -> None:
    pods, budget = _kubernetes("StatefulSet", "srm-driver")["spec"], _kubernetes("PodDisruptionBudget", "srm-driver")
    pod = pods["template"]
    (driver,) = (each for each in pod["spec"]["containers"] if each["name"] == "driver")

    assert budget["spec"]["selector"] == pods["selector"]
    assert pods["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    assert budget["spec"]["maxUnavailable"] == 1
    assert "readinessProbe" in driver
    assert "preStop" in driver["lifecycle"]
    assert any("secret" in volume or "projected" in volume for volume in pod["spec"]["volumes"])
    assert not [each["name"] for each in driver["env"] if "secretKeyRef" in str(each.get("valueFrom"))]
