"""Users, sessions and tokens in Django's admin."""

from typing import Any, get_args

from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from srm_service.core.auth.role_words import UserRole
from srm_service.core.auth.roles import stored_role_of
from srm_service.core.choices import word_of
from srm_service.core.web.admin_models import AnyModelForm, ReadOnlyInline, ReadOnlyModelAdmin, ServiceModelAdmin
from srm_service.people.models import ApiToken, LoginSession
from srm_service.people.services import (
    PasswordRefusedError,
    UserChangeError,
    UserNotFoundError,
    password_reset,
    user_change,
    user_create,
    user_delete,
)
from srm_service.people.sessions import SessionNotFoundError, session_end
from srm_service.people.tokens import TokenNotFoundError, token_revoke

_ROLES: tuple[UserRole, ...] = get_args(UserRole)
_NO_ROLE = ""
admin.site.unregister([User, Group])  # of django.contrib.auth; groups are the three roles


class UserForm(AnyModelForm):
    """A user's name, role, state and, if wanted, a new password."""

    role = forms.ChoiceField(required=False, choices=[(_NO_ROLE, "none"), *((role, role) for role in _ROLES)])
    new_password = forms.CharField(
        required=False, strip=False, widget=forms.PasswordInput, help_text="Ends the sessions of the user."
    )

    class Meta:
        model = User
        fields = ("username", "is_active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            self.fields["new_password"].required = True
        else:
            self.initial["role"] = stored_role_of(self.instance) or _NO_ROLE


class ApiTokenInline(ReadOnlyInline):
    """The tokens of a user."""

    model = ApiToken
    fields = ("prefix", "name", "scopes", "expires_at", "last_used_at", "revoked_at")
    readonly_fields = fields


@admin.register(User)
class UserAdmin(ServiceModelAdmin):
    """Users; the last admin stays one."""

    form = UserForm
    list_display = ("username", "role", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    search_fields = ("username",)
    fields = ("username", "role", "is_active", "new_password")
    inlines = (ApiTokenInline,)
    refusals = (UserChangeError, UserNotFoundError, PasswordRefusedError)

    @admin.display(description="role")
    def role(self, user: User) -> str:
        return stored_role_of(user) or "none"

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else ("username",)

    def save_model(self, request: HttpRequest, obj: User, form: UserForm, change: bool) -> None:
        values = form.cleaned_data
        role = word_of(values["role"], _ROLES) if values["role"] else None
        by = request.user.get_username()
        if not change:
            user_create(name=obj.username, role=role, password=values["new_password"], by=by)
            obj.pk = User.objects.get(username=obj.username).pk
        elif values["new_password"]:
            password_reset(name=obj.username, password=values["new_password"], by=by)
        user_change(name=obj.username, role=role, active=values["is_active"], by=by)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        user_delete(name=obj.username, by=request.user.get_username())


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyModelAdmin):
    """API tokens; deleting one revokes it."""

    may_delete = True
    list_display = ("prefix", "name", "owner", "scopes", "expires_at", "last_used_at", "revoked_at")
    search_fields = ("prefix", "name", "owner__username")
    exclude = ("digest",)
    refusals = (TokenNotFoundError,)

    def delete_model(self, request: HttpRequest, obj: ApiToken) -> None:
        token_revoke(prefix=obj.prefix, owner=None, by=request.user.get_username())


@admin.register(LoginSession)
class LoginSessionAdmin(ReadOnlyModelAdmin):
    """Sessions; deleting one ends it."""

    may_delete = True
    list_display = ("user", "started_at", "address", "user_agent", "expire_date")
    search_fields = ("user__username", "address")
    exclude = ("session_data",)
    refusals = (SessionNotFoundError,)

    def delete_model(self, request: HttpRequest, obj: LoginSession) -> None:
        session_end(session_id=obj.session_key, owner=None, by=request.user.get_username())
