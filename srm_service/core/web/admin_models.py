"""Shared by all model admins: rights by role, writes through services, and errors as messages."""

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from srm_service.core.auth.roles import role_of

if TYPE_CHECKING:  # these classes are generic in their type information only
    AnyModelAdmin = admin.ModelAdmin[Any]
    AnyInline = admin.TabularInline[Any, Any]
    AnyModelForm = forms.ModelForm[Any]
else:
    AnyModelAdmin, AnyInline, AnyModelForm = admin.ModelAdmin, admin.TabularInline, forms.ModelForm


class RoleRights:
    """Every right follows from the role admin, not from Django's permissions."""

    may_add: ClassVar[bool] = True
    may_change: ClassVar[bool] = True
    may_delete: ClassVar[bool] = True

    def has_module_permission(self, request: HttpRequest) -> bool:
        return role_of(request.user) == "admin"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return role_of(request.user) == "admin"

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_add and role_of(request.user) == "admin"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_change and role_of(request.user) == "admin"

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_delete and role_of(request.user) == "admin"


class ServiceModelAdmin(RoleRights, AnyModelAdmin):
    """Subclasses implement `save_model` and `delete_model` by services, whose `refusals` are shown as messages.

    Changes are recorded in the audit trail; Django's own log of the admin stays empty.
    """

    refusals: ClassVar[tuple[type[Exception], ...]] = ()

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            response: HttpResponse = super().changeform_view(request, object_id, form_url, extra_context)
        except self.refusals as error:
            return self._refused(request, error)
        return response

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            response: HttpResponse = super().delete_view(request, object_id, extra_context)
        except self.refusals as error:
            return self._refused(request, error)
        return response

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for each in queryset:
            try:
                self.delete_model(request, each)
            except self.refusals as error:
                messages.error(request, str(error))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the formsets; many-to-many fields are written by services."""
        for formset in formsets:
            self.save_formset(request, form, formset, change=change)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """List the objects only: the services delete what depends on them."""
        return [str(each) for each in objs], {}, set(), []

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        return None

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        return None

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        return None

    def _refused(self, request: HttpRequest, error: Exception) -> HttpResponse:
        messages.error(request, str(error))
        return HttpResponseRedirect(request.get_full_path())


class ReadOnlyModelAdmin(ServiceModelAdmin):
    """Objects that are only looked at."""

    may_add = may_change = may_delete = False


class ReadOnlyInline(RoleRights, AnyInline):
    """Rows of an object that are only looked at."""

    may_add = may_change = may_delete = False
    extra = 0
