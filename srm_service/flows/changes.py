"""Creates, changes and deletes flows: their settings in the property tree, their description in their row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from replication.config.tree.properties import PropertyPlace, PropertyTree
from replication.domain.desired.desired_flow import PolicyChoice
from replication.domain.settings.registry.consumer_groups import SYNC_GROUP_OFFSETS
from srm_service.clusters.selectors import cluster_find
from srm_service.configuration.contracts import AppliedChange, PropertyChange
from srm_service.configuration.forms.changes import FormAuthor, change_tree
from srm_service.configuration.forms.fields import FLOW_FIELDS, flow_changes, flow_removal
from srm_service.flows.actions import DISABLE, ENABLE, OrderDetails, action_record
from srm_service.flows.contracts import FlowSettings
from srm_service.flows.models import Flow, FlowAction
from srm_service.flows.selectors import flow_find, flow_settings
from srm_service.flows.services import FlowChangeError, FlowNotFoundError, OrderedChange, flow_locked
from srm_service.trail.contracts import flow_subject
from srm_service.trail.services import record_description

NEW_FLOW: Mapping[str, Any] = {
    "enabled": True,
    "heartbeats": True,
    "topics_allow": (),
    "groups_allow": (),
}
NEW_FLOW_PROPERTIES: Mapping[str, str] = {SYNC_GROUP_OFFSETS.key: "true"}
NEW_FLOW_ORIGIN = "default of new flows"
SWITCH: Mapping[bool, str] = {True: ENABLE, False: DISABLE}  # events, and actions of the trail
Check = Callable[[FlowSettings], None]


class UnknownClusterError(Exception):
    """A flow needs a cluster that is not registered; `field` is `source` or `target`."""

    def __init__(self, alias: str, field: str) -> None:
        super().__init__(f"there is no cluster {alias}: register it with POST /api/v2/clusters")
        self.field = field


class IncompletePolicyError(Exception):
    """The policy lacks a part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSettingsChange:
    """New values. `fields` are form fields, `properties` keys of the flow; None restores the default."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)  # the parts of the policy that change
    properties: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    description: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFlow:
    """A changed flow; `order` is the id of the order that has enabled or disabled it, None without one."""

    settings: FlowSettings
    order: int | None


def flow_create(source: str, target: str, change: FlowSettingsChange, author: FormAuthor) -> FlowSettings:
    """Create a flow. It copies nothing until its lists allow topics.

    Raises UnknownClusterError, FlowChangeError if it exists, IncompletePolicyError, InvalidChangeError.
    """

    also = partial(_finish, source, target, change.description, author)
    subjects = [flow_subject(source, target)]
    change_tree(
        lambda tree: _creation(source, target, change), author, action="flow.create", subjects=subjects, also=also
    )
    return _known(source, target)


def flow_change(
    source: str, target: str, change: FlowSettingsChange, author: FormAuthor, *, check: Check
) -> ChangedFlow:
    """Change a flow; `check` sees the present one first. Enabling or disabling it is an order.

    Raises FlowNotFoundError, FlowChangeError, IncompletePolicyError, InvalidChangeError, and what `check` raises.
    """

    was: list[bool] = []
    orders: list[FlowAction] = []

    def build(tree: PropertyTree) -> list[PropertyChange]:
        known = _known(source, target)
        check(known)
        was.append(known.enabled)
        # a flow without heartbeats is kept by its own `enabled`
        kept = {"enabled": known.enabled} if change.fields.get("heartbeats") is False else {}
        return _changes(source, target, replace(change, fields={**kept, **change.fields}), known.policy)

    def also() -> None:
        _finish(source, target, change.description, author)
        if _known(source, target).enabled not in was:
            orders.append(switch_record(source, target, author))

    change_tree(build, author, action=_action(change), subjects=[flow_subject(source, target)], also=also)
    return ChangedFlow(settings=_known(source, target), order=orders[0].pk if orders else None)


def flow_delete(source: str, target: str, author: FormAuthor, *, check: Check, dry_run: bool = False) -> None:
    """Delete a flow with its holds and resets. Its positions stay in the target cluster. A dry run only checks.

    Raises FlowNotFoundError, InvalidChangeError, and what `check` raises.
    """

    def build(tree: PropertyTree) -> list[PropertyChange]:
        check(_known(source, target))
        return flow_removal(tree, source, target)

    if dry_run:
        check(_known(source, target))
        return
    change_tree(build, author, action="flow.delete", subjects=[flow_subject(source, target)])


def flow_switch(source: str, target: str, *, enabled: bool, author: FormAuthor, dry_run: bool) -> OrderedChange:
    """Enable or disable a flow. Raises FlowNotFoundError."""
    if dry_run or _known(source, target).enabled == enabled:
        return OrderedChange(_known(source, target).enabled != enabled)
    changes = flow_changes(source, target, {"enabled": enabled})
    orders: list[FlowAction] = []
    applied: AppliedChange = change_tree(
        lambda tree: changes,
        author,
        action=SWITCH[enabled],
        subjects=[flow_subject(source, target)],
        also=lambda: orders.append(switch_record(source, target, author)),
    )
    return OrderedChange(applied.is_new, orders[0] if orders else None)


def switch_record(source: str, target: str, author: FormAuthor) -> FlowAction:
    """Store the order that has enabled or disabled a flow, in the transaction of its change."""
    flow = flow_locked(source, target)
    return action_record(flow, SWITCH[flow.enabled], by=author.by, order=OrderDetails(reason=author.comment))


def drafted_changes(source: str, target: str, change: FlowSettingsChange) -> list[PropertyChange]:
    """Return the changes of the tree that create a flow, or change one that exists; nothing is stored.

    Raises UnknownClusterError, IncompletePolicyError.
    """
    known = flow_settings(source, target)
    if known is None:
        return _creation(source, target, change)
    return _changes(source, target, change, known.policy)


def _creation(source: str, target: str, change: FlowSettingsChange) -> list[PropertyChange]:
    for place, alias in (("source", source), ("target", target)):
        if cluster_find(alias) is None:
            raise UnknownClusterError(alias, place)
    if flow_find(source, target) is not None:
        raise FlowChangeError(f"there is a replication {source}->{target} already: change it with PATCH")
    unset = {name: value for name, value in NEW_FLOW.items() if FLOW_FIELDS[name].key not in change.properties}
    wanted = replace(change, fields={**unset, **change.fields})
    return [*_new_flow_properties(source, target, change), *_changes(source, target, wanted, PolicyChoice())]


def _action(change: FlowSettingsChange) -> str:
    """Return the action of the trail."""
    is_switch = change.fields.keys() == {"enabled"} and not (change.policy or change.properties)
    return SWITCH[bool(change.fields["enabled"])] if is_switch else "flow.change"


def _new_flow_properties(source: str, target: str, change: FlowSettingsChange) -> list[PropertyChange]:
    """Return the properties that only new flows have by default; their origin tells them from those of a form."""
    return [
        PropertyChange(
            place=PropertyPlace(level="flow", source=source, target=target, name=name),
            value=value,
            origin=NEW_FLOW_ORIGIN,
        )
        for name, value in NEW_FLOW_PROPERTIES.items()
        if name not in change.properties
    ]


def _changes(source: str, target: str, change: FlowSettingsChange, policy: PolicyChoice) -> list[PropertyChange]:
    fields = dict(change.fields)
    if change.policy:
        fields["policy"] = _policy(policy, change.policy)
    named = [
        PropertyChange(
            place=PropertyPlace(level="flow", source=source, target=target, name=name), value=value, origin="form"
        )
        for name, value in change.properties.items()
    ]
    return [*named, *flow_changes(source, target, fields)]


def _policy(present: PolicyChoice, parts: Mapping[str, Any]) -> PolicyChoice:
    wanted = replace(present, **parts)
    if wanted.kind != "template":
        return replace(wanted, template=None)
    if not wanted.template:
        raise IncompletePolicyError("the policy template needs a template, such as {source}.{topic}")
    return wanted


def _finish(source: str, target: str, description: Mapping[str, Any], author: FormAuthor) -> None:
    """Write the description. Raises FlowChangeError, which undoes the change, if no flow follows from the tree."""
    flow = Flow.objects.select_for_update(of=("self",)).filter(source__alias=source, target__alias=target).first()
    if flow is None:
        raise FlowChangeError(f"{source}->{target} would be removed by this change: delete it instead")
    if description:
        before = {name: getattr(flow, name) for name in description}
        for name, value in description.items():
            setattr(flow, name, value)
        flow.full_clean(validate_unique=False, validate_constraints=False)
        flow.save(update_fields=[*description, "updated_at"])
        record_description(
            flow_subject(source, target), by=author.by, before=before, after=description, reason=author.comment
        )


def _known(source: str, target: str) -> FlowSettings:
    known = flow_settings(source, target)
    if known is None:
        raise FlowNotFoundError(f"there is no replication {source}->{target}; GET /api/v2/replications lists all")
    return known
