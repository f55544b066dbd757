"""The rights of a connection test: what flows need, compared with what the brokers report."""

from replication.domain.connection_test.rights import ClusterUse, missing_rights_text, rights_of

_ALL = frozenset({"describe", "create", "alter"})


def allowed(
    uses: set[ClusterUse], cluster: frozenset[str], topics: dict[str, frozenset[str]]
) -> dict[str, bool | None]:
    return {right.operation: right.allowed for right in rights_of(uses, cluster, topics)}


def test_a_source_needs_to_describe_and_read() -> None:
    topics = {"a": frozenset({"describe", "read"}), "b": frozenset({"describe"})}

    assert allowed({"source"}, _ALL, topics) == {"describe": True, "read": True}


def test_a_target_needs_to_write_and_create_too() -> None:
    topics = {"a": frozenset({"describe", "read"})}

    assert allowed({"target"}, _ALL, topics) == {"describe": True, "write": False, "create": True}


def test_a_right_to_create_topics_with_a_prefix_is_unknown() -> None:
    assert allowed({"target"}, frozenset({"describe"}), {"a": frozenset({"describe", "write"})})["create"] is None


def test_an_empty_cluster_does_not_tell() -> None:
    assert allowed({"source"}, _ALL, {}) == {"describe": None, "read": None}


def test_a_principal_that_sees_nothing_lacks_everything() -> None:
    rights = rights_of({"source"}, frozenset(), {})

    assert missing_rights_text(rights) == "describe on topics, read on topics"
