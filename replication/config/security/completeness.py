"""The client settings that a cluster elsewhere needs: nothing about it follows from this machine."""

from collections.abc import Mapping


def missing_settings(client: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys that are missing for a connection; alternatives are joined by `or`."""
    given = {name for name, value in client.items() if value.strip()}
    protocol = client.get("security.protocol", "").strip().upper()
    if not protocol:
        return ("security.protocol",)
    missing: list[str] = []
    if protocol.endswith("SSL") and not given & {"ssl.truststore.location", "ssl.truststore.certificates"}:
        missing.append("ssl.truststore.location or ssl.truststore.certificates")
    if protocol.startswith("SASL"):
        missing += _missing_login(client, given)
    return tuple(missing)


def _missing_login(client: Mapping[str, str], given: set[str]) -> list[str]:
    missing = [] if "sasl.mechanism" in given else ["sasl.mechanism"]
    uses_endpoint = (
        client.get("sasl.mechanism", "").strip().upper() == "OAUTHBEARER"
        and "sasl.oauthbearer.token.endpoint.url" in given
    )
    if "sasl.jaas.config" not in given and not uses_endpoint:
        missing.append("sasl.jaas.config")
    return missing
