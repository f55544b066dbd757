"""The ACLs that remote topics get (MirrorSourceConnector.syncTopicAcls), and those that are removed."""

import pytest

from replication.domain.plan.acl import AclEntry, AclSteps, Permission, TopicAcl, diff_acls, wanted_acls


def acl(topic: str, operation: str, permission: Permission = "allow", *, prefixed: bool = False) -> TopicAcl:
    entry = AclEntry(principal="User:ann", host="*", operation=operation, permission=permission)
    return TopicAcl(topic=topic, entry=entry, pattern="prefixed" if prefixed else "literal")


REMOTE = {"t": "a.t", "u": "a.u"}


@pytest.mark.parametrize(
    ("upstream", "expected"),
    [
        pytest.param(acl("t", "read"), acl("a.t", "read"), id="reading"),
        pytest.param(acl("t", "describe"), acl("a.t", "describe"), id="describing"),
        pytest.param(acl("t", "write"), None, id="only the flow writes to a copy"),
        pytest.param(acl("t", "all"), acl("a.t", "read"), id="everything becomes reading"),
        pytest.param(acl("t", "all", "deny"), acl("a.t", "all", "deny"), id="a denial stays whole"),
        pytest.param(acl("t", "write", "deny"), acl("a.t", "write", "deny"), id="a denial of writing stays"),
        pytest.param(acl("t", "read", prefixed=True), None, id="prefixes are not carried over"),
        pytest.param(acl("other", "read"), None, id="a topic that is not replicated"),
        pytest.param(acl("*", "read"), None, id="all topics"),
    ],
)
def test_bindings_are_carried_over_as_mirrormaker_does(upstream: TopicAcl, expected: TopicAcl | None) -> None:
    assert wanted_acls([upstream], REMOTE) == ({expected} if expected else set())


READ, DESCRIBE = acl("a.t", "read"), acl("a.t", "describe")


@pytest.mark.parametrize(
    ("wanted", "actual", "owned", "prune", "steps"),
    [
        pytest.param({READ}, set(), set(), False, AclSteps(create=(READ,)), id="missing"),
        pytest.param({READ}, {READ}, set(), False, AclSteps(), id="there"),
        pytest.param(set(), {READ}, {READ}, False, AclSteps(), id="nothing is deleted unasked"),
        pytest.param(set(), {READ}, {READ}, True, AclSteps(delete=(READ,)), id="ours, and asked for"),
        pytest.param(set(), {READ}, set(), True, AclSteps(), id="somebody else's stays even then"),
        pytest.param(set(), set(), {READ}, True, AclSteps(), id="ours, gone already"),
        pytest.param({DESCRIBE}, {READ}, {READ}, True, AclSteps(create=(DESCRIBE,), delete=(READ,)), id="both"),
    ],
)
def test_only_our_own_bindings_are_ever_deleted(
    wanted: set[TopicAcl], actual: set[TopicAcl], owned: set[TopicAcl], prune: bool, steps: AclSteps
) -> None:
    assert diff_acls(frozenset(wanted), frozenset(actual), frozenset(owned), prune=prune) == steps
