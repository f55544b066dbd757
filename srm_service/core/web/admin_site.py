"""Django's admin at /admin/: for the role admin, with the service's own login page."""

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse

from srm_service.core.auth.roles import role_of


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
