"""Clusters in Django's admin; they follow from the property tree, which the forms change."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from srm_service.clusters.models import Cluster
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.forms.admin_forms import ORIGIN, REFUSALS, VersionedForm, store
from srm_service.configuration.forms.fields import aliases_change, aliases_in, cluster_changes, cluster_removal
from srm_service.configuration.selectors import current_tree
from srm_service.core.web.admin_models import ServiceModelAdmin
from srm_service.trail.contracts import TrailSubject


class WriteOnlyTextarea(forms.Textarea):
    """A text that is never shown again, not even in a form that is refused."""

    def format_value(self, value: Any) -> str:
        return ""


class ClusterForm(VersionedForm):
    """A cluster. Secrets are written only: a name with an empty value is removed."""

    new_secrets = forms.JSONField(
        required=False,
        initial=dict,
        widget=WriteOnlyTextarea,
        help_text='Such as {"sasl.jaas.config": "..."}; stored secrets are not shown.',
    )

    class Meta:
        model = Cluster
        fields = ("alias", "bootstrap", "client")

    def changes(self) -> list[PropertyChange]:
        values = self.cleaned_data
        alias = self.instance.alias or values["alias"]
        known = self.instance.client if self.instance.pk is not None else {}
        client: dict[str, str | None] = dict.fromkeys(self.initial.get("client", known))
        client |= values["client"] or {}
        client |= {name: value or None for name, value in (values.get("new_secrets") or {}).items()}
        changes = cluster_changes(alias, bootstrap=values["bootstrap"], client=client, origin=ORIGIN)
        aliases = aliases_in(current_tree())
        return changes if alias in aliases else [aliases_change([*aliases, alias], origin=ORIGIN), *changes]


@admin.register(Cluster)
class ClusterModelAdmin(ServiceModelAdmin):
    """Clusters; each change makes a version of the configuration."""

    form = ClusterForm
    list_display = ("alias", "bootstrap", "problem", "updated_at")
    search_fields = ("alias",)
    fields = ("alias", "bootstrap", "client", "new_secrets", "problem", "version")
    refusals = REFUSALS

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("problem",) if obj is None else ("alias", "problem")

    def save_model(self, request: HttpRequest, obj: Cluster, form: ClusterForm, change: bool) -> None:
        comment = f"cluster {obj.alias} in the admin"
        action, version = "cluster.change" if change else "cluster.create", form.cleaned_data["version"]
        store(request, form.changes(), version=version, comment=comment, action=action, subjects=[_subject(obj)])
        obj.pk = Cluster.objects.get(alias=obj.alias).pk

    def delete_model(self, request: HttpRequest, obj: Cluster) -> None:
        changes = cluster_removal(current_tree(), obj.alias)
        comment = f"cluster {obj.alias} removed in the admin"
        store(request, changes, version=None, comment=comment, action="cluster.delete", subjects=[_subject(obj)])


def _subject(cluster: Cluster) -> TrailSubject:
    return TrailSubject("cluster", cluster.alias)
