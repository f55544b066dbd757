"""Django's admin at /admin/: for the role admin, with the service's own login page."""

from django.contrib.admin import AdminSite
from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView, redirect_to_login
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from srm_service.core.auth.roles import role_of
from srm_service.people.attempts import TooManyAttemptsError
from srm_service.people.services import password_change


class OwnPasswordForm(AdminPasswordChangeForm):
    """The own password, as REST changes it: attempts are limited, and other sessions end."""

    user: User

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        try:
            known = authenticate(None, username=self.user.get_username(), password=password)
        except TooManyAttemptsError as error:
            raise ValidationError(str(error)) from error
        if known is None:
            raise ValidationError("This is not your password.")
        return password

    def save(self, commit: bool = True) -> User:
        name = self.user.get_username()
        password_change(user=self.user, password=self.cleaned_data["new_password1"], keep_session="", by=name)
        return self.user


class ServiceAdminSite(AdminSite):
    """The site of all registered models."""

    site_header = site_title = "Streams Replication Manager"
    index_title = "Administration"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        return role_of(request.user) == "admin"

    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        """Lead to the login page; without the role admin there is nothing here."""
        if request.user.is_authenticated:
            raise Http404("the administration needs the admin role")
        return redirect_to_login(request.GET.get("next", "/admin/"))

    def password_change(  # type: ignore[override]  # redirects as well
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponseBase:
        view = PasswordChangeView.as_view(
            form_class=OwnPasswordForm,
            success_url=reverse("admin:password_change_done", current_app=self.name),
            extra_context={**self.each_context(request), **(extra_context or {})},
        )
        return view(request)
