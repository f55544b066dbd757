"""Django's admin app with the service's site; in a module of its own, because models are not loaded yet."""

from django.contrib.admin.apps import AdminConfig


class ServiceAdminConfig(AdminConfig):
    """Takes the place of `django.contrib.admin` in the settings."""

    default_site = "srm_service.people.admin_site.ServiceAdminSite"
