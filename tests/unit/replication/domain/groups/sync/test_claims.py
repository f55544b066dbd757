"""Groups that two flows would write on one target."""

from collections.abc import Mapping

from replication.domain.groups.sync.claims import GroupHolder, TakenGroup, taken_cause, taken_groups
from replication.domain.identifiers import FlowId

ANTON, BERTA = FlowId("anton", "z"), FlowId("berta", "z")
WANTED = {"g": frozenset({"t", "u"}), "h": frozenset({"v"})}


def holder(
    flow: FlowId, groups: Mapping[str, frozenset[str] | None], topics: tuple[str, ...] = ("t", "v")
) -> GroupHolder:
    return GroupHolder(flow=flow, groups=groups, remote_topics=frozenset(topics))


def test_the_flow_that_has_a_group_keeps_it() -> None:
    others = [holder(BERTA, {"g": None})]

    assert taken_groups(ANTON, WANTED, [], others) == (TakenGroup(group="g", flow=BERTA, remote_topics=("t",)),)
    assert taken_groups(ANTON, WANTED, ["h"], others) == (TakenGroup(group="g", flow=BERTA, remote_topics=("t",)),)


def test_of_two_that_have_it_the_first_by_alias_keeps_it() -> None:
    assert taken_groups(ANTON, WANTED, ["g"], [holder(BERTA, {"g": None})]) == ()
    assert [each.group for each in taken_groups(BERTA, WANTED, ["g"], [holder(ANTON, {"g": None})])] == ["g"]


def test_a_group_with_offsets_on_other_remote_topics_is_no_conflict() -> None:
    prefixed = holder(BERTA, {"g": None}, ("berta.t", "berta.u"))
    elsewhere = holder(BERTA, {"g": frozenset({"w"})}, ("t", "u", "w"))

    assert taken_groups(ANTON, WANTED, [], [prefixed, elsewhere]) == ()


def test_the_flow_is_no_rival_of_itself() -> None:
    assert taken_groups(ANTON, WANTED, [], [holder(ANTON, {"g": None})]) == ()


def test_the_cause_names_flow_and_topics() -> None:
    taken = TakenGroup(group="g", flow=BERTA, remote_topics=("t", "u", "v", "w"))

    found = taken_cause(taken)

    assert found.code == "taken_by_another_flow"
    assert found.text == "The flow berta->z writes this group's offsets of t, u, v and 1 more on z."
