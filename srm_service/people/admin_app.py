"""Django's admin app with the service's site. Django imports this module before models are loaded."""

from django.contrib.admin.apps import AdminConfig


class ServiceAdminConfig(AdminConfig):
    """Takes the place of `django.contrib.admin` in the settings."""

    default_site = "srm_service.people.admin_site.ServiceAdminSite"
