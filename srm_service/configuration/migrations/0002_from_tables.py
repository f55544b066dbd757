"""Writes the clusters and flows of an existing installation into the property tree, as its first version."""

import json

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import migrations
from django.utils import timezone

_CLASSES = {
    "default": "org.apache.kafka.connect.mirror.DefaultReplicationPolicy",
    "identity": "org.apache.kafka.connect.mirror.IdentityReplicationPolicy",
}
_DIALECT = "srm"
_ORIGIN = "earlier release"


def forwards(apps, schema_editor):
    clusters = list(apps.get_model("clusters", "Cluster").objects.order_by("alias"))
    if not clusters:
        return
    flows = apps.get_model("flows", "Flow").objects.select_related("source", "target")
    rows = list(_rows(clusters, flows.order_by("source__alias", "target__alias")))
    version = apps.get_model("configuration", "ConfigVersion").objects.create(
        number=1,
        author=_ORIGIN,
        at=timezone.now(),
        comment="clusters and flows of an earlier release",
        dialect_before=_DIALECT,
        dialect=_DIALECT,
    )
    apps.get_model("configuration", "ConfigHead").objects.create(id=1, version=1, dialect=_DIALECT)
    stored, edits = [], []
    for position, (place, state) in enumerate(rows):
        state = {**state, "comment": "", "origin": _ORIGIN, "position": position}
        stored.append(apps.get_model("configuration", "StoredProperty")(**place, **state))
        edits.append(apps.get_model("configuration", "ConfigEdit")(version=version, **place, before=None, after=state))
    apps.get_model("configuration", "StoredProperty").objects.bulk_create(stored)
    apps.get_model("configuration", "ConfigEdit").objects.bulk_create(edits)


def _rows(clusters, flows):
    """The place and the value of each property. Pairs without a row have no heartbeats, so they stay without one."""
    yield _at("global", "clusters"), _plain(", ".join(cluster.alias for cluster in clusters))
    yield _at("global", "emit.heartbeats.enabled"), _plain("false")
    for cluster in clusters:
        values = {"bootstrap.servers": ", ".join(cluster.bootstrap), **cluster.client}
        for name, value in values.items():
            yield _at("cluster", name, alias=cluster.alias), _plain(value)
        for name, value in _opened(cluster).items():
            yield _at("cluster", name, alias=cluster.alias), _sealed(value)
    for flow in flows:
        for name, value in _flow_values(flow).items():
            yield _at("flow", name, source=flow.source.alias, target=flow.target.alias), _plain(value)


def _flow_values(flow):
    values = {
        "enabled": str(flow.enabled).lower(),
        "emit.heartbeats.enabled": str(flow.heartbeats).lower(),
        "tasks.max": str(flow.tasks_max),
        "exactly.once.source.support": "enabled" if flow.delivery == "exactly_once" else "disabled",
        "replication.policy.separator": flow.policy_separator,
        "topics": ", ".join(flow.topics_allow),
        "topics.exclude": ", ".join(flow.topics_deny),
        "groups": ", ".join(flow.groups_allow),
        "groups.exclude": ", ".join(flow.groups_deny),
        "srm.start": str(flow.start),
        "srm.gap.policy": flow.gap_policy,
    }
    if flow.policy_kind == "template":
        values["srm.replication.policy.template"] = flow.policy_template
    else:
        values["replication.policy.class"] = _CLASSES[flow.policy_kind]
    for settings_of_connector in flow.connectors.values():
        values |= settings_of_connector
    return values


def _opened(cluster):
    if not cluster.secrets:
        return {}
    try:
        return json.loads(_box().decrypt(cluster.secrets.encode()))
    except InvalidToken as error:
        raise RuntimeError(
            f"the secrets of the cluster {cluster.alias} cannot be decrypted: "
            "add the key that encrypted them to SRM_SECRET_KEYS, then repeat the migration"
        ) from error


def _sealed(value):
    return {"value": "", "sealed": _box().encrypt(json.dumps({"value": value}).encode()).decode()}


def _box():
    return MultiFernet([Fernet(key) for key in settings.SRM_SECRET_KEYS])


def _plain(value):
    return {"value": value, "sealed": ""}


def _at(level, name, alias="", source="", target=""):
    return {"level": level, "alias": alias, "source": source, "target": target, "name": name}


class Migration(migrations.Migration):
    dependencies = [
        ("configuration", "0001_property_tree"),
        ("clusters", "0002_problem"),
        ("flows", "0003_problem"),
    ]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
