from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    name = "srm_service.monitoring"
    label = "monitoring"
