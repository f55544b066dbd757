"""Flows in Django's admin, with their holds and resets; settings follow from the property tree."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.forms.admin_forms import ORIGIN, REFUSALS, VersionedForm, store
from srm_service.configuration.forms.fields import FLOW_FIELDS, flow_changes, flow_removal
from srm_service.configuration.selectors import current_tree
from srm_service.core.web.admin_models import AnyInline, RoleRights, ServiceModelAdmin
from srm_service.flows.models import Flow, FlowHold, FlowReset
from srm_service.flows.orders import (
    OrderNotFoundError,
    flow_throttle_set,
    hold_release,
    hold_set,
    reset_withdraw,
    resets_request,
)
from srm_service.flows.services import FlowChangeError, FlowNotFoundError
from srm_service.trail.contracts import flow_subject

_THROTTLE = "throttle_bytes_per_second"
_FORM_FIELDS = tuple(FLOW_FIELDS)
_STATE = ("state", "pause_reason", "pause_by", "pause_until", "problem")


class FlowForm(VersionedForm):
    """The fields of a flow that are keys of the property tree, and its throttle."""

    class Meta:
        model = Flow
        fields = ("source", "target", *_FORM_FIELDS, _THROTTLE)

    def changes(self) -> list[PropertyChange]:
        source, target = self.pair()
        is_new = self.instance.pk is None
        names = [name for name in _FORM_FIELDS if is_new or name in self.changed_data]
        return flow_changes(source, target, {name: self.cleaned_data[name] for name in names}, origin=ORIGIN)

    def pair(self) -> tuple[str, str]:
        """Return the aliases of the flow's clusters."""
        values = self.cleaned_data
        source, target = (values.get(side) or getattr(self.instance, side) for side in ("source", "target"))
        return source.alias, target.alias


class FlowHoldInline(RoleRights, AnyInline):
    """The holds of a flow; deleting one releases it."""

    model = FlowHold
    fields = ("topic", "partition", "until", "reason", "held_by")
    readonly_fields = ("held_by",)
    extra = 0


class FlowResetInline(RoleRights, AnyInline):
    """The resets of a flow; deleting one withdraws it."""

    model = FlowReset
    may_change = False
    fields = ("topic", "partition", "to", "state", "requested_by", "ended_at")
    readonly_fields = ("state", "requested_by", "ended_at")
    extra = 0


@admin.register(Flow)
class FlowModelAdmin(ServiceModelAdmin):
    """Flows; each change of settings makes a version of the configuration."""

    form = FlowForm
    list_display = ("name", "enabled", "state", "tasks_max", "delivery", "problem", "updated_at")
    list_filter = ("enabled", "state", "source", "target")
    list_select_related = ("source", "target")
    search_fields = ("source__alias", "target__alias")
    fields = ("source", "target", *_FORM_FIELDS, _THROTTLE, *_STATE, "version")
    inlines = (FlowHoldInline, FlowResetInline)
    refusals = (*REFUSALS, FlowChangeError, FlowNotFoundError, OrderNotFoundError)

    @admin.display(description="flow", ordering="source__alias")
    def name(self, flow: Flow) -> str:
        return f"{flow.source.alias}->{flow.target.alias}"

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return _STATE if obj is None else ("source", "target", *_STATE)

    def save_model(self, request: HttpRequest, obj: Flow, form: FlowForm, change: bool) -> None:
        source, target = form.pair()
        comment = f"{source}->{target} in the admin"
        action, version = "flow.change" if change else "flow.create", form.cleaned_data["version"]
        subjects = [flow_subject(source, target)]
        store(request, form.changes(), version=version, comment=comment, action=action, subjects=subjects)
        if _THROTTLE in form.changed_data:
            limit, by = form.cleaned_data[_THROTTLE], request.user.get_username()
            flow_throttle_set(source=source, target=target, bytes_per_second=limit, by=by)
        obj.pk = Flow.objects.get(source__alias=source, target__alias=target).pk

    def delete_model(self, request: HttpRequest, obj: Flow) -> None:
        source, target = obj.source.alias, obj.target.alias
        changes = flow_removal(current_tree(), source, target)
        comment, subjects = f"{source}->{target} removed in the admin", [flow_subject(source, target)]
        store(request, changes, version=None, comment=comment, action="flow.delete", subjects=subjects)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Give the orders that the rows ask for."""
        changed = formset.save(commit=False)
        source, target = form.pair()
        common = {"source": source, "target": target, "by": request.user.get_username()}
        for row in formset.deleted_objects:
            _withdraw(row, common)
        earlier = {each.initial["id"]: each.initial for each in formset.initial_forms if "id" in each.initial}
        for row in changed:
            _order(row, common, earlier.get(row.pk))


def _withdraw(row: FlowHold | FlowReset, common: Mapping[str, Any]) -> None:
    if isinstance(row, FlowHold):
        hold_release(**common, hold_id=row.pk)
    else:
        reset_withdraw(**common, key=row.key)


def _order(row: FlowHold | FlowReset, common: Mapping[str, Any], earlier: Mapping[str, Any] | None) -> None:
    if isinstance(row, FlowReset):
        resets_request(**common, topic=row.topic, partitions=[row.partition], to=row.to)
        return
    if earlier is not None and (earlier["topic"], earlier["partition"]) != (row.topic, row.partition):
        hold_release(**common, hold_id=row.pk)
    hold_set(**common, topic=row.topic, partition=row.partition, until=row.until, reason=row.reason)
