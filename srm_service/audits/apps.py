from django.apps import AppConfig


class AuditsConfig(AppConfig):
    name = "srm_service.audits"
    label = "audits"
