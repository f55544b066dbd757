"""Principals that may read a group on the source and not on the target."""

from replication.domain.groups.judgement.group_rights import ClusterReaders, missing_reads, rights_cause
from replication.domain.plan.acl import AclEntry, GroupAcl, Pattern, Permission, TopicAcl

REMOTE = {"t": "a.t", "u": "a.u"}


def entry(principal: str, operation: str = "read", permission: Permission = "allow", host: str = "*") -> AclEntry:
    return AclEntry(principal=f"User:{principal}", host=host, operation=operation, permission=permission)


def topic(name: str, given: AclEntry, pattern: Pattern = "literal") -> TopicAcl:
    return TopicAcl(topic=name, entry=given, pattern=pattern)


def group(name: str, given: AclEntry, pattern: Pattern = "literal") -> GroupAcl:
    return GroupAcl(group=name, entry=given, pattern=pattern)


ANN = entry("ann")
SOURCE = ClusterReaders.of([topic("t", ANN), topic("u", entry("bob"))], [group("g", ANN), group("g", entry("bob"))])
NOTHING = ClusterReaders.of([], [])


def missing(target: ClusterReaders, source: ClusterReaders = SOURCE) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.principal, each.resources) for each in missing_reads("g", REMOTE, source, target)]


def test_each_principal_is_named_with_what_it_lacks() -> None:
    target = ClusterReaders.of([topic("a.t", ANN)], [group("g", entry("bob"))])

    assert missing(target) == [("User:ann", ("group g",)), ("User:bob", ("topic a.u",))]


def test_equal_rights_are_no_finding() -> None:
    target = ClusterReaders.of(
        [topic("a.", ANN, "prefixed"), topic("*", entry("bob", "all"))], [group("*", entry("*"))]
    )

    assert missing(target) == []


def test_a_denial_is_stronger() -> None:
    target = ClusterReaders.of(
        [topic("a.", ANN, "prefixed"), topic("a.t", entry("ann", permission="deny")), topic("a.u", entry("bob"))],
        [group("g", ANN), group("g", entry("bob"))],
    )

    assert missing(target) == [("User:ann", ("topic a.t",))]


def test_a_denial_of_one_host_leaves_the_others() -> None:
    target = ClusterReaders.of(
        [topic("*", ANN), topic("*", entry("bob")), topic("*", entry("ann", permission="deny", host="10.0.0.1"))],
        [group("*", entry("*"))],
    )

    assert missing(target) == []


def test_who_reads_the_group_or_the_topics_only_is_no_reader() -> None:
    source = ClusterReaders.of([topic("t", ANN)], [group("g", entry("bob")), group("other", ANN)])
    writer = ClusterReaders.of([topic("t", entry("ann", "write"))], [group("g", ANN)])

    assert missing(NOTHING, source) == []
    assert missing(NOTHING, writer) == []


def test_the_cause_names_principals_resources_and_the_remedy() -> None:
    target = ClusterReaders.of([topic("a.t", ANN)], [group("g", entry("bob"))])

    found = rights_cause("g", REMOTE, SOURCE, target, "b")

    assert found is not None
    assert found.code == "missing_rights"
    assert "User:ann on group g; User:bob on topic a.u" in found.text
    assert found.remedy == "Grant READ on the group and its remote topics on b to User:ann, User:bob."


def test_a_target_without_any_binding_is_not_judged() -> None:
    assert rights_cause("g", REMOTE, SOURCE, NOTHING, "b") is None


def test_many_principals_are_counted() -> None:
    readers = [entry(f"p{number}") for number in range(5)]
    source = ClusterReaders.of([topic("t", each) for each in readers], [group("g", each) for each in readers])

    found = rights_cause("g", REMOTE, source, ClusterReaders.of([topic("x", ANN)], []), "b")

    assert found is not None
    assert found.text.endswith("User:p2 on group g, topic a.t; and 2 more.")
