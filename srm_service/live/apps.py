from django.apps import AppConfig


class LiveConfig(AppConfig):
    name = "srm_service.live"
    label = "live"
