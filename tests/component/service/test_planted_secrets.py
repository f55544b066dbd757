"""A secret that enters the service by any way is found nowhere.

The sweep covers databases, Redis, logs, the trail, answers to any role, frames of the live socket and the pages of the
administration. The service runs as a separate process on SQLite files, with its most talkative log.
"""

import json
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest
import redis

from srm_service.core.auth.role_words import ROLES
from tests.support.rest.admin_pages import AdminBrowser
from tests.support.rest.live_frames import live_frames
from tests.support.rest.operations import OPERATIONS
from tests.support.rest.secret_sweep import Sweep, redis_texts
from tests.support.servers.identity_provider import IdentityProvider, identity_provider
from tests.support.servers.redis import RunningRedis
from tests.support.servers.service import running_service

pytestmark = pytest.mark.redis

_API = "/api/v2"
_ONCE = "password of the "  # of people who log in during the test
_JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{}";'
_MM2 = """# once: east.ssl.key.password={0}-c
clusters = east, west
east.bootstrap.servers = 127.0.0.1:9001
west.bootstrap.servers = 127.0.0.1:9002
east.security.protocol = SASL_SSL
east.sasl.mechanism = PLAIN
east.sasl.jaas.config = {1}
east->west.enabled = true
east->west.topics = orders.*
east->west.producer.override.ssl.key.password = {0}
east.unknown.token.secret = {0}
"""
_SRM = _MM2 + "connectors.source.consumer.sasl.jaas.config = {1}\nworkers.listeners.https.ssl.key.password = {0}\n"
_OPERATOR = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: east-west-source
spec:
  class: org.apache.kafka.connect.mirror.MirrorSourceConnector
  config:
    # was sasl.jaas.config: password={0}-c
    source.cluster.alias: east
    target.cluster.alias: west
    source.cluster.bootstrap.servers: 127.0.0.1:9001
    target.cluster.bootstrap.servers: 127.0.0.1:9002
    source.cluster.security.protocol: SASL_SSL
    source.cluster.sasl.mechanism: PLAIN
    source.cluster.sasl.jaas.config: '{1}'
    target.cluster.ssl.key.password: {0}
    topics: orders.*
"""
_MIRROR_MAKER = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaMirrorMaker2
metadata:
  name: east-west
spec:
  clusters:
  - alias: east
    bootstrapServers: 127.0.0.1:9001
    config:
      security.protocol: SASL_SSL
      sasl.mechanism: PLAIN
      sasl.jaas.config: '{1}'
  - alias: west
    bootstrapServers: 127.0.0.1:9002
    config:
      listeners.https.ssl.key.password: {0}
  mirrors:
  - sourceCluster: east
    targetCluster: west
    sourceConnector:
      config:
        producer.override.ssl.key.password: {0}
    topicsPattern: orders.*
"""
_FILES = {
    "mm2": _MM2,
    "srm": _SRM,
    "replication-configs": "|".join(_SRM.splitlines()[1:]),
    "replication-configs-semicolon": "east.bootstrap.servers=127.0.0.1:9001;east.ssl.key.password={0};clusters=east",
    "operator": _OPERATOR,
}
_TEXTS = (*_FILES.items(), ("operator", _MIRROR_MAKER))


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    with identity_provider() as running:
        running.claims = {"sub": "4711", "preferred_username": "ann", "groups": ["viewer"]}
        yield running


@pytest.fixture(scope="module")
def redis_url(redis_server: RunningRedis) -> str:
    return redis_server.url.rsplit("/", 1)[0] + "/8"


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory, redis_url: str, provider: IdentityProvider) -> Iterator[Sweep]:
    """A running service into which secrets are planted by every way."""
    provider.client_secret = f"planted{secrets.token_hex(12)}"
    redis.Redis.from_url(redis_url).flushdb()
    more = {
        "SRM_OIDC_ISSUER": provider.issuer,
        "SRM_OIDC_CLIENT_ID": provider.client_id,
        "SRM_OIDC_CLIENT_SECRET": provider.client_secret,
    }
    with running_service(tmp_path_factory.mktemp("home"), redis_url, **more) as service:
        sweep = Sweep(service)
        sweep.secrets["secret of the identity provider's client"] = provider.client_secret
        yield sweep
        sweep.admin.close()


def _by_clusters(sweep: Sweep) -> None:
    body = {
        "alias": "north",
        "bootstrap": ["127.0.0.1:9003"],
        "client": {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"},
        "secrets": {"sasl.jaas.config": _JAAS.format(sweep.plant("secrets of a cluster"))},
    }
    for _ in range(2):
        answer = sweep.send("POST", f"{_API}/clusters", body, headers={"Idempotency-Key": "one"})
        assert answer.status_code == 201, answer.text
    change = {"secrets": {"ssl.key.password": sweep.plant("changed secrets of a cluster")}}
    assert sweep.send("PATCH", f"{_API}/clusters/north", change).status_code == 200
    east = {"alias": "east", "bootstrap": ["127.0.0.1:9001"]}
    assert sweep.send("POST", f"{_API}/clusters", east).status_code == 201
    wrong = {"client": {"ssl.key.password": sweep.plant("secret among the public settings"), "x": 7}}
    sweep.send("PATCH", f"{_API}/clusters/north", wrong)
    refused = {"secrets": {"sasl.mechanism": sweep.plant("a public key among the secrets")}, "passwort": "x"}
    assert sweep.send("PATCH", f"{_API}/clusters/north", refused).status_code == 400
    tried = {**body, "secrets": {"sasl.jaas.config": _JAAS.format(sweep.plant("a connection test"))}}
    sweep.send("POST", f"{_API}/clusters/test", {name: tried[name] for name in ("bootstrap", "client", "secrets")})
    sweep.send("POST", f"{_API}/clusters/north/test", {})


def _by_properties(sweep: Sweep) -> None:
    names = {
        "north.ssl.keystore.password": "property of a cluster",
        "north->east.consumer.sasl.jaas.config": "property of a flow",
        "connectors.producer.override.ssl.key.password": "property of all connectors",
        "workers.metrics.reporter.api.secret": "property of a plug-in",
        "config.providers.vault.param.api.secret": "property of a provider",
        "sasl.oauthbearer.client.credentials.client.secret": "global property",
    }
    for key, way in names.items():
        body = {"changes": [{"key": key, "value": sweep.plant(way)}], "comment": "a new password"}
        answer = sweep.send("PATCH", f"{_API}/properties", body, headers={"Idempotency-Key": way.replace(" ", "-")})
        assert answer.status_code == 200, answer.text
    gone = [{"key": "sasl.oauthbearer.client.credentials.client.secret", "value": None}]  # imports would move it
    assert sweep.send("PATCH", f"{_API}/properties", {"changes": gone}).status_code == 200
    change = [{"key": "north.ssl.key.password", "value": "ab", "comment": f"was password={sweep.plant('a comment')}"}]
    assert sweep.send("PATCH", f"{_API}/properties", {"changes": change}).status_code == 200
    stated = f"rotated, was password={sweep.plant('comment of a version')}"
    body = {"changes": [{"key": "north.ssl.key.password", "value": "cd"}], "comment": stated}
    assert sweep.send("PATCH", f"{_API}/properties", body).status_code == 200
    numbers = [{"key": "north->east.tasks.max", "value": sweep.plant("a secret where a number belongs")}]
    del sweep.secrets["a secret where a number belongs"]  # findings show values of keys that hold no secrets
    assert sweep.send("PATCH", f"{_API}/properties", {"changes": numbers}).status_code == 422


def _by_drafts(sweep: Sweep) -> dict[str, str]:
    change = {"key": "north.ssl.truststore.password", "value": sweep.plant("a draft")}
    made = sweep.send("POST", f"{_API}/config/drafts", {"name": "d", "changes": [change]})
    assert made.status_code == 201, made.text
    draft = f"{_API}/config/drafts/{made.json()['id']}"
    comment = f"ssl.keystore.key = {sweep.plant('comment in a draft')}"
    change = {**change, "value": sweep.plant("a changed draft"), "comment": comment}
    assert sweep.send("PATCH", draft, {"changes": [change]}).status_code == 200
    planned = {"changes": [{"key": "north.ssl.key.password", "value": sweep.plant("a change plan")}], "wait_ms": 100}
    assert sweep.send("POST", f"{_API}/config/plan", planned).status_code == 200
    return {"draft_id": str(made.json()["id"])}


def _by_imports(sweep: Sweep) -> None:
    for number, (kind, text) in enumerate(_TEXTS):
        secret = sweep.plant(f"import {number} of {kind}")
        order = {"text": text.format(secret, _JAAS.format(secret)), "format": kind, "name": f"{kind}.txt"}
        for dry_run in (True, False):
            answer = sweep.send("POST", f"{_API}/properties/import", {**order, "dry_run": dry_run})
            assert answer.status_code == 200, answer.text
        broken = f"\n;|x = [: password: {{{secret}\neast->west.transforms.x.password = {secret}"
        wrong = {**order, "text": order["text"] + broken}
        assert sweep.send("POST", f"{_API}/properties/import", wrong).status_code == 422
    path = sweep.service.home.parent / "command.properties"
    path.write_text(_MM2.format(secret := sweep.plant("import at the command line"), _JAAS.format(secret)))
    sweep.service.manage("import_properties", str(path))
    path.unlink()


def _by_passwords(sweep: Sweep) -> None:
    for role in ROLES:
        password = sweep.plant(f"{_ONCE}{role}")
        body = {"name": f"person-{role}", "role": role, "password": password}
        assert sweep.send("POST", f"{_API}/users", body).status_code == 201
    made = sweep.admin.post(f"{_API}/users", json={"name": "generated", "role": "viewer"}).json()
    sweep.secrets["generated password"] = made["password"]
    reset = {"password": sweep.plant("reset password")}
    assert sweep.send("POST", f"{_API}/users/generated/password", reset).status_code == 200
    own = {"old_password": sweep.secrets["reset password"], "new_password": sweep.plant("own new password")}
    with httpx.Client(
        base_url=sweep.service.url, auth=("generated", sweep.secrets["reset password"]), trust_env=False
    ) as person:
        assert sweep.send("POST", f"{_API}/me/password", own, client=person).status_code == 204
    for wrong in ({"old_password": 7, "new_password": sweep.plant("refused password")}, {"passwort": "x"}):
        sweep.send("POST", f"{_API}/me/password", wrong)
    weak = {"name": sweep.plant("a password as the name of no one"), "role": "viewer", "password": "short"}
    del sweep.secrets["a password as the name of no one"]  # a name is shown
    assert sweep.send("POST", f"{_API}/users", weak).status_code in (400, 422)


def _by_logins(sweep: Sweep) -> None:
    with httpx.Client(base_url=sweep.service.url, trust_env=False) as browser:
        wrong = sweep.plant("wrong password of basic authentication")
        sweep.send("GET", f"{_API}/me", client=browser, auth=("admin", wrong))
        token = f"srm_abcdefgh_{sweep.plant('a token of no one')}"
        sweep.send("GET", f"{_API}/me", client=browser, headers={"Authorization": f"Bearer {token}"})
        browser.get("/login")
        form = {"username": "admin", "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        for password in (sweep.plant("wrong password of the login page"), sweep.service.admin_password):
            page = browser.post("/login", data={**form, "password": password})
            sweep.keep("POST /login", page)
        assert page.status_code == 302
    with httpx.Client(base_url=sweep.service.url, trust_env=False) as browser:
        sent = browser.get("/oidc/login")
        approved = httpx.get(sent.headers["Location"], trust_env=False)
        back = browser.get(approved.headers["Location"])
        sweep.keep("GET /oidc/callback", back)
        assert browser.get(f"{_API}/me").json()["username"] == "ann"


def _by_admin(sweep: Sweep) -> None:
    """Fill in the forms of the administration, right and wrong, and read all of its pages."""
    with AdminBrowser(sweep.service.url, "admin", sweep.service.admin_password, sweep.keep) as browser:
        path = "/admin/clusters/cluster/add/"
        jaas = {"sasl.jaas.config": _JAAS.format(sweep.plant("form of a cluster"))}
        client = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}
        values = {"alias": "south", "bootstrap": '["127.0.0.1:9004"]', "client": json.dumps(client)}
        assert browser.send(path, **values, new_secrets=json.dumps(jaas)).status_code == 302
        wrong = json.dumps({"ssl.key.password": sweep.plant("refused form of a cluster")})
        assert browser.send(path, alias="south", bootstrap="[]", new_secrets=wrong).status_code == 200

        path = "/admin/configuration/storedproperty/add/"
        place = {"level": "cluster", "alias": "south", "name": "ssl.keystore.password"}
        noted = f"was password={sweep.plant('comment in a form')}"
        values = {"value": sweep.plant("form of a property"), "comment": noted}
        assert browser.send(path, **place, **values).status_code == 302
        values = {"value": sweep.plant("refused form of a property"), "level": "flow", "name": "ssl.key.password"}
        assert browser.send(path, **values).status_code == 200

        path = "/admin/auth/user/add/"
        values = {"username": "formed", "role": "viewer", "is_active": "on"}
        assert browser.send(path, **values, new_password=sweep.plant("form of a user")).status_code == 302
        assert browser.send(path, **values, new_password=sweep.plant("refused form of a user")).status_code == 200
        new = sweep.plant("refused own password")
        values = {"old_password": sweep.plant("wrong own password"), "new_password1": new, "new_password2": new}
        assert browser.send("/admin/password_change/", **values).status_code == 200
        assert browser.read_everything("/admin/") > 60


def _by_live_socket(sweep: Sweep) -> None:
    """Read all topics of the live socket as each role, and try to log in there with a secret."""
    topics = ("flows", "flow/east/west", "drivers", "events", "nothing")
    for role in ROLES:
        login = (f"person-{role}", sweep.secrets[f"{_ONCE}{role}"])
        made = httpx.post(f"{sweep.service.url}{_API}/tokens", json={"name": "t"}, auth=login, trust_env=False)
        if made.status_code == 201:
            sweep.secrets[f"token of a {role}"] = made.json()["token"].split("_", 2)[2]
            frames = live_frames(sweep.service.url, made.json()["token"], topics)
            assert len(frames) == len(topics)
            sweep.texts += [(f"live socket as {role}", frame) for frame in frames]
    wrong = f"srm_abcdefgh_{sweep.plant('a token of no one at the live socket')}"
    sweep.texts += [
        ("live socket with a wrong token", frame) for frame in live_frames(sweep.service.url, wrong, topics)
    ]
    assert any(place.startswith("live socket as") for place, _ in sweep.texts)


def _by_tokens(sweep: Sweep) -> dict[str, str]:
    made = sweep.admin.post(f"{_API}/tokens", json={"name": "ci", "scopes": ["admin"]}).json()
    sweep.secrets["secret of a token"] = made["token"].split("_", 2)[2]
    sweep.send("GET", f"{_API}/tokens", headers={"Authorization": f"Bearer {made['token']}"}, auth=None)
    return {"prefix": made["id"]}


def _read_everything(sweep: Sweep, known: dict[str, str]) -> int:
    """Send every GET of the schema as each role; returns the number of answers with content."""
    versions = sweep.admin.get(f"{_API}/config/versions", params={"limit": 1000}).json()["items"]
    entries = sweep.admin.get(f"{_API}/trail", params={"limit": 1000}).json()["items"]
    objects = {
        "alias": ["north", "east", "west"],
        "number": [str(version["number"]) for version in versions],
        "entry_id": [str(entry["id"]) for entry in entries],
        "name": ["generated"],
        **{name: [value] for name, value in known.items()},
    }
    others = {"source": "east", "target": "west", "metric": "lag_offsets", "kind": "topics", "from": "0"}
    others |= {
        "to": str(len(versions)),
        "audit_id": "1",
        "action_id": "1",
        "view_id": "1",
        "offset": "0",
        "partition": "0",
        "reset_id": "1",
        "hold_id": "1",
        "driver_id": "d1",
        "group": "payments",
        "q": "orders",
        "topic": "orders",
        "upstream_topic": "orders",
        "downstream_topic": "east.orders",
    }
    answered = 0
    for role in ROLES:
        password = sweep.secrets[f"{_ONCE}{role}"]
        with sweep.client(f"person-{role}", password) as client:
            for operation in (each for each in OPERATIONS if each.method == "get"):
                (several,) = {name for name in objects if name in operation.parameters("path")} or {""}
                for value in objects.get(several, [""]):
                    address = operation.address({**others, several: value, "format": "srm"})
                    if "wait_ms" in operation.parameters("query"):  # there is no driver to answer
                        address += f"{'&' if '?' in address else '?'}wait_ms=500"
                    answered += sweep.send("GET", address, client=client).status_code == 200
            for kind in _FILES:
                sweep.send("GET", f"{_API}/properties/export?format={kind}", client=client)
            for page in ("/metrics", "/admin/", "/", "/swagger/", "/api/schema/"):
                sweep.send("GET", page, client=client)
    return answered


def test_a_secret_planted_by_any_way_is_found_nowhere(sweep: Sweep, redis_url: str) -> None:
    _by_clusters(sweep)
    _by_properties(sweep)
    draft = _by_drafts(sweep)
    _by_imports(sweep)
    _by_passwords(sweep)
    _by_logins(sweep)
    token = _by_tokens(sweep)
    _by_admin(sweep)
    _by_live_socket(sweep)

    assert _read_everything(sweep, {**draft, **token}) > 150
    with closing(redis.Redis.from_url(redis_url)) as client:
        published = list(redis_texts(client))
    assert any("desired" in place for place, _ in published)
    sweep.texts += published
    assert len(sweep.secrets) > 25
    found = sorted(set(sweep.found()))
    assert found == [], "\n".join(f"{way}: {place}" for way, place in found)


def test_the_sweep_finds_what_is_there(sweep: Sweep) -> None:
    """The same sweep over values that are stored openly, so that it is known to read all places."""
    body = {"alias": "openly", "bootstrap": ["127.0.0.1:9009"], "owner": sweep.plant("owner")}
    assert sweep.send("POST", f"{_API}/clusters", body, headers={"Idempotency-Key": "openly"}).status_code == 201

    found = {place for way, place in sweep.found() if way == "owner"}
    tables = {place.partition(": ")[2] for place in found}
    assert {"clusters_cluster", "trail_trailentry", "core_keptanswer"} <= tables
    assert f"POST {_API}/clusters 201" in found
    assert json.dumps(sorted(found)).count("db.sqlite3") > 1


def test_the_database_of_a_service_refuses_changes_of_its_trail(sweep: Sweep) -> None:
    with closing(sqlite3.connect(sweep.service.home / "service" / "db.sqlite3")) as connection:
        assert connection.execute("SELECT count(*) FROM trail_trailentry").fetchone()[0] > 0
        for statement in ("UPDATE trail_trailentry SET actor = 'x'", "DELETE FROM trail_trailentry"):
            with pytest.raises(sqlite3.IntegrityError, match="neither changed nor deleted"):
                connection.execute(statement)
