from django.apps import AppConfig


class ConfigurationConfig(AppConfig):
    name = "srm_service.configuration"
    label = "configuration"
