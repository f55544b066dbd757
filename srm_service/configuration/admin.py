"""Properties and versions in Django's admin."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from replication.config.security.secrets import is_secret_name
from srm_service.configuration.contracts import HIDDEN_VALUE, PropertyChange
from srm_service.configuration.forms.admin_forms import ORIGIN, REFUSALS, VersionedForm, store
from srm_service.configuration.models import ConfigEdit, ConfigVersion, StoredProperty
from srm_service.configuration.selectors import cell_of, place_of
from srm_service.core.web.admin_models import ReadOnlyInline, ReadOnlyModelAdmin, ServiceModelAdmin


class PropertyForm(VersionedForm):
    """A property. A stored secret is shown as a placeholder, which keeps it."""

    class Meta:
        model = StoredProperty
        fields = ("level", "alias", "source", "target", "name", "value", "comment")
        widgets = {"value": forms.Textarea(attrs={"rows": 2}), "comment": forms.Textarea(attrs={"rows": 2})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            self.initial["value"] = cell_of(self.instance).shown

    def changes(self) -> list[PropertyChange]:
        for name in ("level", "alias", "source", "target", "name"):
            if name in self.cleaned_data:
                setattr(self.instance, name, self.cleaned_data[name])
        values = self.cleaned_data
        place = place_of(self.instance)
        return [PropertyChange(place=place, value=values["value"], comment=values["comment"], origin=ORIGIN)]

    def _post_clean(self) -> None:
        """Skip the model's validation: the place was checked with the change, and secrets are not in `value`.

        A form that is refused is shown again, without a secret.
        """
        if self.errors and is_secret_name(str(self.data.get("name") or self.instance.name)):
            self.data = {**self.data, "value": self.initial.get("value", "")}


@admin.register(StoredProperty)
class StoredPropertyAdmin(ServiceModelAdmin):
    """The properties of the tree; each change makes a version."""

    form = PropertyForm
    list_display = ("key", "shown", "level", "comment", "origin")
    list_filter = ("level", "alias", "source", "target")
    search_fields = ("name", "comment")
    fields = ("level", "alias", "source", "target", "name", "value", "comment", "version")
    refusals = REFUSALS

    @admin.display(description="key", ordering="name")
    def key(self, row: StoredProperty) -> str:
        return place_of(row).key

    @admin.display(description="value")
    def shown(self, row: StoredProperty) -> str:
        return cell_of(row).shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else ("level", "alias", "source", "target", "name")

    def save_model(self, request: HttpRequest, obj: StoredProperty, form: PropertyForm, change: bool) -> None:
        store(
            request, form.changes(), version=form.cleaned_data["version"], comment=f"{place_of(obj).key} in the admin"
        )
        stored = StoredProperty.objects.filter(
            level=obj.level, alias=obj.alias, source=obj.source, target=obj.target, name=obj.name
        ).first()
        obj.pk = stored.pk if stored is not None else obj.pk

    def delete_model(self, request: HttpRequest, obj: StoredProperty) -> None:
        place = place_of(obj)
        store(request, [PropertyChange(place=place, value=None)], version=None, comment=f"{place.key} removed")


class ConfigEditInline(ReadOnlyInline):
    """The edits of a version; secrets are hidden."""

    model = ConfigEdit
    fields = ("key", "value_before", "value_after")
    readonly_fields = fields

    @admin.display(description="key")
    def key(self, row: ConfigEdit) -> str:
        return place_of(row).key

    @admin.display(description="before")
    def value_before(self, row: ConfigEdit) -> str:
        return _shown(row.before)

    @admin.display(description="after")
    def value_after(self, row: ConfigEdit) -> str:
        return _shown(row.after)


@admin.register(ConfigVersion)
class ConfigVersionAdmin(ReadOnlyModelAdmin):
    """The versions of the configuration; REST and srm-control revert to one."""

    list_display = ("number", "at", "author", "comment", "dialect")
    search_fields = ("author", "comment", "=request_id")
    inlines = (ConfigEditInline,)


def _shown(state: Any) -> str:
    if not isinstance(state, dict):
        return "-"
    return HIDDEN_VALUE if state.get("sealed") else str(state.get("value", ""))
