"""Stores as Java's keytool writes them."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from replication.config.security.keystores import StoreError, read_store
from tests.support.servers.pki import STORE_PASSWORD, Authority, Identity

KEY_PASSWORD = "key, secret"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="module")
def identity(authority: Authority) -> Identity:
    return authority.issue("client")


@pytest.fixture(scope="module")
def jks(identity: Identity, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return identity.write_jks(tmp_path_factory.mktemp("jks") / "me.jks", KEY_PASSWORD)


def test_a_jks_store_gives_the_key_and_its_chain(jks: Path, identity: Identity) -> None:
    content = read_store(str(jks), STORE_PASSWORD, KEY_PASSWORD)

    assert "".join(content.chain) == identity.chain_pem
    assert load_pem_private_key((content.key or "").encode(), None).private_numbers() == identity.key.private_numbers()  # type: ignore[union-attr]


def test_a_pkcs12_store_gives_the_key_and_its_chain(identity: Identity, tmp_path: Path) -> None:
    content = read_store(str(identity.write_pkcs12(tmp_path / "me.p12")), STORE_PASSWORD, None)

    assert "".join(content.chain) == identity.chain_pem
    assert content.key is not None


@pytest.mark.parametrize("kind", ["JKS", "PKCS12"])
def test_a_trust_store_gives_its_certificates(kind: str, authority: Authority, tmp_path: Path) -> None:
    path = authority.write_truststore(tmp_path / "trusted", kind)

    content = read_store(str(path), STORE_PASSWORD, None)

    assert content.certificates == (authority.root_pem,)
    assert content.key is None


def test_a_jks_trust_store_opens_without_a_password_as_in_java(authority: Authority, tmp_path: Path) -> None:
    path = authority.write_truststore(tmp_path / "trusted.jks", "JKS")
    assert read_store(str(path), None, None).certificates == (authority.root_pem,)


def test_a_damaged_jks_store_is_noticed_by_its_digest(jks: Path, tmp_path: Path) -> None:
    data = bytearray(jks.read_bytes())
    data[40] ^= 1
    damaged = tmp_path / "damaged.jks"
    damaged.write_bytes(data)

    with pytest.raises(StoreError, match="password does not fit"):
        read_store(str(damaged), STORE_PASSWORD, KEY_PASSWORD)


@pytest.mark.parametrize(("store", "key"), [("wrong", KEY_PASSWORD), (STORE_PASSWORD, "wrong"), (STORE_PASSWORD, None)])
def test_a_wrong_password_is_told_without_showing_it(jks: Path, store: str, key: str | None) -> None:
    with pytest.raises(StoreError, match="password does not fit") as caught:
        read_store(str(jks), store, key)
    assert STORE_PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "part"),
    [
        pytest.param(b"nonsense", "neither PEM nor PKCS12 nor JKS", id="nonsense"),
        pytest.param(b"\xce\xce\xce\xce\0\0", "JCEKS", id="jceks"),
        pytest.param(b"\xfe\xed\xfe\xed\0\0", "ends too early", id="half a store"),
        pytest.param(b"-----BEGIN RUBBISH-----", "no certificate", id="pem without certificates"),
    ],
)
def test_other_files_are_refused_with_the_remedy(data: bytes, part: str, tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.write_bytes(data)
    with pytest.raises(StoreError, match=part):
        read_store(str(path), None, None)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(StoreError, match="/no/such/store"):
        read_store("/no/such/store", None, None)
